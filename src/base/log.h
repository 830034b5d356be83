/*
 * The program's own log: the only global state. A ring of lines in memory for view 8 and, with
 * --log FILE, a file; never the terminal. Any thread may log.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };

struct log_line {
	uint64_t seq, wall_ns;
	enum log_level level;
	char text[216]; /* cleaned, printable */
};

/* file may be NULL. Lines below `least` are not kept. */
enum status log_open(const char *file, enum log_level least, struct err *e) MUST_CHECK;
void log_close(void);
void log_msg(enum log_level level, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* What a library has to say, its first line, as a warning: for libraries that take a function like this. who: a string. */
void log_foreign(void *who, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
/* Copies up to max of the newest lines, oldest first; returns how many. */
size_t log_lines(struct log_line *out, size_t max);
/* Number of lines logged so far: changes when there is something new to draw. */
uint64_t log_seq(void);

#endif
