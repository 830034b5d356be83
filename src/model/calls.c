#include "model/calls.h"

#include <math.h>

#include "model/stats.h"

enum { XFER_LEAST = 8 /* samples */ };

#define RATE_LEAST_NS (5 * NS_S)

static const struct {
	unsigned slices;
	uint64_t slice_ns, span_ns;
	const char *word;
} spans[RACE_WINDOWS] = {
	[RACE_10M] = { 10, 60 * NS_S, 600 * NS_S, "10 m" },
	[RACE_1H] = { 12, 300 * NS_S, 3600 * NS_S, "1 h" },
	[RACE_ALL] = { 1, UINT64_MAX, UINT64_MAX, "all" },
};

uint64_t window_ns(enum race_window s)
{
	return spans[s].span_ns;
}

const char *window_word(enum race_window s)
{
	return spans[s].word;
}

/* NULL: what comes now has left the window. */
static struct call_slice *slice_at(struct path *p, unsigned s, uint64_t mono)
{
	uint64_t epoch = mono / spans[s].slice_ns;
	struct call_slice *c = &p->priv->calls[s].slice[epoch % spans[s].slices];

	if (c->epoch > epoch)
		return NULL;
	if (c->epoch < epoch)
		*c = (struct call_slice){ .epoch = epoch };
	return c;
}

/* The ten minutes are the public ones: other outputs have their histogram, too. */
static struct hist_window *latency_of(struct path *p, unsigned s)
{
	return s == RACE_10M ? &p->latency : &p->priv->calls[s].latency;
}

static void sample(struct hist_window *w, unsigned s, uint64_t mono, uint64_t ns)
{
	if (w->slices == 0 && hist_window_init(w, spans[s].slices, spans[s].slice_ns) != 0)
		w->slices = 0;
	if (w->slices)
		hist_window_add(w, mono, ns);
}

void calls_ended(struct path *p, uint64_t mono, enum status code, uint64_t latency_ns)
{
	if (code == ST_UNSUPPORTED)
		return;
	for (unsigned s = 0; s < RACE_WINDOWS; s++) {
		struct call_slice *c = slice_at(p, s, mono);

		if (!c)
			continue;
		c->n++;
		c->failed += code != ST_OK;
		c->by_code[code] += code != ST_OK;
	}
	calls_batch(p, mono, code, latency_ns);
}

void calls_batch(struct path *p, uint64_t mono, enum status code, uint64_t latency_ns)
{
	for (unsigned s = 0; s < RACE_WINDOWS && code == ST_OK && latency_ns != UNKNOWN; s++)
		sample(latency_of(p, s), s, mono, latency_ns);
	p->priv->calls_dirty = true;
}

void calls_usable(struct path *p, uint64_t mono, uint64_t ns)
{
	for (unsigned s = 0; s < RACE_WINDOWS; s++)
		sample(&p->priv->calls[s].usable, s, mono, ns);
	p->priv->calls_dirty = true;
}

void calls_lost(struct path *p, uint64_t mono, enum status code)
{
	for (unsigned s = 0; s < RACE_WINDOWS; s++) {
		struct call_slice *c = slice_at(p, s, mono);

		if (c)
			c->by_code[code]++;
	}
	p->priv->calls_dirty = true;
}

void calls_xfer(struct path *p, uint64_t mono, uint64_t bytes, uint64_t ns)
{
	for (unsigned s = 0; s < RACE_WINDOWS; s++) {
		struct call_slice *c = slice_at(p, s, mono);

		if (!c)
			continue;
		c->xfer_n++;
		c->xfer_bytes = add_sat(c->xfer_bytes, bytes);
		c->xfer_ns = add_sat(c->xfer_ns, ns);
	}
	p->priv->calls_dirty = true;
}

void calls_traffic(struct path *p, uint64_t mono, uint64_t calls, uint64_t bytes)
{
	struct path_priv *pp = p->priv;

	for (unsigned s = 0; s < RACE_WINDOWS; s++) {
		struct call_slice *c = slice_at(p, s, mono);

		if (!c)
			continue;
		c->calls = add_sat(c->calls, sub_sat(calls, pp->traffic_calls));
		c->bytes = add_sat(c->bytes, sub_sat(bytes, pp->traffic_bytes));
	}
	pp->traffic_calls = calls;
	pp->traffic_bytes = bytes;
	pp->calls_dirty = true;
}

