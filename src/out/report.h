/*
 * A comparison as a document: what a model knows of its paths, as text, Markdown, HTML or JSON (doc/REPORT.md). The same model
 * and options give the same bytes.
 *
 * It is made to be passed on: paths have the names that the user gave them. Who has none is "node1", "node2" …, never a host;
 * texts of nodes are cleaned, and hosts that stand in them are taken out.
 */
#ifndef OUT_REPORT_H
#define OUT_REPORT_H

#include "base/buf.h"
#include "model/ranking.h"

enum report_format { REPORT_TEXT, REPORT_MD, REPORT_HTML, REPORT_JSON }; /* the words of --format, in that order */

struct report_opts {
	enum report_format format;
	enum rank_by rank;
	enum race_window window;
	const char *version; /* "chaintop 0.1.0" */
	const char *command; /* that makes it again, or ""; without hosts and keys (report_command) */
	const char *location; /* "" or NULL: nobody said */
	const char *recording; /* SHA-256 in hex; NULL: it was live */
};

/* Appends the report. m stays as it is. ST_NOMEM, ST_TOO_BIG. */
enum status report_write(struct buf *out, const struct model *m, const struct report_opts *o, struct err *e) MUST_CHECK;
/* The name under which a path's node appears: the user's, or "node1" … Returns out. */
char *report_name(char *out, size_t size, const struct model *m, unsigned path);

#endif
