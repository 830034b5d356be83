/* A report as one HTML file: no script, nothing is loaded, pictures are inline SVG; see report.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/time.h"
#include "out/report_priv.h"

enum {
	CURVE_W = 720, CURVE_H = 260, CURVE_X = 48, CURVE_Y = 16, /* the picture, and where its axes begin */
	STRIP_W = 720, STRIP_ROW = 22, STRIP_X = 150,
	COLOURS = 8,
};

static const char style[] =
	":root{color-scheme:light dark}"
	"body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:70em;padding:0 1em}"
	"h1{font-size:1.4em}h2{font-size:1.1em;margin-top:2em}"
	"table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
	"th,td{padding:.2em .8em;text-align:right;white-space:nowrap;border-bottom:1px solid #8884}"
	"th:first-child,td.l{text-align:left}td.g{text-align:left;font-weight:600}"
	".wide{overflow-x:auto}.axis{stroke:currentColor;stroke-opacity:.15}"
	".best{font-weight:600;color:#080}.warn{color:#a60}.crit{color:#c00;font-weight:600}.dim{opacity:.6}"
	"@media(prefers-color-scheme:dark){.best{color:#6c6}.warn{color:#db6}.crit{color:#f77}}"
	"svg{max-width:100%;height:auto}svg text{font:12px system-ui,sans-serif;fill:currentColor}"
	"dt{float:left;clear:left;width:9em;opacity:.7}dd{margin-left:9em;overflow-wrap:anywhere}"
	"code{font-family:ui-monospace,monospace}";

/* Told apart with any colour vision (Okabe and Ito), and by their dashes. */
static const char *const colour[COLOURS] = {
	"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a6d00", "#777777",
};

static void html(struct report_out *w, const char *text)
{
	static const char what[] = "&<>\"'";
	static const char *const with[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };

	report_escaped(w, text, what, with);
}

static const char *tone_class(enum tone t)
{
	static const char *const name[] = {
		[TONE_TEXT] = "", [TONE_DIM] = "dim", [TONE_BEST] = "best", [TONE_WARN] = "warn", [TONE_CRIT] = "crit",
	};

	return name[t];
}

static void element(struct report_out *w, const char *open, const char *text, const char *close)
{
	report_put(w, "%s", open);
	html(w, text);
	report_put(w, "%s", close);
}

static void table(struct report_out *w, const struct report *r)
{
	report_put(w, "<h2>Endpoints</h2>\n<div class=\"wide\"><table>\n<thead><tr><th></th><th></th>");
	for (unsigned i = 0; i < r->m->n_paths; i++)
		element(w, "<th>", r->path[i].title, "</th>");
	report_put(w, "</tr></thead>\n<tbody>\n");
	for (unsigned row = 0; row < CMP_N; row++) {
		element(w, "<tr><td class=\"g\">", compare_group((enum compare_row)row), "</td>");
		element(w, "<td class=\"l\">", compare_label((enum compare_row)row), "</td>");
		for (unsigned i = 0; i < r->m->n_paths; i++) {
			const struct compare_cell *c = &r->path[i].cell[row];

			report_put(w, "<td class=\"%s\">", tone_class(c->tone));
			element(w, "", c->text, "</td>");
		}
		report_put(w, "</tr>\n");
	}
	report_put(w, "</tbody></table></div>\n<p class=\"dim\">* best &#160; = no measurable difference from best &#160; "
		      "\xe2\x80\x94 not available &#160; \xe2\x89\xa4 limited by our own polling</p>\n");
}

/* ---- the curve ---- */

/* 0.1 ms … 10 s, by tens. */
static double curve_x(double ns)
{
	return CURVE_X + (CURVE_W - CURVE_X - 16) * log10(ns / 1e5) / 5;
}

static double curve_y(double share)
{
	return CURVE_Y + (CURVE_H - CURVE_Y - 32) * (1 - share);
}

static void axis(struct report_out *w, double x1, double y1, double x2, double y2)
{
	report_put(w, "<line class=\"axis\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", x1, y1, x2, y2);
}

static void axes(struct report_out *w)
{
	char t[40];

	for (unsigned k = 0; k < REPORT_STEPS; k++) {
		double x = curve_x((double)report_steps[k]);

		axis(w, x, curve_y(1), x, curve_y(0));
		report_put(w, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", x, CURVE_H - 12,
			   report_step(t, sizeof(t), k));
	}
	for (unsigned k = 0; k <= 4; k++) {
		axis(w, CURVE_X, curve_y(k / 4.0), curve_x(1e10), curve_y(k / 4.0));
		report_put(w, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%u %%</text>\n", CURVE_X - 6, curve_y(k / 4.0) + 4,
			   k * 25);
	}
}

