/* The two lines above the panes; see headlines.h. */
#include "ui/headlines.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "base/utf8.h"
#include "eth/verify.h"
#include "ui/layout.h"
#include "ui/widget_bar.h"
#include "base/number.h"

enum {
	PARTS_MAX = 24,
	LONG_MIN = 100, /* columns from which line 1 uses its long words */
	OLD_HEAD = 100, /* block times: nobody waits for the next one */
};

/* A piece of a line. Pieces of one `drop` leave together; the highest leaves first, 0 never. */
struct part {
	char text[256];
	enum role role;
	unsigned attr;
	uint8_t drop;
	uint8_t bar; /* not 0: a gauge of this width instead of text */
	uint8_t room; /* columns it may need in the next frame: else other parts would come and go with every head */
	double share;
};

struct line {
	struct part part[PARTS_MAX];
	unsigned n;
};

static void add(struct line *l, unsigned drop, enum role role, unsigned attr, const char *fmt, ...) PRINTF_LIKE(5, 6);

static void
add(struct line *l, unsigned drop, enum role role, unsigned attr, const char *fmt, ...)
{
	struct part *p;
	va_list ap;

	if (l->n == PARTS_MAX)
		return;
	p = &l->part[l->n++];
	*p = (struct part){.role = role, .attr = attr, .drop = (uint8_t)drop};
	va_start(ap, fmt);
	vsnprintf(p->text, sizeof(p->text), fmt, ap);
	va_end(ap);
}

static int
part_width(const struct part *p)
{
	return p->bar > 0 ? p->bar : (int)utf8_columns(p->text);
}

static int
line_width(const struct line *l)
{
	unsigned i;
	int w = 0, part;

	for (i = 0; i < l->n; i++) {
		part = part_width(&l->part[i]);
		w += part > l->part[i].room ? part : l->part[i].room;
	}
	return w;
}

/* Sets the room of the part added last. */
static void
reserve(struct line *l, unsigned columns)
{
	if (l->n > 0)
		l->part[l->n - 1].room = (uint8_t)columns;
}

/* Drops parts until the line fits into w, draws it, returns the column behind. */
static int
line_draw(struct line *l, struct canvas *c, int y, int w)
{
	unsigned i, k, worst;
	int x = 0;

	while (line_width(l) > w) {
		for (worst = 0, i = 0; i < l->n; i++)
			if (l->part[i].drop > worst)
				worst = l->part[i].drop;
		if (worst == 0)
			break;
		for (i = k = 0; i < l->n; i++)
			if (l->part[i].drop != worst)
				l->part[k++] = l->part[i];
		l->n = k;
	}
	for (i = 0; i < l->n; i++) {
		struct part *p = &l->part[i];

		if (p->bar > 0) {
			bar_gauge(c, x, y, p->bar, p->share, p->role);
			x += p->bar;
		} else {
			x = canvas_text(c, x, y, -1, p->role, p->attr, p->text);
		}
	}
	return x;
}

static void
fill_row(struct canvas *c, int y)
{
	canvas_fill(c, (struct rect){.y = y, .w = c->at.w, .h = 1}, ' ', ROLE_TEXT, 0);
}

/* ---- line 1 ---- */

/* As in the blocks table, but with a blank before the s: "4.2 s", "42 s", "1m04s". */
static char *
age_words(char *out, size_t size, int64_t ns)
{
	size_t n;

	time_age(out, size, ns);
	n = strlen(out);
	if (ns < 60 * (int64_t)NS_S && n > 1 && n + 2 <= size)
		memcpy(out + n - 1, " s", 3);
	return out;
}

static int64_t
age_ns(const struct model *m, uint64_t time_ms)
{
	/* A node may say anything; this is the last ms that fits. */
	uint64_t ms = time_ms < INT64_MAX / NS_MS ? time_ms : INT64_MAX / NS_MS;

	return (int64_t)(m->now_wall - ms * NS_MS);
}

/* When an age is news: screens.md §5, first row. */
static enum role
age_role(const struct chain *c, int64_t ns)
{
	int64_t warn, crit, s = (int64_t)NS_S, t = (int64_t)(c->block_ms * NS_MS);

	switch (c->info != NULL ? c->info->kind : CHAIN_OTHER) {
	case CHAIN_DEV: return ROLE_TEXT;
	case CHAIN_POA: warn = 5 * s; crit = 30 * s; break;
	case CHAIN_ROLLUP: warn = 10 * s; crit = 60 * s; break;
	default:
		if (c->block_ms == UNKNOWN || c->block_ms > 3600000)
			return ROLE_TEXT;
		warn = 4 * t;
		crit = 10 * t;
		break;
	}
	return ns > crit ? ROLE_CRIT : ns > warn ? ROLE_WARN : ROLE_TEXT;
}

