#include "out/page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "base/utf8.h"

/* Ends of histogram steps, so that the counts are exact (base/hist.h): 250 µs × 2^k; 4000 × 4^k bytes. */
static const uint64_t seconds_bounds[] = {
	250 * NS_US, 500 * NS_US, 1 * NS_MS, 2 * NS_MS, 4 * NS_MS, 8 * NS_MS, 16 * NS_MS, 32 * NS_MS, 64 * NS_MS, 128 * NS_MS,
	256 * NS_MS, 512 * NS_MS, 1024 * NS_MS, 2048 * NS_MS, 4096 * NS_MS, 8192 * NS_MS, 16384 * NS_MS,
};
static const uint64_t bytes_bounds[] = { 4000, 16000, 64000, 256000, 1024000, 4096000, 16384000, 65536000 };

enum {
	N_SECONDS = sizeof(seconds_bounds) / sizeof(seconds_bounds[0]),
	N_BYTES = sizeof(bytes_bounds) / sizeof(bytes_bounds[0]),
	NUMBER_MAX = 100,
};

/* ---- labels ---- */

char *page_escape(char *out, size_t size, const char *s)
{
	char clean[256];
	size_t n = utf8_clean(clean, sizeof(clean), s, strlen(s)), at = 0;
	int len;

	for (size_t i = 0; i < n; i += (size_t)len) {
		bool escaped = clean[i] == '\\' || clean[i] == '"';

		(void)utf8_decode(clean + i, n - i, &len);
		if (at + escaped + (size_t)len >= size)
			break;
		if (escaped)
			out[at++] = '\\';
		memcpy(out + at, clean + i, (size_t)len);
		at += (size_t)len;
	}
	out[at] = 0;
	return out;
}

/* How many before the i-th have the same name. */
static unsigned twins(const struct model *m, unsigned i)
{
	unsigned n = 0;

	for (unsigned k = 0; k < i; k++)
		n += strcmp(m->paths[k]->node, m->paths[i]->node) == 0 && strcmp(m->paths[k]->via, m->paths[i]->via) == 0;
	return n;
}

static void chain_label(const struct model *m, int i, char out[100])
{
	char name[70];
	unsigned n = 1;

	out[0] = 0;
	if (i < 0)
		return;
	/* Two chains of one id differ in their first block. */
	for (int k = 0; k < i; k++)
		n += strcmp(m->chains[k]->name, m->chains[i]->name) == 0;
	page_escape(name, sizeof(name), m->chains[i]->name);
	if (n > 1)
		snprintf(out, 100, "chain=\"%s#%u\"", name, n);
	else
		snprintf(out, 100, "chain=\"%s\"", name);
}

static void path_label(struct page *g, const struct model *m, unsigned i)
{
	const struct path *p = m->paths[i];
	char node[80], via[24], chain[100], number[12] = "";
	unsigned n = twins(m, i) + 1;

	page_escape(node, sizeof(node), p->node);
	page_escape(via, sizeof(via), p->via);
	chain_label(m, p->chain, chain);
	if (n > 1)
		snprintf(number, sizeof(number), "#%u", n);
	snprintf(g->path[i], LABELS_MAX, "node=\"%s\",via=\"%s%s\"%s%s", node, via, number, chain[0] ? "," : "", chain);
	snprintf(g->node[i], LABELS_MAX, "node=\"%s\"%s%s", node, chain[0] ? "," : "", chain);
}

void page_begin(struct page *g, const struct model *m, struct buf *out)
{
	g->out = out;
	g->status = ST_OK;
	g->family = g->type = g->help = "";
	g->said = false;
	for (unsigned i = 0; i < m->n_chains; i++)
		chain_label(m, (int)i, g->chain[i]);
	for (unsigned i = 0; i < m->n_paths; i++)
		path_label(g, m, i);
}

void page_family(struct page *g, const char *name, const char *type, const char *help)
{
	g->family = name;
	g->type = type;
	g->help = help;
	g->said = false;
}

/* ---- samples ---- */

