#include "net/probe.h"

#include "base/time.h"
#include "net/stream.h"

enum { PROBE_MAX = 16 };

int net_probe(const struct url *urls, unsigned n, unsigned timeout_ms)
{
	struct net_loop *l = net_loop_new();
	struct stream *s[PROBE_MAX] = { NULL };
	const struct net_opts o = { 0 };
	uint64_t end = time_mono() + timeout_ms * NS_MS;
	int found = -1;
	bool undecided = true;
	struct err e;

	if (!l)
		return -1;
	if (n > PROBE_MAX)
		n = PROBE_MAX;
	for (unsigned i = 0; i < n; i++) {
		if (stream_open(&s[i], l, &urls[i], &o, &e) != ST_OK)
			s[i] = NULL;
	}
	while (undecided && time_mono() < end) {
		/* Settled once every address before the found one has failed. */
		undecided = false;
		for (unsigned i = 0; i < n && found < 0; i++) {
			enum stream_state st = s[i] ? stream_state(s[i], &e) : STREAM_DEAD;

			if (st == STREAM_OPEN && !undecided)
				found = (int)i;
			undecided |= st == STREAM_CONNECTING;
		}
		if (found >= 0 || !undecided)
			break;
		if (net_loop_wait(l, 20, &e) != ST_OK)
			break;
	}
	for (unsigned i = 0; i < n && found < 0; i++) {
		if (s[i] && stream_state(s[i], &e) == STREAM_OPEN)
			found = (int)i;
	}
	for (unsigned i = 0; i < n; i++)
		stream_close(s[i]);
	net_loop_free(l);
	return found;
}
