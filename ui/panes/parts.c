/* What panes share; see parts.h. */
#include "ui/panes/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "base/time.h"
#include "base/utf8.h"

int parts_width(const char *s)
{
	return (int)utf8_columns(s);
}

int parts_fit(struct canvas *c, int x, int y, enum role role, const char *const *text, unsigned n)
{
	const char *last = NULL;

	for (unsigned i = 0; i < n; i++) {
		if (!text[i])
			continue;
		last = text[i];
		if (x + parts_width(last) <= c->at.w)
			break;
	}
	return last && x < c->at.w ? canvas_text(c, x, y, c->at.w - x, role, 0, last) : x;
}

bool parts_waiting(struct canvas *in, const struct model *m)
{
	const struct chain *c = model_chain(m);

	if (c && c->head)
		return false;
	canvas_text(in, 1, 0, in->at.w - 1, ROLE_DIM, 0, "waiting for the first block");
	return true;
}

unsigned parts_blocks(const struct chain *c, const struct blk **out, unsigned max)
{
	unsigned n = 0, known = 0;

	if (!c || !c->head)
		return 0;
	for (uint64_t number = c->head->h.number; n < max; number--) {
		out[n] = chain_by_number(c, number);
		if (out[n++])
			known = n;
		/* Nobody looks at the other side of a hole of this size. */
		if (number == 0 || n - known >= 64)
			break;
	}
	return known;
}

const struct blk *parts_newest_body(const struct chain *c)
{
	const struct blk *b[3];
	unsigned n = parts_blocks(c, b, 3);

	for (unsigned i = 0; i < n; i++) {
		if (b[i] && b[i]->body_seen)
			return b[i];
	}
	return NULL;
}

enum role parts_tone(enum tone t)
{
	static const enum role role[] = {
		[TONE_TEXT] = ROLE_TEXT, [TONE_DIM] = ROLE_DIM, [TONE_BEST] = ROLE_BEST, [TONE_WARN] = ROLE_WARN,
		[TONE_CRIT] = ROLE_CRIT,
	};

	return role[t];
}

enum role parts_role(const char *s, enum role role)
{
	return strcmp(s, "\xe2\x80\x94") == 0 ? ROLE_DIM : role;
}

char *parts_fee(char *out, size_t size, const struct u256 *wei, enum fee_unit unit)
{
	if (wei && unit == FEE_GWEI && u256_sat64(wei) > 0 && u256_sat64(wei) < 500000)
		return number_fee(out, size, wei);
	return number_fee_in(out, size, wei, unit);
}

const char *parts_unit(const struct chain *c)
{
	return c && c->info && c->info->unit[0] ? c->info->unit : "ether";
}

char *parts_amount(char *out, size_t size, const struct u256 *wei, const struct chain *c)
{
	static const struct {
		uint64_t least;
		unsigned digits;
	} step[] = {
		{ UINT64_C(100000000000000000), 3 }, /* 0.1 */
		{ UINT64_C(100000000000000), 6 },
		{ UINT64_C(100000000), 9 },
	};
	char amount[NUMBER_MAX];
	uint64_t v = u256_sat64(wei);

	for (unsigned i = 0; i < sizeof(step) / sizeof(step[0]); i++) {
		if (v < step[i].least && v)
			continue;
		number_ether(amount, sizeof(amount), wei, step[i].digits);
		snprintf(out, size, "%s %s", amount, parts_unit(c));
		return out;
	}
	snprintf(out, size, "%s wei", number_int(amount, sizeof(amount), v));
	return out;
}

char *parts_gas_rate(char *out, size_t size, double gas_per_s)
{
	char si[NUMBER_MAX], unit[2] = "";
	size_t n;

	if (!isfinite(gas_per_s))
		return number_fixed(out, size, NAN, 0);
	number_si(si, sizeof(si), gas_per_s);
	n = strlen(si);
	if (n && si[n - 1] >= 'E' && si[n - 1] <= 'k') {
		unit[0] = si[n - 1];
		si[n - 1] = '\0';
	}
	snprintf(out, size, "%s %sgas/s", si, unit);
	return out;
}

char *parts_tx_rate(char *out, size_t size, double tx_per_s)
{
	if (tx_per_s >= 999.5 && tx_per_s < 1e18)
		return number_int(out, size, (uint64_t)(tx_per_s + 0.5));
	return number_fixed(out, size, tx_per_s, tx_per_s > 0 && tx_per_s < 0.995 ? 2 : 1);
}

