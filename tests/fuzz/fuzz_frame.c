/*
 * net/devp2p/frame and the limits of it: what anybody with the keys may send, cut anywhere. The
 * input is a list of [code, size (2 bytes), data]; each becomes a sealed frame. First byte: how
 * many bytes come at once; second: which frame is damaged.
 */
#include <stdlib.h>
#include <string.h>

#include "net/devp2p/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t seal_all(struct frame_tx *tx, const uint8_t *data, size_t size)
{
	size_t frames = 0;
	struct err e;

	while (size >= 3) {
		const size_t want = (size_t)data[1] << 8 | data[2];
		const size_t n = want < size - 3 ? want : size - 3;
		uint8_t *const to = frame_tx_data(tx, data[0], n, &e);

		if (to == NULL)
			abort();
		memcpy(to, data + 3, n);
		if (frame_tx_seal(tx, n, &e) != ST_OK)
			abort();
		data += 3 + n;
		size -= 3 + n;
		frames++;
	}
	return frames;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rlpx_secrets s = { .aes = { 1 }, .mac = { 2 } };
	struct frame_tx tx;
	struct frame_rx rx;
	struct frame f;
	struct err e;
	const uint8_t *p;
	uint8_t *copy;
	size_t n, frames, got = 0, step, seen = 0;
	enum status st = ST_AGAIN;

	if (size < 2)
		return 0;
	keccak_init(&s.egress);
	keccak_init(&s.ingress);
	if (frame_tx_init(&tx, &s, &e) != ST_OK)
		abort();
	frame_rx_init(&rx, 20000);
	if (frame_rx_keys(&rx, &s, &e) != ST_OK)
		abort();
	frames = seal_all(&tx, data + 2, size - 2);
	p = frame_tx_out(&tx, &n);
	copy = malloc(n + 1);
	if (copy == NULL)
		abort();
	if (n > 0)
		memcpy(copy, p, n);
	if (data[1] != 0 && n > 0)
		copy[(size_t)data[1] * 97 % n] ^= (uint8_t)(data[1] | 1);
	step = (size_t)data[0] * data[0] + 1;
	for (size_t at = 0; at < n && st == ST_AGAIN; at += step) {
		const size_t left = n - at < step ? n - at : step;
		size_t room;
		uint8_t *const to = frame_rx_space(&rx, &room);

		if (to == NULL || room < 16 * 1024)
			abort();
		if (left > room)
			break; /* no cut is so large */
		memcpy(to, copy + at, left);
		frame_rx_commit(&rx, left, 1, 1);
		while ((st = frame_rx_next(&rx, &f, &e)) == ST_OK) {
			/* Every byte of the view may be read. */
			for (size_t i = 0; i < f.n; i++)
				seen += f.data[i];
			got++;
		}
	}
	if (got > frames || seen > 255 * size ||
		(data[1] == 0 && st == ST_AGAIN && n > 0 && frame_rx_held(&rx) == 0 && got != frames))
		abort();
	free(copy);
	frame_tx_fini(&tx);
	frame_rx_fini(&rx);
	return 0;
}
