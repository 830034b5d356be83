/* The replay bar; see replaybar.h. */
#include "ui/replaybar.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "base/utf8.h"

enum { BAR_LEAST = 12, KEYS_N = 5 };

static void
clock_text(char out[16], uint64_t ns)
{
	uint64_t s = ns / NS_S;

	if (s > 99 * 3600 + 59 * 60 + 59)
		s = 99 * 3600 + 59 * 60 + 59;
	snprintf(out, 16, "%02u:%02u:%02u", (unsigned)(s / 3600), (unsigned)(s / 60 % 60), (unsigned)(s % 60));
}

static void
pace_text(char out[24], const struct replaybar *b)
{
	if (b->ended)
		snprintf(out, 24, "END");
	else if (b->paused)
		snprintf(out, 24, "paused");
	else if (b->speed <= 0)
		snprintf(out, 24, "max");
	else if (b->speed < 1)
		snprintf(out, 24, "%.2g\xc3\x97", b->speed);
	else
		snprintf(out, 24, "%.4g\xc3\x97", b->speed);
}

/* ├──r───█──────┤ in w columns. */
static void
track(struct canvas *c, int x, int y, int w, const struct replaybar *b)
{
	int inner = w - 2, i, at;
	unsigned k;

	canvas_put(c, x, y, canvas_glyph(c, 0x251c), ROLE_LABEL, 0);
	canvas_put(c, x + w - 1, y, canvas_glyph(c, 0x2524), ROLE_LABEL, 0);
	for (i = 0; i < inner; i++)
		canvas_put(c, x + 1 + i, y, canvas_glyph(c, 0x2500), ROLE_LABEL, 0);
	if (b->all_ns == 0)
		return;
	for (k = 0; k < b->n && k < REPLAYBAR_MARKS; k++) {
		if (b->mark[k].at_ns > b->all_ns)
			continue;
		at = (int)((double)b->mark[k].at_ns / (double)b->all_ns * (inner - 1));
		canvas_put(c, x + 1 + at, y, (unsigned char)b->mark[k].letter,
			b->mark[k].letter == '!' || b->mark[k].letter == '-' ? ROLE_CRIT : ROLE_WARN, CELL_BOLD);
	}
	at = (int)((double)(b->at_ns < b->all_ns ? b->at_ns : b->all_ns) / (double)b->all_ns * (inner - 1));
	canvas_put(c, x + 1 + at, y, canvas_glyph(c, 0x2588), ROLE_HEAD, CELL_BOLD);
}

void
replaybar_draw(struct canvas *c, int y, const struct replaybar *b)
{
	static const struct {
		const char *key, *label;
	} keys[KEYS_N] = {
		{"Space", "pause"}, {"\xe2\x86\x90 \xe2\x86\x92", "10 s"}, {"[ ]", "event"}, {", .", "block"}, {"{ }", "speed"},
	};
	char at[16], all[16], pace[24];
	int w = c->at.w, x = 1, left, need = 0;
	unsigned i, n;

	canvas_fill(c, (struct rect){.y = y, .w = w, .h = 1}, ' ', ROLE_TEXT, 0);
	clock_text(at, b->at_ns);
	clock_text(all, b->all_ns);
	pace_text(pace, b);
	/* As many keys as leave room for the track. */
	left = w - (1 + 8 + 1 + 9 + 1) - (1 + 8 + 1);
	for (n = 0; n < KEYS_N; n++) {
		int k = 2 + (int)utf8_columns(keys[n].key) + 1 + (int)utf8_columns(keys[n].label);

		if (left - need - k < 2 * BAR_LEAST)
			break;
		need += k;
	}
	if (c->glyphs == GLYPHS_ASCII && strstr(pace, "\xc3\x97") != NULL)
		memcpy(strstr(pace, "\xc3\x97"), "x", 2);
	canvas_text(c, x, y, 7, ROLE_HEAD, CELL_BOLD, pace);
	x = 9;
	x = canvas_text(c, x, y, 8, ROLE_TEXT, 0, at) + 1;
	left = w - x - need - 10;
	if (left >= BAR_LEAST) {
		track(c, x, y, left, b);
		x += left + 1;
		x = canvas_text(c, x, y, 8, ROLE_LABEL, 0, all);
	}
	for (i = 0; i < n; i++) {
		x = canvas_text(c, x + 2, y, -1, ROLE_KEY, 0, keys[i].key);
		x = canvas_text(c, x + 1, y, -1, ROLE_LABEL, 0, keys[i].label);
	}
}
