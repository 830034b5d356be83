/* Where everything stands; see layout.h. */
#include "ui/layout.h"

#include <string.h>

enum {
	FRAME = 2,
	MAIN_MIN = 8, /* Blocks: frame, heading, five rows; beside it Gas over Tx rate, four lines each */
	MAIN_GOOD = 13, /* room enough that less important panes may have theirs */
	BLOCKS_GOOD = 10,
	PAIR_MIN = 4, /* Gas and Tx rate below Blocks */
	PAIR_MAX = 10,
	PAIR_WIDTH = 60, /* narrower than this they do not stand side by side */
	BOTTOM = 5, /* Mempool, Events */
	MEMPOOL_WIDTH = 44,
	HEALTH_WIDTH = 44, /* of the overview: below it, and on screens that are not wide enough for three, it yields */
	THREE_WIDTH = 140,
	PEERS_WIDTH = 56, /* view 7 */
	OWN_MAX = 18,
	OWN_WIDTH = 54,
	COMPARE = 16, /* frame, titles, eleven rows, two lines of sentences */
	RACE_MORE = 6, /* of Race beside its rows: frame, heading, lateness, two sentences */
	FORKS_LEAST = 6, /* frame, numbers, three branches */
	FORKS_GOOD = 9,
	RACE_TALL = 33, RACE_TWICE = 16, /* from so many lines on up to so many paths have two rows: the second with shares */
	REORGS_LEAST = 5,
	TABLE_MIN = 6, /* Methods and Errors: frame, heading, three rows */
};

enum slot {
	BLOCKS, GAS, TXRATE, PULSE, ENDPOINTS, MEMPOOL, HEALTH, PEERS, EVENTS, LOG, OWN, COMPARED, METHODS, ERRORS, RACE, FORKS,
	REORGS, SLOT_N
};

static const char *const slot_name[SLOT_N] = {
	[BLOCKS] = "blocks",
	[GAS] = "gas",
	[TXRATE] = "txrate",
	[PULSE] = "pulse",
	[ENDPOINTS] = "endpoints",
	[MEMPOOL] = "mempool",
	[HEALTH] = "health",
	[PEERS] = "peers",
	[EVENTS] = "events",
	[LOG] = "log",
	[OWN] = "own",
	[COMPARED] = "compare",
	[METHODS] = "methods",
	[ERRORS] = "errors",
	[RACE] = "race",
	[FORKS] = "forks",
	[REORGS] = "reorgs",
};

struct plan {
	const struct layout_in *in;
	struct layout *out;
	bool use[LAYOUT_PANES_MAX];
	int pane[SLOT_N]; /* index, −1: not there */
};

