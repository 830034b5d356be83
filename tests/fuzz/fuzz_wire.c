/*
 * Fuzz target of feed/wire_rpc: whatever a node says to calls of ours, events are sound. The input is messages, each behind two
 * bytes of its length; the calls are all that we ask at a start.
 */
#include <stdint.h>
#include <stdlib.h>

#include "feed/wire_pending.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void on_emit(void *ctx, struct event *e, bool important)
{
	(void)ctx;
	(void)important;
	switch ((enum event_kind)e->kind) {
	case EV_BLOCK:
		block_unref(e->u.block.block);
		break;
	case EV_TXS:
		if (e->u.txs.n == 0 || e->u.txs.n > TXS_MAX)
			abort();
		for (unsigned i = 0; i < e->u.txs.n; i++) {
			if (!e->u.txs.key[i])
				abort();
		}
		break;
	case EV_INFO:
		if (e->u.info.info >= INFO_N || e->u.info.code >= ST_N)
			abort();
		break;
	case EV_REPLY:
		if (e->u.reply.method >= M_N || e->u.reply.code >= ST_N)
			abort();
		break;
	default:
		break;
	}
}

static void ask(struct wire *w)
{
	static const char *const calls[] = {
		"{\"id\":16,\"method\":\"eth_chainId\",\"params\":[]}",
		"{\"id\":32,\"method\":\"eth_getBlockByNumber\",\"params\":[\"0x0\",false]}",
		"{\"id\":48,\"method\":\"eth_subscribe\",\"params\":[\"newHeads\"]}",
		"{\"id\":64,\"method\":\"eth_subscribe\",\"params\":[\"newPendingTransactions\",true]}",
		"{\"id\":80,\"method\":\"eth_getBlockByNumber\",\"params\":[\"latest\",true]}",
		"[{\"id\":96,\"method\":\"web3_clientVersion\",\"params\":[]},{\"id\":112,\"method\":\"txpool_status\",\"params\":[]},"
		"{\"id\":128,\"method\":\"eth_syncing\",\"params\":[]}]",
	};

	for (unsigned i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (wire_out(w, calls[i], strlen(calls[i]), 1000) != ST_OK)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct wire_hooks h = { .emit = on_emit };
	struct net_meta m = { .recv_ns = 1000000, .wall_ns = 1, .wire_bytes = 1 };
	static struct wire w;

	if (wire_init(&w, &h) != ST_OK)
		return 0;
	ask(&w);
	while (size >= 2) {
		size_t n = (size_t)data[0] << 8 | data[1];
		char *text;

		data += 2;
		size -= 2;
		n = n < size ? n : size;
		text = malloc(n + 1);
		if (!text)
			break;
		memcpy(text, data, n);
		text[n] = '\0';
		m.recv_ns += 10000000;
		wire_in(&w, text, n, &m);
		free(text);
		data += n;
		size -= n;
	}
	wire_pending_flush(&w, UINT64_MAX);
	if (wire_pending_due(&w) != UINT64_MAX)
		abort();
	wire_fini(&w);
	return 0;
}