/* Progress to the next block and what is left of it. False: nothing can be said. */
static bool
next_block(const struct model *m, const struct chain *c, double *share, int64_t *left_ns)
{
	int64_t t, at;

	if (c->block_ms == UNKNOWN || c->block_ms == 0 || c->block_ms > 3600000)
		return false;
	if (c->info != NULL && c->info->kind == CHAIN_DEV)
		return false;
	t = (int64_t)(c->block_ms * NS_MS);
	at = age_ns(m, c->head->h.time_ms);
	/* A node that syncs: from a head so old nothing follows for the next one. */
	if (at / OLD_HEAD > t)
		return false;
	/* Slots go on whether or not a block came. */
	if (c->info != NULL && c->info->slot_genesis != 0 && m->now_wall / NS_S > c->info->slot_genesis)
		at = (int64_t)((m->now_wall - c->info->slot_genesis * NS_S) % (uint64_t)t);
	*share = (double)at / (double)t;
	*left_ns = t - at;
	return true;
}

static void
add_bar(struct line *l, unsigned drop, int w, double share)
{
	if (l->n == PARTS_MAX)
		return;
	l->part[l->n++] = (struct part){
		.drop = (uint8_t)drop, .role = ROLE_INFO, .bar = (uint8_t)w, .share = share,
	};
}

static void
add_head(struct line *l, const struct model *m, const struct chain *c, bool wide)
{
	char buf[NUMBER_MAX];
	const struct blk *b = c->head;
	int64_t age = age_ns(m, b->h.time_ms), left;
	double share;

	add(l, 0, ROLE_HEAD, 0, "%s", number_int(buf, sizeof(buf), b->h.number));
	if (b->truth == TRUTH_YES)
		add(l, 0, ROLE_OK, 0, " \xe2\x9c\x93");
	else if (b->truth == TRUTH_NO)
		add(l, 0, ROLE_CRIT, CELL_REVERSE, " \xe2\x9c\x97");
	else
		add(l, 0, ROLE_DIM, 0, b->truth == TRUTH_UNKNOWN ? " ?" : "  ");
	add(l, 1, age_role(c, age), CELL_BOLD, "  %s", age_words(buf, sizeof(buf), age));
	reserve(l, 7);
	add(l, 1, ROLE_TEXT, 0, " old");
	if (!next_block(m, c, &share, &left))
		return;
	add(l, wide ? 6 : 4, ROLE_TEXT, 0, " ");
	add_bar(l, wide ? 6 : 4, wide ? 12 : 8, share);
	if (wide && left > 0 && c->block_ms >= 2000) {
		add(l, 7, ROLE_TEXT, 0, " next in %s", age_words(buf, sizeof(buf), left));
		reserve(l, 14);
	}
}

static uint64_t
behind(const struct chain *c, const struct tag_view *tag)
{
	return c->head->h.number > tag->number ? c->head->h.number - tag->number : 0;
}

static void
add_long(struct line *l, const struct model *m, const struct chain *c)
{
	static const char sep[] = " \xe2\x94\x82 ";
	char buf[NUMBER_MAX], more[NUMBER_MAX];

	if (c->safe.known)
		add(l, 9, ROLE_TEXT, 0, "%ssafe \xe2\x88\x92%" PRIu64, sep, behind(c, &c->safe));
	if (c->final.known)
		add(l, 5, ROLE_TEXT, 0, "%sfinal \xe2\x88\x92%" PRIu64 " %s", sep, behind(c, &c->final),
			time_age(buf, sizeof(buf), age_ns(m, c->final.time_ms)));
	if (c->next.base_known) {
		add(l, 4, ROLE_TEXT, 0, "%snext base %s", sep, number_fee(buf, sizeof(buf), &c->next.base));
		add(l, 4, ROLE_TEXT, 0, " %s", number_percent_signed(more, sizeof(more), c->next.base_change, 1));
		reserve(l, 8);
	}
	if (c->next.blob_known)
		add(l, 8, ROLE_TEXT, 0, "%sblob %s", sep, number_fee(buf, sizeof(buf), &c->next.blob_next));
	if (c->stats.rates_known)
		add(l, 10, ROLE_TEXT, 0, "%s%s tx/s", sep,
			number_fixed(buf, sizeof(buf), c->stats.tx_per_s, 1));
}