static int
clamp(int v, int lo, int hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

static bool
has(const struct plan *p, enum slot s)
{
	return p->pane[s] >= 0;
}

static void
place(struct plan *p, enum slot s, int x, int y, int w, int h)
{
	if (has(p, s) && w > 0 && h > 0)
		p->out->at[p->pane[s]] = (struct rect){.x = x, .y = y, .w = w, .h = h};
}

/* Two panes side by side, a wide; one alone takes all. */
static void
side_by_side(struct plan *p, enum slot a, enum slot b, int y, int h, int a_w)
{
	int w = p->in->w;

	if (has(p, a) && has(p, b)) {
		place(p, a, 0, y, a_w, h);
		place(p, b, a_w, y, w - a_w, h);
	} else {
		place(p, has(p, a) ? a : b, 0, y, w, h);
	}
}

/* Lines of the panes of the overview that stand in bands over the whole width. */
struct bands {
	int pulse, endpoints, bottom, note;
};

static int
rows(int n, int extra, int least, int most)
{
	return clamp(n + extra, least, most > least ? most : least);
}

/* What the bands would like to have in `lines`. */
static struct bands
wishes(const struct plan *p, int lines)
{
	int n = p->in->paths > 64 ? 64 : (int)p->in->paths;

	return (struct bands){
		.endpoints = has(p, ENDPOINTS) ? rows(n, FRAME + 1, 4, lines / 3) : 0,
		.pulse = has(p, PULSE) ? rows(n, FRAME, 3, lines / 5) : 0,
		.bottom = has(p, MEMPOOL) || has(p, EVENTS) ||
				  (has(p, HEALTH) && p->in->w >= THREE_WIDTH) ? BOTTOM : 0,
		.note = has(p, EVENTS) ? 1 : 0,
	};
}

/* Mempool, Health, Events; Health where three have room. */
static void
bottom_row(struct plan *p, int y, int h, int mempool)
{
	int w = p->in->w, health = clamp(w * 5 / 16, HEALTH_WIDTH, w);

	if (w < THREE_WIDTH || !has(p, HEALTH)) {
		side_by_side(p, MEMPOOL, EVENTS, y, h, mempool);
		return;
	}
	if (!has(p, MEMPOOL))
		mempool = 0;
	if (!has(p, EVENTS))
		health = w - mempool;
	place(p, MEMPOOL, 0, y, mempool, h);
	place(p, HEALTH, mempool, y, health, h);
	place(p, EVENTS, mempool + health, y, w - mempool - health, h);
}

static void
place_bands(struct plan *p, const struct bands *b, int y)
{
	int w = p->in->w, mempool = clamp(w * 5 / 16, w / 2 < MEMPOOL_WIDTH ? w / 2 : MEMPOOL_WIDTH, w);

	if (b->pulse > 0)
		place(p, PULSE, 0, y, w, b->pulse);
	y += b->pulse;
	if (b->endpoints > 0)
		place(p, ENDPOINTS, 0, y, w, b->endpoints);
	y += b->endpoints;
	if (b->bottom > 0)
		bottom_row(p, y, b->bottom, mempool);
	y += b->bottom;
	if (b->note > 0)
		p->out->note_y = y;
}

/* Drops what does not fit beside `least` and, for the less important ones, `good` lines of the main part. */
static int
fit_bands(struct bands *b, int lines, int least, int good, int fixed)
{
	int used = fixed;

	if (least + used + b->endpoints > lines)
		b->endpoints = 0;
	used += b->endpoints;
	if (least + used + b->note > lines)
		b->note = 0;
	used += b->note;
	if (good + used + b->pulse > lines)
		b->pulse = 0;
	used += b->pulse;
	/* The pane says what the line says. */
	if (b->bottom > 0 && good + used - b->note + b->bottom <= lines) {
		used += b->bottom - b->note;
		b->note = 0;
	} else {
		b->bottom = 0;
	}
	return used;
}

/* Gas over Tx rate; of 13 lines 8 and 5, of what is more 6 of 13. */
static void
gas_over_txs(struct plan *p, int x, int y, int w, int h)
{
	int gas = h >= MAIN_GOOD ? 8 + (h - MAIN_GOOD) * 6 / 13 : h > 9 ? h - 5 : h / 2;

	if (!has(p, TXRATE))
		gas = h;
	else if (!has(p, GAS))
		gas = 0;
	place(p, GAS, x, y, w, gas);
	place(p, TXRATE, x, y + gas, w, h - gas);
}

static void
overview_wide(struct plan *p)
{
	int w = p->in->w, lines = p->out->area.h, y = p->out->area.y, main, right = w / 3 + 1;
	struct bands b = wishes(p, lines);

	main = lines - fit_bands(&b, lines, MAIN_MIN, MAIN_GOOD, 0);
	if (!has(p, BLOCKS) && !has(p, GAS) && !has(p, TXRATE)) {
		b.endpoints += b.endpoints > 0 ? main : 0;
		main = 0;
	} else if (!has(p, GAS) && !has(p, TXRATE)) {
		place(p, BLOCKS, 0, y, w, main);
	} else if (!has(p, BLOCKS)) {
		gas_over_txs(p, 0, y, w, main);
	} else {
		place(p, BLOCKS, 0, y, w - right, main);
		gas_over_txs(p, w - right, y, right, main);
	}
	place_bands(p, &b, y + main);
}

static void
overview_narrow(struct plan *p)
{
	int w = p->in->w, lines = p->out->area.h, y = p->out->area.y, main, used, pair = 0, txs = 0;
	bool stacked = w < PAIR_WIDTH && has(p, GAS) && has(p, TXRATE);
	struct bands b = wishes(p, lines);

	/* Endpoints first, then Gas and Tx rate, then the rest. */
	if (has(p, GAS) || has(p, TXRATE)) {
		pair = PAIR_MIN;
		if (MAIN_MIN + (MAIN_MIN + b.endpoints <= lines ? b.endpoints : 0) + pair > lines)
			pair = 0;
	}
	used = fit_bands(&b, lines, MAIN_MIN, BLOCKS_GOOD, pair);
	if (stacked && pair > 0 && BLOCKS_GOOD + used + PAIR_MIN <= lines) {
		txs = PAIR_MIN;
		used += txs;
	}
	main = lines - used;
	if (pair > 0 && main > 16) {
		int more = clamp((main - 16) / 2, 0, PAIR_MAX - PAIR_MIN);

		pair += more;
		main -= more;
	}
	if (!has(p, BLOCKS)) {
		if (pair > 0)
			pair += main;
		else if (b.endpoints > 0)
			b.endpoints += main;
		main = 0;
	}
	place(p, BLOCKS, 0, y, w, main);
	y += main;
	if (stacked) {
		place(p, GAS, 0, y, w, pair);
		place(p, TXRATE, 0, y + pair, w, txs);
	} else if (pair > 0) {
		side_by_side(p, GAS, TXRATE, y, pair, (w + 1) / 2);
	}
	place_bands(p, &b, y + pair + txs);
}

static void
log_view(struct plan *p)
{
	int w = p->in->w, h = p->out->area.h, y = p->out->area.y, own;
	int right = w / 3 + 1 > OWN_WIDTH ? w / 3 + 1 : OWN_WIDTH;

	if (!has(p, OWN) || !has(p, LOG)) {
		place(p, has(p, OWN) ? OWN : LOG, 0, y, w, h);
	} else if (w >= LAYOUT_WIDE) {
		place(p, LOG, 0, y, w - right, h);
		place(p, OWN, w - right, y, right, h);
	} else {
		own = clamp(h / 2 + 1, 0, OWN_MAX);
		place(p, OWN, 0, y, w, own);
		place(p, LOG, 0, y + own, w, h - own);
	}
}

/* Checks, and beside or below them what the peers' ports say. */
static void
health_view(struct plan *p)
{
	int w = p->in->w, h = p->out->area.h, y = p->out->area.y;
	int right = w / 3 + 1 > PEERS_WIDTH ? w / 3 + 1 : PEERS_WIDTH;

	if (!has(p, HEALTH) || !has(p, PEERS)) {
		place(p, has(p, HEALTH) ? HEALTH : PEERS, 0, y, w, h);
	} else if (w >= THREE_WIDTH) {
		place(p, HEALTH, 0, y, w - right, h);
		place(p, PEERS, w - right, y, right, h);
	} else {
		place(p, HEALTH, 0, y, w, h - h / 2);
		place(p, PEERS, 0, y + h - h / 2, w, h / 2);
	}
}

/* The comparison over Methods and Errors. */
static void endpoints_view(struct plan *p)
{
	int w = p->in->w, h = p->out->area.h, y = p->out->area.y, rest = h - COMPARE;

	if (rest == TABLE_MIN - 1)
		rest++;

	if (!has(p, COMPARED))
		rest = h;
	if (rest < TABLE_MIN || (!has(p, METHODS) && !has(p, ERRORS))) {
		place(p, has(p, COMPARED) ? COMPARED : METHODS, 0, y, w, h);
		return;
	}
	place(p, COMPARED, 0, y, w, h - rest);
	y += h - rest;
	if (w >= LAYOUT_WIDE) {
		side_by_side(p, METHODS, ERRORS, y, rest, w * 5 / 9);
	} else if (has(p, METHODS) && has(p, ERRORS) && rest >= 2 * TABLE_MIN) {
		place(p, METHODS, 0, y, w, rest - rest / 3);
		place(p, ERRORS, 0, y + rest - rest / 3, w, rest / 3);
	} else {
		place(p, has(p, METHODS) ? METHODS : ERRORS, 0, y, w, rest);
	}
}

/* Race over Forks over Reorgs; what is left goes to the log, most of whose rows are of yesterday. */
static void race_view(struct plan *p)
{
	int w = p->in->w, h = p->out->area.h, y = p->out->area.y, race, forks, n = p->in->paths > 64 ? 64 : (int)p->in->paths;

	forks = !has(p, FORKS) ? 0 : h >= 32 ? FORKS_GOOD : FORKS_LEAST;
	if (h >= RACE_TALL && n <= RACE_TWICE)
		n = 2 * n + 2;
	race = has(p, RACE) ? rows(n, RACE_MORE, 5, h - forks - (has(p, REORGS) ? REORGS_LEAST : 0)) : 0;
	race = race > h ? h : race;
	forks = forks > h - race ? h - race : forks;
	if (!has(p, REORGS)) {
		if (!has(p, RACE) || has(p, FORKS))
			forks = h - race;
		else
			race = h;
	}
	place(p, RACE, 0, y, w, race);
	place(p, FORKS, 0, y + race, w, forks);
	place(p, REORGS, 0, y + race + forks, w, h - race - forks);
}

/* Views that have no geometry of their own: all panes of equal height, in the order of the registry. */
static void
stack(struct plan *p)
{
	unsigned i;
	int n = 0, k = 0, y = p->out->area.y, h;

	for (i = 0; i < p->in->n; i++)
		n += p->use[i];
	for (i = 0; i < p->in->n; i++) {
		if (!p->use[i])
			continue;
		h = p->out->area.h * (k + 1) / n - p->out->area.h * k / n;
		if (h > 0)
			p->out->at[i] = (struct rect){.y = y, .w = p->in->w, .h = h};
		y += h;
		k++;
	}
}

static void
arrange(struct plan *p)
{
	unsigned i;
	int s;

	memset(p->out->at, 0, sizeof(p->out->at));
	p->out->note_y = -1;
	for (s = 0; s < SLOT_N; s++) {
		p->pane[s] = -1;
		for (i = 0; i < p->in->n; i++)
			if (p->use[i] && strcmp(p->in->panes[i]->name, slot_name[s]) == 0)
				p->pane[s] = (int)i;
	}
	if (p->in->view == 1 && p->in->w >= LAYOUT_WIDE)
		overview_wide(p);
	else if (p->in->view == 1)
		overview_narrow(p);
	else if (p->in->view == 5)
		endpoints_view(p);
	else if (p->in->view == 6)
		race_view(p);
	else if (p->in->view == 7)
		health_view(p);
	else if (p->in->view == 8)
		log_view(p);
	else
		stack(p);
}

/* Of the panes that got less than they need, the least important; −1: none. */
static int
squeezed(const struct plan *p)
{
	const struct pane_class *c;
	const struct rect *r;
	unsigned i;
	int worst = -1;

	for (i = 0; i < p->in->n; i++) {
		c = p->in->panes[i];
		r = &p->out->at[i];
		if (r->w == 0 || (r->w >= c->min_w && r->h >= c->min_h))
			continue;
		if (worst < 0 || c->priority >= p->in->panes[worst]->priority)
			worst = (int)i;
	}
	return worst;
}

void
layout_make(const struct layout_in *all, struct layout *out)
{
	struct layout_in in = *all;
	struct plan p = {.in = &in, .out = out};
	unsigned i;
	int out_of_room;

	*out = (struct layout){.note_y = -1};
	if (in.n > LAYOUT_PANES_MAX)
		in.n = LAYOUT_PANES_MAX;
	if (in.w < LAYOUT_MIN_W || in.h < LAYOUT_MIN_H) {
		out->tiny = true;
		return;
	}
	out->area = (struct rect){.y = 2, .w = in.w, .h = in.h - 3};
	if (in.zoom >= 0 && in.zoom < (int)in.n) {
		if (out->area.h > 0)
			out->at[in.zoom] = out->area;
		return;
	}
	for (i = 0; i < in.n; i++) {
		p.use[i] = (in.panes[i]->views >> in.view & 1) != 0;
		/* On a tall screen there is room to say why Mempool has nothing to say. */
		if (!in.present[i] && !(in.h >= LAYOUT_TALL && strcmp(in.panes[i]->name, "mempool") == 0))
			p.use[i] = false;
	}
	for (;;) {
		arrange(&p);
		out_of_room = squeezed(&p);
		if (out_of_room < 0)
			break;
		p.use[out_of_room] = false;
	}
	/* Too low for any pane: at least the newest note. */
	for (i = 0; i < in.n; i++)
		if (out->at[i].w > 0)
			return;
	if (out->area.h > 0)
		out->note_y = out->area.y;
}
