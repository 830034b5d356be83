#include "out/report_priv.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/number.h"
#include "base/time.h"
#include "base/utf8.h"

#define DASH "\xe2\x80\x94"

const uint64_t report_steps[REPORT_STEPS] = {
	NS_MS / 10, NS_MS, 10 * NS_MS, 100 * NS_MS, NS_S, 10 * NS_S,
};

const char *const report_rules[] = {
	"Times come from one monotonic clock of the machine that watched; they say what was heard there, "
	"not whose node is faster.",
	"A head heard by pushed paths of two nodes or more is a race. Closer than 0.1 ms is a tie: nobody wins.",
	"Paths of one node do not race: what one is behind the other is the transport's overhead.",
	"The first two heads after a connect, and heads asked for later, are no arrivals. Polled paths are not ranked by heads.",
	"Gate: same chain, same block 3 below the lowest head as most nodes, no block proven wrong, 95 % of calls ok.",
	"searcher: p90 of head heard and body decoded, behind the first head; app: p99 of calls, then failures; "
	"operator: worst health check.",
	"No order below 30 heads (app: 30 calls). Ranges that overlap are ties; shares have Wilson 95 % ranges, "
	"pairs a sign test.",
	NULL,
};

uint64_t report_point(unsigned k)
{
	return (uint64_t)(1e5 * pow(10, k / 10.0) + 0.5);
}

const char *report_kind(enum note_kind k)
{
	static const char *const word[] = {
		[NOTE_INFO] = "info", [NOTE_REORG] = "reorg", [NOTE_LINK] = "link", [NOTE_GAP] = "gap",
		[NOTE_WARN] = "warning", [NOTE_BAD] = "wrong block",
	};

	return (unsigned)k < sizeof(word) / sizeof(word[0]) ? word[k] : "info";
}

char *report_time(char out[32], uint64_t wall)
{
	time_t s = (time_t)(wall / NS_S);
	struct tm tm;

	if (wall == UNKNOWN || !gmtime_r(&s, &tm) || !strftime(out, 32, "%Y-%m-%d %H:%M:%S UTC", &tm))
		snprintf(out, 32, DASH);
	return out;
}

/* ---- names ---- */

/* Given by the user: what an address has in it cannot be in a name. */
static bool is_name(const struct path *p)
{
	if (!p->node[0] || strncmp(p->node, p->show, sizeof(p->node) - 1) == 0)
		return false;
	for (const char *s = p->node; *s; s++) {
		if (!isalnum((unsigned char)*s) && *s != '-' && *s != '_')
			return false;
	}
	return true;
}

char *report_name(char *out, size_t size, const struct model *m, unsigned path)
{
	const struct path *p = m->paths[path];
	unsigned n = 1;

	if (is_name(p)) {
		snprintf(out, size, "%s", p->node);
		return out;
	}
	/* Counted by nodes, in the order in which they were named. */
	for (unsigned i = 0; i < path; i++) {
		bool first = m->paths[i]->node_index != p->node_index;

		for (unsigned k = 0; k < i && first; k++)
			first = m->paths[k]->node_index != m->paths[i]->node_index;
		n += first;
	}
	snprintf(out, size, "node%u", n);
	return out;
}

static void replace(char *text, size_t size, const char *from, const char *to)
{
	size_t n = strlen(from), k = strlen(to), len = strlen(text);
	char *at = text;

	while (n && (at = strstr(at, from)) != NULL) {
		size_t behind = len - (size_t)(at - text) - n;

		if (len - n + k >= size)
			behind = size - 1 - (size_t)(at - text) - k < behind ? size - 1 - (size_t)(at - text) - k : behind;
		if ((size_t)(at - text) + k >= size) {
			*at = '\0';
			return;
		}
		memmove(at + k, at + n, behind);
		memcpy(at, to, k);
		at[k + behind] = '\0';
		len = strlen(text);
		at += k;
	}
}

/* Addresses in a text of the event log become the names of the copy. */
static void without_hosts(char *text, size_t size, const struct model *m, const struct model *named)
{
	char host[64];

	for (unsigned i = 0; i < m->n_paths; i++) {
		const struct path *p = m->paths[i];

		if (strcmp(p->node, named->paths[i]->node) != 0)
			replace(text, size, p->node, named->paths[i]->node);
		replace(text, size, p->show, named->paths[i]->node);
		snprintf(host, sizeof(host), "%.*s", (int)strcspn(p->show, ":"), p->show);
		if (strlen(host) > 3 && strcmp(host, named->paths[i]->node) != 0)
			replace(text, size, host, named->paths[i]->node);
	}
}

