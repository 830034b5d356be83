/* Does a node say the same on its peer-to-peer port as on its RPC? */
#include <math.h>
#include <stdio.h>

#include "model/chain.h"
#include "model/health_priv.h"
#include "model/note.h"

enum { WALK = 128 /* blocks followed down to where two branches part */ };

/* The node's path of that side that is up and has the newest head, of those without a head any. NULL: none is up. */
static const struct path *side(const struct subject_ref *r, bool p2p, unsigned *index)
{
	const struct path *best = NULL;

	for (unsigned i = 0; i < r->m->n_paths; i++) {
		const struct path *p = r->m->paths[i];

		if (!(r->paths & bit(i)) || !link_up(p->state) || path_is_p2p(p) != p2p || p->chain < 0)
			continue;
		if (best && (!p->has_head || (best->has_head && p->head_number <= best->head_number)))
			continue;
		best = p;
		*index = i;
	}
	return best;
}

static const struct node *down_to(const struct chain *c, const struct path *p, uint64_t number)
{
	const struct node *n = chain_node(c, &p->head_hash);

	for (unsigned k = 0; n && n->b.h.number > number && k < WALK; k++)
		n = chain_parent(c, n);
	return n && n->b.h.number == number ? n : NULL;
}

static double seconds_since(const struct subject_ref *r, uint64_t mono)
{
	return (double)sub_sat(r->m->now_mono, mono) / (double)NS_S;
}

/* The lowest blocks of two branches; since when both have been known. False: one branch, as far as is known. */
static bool part(const struct chain *c, const struct path *a, const struct path *b, const struct node **x, const struct node **y)
{
	uint64_t number = a->head_number < b->head_number ? a->head_number : b->head_number;
	const struct node *i = down_to(c, a, number), *k = down_to(c, b, number);

	*x = *y = NULL;
	for (unsigned n = 0; i && k && i != k && n < WALK; n++) {
		*x = i;
		*y = k;
		i = chain_parent(c, i);
		k = chain_parent(c, k);
	}
	return *x != NULL;
}

/* How long the one has had a block that the other has not. */
static double lag(const struct subject_ref *r, const struct path *behind, const struct path *ahead)
{
	const struct node *n = down_to(r->chain, ahead, behind->head_number + 1);

	return n ? seconds_since(r, n->b.heard ? n->b.first_mono : n->known_mono) : seconds_since(r, ahead->head_mono);
}

static void compare(struct subject_ref *r, struct finding *f, const struct path *p2p, const struct path *rpc)
{
	const struct path *behind = p2p->head_number < rpc->head_number ? p2p : rpc, *ahead = behind == p2p ? rpc : p2p;
	const struct node *x, *y;
	char number[28], span[24], a[5], b[5];
	uint64_t blocks = ahead->head_number - behind->head_number;
	double s;

	if (part(r->chain, p2p, rpc, &x, &y)) {
		s = seconds_since(r, x->known_mono > y->known_mono ? x->known_mono : y->known_mono);
		found(r, f, CHECK_p2p, s, "%s: for %s another block %s on RLPx than on %s (%s, %s)", r->s->name,
		      health_span(span, floor(s)), note_number(number, x->b.h.number), rpc->via, note_hash(a, &x->b.h.hash),
		      note_hash(b, &y->b.h.hash));
		return;
	}
	s = blocks ? lag(r, behind, ahead) : 0;
	found(r, f, CHECK_p2p, s, "%s: RLPx and %s say the same", r->s->name, rpc->via);
	if (f->level != LEVEL_OK)
		snprintf(f->text, sizeof(f->text), "%s: %s is %llu block%s, %s behind %s", r->s->name,
			 behind == p2p ? "RLPx" : rpc->via, (unsigned long long)blocks, blocks == 1 ? "" : "s",
			 health_span(span, floor(s)), behind == p2p ? rpc->via : "RLPx");
}

void check_p2p(struct subject_ref *r, struct finding *f)
{
	unsigned at = 0, other = 0;
	const struct path *p2p = side(r, true, &at), *rpc = side(r, false, &other);

	if (!p2p || !rpc) {
		not_here(f, p2p ? "no RPC beside RLPx" : "no enode:// path");
		return;
	}
	f->path = (int)at;
	if (p2p->chain != rpc->chain) {
		const struct chain *a = r->m->chains[p2p->chain], *b = r->m->chains[rpc->chain];
		char x[5], y[5];

		if (!a->id_known || !b->id_known || hash_is_zero(&b->genesis)) {
			not_here(f, "chain not known");
			return;
		}
		found(r, f, CHECK_p2p, (double)NAN, "%s: RLPx is on %s (genesis %s…), %s on %s (%s…)", r->s->name, a->name,
		      note_hash(x, &a->genesis), rpc->via, b->name, note_hash(y, &b->genesis));
		f->level = LEVEL_CRIT;
		return;
	}
	if (!r->chain || !p2p->has_head || !rpc->has_head || r->syncing) {
		not_here(f, r->syncing ? "syncing" : "no block yet");
		return;
	}
	compare(r, f, p2p, rpc);
}

void health_p2p_note(struct model *m)
{
	for (unsigned i = 0; i < m->health.n; i++) {
		const struct health_subject *s = m->health.subject[i];
		const struct check_view *v = &s->check[CHECK_p2p];
		struct path_priv *pp;

		if (s->scope != SCOPE_NODE)
			continue;
		pp = m->paths[s->index]->priv;
		if (v->level == pp->noted_p2p)
			continue;
		/* What no longer applies has not been put right. */
		if (v->level != LEVEL_OK || v->applies)
			note_add(m, v->level == LEVEL_OK ? NOTE_INFO : v->level == LEVEL_WARN ? NOTE_WARN : NOTE_BAD, v->path,
				 s->chain, m->now_mono, m->now_wall, "%.190s", v->text);
		pp->noted_p2p = v->level;
	}
}
