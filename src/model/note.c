#include "model/note.h"

#include <stdio.h>

#include "model/chain.h"

uint64_t note_add(struct model *m, enum note_kind kind, int path, int chain, uint64_t mono, uint64_t wall,
		  const char *fmt, ...)
{
	struct note *n = &m->notes[m->notes_next];
	va_list ap;

	*n = (struct note){
		.seq = m->note_seq,
		.mono = mono,
		.wall = wall,
		.kind = kind,
		.path = path,
		.chain = chain,
	};
	va_start(ap, fmt);
	vsnprintf(n->text, sizeof(n->text), fmt, ap);
	va_end(ap);
	m->notes_next = (m->notes_next + 1) % NOTES_KEPT;
	if (m->notes_n < NOTES_KEPT)
		m->notes_n++;
	m->priv->dirty |= DIRTY_NOTES;
	return m->note_seq++;
}

bool note_update(struct model *m, uint64_t seq, const char *fmt, ...)
{
	struct note *n;
	uint64_t back = m->note_seq - 1 - seq;
	char text[sizeof(n->text)];
	va_list ap;

	if (seq >= m->note_seq || back >= m->notes_n)
		return false;
	n = &m->notes[(m->notes_next + 2 * NOTES_KEPT - 1 - (unsigned)back) % NOTES_KEPT];
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (strcmp(text, n->text) == 0)
		return true;
	memcpy(n->text, text, sizeof(text));
	m->priv->dirty |= DIRTY_NOTES;
	return true;
}

const struct note *model_note_at(const struct model *m, unsigned i)
{
	if (i >= m->notes_n)
		return NULL;
	return &m->notes[(m->notes_next + 2 * NOTES_KEPT - 1 - i) % NOTES_KEPT];
}

char *note_number(char out[28], uint64_t n)
{
	char digits[21];
	int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n), at = 0;

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			out[at++] = ',';
		out[at++] = digits[i];
	}
	out[at] = '\0';
	return out;
}

char *note_span(char out[24], uint64_t ns)
{
	uint64_t s = ns / NS_S;

	if (s < 120)
		snprintf(out, 24, "%llu s", (unsigned long long)s);
	else if (s < 7200)
		snprintf(out, 24, "%llum%02us", (unsigned long long)(s / 60), (unsigned)(s % 60));
	else if (s < 2 * 86400)
		snprintf(out, 24, "%lluh%02um", (unsigned long long)(s / 3600), (unsigned)(s / 60 % 60));
	else
		snprintf(out, 24, "%llud%02uh", (unsigned long long)(s / 86400), (unsigned)(s / 3600 % 24));
	return out;
}

char *note_hash(char out[5], const struct hash *h)
{
	snprintf(out, 5, "%02x%02x", h->b[0], h->b[1]);
	return out;
}

/* ---- links ---- */

/* "infura wss refused → start geth with --ws" */
static void trouble_text(char *out, size_t size, const struct path *p, const struct event *e)
{
	const char *cure = e->u.link.cure, *why = e->u.link.text;

	if (!why[0])
		why = status_word(e->u.link.code < ST_N ? (enum status)e->u.link.code : ST_INTERNAL);
	snprintf(out, size, "%s %s %s%s%s", p->node, p->via, why, cure[0] ? " → " : "", cure);
}

static void link_down(struct model *m, const struct event *e)
{
	struct path *p = m->paths[e->path];
	struct path_priv *pp = p->priv;
	char text[256];

	if (e->u.link.code == ST_OK)
		return; /* asked for: a resync, the end */
	trouble_text(text, sizeof(text), p, e);
	pp->trouble_n++;
	if (pp->noted_down && note_update(m, pp->trouble_note, "%.170s (%u tries)", text, pp->trouble_n))
		return;
	pp->noted_down = true;
	pp->trouble_note = note_add(m, NOTE_LINK, e->path, p->chain, e->mono, e->wall, "%.190s", text);
}

static void link_up_again(struct model *m, const struct event *e)
{
	struct path *p = m->paths[e->path];
	struct path_priv *pp = p->priv;
	const char *word = e->u.link.state == LINK_POLLING ? "polling" : "live";

	pp->noted_down = false;
	pp->trouble_n = 0;
	note_add(m, NOTE_LINK, e->path, p->chain, e->mono, e->wall, "%s %s %s", p->node, p->via, word);
}

static void note_link(struct model *m, const struct event *e)
{
	struct path *p = m->paths[e->path];
	struct path_priv *pp = p->priv;

	switch ((enum link_state)e->u.link.state) {
	case LINK_LIVE:
	case LINK_POLLING:
		if (!pp->noted_up)
			link_up_again(m, e);
		pp->noted_up = true;
		pp->noted_silent = false;
		break;
	case LINK_SILENT:
		if (pp->noted_silent)
			break;
		pp->noted_silent = pp->noted_silent_line = true;
		pp->trouble_note = note_add(m, NOTE_LINK, e->path, p->chain, e->mono, e->wall,
					    "%s/%s open but %s → resubscribed", p->node, p->via,
					    e->u.link.text[0] ? e->u.link.text : "no head comes");
		break;
	case LINK_WAITING:
		link_down(m, e);
		pp->noted_up = false;
		break;
	case LINK_IDLE:
	case LINK_CONNECTING:
		break;
	case LINK_STOPPED:
		pp->noted_up = false;
		break;
	}
}

