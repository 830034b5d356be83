/*
 * A small web server for one page: GET /metrics; / says so. libmicrohttpd with a thread of its own.
 *
 * The page is made by the app's thread, which owns the model, and only when somebody asks: the server raises the app's wake
 * and waits for it, so a page is never older than age_ms and nothing is rendered for nobody. It is handed over whole, by its
 * pointer: the app never waits, and no reader can see half of one. If the app gives none in time the answer is 503, not an old
 * page.
 */
#ifndef OUT_EXPORTER_H
#define OUT_EXPORTER_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/wake.h"

struct exporter;

struct exporter_opts {
	int fd; /* a listening socket, taken over whatever happens */
	struct wake *wake; /* of the app; borrowed */
	const char *about; /* what / says above the list; borrowed */
	unsigned wait_ms, age_ms; /* 0: the usual, 2 s and 200 ms */
};

enum status exporter_start(struct exporter **out, const struct exporter_opts *o, struct err *e) MUST_CHECK;
/* Somebody waits for a page. True once for each time that it was asked for. */
bool exporter_wanted(struct exporter *x);
/* The page; its memory is taken over, and page is empty then. */
void exporter_give(struct exporter *x, struct buf *page);
/* Ends connections and the thread. NULL is allowed. */
void exporter_stop(struct exporter *x);

#endif