static struct model *with_names(const struct model *m)
{
	struct model *to = model_clone(m);

	for (unsigned i = 0; to && i < to->n_paths; i++) {
		report_name(to->paths[i]->node, sizeof(to->paths[i]->node), m, i);
		snprintf(to->paths[i]->show, sizeof(to->paths[i]->show), "%s", to->paths[i]->node);
	}
	return to;
}

/* ---- facts ---- */

static void fact(struct report *r, const char *label, const char *fmt, ...) PRINTF_LIKE(3, 4);
static void fact(struct report *r, const char *label, const char *fmt, ...)
{
	struct report_fact *f = &r->fact[r->n_facts];
	va_list ap;

	if (r->n_facts == REPORT_FACTS)
		return;
	r->n_facts++;
	f->label = label;
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
}

static void clock_fact(struct report *r)
{
	const struct race_late *late = r->c.r.race ? &r->c.r.race->late : NULL;
	uint64_t bound = r->m->clock_bound;
	char t[40], off[40];

	time_latency(off, sizeof(off), bound);
	if (bound == UNKNOWN)
		fact(r, "clock", "may be off by an unknown time: nothing is said of lateness");
	else
		fact(r, "clock", "may be off by %s", off);
	/* Trap a: nobody hears of a block before it is made. */
	if (late && late->early)
		fact(r, "clock is wrong", "%llu of %llu heads were heard before their own time by more than the bound",
		     (unsigned long long)late->early, (unsigned long long)late->n);
	else if (late && late->n && late->p50 >= 0)
		fact(r, "late", "the first path hears a block %s after its own time (p50, \xc2\xb1 %s)",
		     time_latency(t, sizeof(t), (uint64_t)late->p50), off);
}

static void gather_facts(struct report *r)
{
	const struct model *m = r->m;
	const struct chain *c = model_chain(m);
	const struct report_opts *o = r->o;
	uint64_t heads = ranking_heads_in(m, o->window);
	char a[40], b[40], n[NUMBER_MAX], place[160] = "";

	if (c && c->id_known) {
		snprintf(a, sizeof(a), "%llu", (unsigned long long)c->id);
		fact(r, "chain", "%s%s%s", c->name, strstr(c->name, a) ? "" : ", id ", strstr(c->name, a) ? "" : a);
	}
	if (o->location && o->location[0]) {
		utf8_clean(place, sizeof(place), o->location, strlen(o->location));
		fact(r, "from", "%s", place);
	}
	report_time(a, r->from_wall);
	report_time(b, r->to_wall);
	fact(r, "window", "%.19s to %s", a, b);
	fact(r, "heads", "%s in %s", number_int(n, sizeof(n), heads), time_age(a, sizeof(a), (int64_t)r->span_ns));
	fact(r, "order", "for %s: %s", rank_word(o->rank), rank_key_word(r->c.r.key));
	clock_fact(r);
	fact(r, "made by", "%s", o->version);
	if (o->recording)
		fact(r, "recording", "SHA-256 %s", o->recording);
	if (o->command && o->command[0])
		fact(r, "command", "%.190s", o->command);
}

/* ---- pulse ---- */

static void gather_strip(struct report *r, struct report_path *out, const struct path *p)
{
	uint64_t now = r->m->now_mono, start = now - (r->span_ns < now ? r->span_ns : now), oldest = UNKNOWN;
	const struct heard *h;

	for (unsigned i = 0; (h = path_heard_at(p, i)) != NULL; i++) {
		uint64_t column = h->mono >= start ? (h->mono - start) / r->strip_ns : UNKNOWN;

		oldest = h->mono;
		if (column == UNKNOWN)
			continue;
		if (column >= REPORT_STRIP)
			column = REPORT_STRIP - 1;
		out->heads[column] += out->heads[column] < 9;
		out->late[column] |= h->late;
	}
	/* What a full ring has forgotten is not silence. */
	for (unsigned k = 0; p->heard_n == HEARD_KEPT && k < REPORT_STRIP; k++)
		out->unknown[k] = start + (k + 1) * r->strip_ns <= oldest;
}

/* ---- incidents ---- */

static bool tells(const struct note *n, uint64_t since)
{
	return n->kind != NOTE_INFO && n->mono >= since;
}

