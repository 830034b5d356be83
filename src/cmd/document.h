/* What `compare` and `report` share: the words of the command in the report, and how the report leaves. */
#ifndef CMD_DOCUMENT_H
#define CMD_DOCUMENT_H

#include "app.h"
#include "out/report.h"

enum { DOCUMENT_COMMAND = 512 };

/* Where the machine is, by the configuration; the program's version: what every report says. */
struct report_opts document_opts(const struct conf *c, enum report_format format);
/*
 * The command that makes this comparison again, names in place of hosts and keys: "chaintop compare geth=ws://… --for 10m".
 * At most DOCUMENT_COMMAND bytes. Returns out.
 */
char *document_command(char *out, const struct app *a, const char *command);
/* Of a screen that watches: what `E` saves. */
struct report_opts document_now(const struct app *a, enum rank_by rank, enum race_window window);
/* Writes the report to --output or standard output. An exit code. */
int document_write(const struct app *a, const struct report_opts *o);

#endif