void calls_dup(struct path *p, uint64_t mono)
{
	for (unsigned s = 0; s < RACE_WINDOWS; s++) {
		struct call_slice *c = slice_at(p, s, mono);

		if (c)
			c->dups++;
	}
	p->priv->calls_dirty = true;
}

static void add(struct call_slice *to, const struct call_slice *c)
{
	to->n += c->n;
	to->failed += c->failed;
	to->calls = add_sat(to->calls, c->calls);
	to->bytes = add_sat(to->bytes, c->bytes);
	to->dups += c->dups;
	to->xfer_n += c->xfer_n;
	to->xfer_bytes = add_sat(to->xfer_bytes, c->xfer_bytes);
	to->xfer_ns = add_sat(to->xfer_ns, c->xfer_ns);
	for (unsigned k = 0; k < ST_N; k++)
		to->by_code[k] += c->by_code[k];
}

static void latencies(struct path *p, enum race_window s, uint64_t now)
{
	struct hist_window *calls = latency_of(p, s), *usable = &p->priv->calls[s].usable;
	struct call_stats *out = &p->span[s];
	struct hist h;

	if (calls->slices) {
		hist_window_get(calls, now, &h);
		out->timed = h.n;
		out->p50 = hist_percentile(&h, 50);
		out->p99 = hist_percentile(&h, 99);
		stats_range(&h, 99, &out->p99_low, &out->p99_high);
	}
	if (usable->slices) {
		hist_window_get(usable, now, &h);
		out->usable_n = h.n;
		out->usable_p90 = hist_percentile(&h, 90);
		stats_range(&h, 90, &out->usable_low, &out->usable_high);
	}
}

void calls_figures(struct path *p, enum race_window s, uint64_t now)
{
	const struct path_priv *pp = p->priv;
	uint64_t epoch = now / spans[s].slice_ns, last = spans[s].slices - 1, from, covered;
	struct call_slice sum = { .epoch = 0 };
	struct call_stats *out = &p->span[s];

	for (unsigned i = 0; i < spans[s].slices; i++) {
		const struct call_slice *c = &pp->calls[s].slice[i];

		if (c->epoch <= epoch && add_sat(c->epoch, last) >= epoch)
			add(&sum, c);
	}
	from = epoch > last ? (epoch - last) * spans[s].slice_ns : 0;
	covered = sub_sat(now, from > pp->start_mono ? from : pp->start_mono);
	*out = (struct call_stats){
		.n = sum.n,
		.failed = sum.failed,
		.dups = sum.dups,
		.p50 = UNKNOWN,
		.p99 = UNKNOWN,
		.p99_low = UNKNOWN,
		.p99_high = UNKNOWN,
		.usable_p90 = UNKNOWN,
		.usable_low = UNKNOWN,
		.usable_high = UNKNOWN,
		.xfer_bytes_per_s = (double)NAN,
		.calls_per_min = (double)NAN,
		.bytes_per_min = (double)NAN,
	};
	memcpy(out->by_code, sum.by_code, sizeof(out->by_code));
	if (sum.xfer_n >= XFER_LEAST && sum.xfer_ns)
		out->xfer_bytes_per_s = (double)sum.xfer_bytes * (double)NS_S / (double)sum.xfer_ns;
	if (covered >= RATE_LEAST_NS) {
		out->calls_per_min = (double)sum.calls * 60 * (double)NS_S / (double)covered;
		out->bytes_per_min = (double)sum.bytes * 60 * (double)NS_S / (double)covered;
	}
	latencies(p, s, now);
}

void calls_restart(struct path *p, uint64_t now)
{
	struct path_priv *pp = p->priv;

	calls_fini(p);
	p->latency = (struct hist_window){ .slices = 0 };
	memset(pp->calls, 0, sizeof(pp->calls));
	pp->start_mono = now;
	for (unsigned s = 0; s < RACE_WINDOWS; s++)
		calls_figures(p, (enum race_window)s, now);
}

void calls_fini(struct path *p)
{
	for (unsigned s = 0; s < RACE_WINDOWS; s++) {
		hist_window_fini(latency_of(p, s));
		hist_window_fini(&p->priv->calls[s].usable);
	}
}