static void put(struct page *g, const char *s)
{
	if (g->status == ST_OK)
		g->status = buf_adds(g->out, s);
}

/* suffix: "_bucket" and the like. extra: one label more, ready. */
static void sample(struct page *g, const char *suffix, const char *labels, const char *extra, const char *number)
{
	if (!g->said && g->status == ST_OK)
		g->status = buf_addf(g->out, "# HELP %s %s\n# TYPE %s %s\n", g->family, g->help, g->family, g->type);
	g->said = true;
	put(g, g->family);
	put(g, suffix);
	if (labels[0] || extra[0]) {
		put(g, "{");
		put(g, labels);
		put(g, labels[0] && extra[0] ? "," : "");
		put(g, extra);
		put(g, "}");
	}
	put(g, " ");
	put(g, number);
	put(g, "\n");
}

static char *pair(char out[LABELS_MAX], const char *key, const char *value)
{
	char escaped[LABELS_MAX - 40];

	out[0] = 0;
	if (key)
		snprintf(out, LABELS_MAX, "%s=\"%s\"", key, page_escape(escaped, sizeof(escaped), value));
	return out;
}

static char *seconds_text(char out[NUMBER_MAX], uint64_t ns)
{
	int n = snprintf(out, NUMBER_MAX, "%llu.%09u", (unsigned long long)(ns / NS_S), (unsigned)(ns % NS_S));

	while (out[n - 1] == '0')
		out[--n] = 0;
	if (out[n - 1] == '.')
		out[n - 1] = 0;
	return out;
}

static char *u64_text(char out[NUMBER_MAX], uint64_t v)
{
	snprintf(out, NUMBER_MAX, "%llu", (unsigned long long)v);
	return out;
}

void page_u64(struct page *g, const char *labels, const char *key, const char *value, uint64_t v)
{
	char extra[LABELS_MAX], number[NUMBER_MAX];

	if (v != UINT64_MAX)
		sample(g, "", labels, pair(extra, key, value), u64_text(number, v));
}

void page_seconds(struct page *g, const char *labels, const char *key, const char *value, uint64_t ns)
{
	char extra[LABELS_MAX], number[NUMBER_MAX];

	if (ns != UINT64_MAX)
		sample(g, "", labels, pair(extra, key, value), seconds_text(number, ns));
}

void page_u256(struct page *g, const char *labels, const char *key, const char *value, const struct u256 *v)
{
	char extra[LABELS_MAX], number[NUMBER_MAX];

	sample(g, "", labels, pair(extra, key, value), u256_dec(number, sizeof(number), v));
}

void page_double(struct page *g, const char *labels, double v)
{
	char number[NUMBER_MAX];

	if (!isfinite(v))
		return;
	snprintf(number, sizeof(number), "%.9g", v);
	sample(g, "", labels, "", number);
}

void page_hist(struct page *g, const char *labels, const char *key, const char *value, const struct hist *h,
	       enum page_scale scale)
{
	const uint64_t *bounds = scale == PAGE_SECONDS ? seconds_bounds : bytes_bounds;
	unsigned n = scale == PAGE_SECONDS ? N_SECONDS : N_BYTES;
	char extra[LABELS_MAX], le[LABELS_MAX + 40], number[NUMBER_MAX], bound[NUMBER_MAX];
	uint64_t below[N_SECONDS];

	if (!h || !h->n)
		return;
	pair(extra, key, value);
	hist_below(h, bounds, n, below);
	for (unsigned i = 0; i <= n; i++) {
		const char *text = "+Inf";

		if (i < n)
			text = scale == PAGE_SECONDS ? seconds_text(bound, bounds[i]) : u64_text(bound, bounds[i]);
		snprintf(le, sizeof(le), "%s%sle=\"%s\"", extra, extra[0] ? "," : "", text);
		sample(g, "_bucket", labels, le, u64_text(number, i == n ? h->n : below[i]));
	}
	sample(g, "_sum", labels, extra, scale == PAGE_SECONDS ? seconds_text(number, h->sum) : u64_text(number, h->sum));
	sample(g, "_count", labels, extra, u64_text(number, h->n));
}
