/* What `chaintop ping` measured, and how it is printed. */
#ifndef CMD_PING_TABLE_H
#define CMD_PING_TABLE_H

#include <stdio.h>

#include "base/err.h"
#include "net/url.h"

enum {
	PING_ROUNDS_MAX = 10000,
	PING_ERRORS = 8, /* kinds that are told apart */
};

/* How long each part took. Not every transport has every part: what there is not, or took no time, has no samples. */
enum ping_phase {
	PING_DNS,
	PING_TCP, /* of a unix socket: connect */
	PING_TLS,
	PING_UPGRADE, /* WebSocket */
	PING_FIRST, /* request → first byte of the answer, on the fresh connection */
	PING_BODY, /* → its last byte, where it came in several reads */
	PING_TOTAL, /* all of that */
	PING_AGAIN, /* a second call, on the connection that now stands: the round trip */
	PING_PHASES
};

struct ping_error {
	struct err e;
	unsigned n;
};

struct ping_result {
	const struct url *url;
	enum url_scheme via; /* spoken, where the URL leaves it open */
	unsigned rounds, done, answered; /* planned, begun, with an answer */
	uint64_t *ns[PING_PHASES]; /* samples; room for `rounds` each */
	unsigned n[PING_PHASES];
	bool chain_known;
	uint64_t chain;
	struct ping_error errors[PING_ERRORS];
	unsigned n_errors;
};

/* Room for the samples. */
enum status ping_result_init(struct ping_result *r, const struct url *u, unsigned rounds) MUST_CHECK;
void ping_result_fini(struct ping_result *r);
void ping_add(struct ping_result *r, enum ping_phase p, uint64_t ns);
void ping_add_error(struct ping_result *r, const struct err *e);
/* Nearest rank, p in 0 … 100; sorts. UINT64_MAX without samples. */
uint64_t ping_percentile(struct ping_result *r, enum ping_phase p, double at);
/* A table for each; no key of a URL. */
void ping_print(FILE *f, struct ping_result *r);
/* One object for all, in one line: doc in `chaintop ping --help`. ST_NOMEM. */
enum status ping_print_json(FILE *f, struct ping_result *r, unsigned n) MUST_CHECK;

#endif
