#include "ui/panes/peer_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/time.h"
#include "eth/forkid.h"
#include "eth/p2p_reason.h"

enum role peer_fork(char *out, size_t size, const struct model *m, const struct path *p)
{
	const struct peer_view *v = &p->peer;
	char words[FORKID_TEXT];
	enum forkid_state state;

	if (!v->known) {
		snprintf(out, size, "\xe2\x80\x94");
		return ROLE_DIM;
	}
	if (p->wrong_chain) {
		snprintf(out, size, "other chain");
		return ROLE_CRIT;
	}
	state = forkid_words(words, &v->genesis, v->fork_hash, v->fork_next, m->now_wall / NS_S);
	snprintf(out, size, "%s", words);
	switch (state) {
	case FORKID_OK: return ROLE_TEXT;
	case FORKID_OTHER: return ROLE_DIM;
	default: return ROLE_WARN;
	}
}

char *peer_network(char *out, size_t size, const struct model *m, const struct path *p)
{
	const struct chain *c = p->chain >= 0 ? m->chains[p->chain] : NULL;
	const struct peer_view *v = &p->peer;

	if (!v->known)
		snprintf(out, size, "\xe2\x80\x94");
	else if (!c || !c->id_known || c->network)
		snprintf(out, size, "network %" PRIu64, v->network);
	else if (c->id != v->network)
		snprintf(out, size, "%s, network %" PRIu64, c->name, v->network);
	else
		snprintf(out, size, "%s", c->name);
	return out;
}

bool peer_beside_rpc(char *out, size_t size, enum role *role, const struct model *m, unsigned path)
{
	static const enum role of[] = { [LEVEL_OK] = ROLE_TEXT, [LEVEL_WARN] = ROLE_WARN, [LEVEL_CRIT] = ROLE_CRIT,
					[LEVEL_WAIT] = ROLE_TEXT };
	const struct health_subject *s = health_node(m, path);
	const struct check_view *v = s ? &s->check[CHECK_p2p] : NULL;
	size_t name;

	if (!v || !v->applies)
		return false;
	/* The name stands beside it anyway. */
	name = strlen(s->name);
	snprintf(out, size, "%s", strncmp(v->text, s->name, name) == 0 && strncmp(v->text + name, ": ", 2) == 0 ?
			 v->text + name + 2 : v->text);
	*role = of[v->level];
	return true;
}

uint64_t peer_left_sum(const struct path *p)
{
	uint64_t sum = 0;

	for (unsigned r = 0; r < PEER_REASONS; r++)
		sum += p->peer.left[r];
	return sum;
}

char *peer_left(char *out, size_t size, const struct path *p)
{
	size_t at = 0;
	char words[40];

	snprintf(out, size, "never");
	for (unsigned r = 0; r < PEER_REASONS && at < size; r++) {
		int n;

		if (!p->peer.left[r])
			continue;
		if (r == PEER_NO_REASON)
			snprintf(words, sizeof(words), "another reason, or none");
		else
			p2p_reason_text(words, sizeof(words), (int)r);
		n = snprintf(out + at, size - at, "%s%s %" PRIu32, at ? ", " : "", words, p->peer.left[r]);
		at += n > 0 ? (size_t)n : 0;
	}
	return out;
}

char *peer_per_call(char *out, size_t size, uint64_t frames, uint64_t calls)
{
	double per = calls ? (double)frames / (double)calls : (double)NAN;

	return number_fixed(out, size, per, per >= 100 ? 0 : per >= 10 ? 1 : 2);
}

uint64_t peer_ping_ns(const struct path *p)
{
	return p->method[M_P2P_PING].p50 != UNKNOWN ? p->method[M_P2P_PING].p50 : p->peer.ping_ns;
}
