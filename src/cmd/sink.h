/*
 * Where a command writes: standard output, or a file that appears under its name only when it is whole. Until then it
 * has another name in the
 * same folder; what is left of an interrupted one stays as NAME.part.
 */
#ifndef CMD_SINK_H
#define CMD_SINK_H

#include <stdbool.h>

#include "base/buf.h"

struct sink {
	int fd; /* −1: closed */
	char *final, *temp; /* NULL: written directly (standard output, a device, a pipe) */
	struct buf held; /* small pieces, to be written together */
	char name[80]; /* for messages */
};

/* path NULL or "-": standard output. ST_IO. */
enum status sink_open(struct sink *s, const char *path, struct err *e) MUST_CHECK;
enum status sink_write(struct sink *s, const char *text, size_t n, struct err *e) MUST_CHECK;
/* All is written: on the disk, and under its name. */
enum status sink_keep(struct sink *s, struct err *e) MUST_CHECK;
/*
 * It ended early. Writes what is held and, for a file, names it NAME.part if anything is in it. Returns that name, or
 * NULL; owned by s.
 */
const char *sink_part(struct sink *s);
/* Removes what has no name yet, frees. */
void sink_fini(struct sink *s);

#endif
