/* A report as text, like view 5, and as Markdown to be pasted into an issue; see report.h. */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/time.h"
#include "base/utf8.h"
#include "out/report_priv.h"

enum { LABEL = 26, COLUMN = 18, GAP = 2, COLUMNS = 5, WRAP = 118 };

static char *share_text(char *out, size_t size, uint32_t part, unsigned all)
{
	if (all == 0)
		snprintf(out, size, "\xe2\x80\x94");
	else
		snprintf(out, size, "%.0f %%", 100.0 * part / all);
	return out;
}

/* Broken at blanks. */
static void put_wrapped(struct report_out *w, const char *text)
{
	while (*text) {
		size_t n = utf8_clip(text, WRAP);

		if (text[n]) {
			size_t k = n;

			while (k > 0 && text[k] != ' ')
				k--;
			n = k ? k : n;
		}
		report_put(w, "%.*s\n", (int)n, text);
		text += n;
		text += strspn(text, " ");
	}
}

static int name_w(const struct report *r)
{
	int n = 10;

	for (unsigned i = 0; i < r->m->n_paths; i++) {
		int k = (int)utf8_columns(r->path[i].title);

		n = k > n ? k : n;
	}
	return n;
}

static void strip_text(const struct report *r, const struct report_path *p, char out[REPORT_STRIP * 3 + 1])
{
	size_t n = 0;

	for (unsigned k = 0; k < REPORT_STRIP; k++)
		n += (size_t)snprintf(out + n, 4, "%s", p->unknown[k] ? "?" : p->heads[k] == 0 ? "\xc2\xb7" :
				      p->late[k] ? "\xe2\x97\x8b" : "\xe2\x97\x8f");
	(void)r;
}

static const char *strip_legend(const struct report *r, char *out, size_t size)
{
	char t[40];

	snprintf(out, size, "1 column = %s  \xe2\x97\x8f heads  \xe2\x97\x8b late ones  \xc2\xb7 none  ? no longer known",
		 time_latency(t, sizeof(t), r->strip_ns));
	return out;
}

/* ---- text ---- */

static int column_w(const struct report_path *p)
{
	int w = (int)utf8_columns(p->title), k;

	for (unsigned row = 0; row < CMP_N; row++) {
		k = (int)utf8_columns(p->cell[row].text);
		w = k > w ? k : w;
	}
	return w + GAP > COLUMN ? w + GAP : COLUMN;
}

static void text_table(struct report_out *w, const struct report *r, unsigned from, unsigned to)
{
	report_put(w, "\n");
	report_cell(w, "", LABEL, false);
	for (unsigned i = from; i < to; i++)
		report_cell(w, r->path[i].title, column_w(&r->path[i]), true);
	report_put(w, "\n");
	for (unsigned row = 0; row < CMP_N; row++) {
		report_cell(w, compare_group((enum compare_row)row), 6, false);
		report_cell(w, compare_label((enum compare_row)row), LABEL - 6, false);
		for (unsigned i = from; i < to; i++)
			report_cell(w, r->path[i].cell[row].text, column_w(&r->path[i]), true);
		report_put(w, "\n");
	}
}

static void text_curve(struct report_out *w, const struct report *r)
{
	int name = name_w(r);
	char t[40];

	report_put(w, "\nHeads heard behind the first by at most\n");
	report_cell(w, "", name, false);
	for (unsigned k = 0; k < REPORT_STEPS; k++)
		report_cell(w, report_step(t, sizeof(t), k), 9, true);
	report_cell(w, "heads", 9, true);
	report_put(w, "\n");
	for (unsigned i = 0; i < r->m->n_paths; i++) {
		const struct report_path *p = &r->path[i];

		report_cell(w, p->title, name, false);
		for (unsigned k = 0; k < REPORT_STEPS; k++)
			report_cell(w, share_text(t, sizeof(t), p->step[k], p->raced), 9, true);
		report_cell(w, p->raced ? number_int(t, sizeof(t), p->raced) : "\xe2\x80\x94", 9, true);
		report_put(w, "\n");
	}
}

static void strips(struct report_out *w, const struct report *r, const char *indent)
{
	char strip[REPORT_STRIP * 3 + 1];
	int name = name_w(r);

	for (unsigned i = 0; i < r->m->n_paths; i++) {
		strip_text(r, &r->path[i], strip);
		report_put(w, "%s", indent);
		report_cell(w, r->path[i].title, name + 1, false);
		report_put(w, "%s\n", strip);
	}
}

static void incidents(struct report_out *w, const struct report *r, const char *indent)
{
	char t[32];

	for (unsigned i = 0; i < r->n_incidents; i++)
		report_put(w, "%s%.19s  %-11s  %s\n", indent, report_time(t, r->incident[i].wall),
			   report_kind(r->incident[i].kind), r->incident[i].text);
	if (r->n_incidents == 0)
		report_put(w, "%snone\n", indent);
}

enum status report_text(struct buf *out, const struct report *r)
{
	struct report_out w = { .b = out };
	unsigned n = r->m->n_paths;
	char legend[160];