static void
add_short(struct line *l, const struct model *m, const struct chain *c)
{
	char buf[NUMBER_MAX];

	/* Less than the last digit is not nothing. */
	if (c->next.base_known && !u256_is_zero(&c->next.base) && u256_sat64(&c->next.base) < 500000)
		add(l, 3, ROLE_TEXT, 0, "  next <0.001");
	else if (c->next.base_known)
		add(l, 3, ROLE_TEXT, 0, "  next %s", number_fee_in(buf, sizeof(buf), &c->next.base, FEE_GWEI));
	if (c->final.known)
		add(l, 6, ROLE_TEXT, 0, "  final %s",
			time_age(buf, sizeof(buf), age_ns(m, c->final.time_ms)));
}

static void
add_badge(struct line *l, const struct headlines *h)
{
	if (h->badge != NULL)
		add(l, 0, ROLE_WARN, CELL_REVERSE | CELL_BOLD, " %s ", h->badge);
}

void
headlines_first(struct canvas *c, int y, const struct headlines *h)
{
	const struct model *m = h->shown;
	const struct chain *ch = model_chain(m);
	struct line l = {.n = 0};
	bool wide = c->at.w >= LONG_MIN;
	char clock[32];
	int clock_w, x, w = c->at.w;

	fill_row(c, y);
	add_badge(&l, h);
	add(&l, 2, ROLE_TITLE, 0, " %s", ch != NULL ? ch->name : "chaintop");
	if (m->n_chains > 1)
		add(&l, 2, ROLE_LABEL, 0, " %u/%u", m->shown + 1, m->n_chains);
	add(&l, 2, ROLE_TEXT, 0, wide ? "  " : " ");
	if (ch == NULL || ch->head == NULL) {
		add(&l, 0, ROLE_TEXT, 0, "waiting for the first block");
	} else {
		add_head(&l, m, ch, wide);
		if (wide)
			add_long(&l, m, ch);
		else
			add_short(&l, m, ch);
	}
	time_clock_utc(clock, sizeof(clock), m->now_wall);
	if (wide)
		memcpy(clock + strlen(clock), " UTC ", 6);
	clock_w = (int)strlen(clock);
	/* The clock leaves before the next base fee and the slot bar, after the rest. */
	if (w >= 60) {
		/* Its own blank at the end may be used. */
		x = line_draw(&l, c, y, w - clock_w - !wide);
		if (x >= w - clock_w && wide)
			clock[--clock_w] = '\0';
		if (x < w - clock_w)
			canvas_right(c, w - clock_w, y, clock_w, ROLE_LABEL, 0, clock);
	} else {
		line_draw(&l, c, y, w);
	}
}

/* ---- line 2 ---- */

static enum role
level_role(enum level v)
{
	switch (v) {
	case LEVEL_OK: return ROLE_OK;
	case LEVEL_WARN: return ROLE_WARN;
	case LEVEL_CRIT: return ROLE_CRIT;
	default: return ROLE_INFO;
	}
}

static void
frozen_line(struct line *l, const struct headlines *h)
{
	const struct chain *now = model_chain(h->live), *then = model_chain(h->shown);
	uint64_t s = 0, blocks = 0;
	char age[32];

	if (h->live->now_mono > h->shown->now_mono)
		s = (h->live->now_mono - h->shown->now_mono) / NS_S;
	if (now != NULL && now->head != NULL) {
		blocks = now->head->h.number;
		if (then != NULL && then->id == now->id && then->head != NULL)
			blocks = blocks > then->head->h.number ? blocks - then->head->h.number : 0;
		else
			blocks = 0;
	}
	add(l, 0, ROLE_INFO, CELL_REVERSE | CELL_BOLD, " FROZEN ");
	if (s < 60)
		snprintf(age, sizeof(age), "%" PRIu64 " s", s);
	else
		time_age(age, sizeof(age), (int64_t)(s * NS_S));
	add(l, 0, ROLE_TEXT, 0, "%s, %" PRIu64 " new block%s", age, blocks, blocks == 1 ? "" : "s");
	add(l, 1, ROLE_TEXT, 0, " \xc2\xb7 Space resumes");
}