static void note_gap(struct model *m, const struct event *e)
{
	struct path *p = m->paths[e->path];
	struct path_priv *pp = p->priv;
	char from[28], to[28], span[24];
	uint64_t n = e->u.gap.to >= e->u.gap.from ? add_sat(e->u.gap.to - e->u.gap.from, 1) : 0;

	if (!n)
		return;
	if (e->u.gap.silent_ns) {
		note_span(span, e->u.gap.silent_ns);
		if (pp->noted_silent_line &&
		    note_update(m, pp->trouble_note, "%s/%s silent %s → resubscribed, %u filled", p->node,
				p->via, span, e->u.gap.asked)) {
			pp->noted_silent_line = false;
			return;
		}
		note_add(m, NOTE_GAP, e->path, p->chain, e->mono, e->wall,
			 "%s/%s silent %s → resubscribed, %u filled", p->node, p->via, span, e->u.gap.asked);
		return;
	}
	/* What another path fills is no loss of the chain; the path's own loss is counted as missed heads. */
	if (!e->u.gap.asked)
		return;
	note_number(from, e->u.gap.from);
	note_number(to, e->u.gap.to);
	if (n == 1)
		note_add(m, NOTE_GAP, e->path, p->chain, e->mono, e->wall, "%s/%s missed %s → filled", p->node,
			 p->via, from);
	else
		note_add(m, NOTE_GAP, e->path, p->chain, e->mono, e->wall, "%s/%s missed %s–%s → %u filled",
			 p->node, p->via, from, to, e->u.gap.asked);
}

static void note_lost(struct model *m, const struct event *e)
{
	struct path *p = m->paths[e->path];
	struct path_priv *pp = p->priv;
	char n[28];

	note_number(n, e->u.lost.dropped);
	if (pp->lost_note != UNKNOWN &&
	    note_update(m, pp->lost_note, "%s/%s: %s events lost, asked again", p->node, p->via, n))
		return;
	pp->lost_note = note_add(m, NOTE_WARN, e->path, p->chain, e->mono, e->wall,
				 "%s/%s: %s events lost, asked again", p->node, p->via, n);
}

/* In the order of the queue: what a later event said has no say in whose line it is. */
static void note_verdict(struct model *m, const struct event *e)
{
	const struct path *p = m->paths[e->path];
	const struct verdict *v = &e->u.verdict.v;
	struct chain *c = p->chain >= 0 ? m->chains[p->chain] : NULL;
	struct node *n = c ? chain_node(c, &e->u.verdict.hash) : NULL;
	char number[28];

	if (!n)
		return;
	if (verdict_all(v) == TRUTH_YES)
		c->store->queue_verified = n->queue_yes = true;
	if (verdict_all(v) != TRUTH_NO || n->queue_yes || n->queue_no++ == 0 || !c->store->queue_verified || n->noted)
		return;
	n->noted = true;
	note_add(m, NOTE_BAD, e->path, p->chain, e->mono, e->wall, "%s %s: block %s: %.31s does not match", p->node,
		 p->via, note_number(number, n->b.h.number), v->field);
}

static void note_miss(struct model *m, const struct event *e)
{
	const struct path *p = m->paths[e->path];
	struct node *n = p->chain >= 0 ? chain_node(m->chains[p->chain], &e->u.miss.hash) : NULL;
	char number[28];

	if (!n || n->noted || n->queue_body)
		return;
	n->noted = true;
	note_add(m, NOTE_GAP, e->path, p->chain, e->mono, e->wall, "%s %s: no body of block %s: %s", p->node, p->via,
		 note_number(number, n->b.h.number),
		 status_word(e->u.miss.code < ST_N ? (enum status)e->u.miss.code : ST_INTERNAL));
}

void note_event(struct model *m, const struct event *e)
{
	struct path *p = m->paths[e->path];

	switch (e->kind) {
	case EV_LINK: note_link(m, e); break;
	case EV_GAP: note_gap(m, e); break;
	case EV_LOST: note_lost(m, e); break;
	case EV_VERDICT: note_verdict(m, e); break;
	case EV_BODY_MISS: note_miss(m, e); break;
	case EV_CHAIN:
		if (p->wrong_chain && p->chain >= 0 && p->priv->noted_chain != p->chain)
			note_add(m, NOTE_BAD, e->path, p->chain, e->mono, e->wall,
				 "%s %s is on another chain than its node: %s (%llu)", p->node, p->via,
				 m->chains[p->chain]->name, (unsigned long long)m->chains[p->chain]->id);
		p->priv->noted_chain = p->wrong_chain ? p->chain : -1;
		break;
	default: break;
	}
}
