/* What the formats of a report share: all facts as they are written, gathered once. */
#ifndef OUT_REPORT_PRIV_H
#define OUT_REPORT_PRIV_H

#include "model/compare.h"
#include "out/report.h"

enum {
	REPORT_FACTS = 12,
	REPORT_STEPS = 6, /* of the curve: 0.1 ms … 10 s */
	REPORT_POINTS = 51, /* of the curve where it is drawn: ten a decade */
	REPORT_INCIDENTS = 50,
	REPORT_STRIP = 100, /* columns of the Pulse strip */
	REPORT_DUELS = 8,
};

struct report_fact {
	const char *label;
	char text[200];
};

struct report_path {
	char title[80]; /* "1= geth ws" */
	struct compare_cell cell[CMP_N];
	unsigned raced; /* heads of the curve */
	uint32_t step[REPORT_STEPS], point[REPORT_POINTS]; /* so many of them within that time */
	/* Heads by column of the strip: how many (9: or more); late; before what is remembered. */
	uint8_t heads[REPORT_STRIP];
	bool late[REPORT_STRIP], unknown[REPORT_STRIP];
};

struct report_incident {
	uint64_t wall;
	enum note_kind kind;
	char text[220];
};

struct report {
	const struct report_opts *o;
	struct model *m; /* a copy in which names are as they may be shown */
	struct compare c;
	char headline[400], sentence[1024];
	struct report_fact fact[REPORT_FACTS];
	unsigned n_facts;
	struct report_path *path; /* in the order of the ranking */
	uint64_t strip_ns; /* a column's */
	struct report_incident incident[REPORT_INCIDENTS]; /* oldest first */
	unsigned n_incidents, more_incidents;
	uint64_t from_wall, to_wall, span_ns;
};

/* Where a format writes to: after a failure nothing more is written. */
struct report_out {
	struct buf *b;
	enum status st;
};

void report_put(struct report_out *w, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Foreign or measured text with what means something in the format replaced: `what[i]` by `with[i]`; with NULL at the end. */
void report_escaped(struct report_out *w, const char *text, const char *what, const char *const *with);
/* Padded to w columns, left or right. */
void report_cell(struct report_out *w, const char *text, int columns, bool right);
/* "100 ms" of report_steps[k]. Returns out. */
char *report_step(char *out, size_t size, unsigned k);

extern const uint64_t report_steps[REPORT_STEPS]; /* ns */
/* ns of the k-th point of the drawn curve. */
uint64_t report_point(unsigned k);
/* The rules by which it was made, one a line; NULL at the end. */
extern const char *const report_rules[];
const char *report_kind(enum note_kind k); /* "reorg", "link", "gap", "warning", "wrong block", "info" */
/* "2026-11-30 15:50:07 UTC" into out[32]; "—" for UNKNOWN. Returns out. */
char *report_time(char out[32], uint64_t wall);

enum status report_text(struct buf *out, const struct report *r);
enum status report_md(struct buf *out, const struct report *r);
enum status report_html(struct buf *out, const struct report *r);
enum status report_json(struct buf *out, const struct report *r);

#endif
