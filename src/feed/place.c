#include "feed/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"

/* "90", "90s", "5m", "1h" */
static bool span(const char *s, uint64_t *ns)
{
	char *end;
	unsigned long long v = strtoull(s, &end, 10);

	if (end == s || *s < '0' || *s > '9' || v > 1000000000)
		return false;
	*ns = v * (*end == 'h' ? 3600 * NS_S : *end == 'm' ? 60 * NS_S : NS_S);
	return *end == 0 || (strchr("smh", *end) && end[1] == 0);
}

/* A time of day after the start, as time of the recorded clock. */
static bool find_clock(struct recreader *r, const char *words, uint64_t *mono)
{
	const struct recinfo *i = recreader_info(r);
	const uint64_t day = 86400 * NS_S;
	unsigned h, m, s = 0;
	struct recseg seg;
	uint64_t wall;
	int n = 0;

	if (sscanf(words, "%2u:%2u%n", &h, &m, &n) < 2)
		return false;
	if (words[n] == ':' && sscanf(words + n + 1, "%2u", &s) == 1)
		n = (int)strlen(words);
	if (words[n] || h > 23 || m > 59 || s > 59)
		return false;
	wall = i->start_wall / day * day + (h * 3600 + m * 60 + s) * NS_S;
	if (wall < i->start_wall / NS_S * NS_S)
		wall += day;
	*mono = i->start_mono + (wall > i->start_wall ? wall - i->start_wall : 0);
	/* The wall clock may have been set on the way. */
	if (recreader_segment(r, wall, true, &seg) && seg.mono >= i->start_mono)
		*mono = seg.mono + (wall - seg.wall);
	return true;
}

enum status place_find(struct recreader *r, const char *words, uint64_t *mono, struct err *e)
{
	const struct recinfo *i = recreader_info(r);
	struct mark m = { .seq = 0 };
	uint64_t v = 0, wall;
	char *end;
	bool found = true;

	if (words[0] == '+' && span(words + 1, &v)) {
		*mono = i->start_mono + v;
	} else if (words[0] == '-' && span(words + 1, &v)) {
		*mono = i->last_mono > v ? i->last_mono - v : 0;
	} else if (strncmp(words, "reorg:", 6) == 0 && span(words + 6, &v) && v > 0) {
		found = recreader_mark(r, MARK_REORG, v / NS_S - 1, &m);
	} else if (!find_clock(r, words, mono)) {
		v = strtoull(words, &end, 10);
		if (*words < '0' || *words > '9' || *end) {
			err_set(e, ST_USAGE, "%.40s: no place in a recording", words);
			return err_cure(e, "15:57, 15:57:02, a block number, reorg:1, +90s or -10s");
		}
		found = recreader_mark_number(r, v, &m);
	}
	if (m.seq)
		found = recreader_stamp(r, m.seq, mono, &wall);
	if (!found)
		return err_set(e, ST_USAGE, "%.40s: is not in this recording", words);
	if (*mono > i->last_mono)
		return err_set(e, ST_USAGE, "%.40s: after the end of this recording", words);
	return ST_OK;
}