static void gather_incidents(struct report *r, const struct model *m)
{
	uint64_t since = m->now_mono - (r->span_ns < m->now_mono ? r->span_ns : m->now_mono);
	const struct note *n;
	unsigned all = 0, skip;

	for (unsigned i = 0; (n = model_note_at(m, i)) != NULL; i++)
		all += tells(n, since);
	skip = all > REPORT_INCIDENTS ? all - REPORT_INCIDENTS : 0;
	r->more_incidents = skip;
	/* Newest first they come; the newest ones stay. */
	r->n_incidents = all - skip;
	for (unsigned i = 0, k = r->n_incidents; k > 0 && (n = model_note_at(m, i)) != NULL; i++) {
		struct report_incident *in;

		if (!tells(n, since))
			continue;
		in = &r->incident[--k];
		in->wall = n->wall;
		in->kind = n->kind;
		utf8_clean(in->text, sizeof(in->text), n->text, strlen(n->text));
		without_hosts(in->text, sizeof(in->text), m, r->m);
	}
}

/* ---- all ---- */

static void gather_path(struct report *r, unsigned at)
{
	unsigned path = r->c.r.row[at];
	struct report_path *out = &r->path[at];
	uint64_t ns[REPORT_POINTS];

	compare_title(&r->c, path, out->title, sizeof(out->title));
	for (unsigned row = 0; row < CMP_N; row++)
		compare_cell(&r->c, (enum compare_row)row, path, &out->cell[row]);
	out->raced = model_curve(r->m, path, r->o->window, report_steps, out->step, REPORT_STEPS);
	for (unsigned k = 0; k < REPORT_POINTS; k++)
		ns[k] = report_point(k);
	model_curve(r->m, path, r->o->window, ns, out->point, REPORT_POINTS);
	gather_strip(r, out, r->m->paths[path]);
}

static uint64_t span_of(const struct model *m, enum race_window w)
{
	uint64_t all = m->now_mono > m->start_mono ? m->now_mono - m->start_mono : 0;

	return window_ns(w) < all ? window_ns(w) : all;
}

enum status report_write(struct buf *out, const struct model *m, const struct report_opts *o, struct err *e)
{
	static enum status (*const write[])(struct buf *, const struct report *) = {
		[REPORT_TEXT] = report_text, [REPORT_MD] = report_md, [REPORT_HTML] = report_html, [REPORT_JSON] = report_json,
	};
	struct report *r = calloc(1, sizeof(*r));
	enum status st = ST_NOMEM;

	if (!r)
		goto out;
	r->o = o;
	r->m = with_names(m);
	r->path = calloc(m->n_paths ? m->n_paths : 1, sizeof(*r->path));
	if (!r->m || !r->path)
		goto out;
	r->span_ns = span_of(m, o->window);
	r->strip_ns = r->span_ns / REPORT_STRIP + 1;
	r->to_wall = m->now_wall;
	r->from_wall = m->now_wall > r->span_ns ? m->now_wall - r->span_ns : 0;
	compare_make(&r->c, r->m, o->rank, o->window);
	compare_headline(&r->c, r->headline, sizeof(r->headline));
	compare_sentence(&r->c, r->sentence, sizeof(r->sentence));
	gather_facts(r);
	for (unsigned i = 0; i < m->n_paths; i++)
		gather_path(r, i);
	gather_incidents(r, m);
	st = write[o->format](out, r);
out:
	if (r) {
		model_free(r->m);
		free(r->path);
	}
	free(r);
	return st == ST_OK ? ST_OK : err_set(e, st, "the report does not fit into memory");
}

/* ---- writing ---- */

void report_put(struct report_out *w, const char *fmt, ...)
{
	char text[2048];
	va_list ap;
	int n;

	if (w->st != ST_OK)
		return;
	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	w->st = n >= 0 && (size_t)n < sizeof(text) ? buf_add(w->b, text, (size_t)n) : ST_TOO_BIG;
}

void report_escaped(struct report_out *w, const char *text, const char *what, const char *const *with)
{
	while (w->st == ST_OK && *text) {
		size_t n = strcspn(text, what);

		w->st = buf_add(w->b, text, n);
		text += n;
		if (*text && w->st == ST_OK)
			w->st = buf_adds(w->b, with[strchr(what, *text++) - what]);
	}
}

void report_cell(struct report_out *w, const char *text, int columns, bool right)
{
	int pad = columns - (int)utf8_columns(text);

	report_put(w, "%*s%s%*s", right && pad > 0 ? pad : 0, "", text, !right && pad > 0 ? pad : 0, "");
}

char *report_step(char *out, size_t size, unsigned k)
{
	uint64_t ns = report_steps[k];

	if (ns < NS_MS)
		snprintf(out, size, "0.1 ms");
	else if (ns < NS_S)
		snprintf(out, size, "%u ms", (unsigned)(ns / NS_MS));
	else
		snprintf(out, size, "%u s", (unsigned)(ns / NS_S));
	return out;
}
