#include "model/line.h"

#include <math.h>
#include <stdio.h>

#include "model/chain.h"
#include "model/note.h"

/* A path is at the newest block if what it has not heard yet has been known for less than this: heads take their time. */
#define HEARING_NS (2 * NS_S)

struct tally {
	unsigned paths; /* of the shown chain, and those whose chain is not known yet */
	unsigned up, newest, down, connecting, syncing, silent;
	unsigned first_down, first_behind, first_silent, first_sync, first_up;
	unsigned wrong, first_wrong;
	bool tried; /* some path failed or was up before */
	uint64_t behind_blocks;
};

static bool counts(const struct model *m, const struct path *p)
{
	return p->state != LINK_STOPPED && (p->chain < 0 || (unsigned)p->chain == m->shown);
}

/* The path of its chain with the highest head, another one rather than this one (which polls meanwhile); NULL. */
static const struct path *best_of(const struct model *m, const struct path *p)
{
	const struct path *best = NULL;

	for (unsigned i = 0; i < m->n_paths; i++) {
		const struct path *o = m->paths[i];

		if (o != p && o->chain == p->chain && o->has_head && (!best || o->head_number > best->head_number))
			best = o;
	}
	return p->has_head && (!best || p->head_number > best->head_number) ? p : best;
}

/* Blocks that it should have told of since its last one. */
static uint64_t untold(const struct model *m, const struct path *p)
{
	const struct path *best = best_of(m, p);

	if (!best || best->head_mono < path_quiet_since(p))
		return 0;
	return p->push_number == UNKNOWN ? 1 : sub_sat(best->head_number, p->push_number);
}

/* For how long a newer block than the path's head has been known. */
static uint64_t lag_ns(const struct model *m, const struct chain *c, const struct path *p)
{
	const struct node *n;
	uint64_t since;

	if (!c || !c->head || !p->has_head || p->head_number >= c->head->h.number)
		return 0;
	n = chain_canon(c, p->head_number + 1);
	if (!n)
		n = node_of(c->head);
	since = n->b.heard ? n->b.first_mono : n->known_mono;
	return sub_sat(m->now_mono, since);
}

static uint64_t patience(const struct path *p)
{
	return p->poll_interval_ns == UNKNOWN ? HEARING_NS : add_sat(HEARING_NS, p->poll_interval_ns);
}

static struct tally count(const struct model *m, const struct chain *c)
{
	struct tally t = { .first_down = PATHS_MAX, .first_behind = PATHS_MAX, .first_silent = PATHS_MAX,
			   .first_sync = PATHS_MAX, .first_wrong = PATHS_MAX, .first_up = PATHS_MAX };

	for (unsigned i = 0; i < m->n_paths; i++) {
		const struct path *p = m->paths[i];

		if (p->wrong_chain && link_up(p->state) && t.wrong++ == 0)
			t.first_wrong = i;
		t.tried |= p->priv->ever_up || p->priv->down_mono != UNKNOWN;
		if (!counts(m, p))
			continue;
		t.paths++;
		if (!link_up(p->state)) {
			if (p->priv->down_mono == UNKNOWN)
				t.connecting++;
			else if (t.down++ == 0)
				t.first_down = i;
			continue;
		}
		if (t.up++ == 0)
			t.first_up = i;
		if (p->facts.sync_known && p->facts.syncing) {
			if (t.syncing++ == 0)
				t.first_sync = i;
			continue;
		}
		if (p->state == LINK_SILENT && untold(m, p)) {
			if (t.silent++ == 0)
				t.first_silent = i;
		} else if (p->has_head && lag_ns(m, c, p) <= patience(p)) {
			t.newest++;
		} else if (t.first_behind == PATHS_MAX) {
			t.first_behind = i;
		}
	}
	return t;
}

static void say(struct verdict_line *l, enum level level, const char *word)
{
	l->level = level;
	snprintf(l->word, sizeof(l->word), "%s", word);
}