static void curve(struct report_out *w, const struct report *r)
{
	unsigned n = 0;

	report_put(w, "<h2>Heads heard behind the first by at most</h2>\n<svg viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\" "
		      "aria-label=\"cumulative curve\">\n", CURVE_W, CURVE_H, CURVE_W);
	axes(w);
	for (unsigned i = 0; i < r->m->n_paths; i++) {
		const struct report_path *p = &r->path[i];

		if (!p->raced)
			continue;
		report_put(w, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\" points=\"",
			   colour[n % COLOURS], n < COLOURS ? "none" : "6 3");
		for (unsigned k = 0; k < REPORT_POINTS; k++)
			report_put(w, "%s%.1f,%.1f", k ? " " : "", curve_x((double)report_point(k)),
				   curve_y((double)p->point[k] / p->raced));
		element(w, "\"><title>", p->title, "</title></polyline>\n");
		n++;
	}
	report_put(w, "</svg>\n<div class=\"wide\"><table><thead><tr><th></th>");
	for (unsigned k = 0; k < REPORT_STEPS; k++) {
		char t[40];

		report_put(w, "<th>%s</th>", report_step(t, sizeof(t), k));
	}
	report_put(w, "<th>heads</th></tr></thead><tbody>\n");
	n = 0;
	for (unsigned i = 0; i < r->m->n_paths; i++) {
		const struct report_path *p = &r->path[i];

		if (!p->raced)
			continue;
		report_put(w, "<tr><td class=\"l\"><svg width=\"24\" height=\"8\" viewBox=\"0 0 24 8\">"
			      "<line x1=\"0\" y1=\"4\" x2=\"24\" y2=\"4\" stroke=\"%s\" stroke-width=\"3\"/></svg> ",
			   colour[n++ % COLOURS]);
		element(w, "", p->title, "</td>");
		for (unsigned k = 0; k < REPORT_STEPS; k++)
			report_put(w, "<td>%.0f %%</td>", 100.0 * p->step[k] / p->raced);
		report_put(w, "<td>%u</td></tr>\n", p->raced);
	}
	report_put(w, "</tbody></table></div>\n");
}

/* ---- pulse ---- */

static void pulse(struct report_out *w, const struct report *r)
{
	double step = (double)(STRIP_W - STRIP_X) / REPORT_STRIP;
	char t[40];

	report_put(w, "<h2>Pulse</h2>\n<svg viewBox=\"0 0 %d %u\" width=\"%d\" role=\"img\" "
		      "aria-label=\"heads over time\">\n", STRIP_W, r->m->n_paths * STRIP_ROW + 4, STRIP_W);
	for (unsigned i = 0; i < r->m->n_paths; i++) {
		const struct report_path *p = &r->path[i];
		double y = i * STRIP_ROW + STRIP_ROW / 2.0 + 2;

		report_put(w, "<text x=\"0\" y=\"%.1f\">", y + 4);
		element(w, "", p->title, "</text>");
		for (unsigned k = 0; k < REPORT_STRIP; k++) {
			double x = STRIP_X + (k + 0.5) * step;

			if (p->unknown[k])
				report_put(w, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"8\" fill=\"currentColor\" "
					      "fill-opacity=\".1\"/>", x - step / 2, y - 4, step);
			else if (p->heads[k])
				report_put(w, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.2\" %s/>", x, y, p->late[k] ?
					   "fill=\"none\" stroke=\"#d55e00\"" : "fill=\"#009e73\"");
		}
		report_put(w, "\n");
	}
	report_put(w, "</svg>\n<p class=\"dim\">1 column = %s; dots: heads heard, rings: late ones among them, grey: no longer "
		      "known</p>\n", time_latency(t, sizeof(t), r->strip_ns));
}

static void incidents(struct report_out *w, const struct report *r)
{
	char t[32];

	report_put(w, "<h2>Incidents%s</h2>\n<div class=\"wide\"><table><tbody>\n", r->more_incidents ? " (the newest)" : "");
	for (unsigned i = 0; i < r->n_incidents; i++) {
		const struct report_incident *n = &r->incident[i];

		report_put(w, "<tr><td class=\"l\">%.19s</td><td class=\"l\">%s</td>", report_time(t, n->wall),
			   report_kind(n->kind));
		element(w, "<td class=\"l\">", n->text, "</td></tr>\n");
	}
	if (!r->n_incidents)
		report_put(w, "<tr><td class=\"l\">none</td></tr>\n");
	report_put(w, "</tbody></table></div>\n");
}

enum status report_html(struct buf *out, const struct report *r)
{
	struct report_out w = { .b = out };

	report_put(&w, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
		       "<meta name=\"viewport\" content=\"width=device-width\">\n"
		       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
		       "<title>chaintop: endpoints compared</title>\n<style>%s</style></head>\n<body>\n", style);
	element(&w, "<h1>", r->headline, "</h1>\n");
	element(&w, "<p>", r->sentence, "</p>\n<dl>\n");
	for (unsigned i = 0; i < r->n_facts; i++) {
		element(&w, "<dt>", r->fact[i].label, "</dt>");
		element(&w, "<dd>", r->fact[i].text, "</dd>\n");
	}
	report_put(&w, "</dl>\n");
	table(&w, r);
	curve(&w, r);
	pulse(&w, r);
	incidents(&w, r);
	report_put(&w, "<h2>Rules</h2>\n<ul>\n");
	for (unsigned i = 0; report_rules[i]; i++)
		element(&w, "<li>", report_rules[i], "</li>\n");
	report_put(&w, "</ul>\n</body></html>\n");
	return w.st;
}
