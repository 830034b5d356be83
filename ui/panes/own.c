/* Own cost: what chaintop takes from the machine and from the nodes, and how long a head needs from socket to screen. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/time.h"
#include "ui/pane.h"
#include "base/number.h"

enum { LABEL_W = 10 };

static void row(struct canvas *c, int *y, const char *label, const char *fmt, ...) PRINTF_LIKE(4, 5);

static void
row(struct canvas *c, int *y, const char *label, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	canvas_text(c, 1, *y, LABEL_W, ROLE_LABEL, 0, label);
	canvas_text(c, 1 + LABEL_W, *y, -1, ROLE_TEXT, 0, text);
	(*y)++;
}

/* "p50 3.1 ms  p99 6.0 ms" */
static char *
percentiles(char *out, size_t size, uint64_t p50, uint64_t p99)
{
	char a[32], b[32];

	snprintf(out, size, "p50 %s  p99 %s", time_latency(a, sizeof(a), p50), time_latency(b, sizeof(b), p99));
	return out;
}

static void
costs(struct canvas *c, int *y, const struct model *m)
{
	const struct own *o = &m->own;
	char a[NUMBER_MAX], b[NUMBER_MAX], d[NUMBER_MAX];
	uint64_t up = m->now_mono > m->start_mono ? m->now_mono - m->start_mono : 0;

	row(c, y, "CPU", "%s of a core  %s s in %s", number_percent(a, sizeof(a), o->cpu, 1),
		o->cpu_ns == UNKNOWN ? "\xe2\x80\x94" : number_fixed(b, sizeof(b), (double)o->cpu_ns / 1e9, 1),
		time_age(d, sizeof(d), (int64_t)up));
	row(c, y, "memory", "%s RSS  %s in bodies of %s", number_bytes(a, sizeof(a), o->rss > 0 ? o->rss : UNKNOWN),
		number_bytes(b, sizeof(b), o->bodies_bytes), number_bytes(d, sizeof(d), BODIES_BYTES));
	row(c, y, "nodes", "%s calls/min  %s/min", number_fixed(a, sizeof(a), m->calls_per_min, 1),
		number_bytes_d(b, sizeof(b), m->bytes_per_min));
	row(c, y, "glass", "%s", percentiles(a, sizeof(a), o->glass_p50, o->glass_p99));
	row(c, y, "", "%s heads, %s left out: we were late", number_int(a, sizeof(a), o->glass_n),
		number_int(b, sizeof(b), o->glass_skipped));
	row(c, y, "decode", "%s", percentiles(a, sizeof(a), o->decode_p50, o->decode_p99));
	row(c, y, "verify", "%s", percentiles(a, sizeof(a), o->verify_p50, o->verify_p99));
	row(c, y, "decoded", "%s", number_bytes(a, sizeof(a), o->decoded_bytes));
	row(c, y, "frames", "%s  events %s", number_int(a, sizeof(a), o->frames),
		number_int(b, sizeof(b), o->events));
	/* Drops are ours: said in words and in bold. */
	canvas_text(c, 1, *y, LABEL_W, ROLE_LABEL, 0, "drops");
	canvas_text(c, 1 + LABEL_W, *y, -1, o->drops > 0 && o->drops != UNKNOWN ? ROLE_WARN : ROLE_TEXT, 0,
		number_int(a, sizeof(a), o->drops));
	(*y)++;
}

/* Columns of the table of paths, least important last. */
static const struct {
	const char *title;
	int w;
} cols[] = {{"calls", 8}, {"in", 9}, {"lost", 7}, {"out", 9}};

enum { COLS = sizeof(cols) / sizeof(cols[0]), NAME_MIN = 12, NAME_MAX = 28 };

static void
path_row(struct canvas *c, int y, int name_w, int n, const struct path *p)
{
	char a[NUMBER_MAX], name[64];
	uint64_t v[COLS] = {p->calls, p->bytes_in, p->lost, p->bytes_out};
	int x = 1 + name_w, i;
	bool bad;

	snprintf(name, sizeof(name), "%s %s", p->node, p->via);
	canvas_text(c, 1, y, name_w, ROLE_TEXT, 0, name);
	for (i = 0; i < n; x += cols[i].w, i++) {
		bad = i == 2 && v[i] > 0 && v[i] != UNKNOWN;
		canvas_right(c, x, y, cols[i].w, bad ? ROLE_WARN : ROLE_TEXT, 0,
			i % 2 == 1 ? number_bytes(a, sizeof(a), v[i]) : number_int(a, sizeof(a), v[i]));
	}
}

static void
paths(struct canvas *c, int y, const struct model *m)
{
	int name_w = c->at.w - 1, n, x;
	unsigned i;

	for (n = 0; n < COLS && name_w - cols[n].w >= NAME_MIN; n++)
		name_w -= cols[n].w;
	if (name_w > NAME_MAX)
		name_w = NAME_MAX;
	canvas_text(c, 1, y, name_w, ROLE_LABEL, 0, "path");
	for (x = 1 + name_w, i = 0; i < (unsigned)n; x += cols[i].w, i++)
		canvas_right(c, x, y, cols[i].w, ROLE_LABEL, 0, cols[i].title);
	for (i = 0; i < m->n_paths && ++y < c->at.h; i++) {
		/* The last line says how many more there are. */
		if (y == c->at.h - 1 && i + 1 < m->n_paths) {
			canvas_textf(c, 1, y, -1, ROLE_DIM, 0, "and %u more", m->n_paths - i);
			break;
		}
		path_row(c, y, name_w, n, m->paths[i]);
	}
}

static void
draw(struct pane *pane, const struct model *m, struct canvas *c, bool focus)
{
	struct canvas in;
	int y = 0;

	(void)pane;
	in = canvas_sub(c, canvas_box(c, (struct rect){.w = c->at.w, .h = c->at.h}, focus, "Own cost",
		"socket to screen = glass", NULL));
	costs(&in, &y, m);
	/* A blank line where there is room for it. */
	if (in.at.h >= y + 3 + (int)m->n_paths)
		y++;
	if (in.at.h >= y + 2)
		paths(&in, y, m);
}

extern const struct pane_class pane_own;
const struct pane_class pane_own = {
	.name = "own",
	.title = "Own cost",
	.help = "CPU, memory, calls and bytes that chaintop itself takes; socket to screen",
	.wants = DIRTY_OWN | DIRTY_CLOCK,
	.views = 1u << 8,
	.min_w = 20,
	.min_h = 4,
	.priority = 1,
	.draw = draw,
};