/* ---- pieces ---- */

static int append(char *out, size_t size, int at, const char *fmt, ...) PRINTF_LIKE(4, 5);
static int append(char *out, size_t size, int at, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (at < 0 || (size_t)at >= size)
		return at;
	va_start(ap, fmt);
	n = vsnprintf(out + at, size - (size_t)at, fmt, ap);
	va_end(ap);
	/* Cut at a whole character. */
	if (n >= 0 && (size_t)(at + n) >= size) {
		at = (int)size - 1;
		while (at > 0 && ((unsigned char)out[at] & 0xc0) == 0x80)
			at--;
		while (at > 0 && ((unsigned char)out[at - 1] & 0xc0) == 0x80)
			at--;
		if (at > 0 && ((unsigned char)out[at - 1] & 0xc0) == 0xc0)
			at--;
		out[at] = '\0';
		return (int)size;
	}
	return n < 0 ? at : at + n;
}

static const char *cause_word(const struct path *p)
{
	return p->cause == ST_OK ? "closed" : status_word(p->cause);
}

/* "401" says more than "auth". */
static void cause(const struct path *p, char *out, size_t size)
{
	if ((p->cause == ST_AUTH || p->cause == ST_HTTP) && p->cause_detail >= 100 && p->cause_detail < 600)
		snprintf(out, size, "%d", (int)p->cause_detail);
	else
		snprintf(out, size, "%s", cause_word(p));
}

static void next_try(const struct model *m, const struct path *p, char *out, size_t size)
{
	char span[24];

	if (p->state == LINK_WAITING && p->retry_mono > m->now_mono)
		snprintf(out, size, "next try %s",
			 note_span(span, add_sat(p->retry_mono - m->now_mono, NS_S - 1)));
	else
		snprintf(out, size, "trying now");
}

/* ---- sentences ---- */

static void connecting(const struct model *m, struct verdict_line *l)
{
	int at = 0, brief = 0;

	say(l, LEVEL_WAIT, "CONNECTING");
	for (unsigned i = 0; i < m->n_paths; i++) {
		const struct path *p = m->paths[i];
		const struct {
			const char *name;
			uint32_t us;
		} phase[] = { { "DNS", p->dns_us }, { "TCP", p->tcp_us }, { "TLS", p->tls_us } };
		const char *sep = i ? " · " : "";
		uint32_t before = 0;

		if (!counts(m, p))
			continue;
		at = append(l->text, sizeof(l->text), at, "%s%s %s", sep, p->node, p->via);
		brief = append(l->brief, sizeof(l->brief), brief, "%s%s %s", sep, p->node, p->via);
		if (link_up(p->state)) {
			at = append(l->text, sizeof(l->text), at, " %s, waiting for the first block", path_state_word(p));
			brief = append(l->brief, sizeof(l->brief), brief, " %s, no block yet", path_state_word(p));
			continue;
		}
		for (unsigned k = 0; k < 3; k++) {
			uint32_t took = phase[k].us > before ? phase[k].us - before : 0;

			/* An address needs no DNS. */
			if (took >= 50)
				at = append(l->text, sizeof(l->text), at, " %s %.1f ms,", phase[k].name, took / 1000.0);
			before = phase[k].us > before ? phase[k].us : before;
		}
		at = append(l->text, sizeof(l->text), at, " %s…", p->text[0] ? p->text : "connecting");
		brief = append(l->brief, sizeof(l->brief), brief, " %s…", p->text[0] ? p->text : "connecting");
	}
}