	put_wrapped(&w, r->headline);
	put_wrapped(&w, r->sentence);
	report_put(&w, "\n");
	for (unsigned i = 0; i < r->n_facts; i++) {
		report_cell(&w, r->fact[i].label, 15, false);
		report_put(&w, "%s\n", r->fact[i].text);
	}
	for (unsigned i = 0; i < n; i += COLUMNS)
		text_table(&w, r, i, i + COLUMNS < n ? i + COLUMNS : n);
	report_put(&w, "* best   = no measurable difference from best   \xe2\x80\x94 not available   "
		       "\xe2\x89\xa4 limited by our own polling\n");
	text_curve(&w, r);
	report_put(&w, "\nPulse  %s\n", strip_legend(r, legend, sizeof(legend)));
	strips(&w, r, "");
	report_put(&w, "\nIncidents%s\n", r->more_incidents ? " (the newest)" : "");
	incidents(&w, r, "");
	report_put(&w, "\nRules\n");
	for (unsigned i = 0; report_rules[i]; i++) {
		report_put(&w, "- ");
		put_wrapped(&w, report_rules[i]);
	}
	return w.st;
}

/* ---- Markdown ---- */

/* What would be mark-up, a link or somebody's name. */
static void md(struct report_out *w, const char *text)
{
	static const char what[] = "\\|<>*_`[]#!@~&";
	static const char *const with[] = {
		"\\\\", "\\|", "&lt;", "&gt;", "\\*", "\\_", "\\`", "\\[", "\\]", "\\#", "\\!", "&#64;", "\\~", "&amp;",
	};

	report_escaped(w, text, what, with);
}

static void md_row(struct report_out *w, const struct report *r, const char *first, const char *second)
{
	report_put(w, "| ");
	md(w, first);
	report_put(w, " | ");
	md(w, second);
	(void)r;
}

static void md_table(struct report_out *w, const struct report *r)
{
	md_row(w, r, "", "");
	for (unsigned i = 0; i < r->m->n_paths; i++) {
		report_put(w, " | ");
		md(w, r->path[i].title);
	}
	report_put(w, " |\n| --- | ---");
	for (unsigned i = 0; i < r->m->n_paths; i++)
		report_put(w, " | ---:");
	report_put(w, " |\n");
	for (unsigned row = 0; row < CMP_N; row++) {
		md_row(w, r, compare_group((enum compare_row)row), compare_label((enum compare_row)row));
		for (unsigned i = 0; i < r->m->n_paths; i++) {
			report_put(w, " | ");
			md(w, r->path[i].cell[row].text);
		}
		report_put(w, " |\n");
	}
}

static void md_curve(struct report_out *w, const struct report *r)
{
	char t[40];

	report_put(w, "\n| heads heard behind the first by at most");
	for (unsigned k = 0; k < REPORT_STEPS; k++)
		report_put(w, " | %s", report_step(t, sizeof(t), k));
	report_put(w, " | heads |\n| ---");
	for (unsigned k = 0; k <= REPORT_STEPS; k++)
		report_put(w, " | ---:");
	report_put(w, " |\n");
	for (unsigned i = 0; i < r->m->n_paths; i++) {
		const struct report_path *p = &r->path[i];

		report_put(w, "| ");
		md(w, p->title);
		for (unsigned k = 0; k < REPORT_STEPS; k++)
			report_put(w, " | %s", share_text(t, sizeof(t), p->step[k], p->raced));
		report_put(w, " | %s |\n", p->raced ? number_int(t, sizeof(t), p->raced) : "\xe2\x80\x94");
	}
}

enum status report_md(struct buf *out, const struct report *r)
{
	struct report_out w = { .b = out };
	char legend[160];

	report_put(&w, "**");
	md(&w, r->headline);
	report_put(&w, "**\n\n");
	md(&w, r->sentence);
	report_put(&w, r->sentence[0] ? "\n\n" : "");
	for (unsigned i = 0; i < r->n_facts; i++) {
		report_put(&w, "- %s: ", r->fact[i].label);
		md(&w, r->fact[i].text);
		report_put(&w, "\n");
	}
	report_put(&w, "\n");
	md_table(&w, r);
	report_put(&w, "\n\\* best, = no measurable difference from best, \xe2\x80\x94 not available, "
		       "\xe2\x89\xa4 limited by our own polling\n");
	md_curve(&w, r);
	/* Indented, not fenced: no text can end it. */
	report_put(&w, "\nPulse, %s\n\n", strip_legend(r, legend, sizeof(legend)));
	strips(&w, r, "    ");
	report_put(&w, "\nIncidents%s\n\n", r->more_incidents ? " (the newest)" : "");
	incidents(&w, r, "    ");
	report_put(&w, "\nRules\n\n");
	for (unsigned i = 0; report_rules[i]; i++) {
		report_put(&w, "- ");
		md(&w, report_rules[i]);
		report_put(&w, "\n");
	}
	return w.st;
}