int parts_clamp(int v, int lo, int hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

struct parts_bars parts_bars(unsigned window, int room, int least)
{
	struct parts_bars b = { .each = 1 };
	int n = window > 1000 ? 1000 : window < (unsigned)least ? least : (int)window;

	room = parts_clamp(room, least, 1000);
	if (room >= 5 * n) {
		b.each = 3;
		b.n = (unsigned)(room / 3);
	} else {
		b.each = parts_clamp(room / n, 1, 4);
		b.n = (unsigned)(n < room ? n : room);
	}
	b.w = (int)b.n * b.each;
	return b;
}

double parts_axis(double max)
{
	static const double step[] = { 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10 };
	double p;

	if (!isfinite(max) || max <= 0)
		return 1;
	p = pow(10, floor(log10(max)));
	for (unsigned i = 0; i < sizeof(step) / sizeof(step[0]); i++) {
		if (max <= step[i] * p * (1 + 1e-9))
			return step[i] * p;
	}
	return 10 * p;
}

char *parts_span(char *out, size_t size, uint64_t ms)
{
	char n[NUMBER_MAX];

	if (ms == UNKNOWN)
		snprintf(out, size, "\xe2\x80\x94");
	else if (ms < 1000)
		snprintf(out, size, "%llu ms", (unsigned long long)ms);
	else if (ms < 600 * 1000)
		snprintf(out, size, "%s s", number_fixed(n, sizeof(n), (double)ms / 1000, ms < 20000 && ms % 1000 != 0));
	else
		time_age(out, size, ms < INT64_MAX / (int64_t)NS_MS ? (int64_t)(ms * NS_MS) : INT64_MAX);
	return out;
}

int64_t parts_since(const struct model *m, uint64_t time_ms)
{
	uint64_t now = m->now_wall < INT64_MAX ? m->now_wall : INT64_MAX;
	uint64_t then = time_ms < INT64_MAX / NS_MS ? time_ms * NS_MS : INT64_MAX;

	return (int64_t)now - (int64_t)then;
}

bool parts_syncing(const struct model *m)
{
	return strcmp(m->line.word, "SYNCING") == 0;
}

char *parts_story(const struct blk *b, bool wide, char *out, size_t size)
{
	char late[48] = "", lived[48] = "", back[64] = "", n[NUMBER_MAX];
	const char *fate = b->state == BLK_SIDE ? "not on the chain we follow" : "orphaned";

	if (b->heard && b->late_known && b->late_ns > 0)
		snprintf(late, sizeof(late), wide ? "heard %.24s s late, " : "late %.24s s, ",
			 number_fixed(n, sizeof(n), (double)b->late_ns / 1e9, 1));
	if (b->state == BLK_ORPHAN && b->heard && b->orphaned_mono != UNKNOWN && b->first_mono != UNKNOWN &&
	    b->orphaned_mono >= b->first_mono)
		snprintf(lived, sizeof(lived), wide ? " %.24s s later" : " after %.24s s",
			 number_fixed(n, sizeof(n), (double)(b->orphaned_mono - b->first_mono) / 1e9, 1));
	if (b->reincluded >= 0 && b->body_seen)
		snprintf(back, sizeof(back), wide ? ": %d of %u txs re-included" : ", %d/%u back", b->reincluded, b->ntx);
	snprintf(out, size, "%s%s%s%s", late, fate, lived, back);
	return out;
}

char *parts_age(char *out, size_t size, int64_t ns)
{
	size_t n;

	time_age(out, size, ns);
	n = strlen(out);
	if (ns < 60 * (int64_t)NS_S && n > 1 && n + 2 <= size)
		memcpy(out + n - 1, " s", 3);
	return out;
}

char *parts_share(char *out, size_t size, uint64_t n, uint64_t of, bool floor)
{
	double share = of ? (double)n / (double)of : NAN;
	const char *most = floor && n < of ? "\xe2\x89\xa5 " : "";
	char text[NUMBER_MAX];

	if (floor && !n)
		snprintf(out, size, "\xe2\x80\x94"); /* at least none: nothing is known */
	else if (n < of && share >= 0.995)
		snprintf(out, size, "> 99 %%");
	else if (n && share < 0.005)
		snprintf(out, size, "< 1 %%");
	else
		snprintf(out, size, "%s%s", of ? most : "", number_percent(text, sizeof(text), share, 0));
	return out;
}

char *parts_pool_news(char *out, size_t size, const struct pool_view *p)
{
	char n[NUMBER_MAX];

	out[0] = '\0';
	if (p->cover.per_s >= 1000)
		snprintf(out, size, "  +%s/s", number_int(n, sizeof(n), (uint64_t)(p->cover.per_s + 0.5)));
	else if (isfinite(p->cover.per_s))
		snprintf(out, size, "  %s/s", number_signed(n, sizeof(n), p->cover.per_s, 1));
	else if (p->known && isfinite(p->per_s) && fabs(p->per_s) >= 0.05)
		snprintf(out, size, "  %s %s/s", p->per_s > 0 ? "growing" : "shrinking",
			 number_fixed(n, sizeof(n), fabs(p->per_s), 1));
	return out;
}

char *parts_lead(char *out, size_t size, uint64_t ns)
{
	char n[NUMBER_MAX];

	if (ns == UNKNOWN || ns < NS_S)
		return time_latency(out, size, ns);
	if (ns < 100 * NS_S) {
		snprintf(out, size, "%s s", number_fixed(n, sizeof(n), (double)ns / 1e9, ns < 9950 * NS_MS));
		return out;
	}
	return parts_age(out, size, ns < INT64_MAX ? (int64_t)ns : INT64_MAX);
}

/* ---- saying and copying ---- */

char *parts_hex(char out[67], const struct hash *h)
{
	return hex_print(out, h->b, sizeof(h->b));
}

enum pane_result parts_open_block(struct pane *p, const struct hash *h, uint64_t number)
{
	p->go = (struct target){ .page = "block", .block = *h, .number = number, .tx = TARGET_NO_TX };
	return PANE_OPEN;
}

enum pane_result parts_setting(struct pane *p, enum ui_cmd cmd)
{
	struct pane_env *env = p->env;

	if (cmd == UI_WINDOW)
		env->window = env->window + 1 < RACE_WINDOWS ? (enum race_window)(env->window + 1) : RACE_10M;
	else if (cmd == UI_ORDER)
		env->rank = env->rank < RANK_OPERATOR ? (enum rank_by)(env->rank + 1) : RANK_SEARCHER;
	else
		return PANE_IGNORED;
	return PANE_DONE;
}

enum pane_result parts_open_path(struct pane *p, unsigned path)
{
	p->go = (struct target){ .page = "path", .tx = TARGET_NO_TX, .path = (uint16_t)path };
	return PANE_OPEN;
}

enum pane_result parts_say(struct pane *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(p->env->say, sizeof(p->env->say), fmt, ap);
	va_end(ap);
	return PANE_DONE;
}

enum pane_result parts_copy(struct pane *p, const char *text)
{
	buf_clear(&p->env->clip);
	if (buf_adds(&p->env->clip, text) != ST_OK)
		return parts_say(p, "nothing copied: no memory");
	return PANE_COPY;
}

/* Behind the value that begins at s: the text is our own writer's, or was checked by the decoder. */
static const char *skip_value(const char *s)
{
	unsigned depth = 0;

	for (; *s; s++) {
		if (*s == '"') {
			for (s++; *s && *s != '"'; s++)
				s += *s == '\\' && s[1];
			if (!*s)
				return s;
		} else if (*s == '{' || *s == '[') {
			depth++;
		} else if (*s == '}' || *s == ']') {
			if (depth == 0)
				return s;
			depth--;
		} else if (*s == ',' && depth == 0) {
			return s;
		}
	}
	return s;
}

/* Cuts all but one transaction out of a block's JSON. */
static enum status keep_tx(struct buf *out, size_t from, uint32_t tx)
{
	const char *s = strstr(out->p + from, "\"transactions\":["), *end;
	size_t n;

	if (!s)
		return ST_INTERNAL;
	s += strlen("\"transactions\":[");
	for (; tx > 0 && *s; tx--) {
		s = skip_value(s);
		s += *s == ',';
	}
	end = skip_value(s);
	n = (size_t)(end - s);
	memmove(out->p + from, s, n);
	out->len = from + n;
	out->p[out->len] = '\0';
	return ST_OK;
}

enum status parts_json(const struct pane *p, const struct block *b, uint32_t tx, struct buf *out)
{
	size_t from = out->len;
	enum status st;

	if (!p->env->json)
		return ST_UNSUPPORTED;
	st = p->env->json(out, b);
	if (st == ST_OK && tx != TARGET_NO_TX)
		st = keep_tx(out, from, tx);
	return st;
}

enum pane_result parts_copy_json(struct pane *p, uint32_t tx)
{
	buf_clear(&p->env->clip);
	if (!p->body)
		return parts_say(p, "nothing copied: the block's body is not here");
	if (parts_json(p, p->body, tx, &p->env->clip) != ST_OK)
		return parts_say(p, "nothing copied: no memory");
	return PANE_COPY;
}