static void down(const struct model *m, const struct tally *t, struct verdict_line *l)
{
	uint64_t since = 0, wall = UNKNOWN;
	const struct path *next = NULL;
	char clock[24], span[24], retry[48];

	for (unsigned i = 0; i < m->n_paths; i++) {
		const struct path *p = m->paths[i];

		if (!counts(m, p))
			continue;
		if (p->priv->down_mono != UNKNOWN && p->priv->down_mono >= since) {
			since = p->priv->down_mono;
			wall = p->priv->down_wall;
		}
		if (!next || (p->state == LINK_WAITING ? p->retry_mono : 0) <
				     (next->state == LINK_WAITING ? next->retry_mono : 0))
			next = p;
	}
	say(l, LEVEL_CRIT, "DOWN");
	note_span(span, sub_sat(m->now_mono, since));
	time_clock_utc(clock, sizeof(clock), wall == UNKNOWN ? m->now_wall : wall);
	if (next)
		next_try(m, next, retry, sizeof(retry));
	else
		snprintf(retry, sizeof(retry), "stopped");
	snprintf(l->text, sizeof(l->text), "0 of %u path%s answer%s since %s (%s), %s", t->paths,
		 t->paths == 1 ? "" : "s", t->paths == 1 ? "s" : "", clock, span, retry);
	append(l->brief, sizeof(l->brief), 0, "0 of %u since %s (%s), %s", t->paths, clock, span, retry);
}

static void left(char *out, size_t size, uint64_t seconds)
{
	if (seconds < 60)
		snprintf(out, size, "%us left", (unsigned)seconds);
	else if (seconds < 3600)
		snprintf(out, size, "%um left", (unsigned)(seconds / 60));
	else if (seconds < 100 * 86400)
		snprintf(out, size, "%uh%02um left", (unsigned)(seconds / 3600), (unsigned)(seconds / 60 % 60));
	else
		snprintf(out, size, "over 100 days left");
}

static void sync_text(const struct path *p, char *out, size_t size, bool brief)
{
	char at[28], to[28], rest[32];
	double per_s = p->facts.sync_per_s, share;
	uint64_t gap = sub_sat(p->facts.sync_to, p->facts.sync_at);
	int n;

	note_number(at, p->facts.sync_at);
	note_number(to, p->facts.sync_to);
	if (!p->facts.sync_to) {
		snprintf(out, size, "%s", at);
		return;
	}
	share = 100.0 * (double)p->facts.sync_at / (double)p->facts.sync_to;
	n = append(out, size, 0, "%s of %s (%.1f %%)", at, to, share > 100 ? 100 : share);
	if (isnan(per_s) || per_s <= 0)
		return;
	left(rest, sizeof(rest), (double)gap / per_s > 1e9 ? UINT64_C(1000000000) : (uint64_t)((double)gap / per_s));
	if (!brief)
		n = append(out, size, n, ", %.0f blk/s", per_s);
	append(out, size, n, ", %s", rest);
}

static void syncing(const struct model *m, const struct tally *t, struct verdict_line *l)
{
	const struct path *p = m->paths[t->first_sync];

	say(l, LEVEL_WARN, "SYNCING");
	sync_text(p, l->text, sizeof(l->text), false);
	sync_text(p, l->brief, sizeof(l->brief), true);
}

static void at_newest(const struct model *m, const struct tally *t, struct verdict_line *l)
{
	const struct path *p = m->paths[t->first_up];

	if (t->paths == 1) {
		snprintf(l->text, sizeof(l->text), "%s %s at the newest block", p->node, p->via);
		snprintf(l->brief, sizeof(l->brief), "%s %s at the newest block", p->node, p->via);
	} else if (t->newest == t->paths) {
		snprintf(l->text, sizeof(l->text), "all %u paths at the newest block", t->paths);
		snprintf(l->brief, sizeof(l->brief), "%u of %u paths at the newest block", t->newest, t->paths);
	} else {
		snprintf(l->text, sizeof(l->text), "%u of %u paths at the newest block", t->newest, t->paths);
		snprintf(l->brief, sizeof(l->brief), "%u of %u paths at the newest block", t->newest, t->paths);
	}
}