void
headlines_second(struct canvas *c, int y, const struct headlines *h)
{
	static const char sep[] = " \xe2\x94\x82 ";
	const struct model *m = h->live;
	const struct verdict_line *v = &m->line;
	struct line l = {.n = 0};
	char buf[NUMBER_MAX], more[NUMBER_MAX];
	int word, w = c->at.w;

	fill_row(c, y);
	if (h->flash != NULL && h->flash[0] != '\0') {
		add(&l, 0, ROLE_INFO, CELL_BOLD, " %s", h->flash);
		line_draw(&l, c, y, w);
		return;
	}
	if (h->frozen) {
		frozen_line(&l, h);
		line_draw(&l, c, y, w);
		return;
	}
	/* Trouble is reversed: the eye finds it without colour. */
	if (v->level == LEVEL_CRIT || v->level == LEVEL_WARN)
		add(&l, 0, level_role(v->level), CELL_BOLD | CELL_REVERSE, " %s ", v->word);
	else
		add(&l, 0, level_role(v->level), CELL_BOLD, " %s ", v->word);
	word = line_width(&l) + 1;
	add(&l, 0, ROLE_TEXT, 0, " %s",
		(int)utf8_columns(v->text) + word <= w || v->brief[0] == '\0' ? v->text : v->brief);
	if (h->rec != NULL && h->rec[0] != '\0')
		add(&l, 0, ROLE_CRIT, CELL_BOLD, "%s%s %s", sep, c->glyphs == GLYPHS_ASCII ? "*" : "\xe2\x97\x8f", h->rec);
	/* A bound: rounded up. */
	if (m->clock_bound != UNKNOWN && m->n_paths > 0)
		add(&l, 3, ROLE_LABEL, 0, "%sclock \xc2\xb1%" PRIu64 " ms", sep, (m->clock_bound + NS_MS - 1) / NS_MS);
	if (!isnan(m->calls_per_min) && !isnan(m->bytes_per_min))
		add(&l, 2, ROLE_LABEL, 0, "%s%s calls/min %s/min", sep,
			number_fixed(buf, sizeof(buf), m->calls_per_min, 0),
			number_bytes_d(more, sizeof(more), m->bytes_per_min));
	if (m->own.glass_p99 != UNKNOWN)
		add(&l, 1, ROLE_LABEL, 0, "%sglass p99 %s", sep,
			time_latency(buf, sizeof(buf), m->own.glass_p99));
	line_draw(&l, c, y, w);
}

/* ---- elsewhere ---- */

void
headlines_note(struct canvas *c, int y, const struct model *m)
{
	static const enum role by_kind[] = {
		[NOTE_INFO] = ROLE_TEXT,
		[NOTE_REORG] = ROLE_WARN,
		[NOTE_LINK] = ROLE_INFO,
		[NOTE_GAP] = ROLE_WARN,
		[NOTE_WARN] = ROLE_WARN,
		[NOTE_BAD] = ROLE_CRIT,
	};
	const struct note *n = model_note_at(m, 0);
	char clock[24];
	int x;

	fill_row(c, y);
	if (n == NULL)
		return;
	x = canvas_text(c, 1, y, -1, ROLE_LABEL, 0, time_clock_utc(clock, sizeof(clock), n->wall));
	canvas_text(c, x + 1, y, -1, (unsigned)n->kind <= NOTE_BAD ? by_kind[n->kind] : ROLE_TEXT, 0, n->text);
}

void
headlines_tiny(struct canvas *c, const struct headlines *h)
{
	const struct chain *ch = model_chain(h->shown);
	const struct verdict_line *v = &h->live->line;
	struct line l = {.n = 0};
	char buf[NUMBER_MAX], text[64];
	int y = (c->at.h - 1) / 2, n;

	canvas_clear(c);
	add_badge(&l, h);
	if (c->at.w < 6) {
		/* No room for the number: O of OK, D of DOWN … */
		canvas_put(c, 0, y, (unsigned char)v->word[0], level_role(v->level), CELL_BOLD);
		return;
	}
	if (ch != NULL && ch->head != NULL) {
		/* The number is what one looks for; what does not fit behind it leaves. */
		add(&l, 0, ROLE_HEAD, 0, "%s%s", h->badge != NULL ? " " : "",
			number_int(buf, sizeof(buf), ch->head->h.number));
		add(&l, 1, ROLE_TEXT, 0, " %s",
			time_age(buf, sizeof(buf), age_ns(h->shown, ch->head->h.time_ms)));
		if (v->level != LEVEL_OK)
			add(&l, 2, level_role(v->level), CELL_BOLD, " %s", v->word);
	} else {
		add(&l, 0, level_role(v->level), CELL_BOLD, "%s%s", h->badge != NULL ? " " : "", v->word);
	}
	line_draw(&l, c, y, c->at.w);
	if (c->at.h < 2)
		return;
	snprintf(text, sizeof(text), "too small: %dx%d, need %dx%d", c->at.w, c->at.h, LAYOUT_MIN_W, LAYOUT_MIN_H);
	n = (int)strlen(text);
	if (n > c->at.w) {
		snprintf(text, sizeof(text), "need %dx%d", LAYOUT_MIN_W, LAYOUT_MIN_H);
		n = (int)strlen(text);
	}
	canvas_text(c, n < c->at.w ? (c->at.w - n) / 2 : 0, y + 1, -1, ROLE_LABEL, 0, text);
}