static const char *ordinal(unsigned n)
{
	switch (n % 100 / 10 == 1 ? 0 : n % 10) {
	case 1: return "st";
	case 2: return "nd";
	case 3: return "rd";
	default: return "th";
	}
}

static void silent(const struct model *m, const struct tally *t, struct verdict_line *l)
{
	const struct path *p = m->paths[t->first_silent], *best = best_of(m, p);
	uint64_t ahead = p->push_number == UNKNOWN ? 0 : untold(m, p);
	char span[24];
	int n;

	note_span(span, sub_sat(m->now_mono, path_quiet_since(p)));
	n = append(l->text, sizeof(l->text), 0, "%s/%s open but no head for %s", p->node, p->via, span);
	if (best && best != p && ahead)
		n = append(l->text, sizeof(l->text), n, " while %s/%s advanced %llu", best->node, best->via,
			   (unsigned long long)ahead);
	else if (best && ahead)
		n = append(l->text, sizeof(l->text), n, " while the chain advanced %llu", (unsigned long long)ahead);
	n = append(l->text, sizeof(l->text), n, " → resubscribed");
	if (p->silent_count > 1 && p->silent_count < 100000)
		n = append(l->text, sizeof(l->text), n, " (%u%s)", (unsigned)p->silent_count,
			   ordinal((unsigned)p->silent_count));
	append(l->text, sizeof(l->text), n, ", polling meanwhile");
	append(l->brief, sizeof(l->brief), 0, "%s/%s silent %s; %u of %u paths at the newest", p->node, p->via, span,
	       t->newest, t->paths);
}

/* Some paths are well, some are not. */
static void partly(const struct model *m, const struct tally *t, struct verdict_line *l)
{
	const struct path *p;
	char why[32], retry[48], span[24];
	int n, b;

	at_newest(m, t, l);
	n = (int)strlen(l->text);
	b = (int)strlen(l->brief);
	if (t->first_down < PATHS_MAX) {
		p = m->paths[t->first_down];
		cause(p, why, sizeof(why));
		next_try(m, p, retry, sizeof(retry));
		n = append(l->text, sizeof(l->text), n, "; %s %s %s, %s", p->node, p->via, why, retry);
		b = append(l->brief, sizeof(l->brief), b, "; %s %s %s", p->node, p->via, why);
		if (p->cure[0])
			n = append(l->text, sizeof(l->text), n, " → %s", p->cure);
		if (t->down > 1)
			n = append(l->text, sizeof(l->text), n, " · %u more down", t->down - 1);
	} else if (t->first_sync < PATHS_MAX) {
		p = m->paths[t->first_sync];
		n = append(l->text, sizeof(l->text), n, "; %s syncing ", p->node);
		b = append(l->brief, sizeof(l->brief), b, "; %s syncing", p->node);
		if (n < (int)sizeof(l->text))
			sync_text(p, l->text + n, sizeof(l->text) - (size_t)n, false);
	} else if (t->first_behind < PATHS_MAX) {
		p = m->paths[t->first_behind];
		if (!p->has_head) {
			append(l->text, sizeof(l->text), n, "; %s %s has told of no block yet", p->node, p->via);
			append(l->brief, sizeof(l->brief), b, "; %s %s no block yet", p->node, p->via);
			return;
		}
		note_span(span, lag_ns(m, model_chain(m), p));
		append(l->text, sizeof(l->text), n, "; %s %s: %llu block%s, %s behind", p->node, p->via,
		       (unsigned long long)p->behind_blocks, p->behind_blocks == 1 ? "" : "s", span);
		append(l->brief, sizeof(l->brief), b, "; %s %s %s behind", p->node, p->via, span);
	}
}

/* ", 19 of 19 checks pass": what OK means. */
static void checks_pass(const struct model *m, struct verdict_line *l)
{
	const struct health *h = &m->health;

	if (!h->total)
		return;
	append(l->text, sizeof(l->text), (int)strlen(l->text), ", %u of %u checks pass", h->ok, h->total);
	append(l->brief, sizeof(l->brief), (int)strlen(l->brief), "; %u checks pass", h->ok);
}

/* The worst finding, and how many there are besides. */
static void check_fails(const struct model *m, struct verdict_line *l)
{
	const struct health *h = &m->health;
	char more[32] = "";

	say(l, h->level, level_word(h->level));
	if (h->more)
		snprintf(more, sizeof(more), " · %u more", h->more);
	append(l->text, sizeof(l->text), 0, "%s%s", h->worst->text, more);
	append(l->brief, sizeof(l->brief) - 4, 0, "%s", h->worst->text);
}

/* Told by sentences of their own below, with what is done about it. */
static bool has_own_sentence(enum check_id id)
{
	return id == CHECK_link || id == CHECK_silent || id == CHECK_sync || id == CHECK_behind;
}

static void wrong_chain(const struct model *m, const struct tally *t, struct verdict_line *l)
{
	const struct path *p = m->paths[t->first_wrong];
	const struct chain *is = m->chains[p->chain];
	const char *should = "its node";

	for (unsigned i = 0; i < m->n_paths; i++) {
		if (m->paths[i]->node_index == p->node_index && m->paths[i]->chain >= 0 && !m->paths[i]->wrong_chain) {
			should = m->chains[m->paths[i]->chain]->name;
			break;
		}
	}
	say(l, LEVEL_WARN, "WARN");
	snprintf(l->text, sizeof(l->text), "%s %s is on chain %llu (%s), not on %s", p->node, p->via,
		 (unsigned long long)is->id, is->name, should);
	append(l->brief, sizeof(l->brief), 0, "%s %s: WRONG CHAIN %llu", p->node, p->via, (unsigned long long)is->id);
}

bool line_tick(struct model *m)
{
	const struct chain *c = model_chain(m);
	const struct health *h = &m->health;
	struct tally t = count(m, c);
	struct verdict_line l = { .level = LEVEL_OK };

	if (m->n_paths == 0) {
		say(&l, LEVEL_WAIT, "IDLE");
		snprintf(l.text, sizeof(l.text), "no endpoint");
		snprintf(l.brief, sizeof(l.brief), "no endpoint");
	} else if (t.up == 0 && t.connecting == 0 && (t.tried || t.down)) {
		down(m, &t, &l);
	} else if (!c || !c->head || t.up == 0) {
		if (t.syncing && t.syncing == t.up)
			syncing(m, &t, &l);
		else
			connecting(m, &l);
	} else if (h->level == LEVEL_CRIT && !has_own_sentence(h->worst_id) && h->worst_id != CHECK_chain) {
		check_fails(m, &l);
	} else if (t.wrong) {
		wrong_chain(m, &t, &l);
	} else if (t.syncing == t.up) {
		syncing(m, &t, &l);
	} else if (t.silent) {
		say(&l, LEVEL_WARN, "WARN");
		silent(m, &t, &l);
	} else if (t.down || t.syncing || t.first_behind < PATHS_MAX) {
		say(&l, LEVEL_WARN, "WARN");
		partly(m, &t, &l);
	} else if (h->worst) {
		struct verdict_line well = { .level = LEVEL_OK };

		check_fails(m, &l);
		at_newest(m, &t, &well);
		append(l.text, sizeof(l.text), (int)strlen(l.text), "; %s", well.text);
	} else {
		say(&l, LEVEL_OK, "OK");
		at_newest(m, &t, &l);
		checks_pass(m, &l);
	}
	if (strcmp(l.word, "WARN") == 0 && h->level == LEVEL_CRIT)
		say(&l, LEVEL_CRIT, level_word(LEVEL_CRIT));
	if (l.level == m->line.level && strcmp(l.text, m->line.text) == 0 && strcmp(l.word, m->line.word) == 0)
		return false;
	m->line = l;
	return true;
}
