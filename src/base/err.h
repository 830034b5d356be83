/* Errors: one status code and one line of text, filled by the function that failed. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdarg.h>

#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))

/*
 * Every kind of failure that chaintop tells apart. The second column is the
 * word shown in the endpoint table and in machine outputs.
 */
#define STATUS_LIST(X) \
	X(ST_OK, "ok") \
	X(ST_USAGE, "usage") /* the user's words are wrong: exit 64 */ \
	X(ST_NOMEM, "memory") \
	X(ST_IO, "io") /* file or socket error that is none of those below */ \
	X(ST_DNS, "dns") \
	X(ST_REFUSED, "refused") \
	X(ST_UNREACH, "unreachable") \
	X(ST_RESET, "reset") /* the peer broke the connection */ \
	X(ST_CLOSED, "closed") /* the peer closed it in order */ \
	X(ST_TLS, "tls") \
	X(ST_PROXY, "proxy") \
	X(ST_TIMEOUT, "timeout") \
	X(ST_AUTH, "auth") /* 401, 403 */ \
	X(ST_HTTP, "http") /* any other HTTP status that is not 2xx; err.detail holds it */ \
	X(ST_RATE, "429") /* rate limited, by status or by JSON-RPC code */ \
	X(ST_RPC, "rpc") /* JSON-RPC error; err.detail holds the code */ \
	X(ST_UNSUPPORTED, "unsupported") /* -32601 and its like: do not ask again soon */ \
	X(ST_NULL, "null") /* result was null */ \
	X(ST_MALFORMED, "malformed") /* not what the protocol allows */ \
	X(ST_WRONG_BLOCK, "wrong block") /* another block than the one asked for */ \
	X(ST_TOO_BIG, "too big") /* over a limit of ours */ \
	X(ST_SILENT, "silent") /* open, but nothing comes */ \
	X(ST_AGAIN, "again") /* not now; never shown */ \
	X(ST_INTERNAL, "internal")

enum status {
#define X(name, word) name,
	STATUS_LIST(X)
#undef X
	ST_N
};

struct err {
	enum status code;
	int detail; /* HTTP status, JSON-RPC code, errno or CURLcode; 0 if none */
	char text[200]; /* what and why, no trailing newline, no key of a URL, printable UTF-8 */
	char cure[120]; /* what to try, or "" */
};

/* Fills *e (may be NULL) and returns code, so that callers write `return err_set(e, ST_IO, …)`. */
enum status err_set(struct err *e, enum status code, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* As err_set with a detail number. */
enum status err_set_detail(struct err *e, enum status code, int detail, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
/* Sets the cure of an error already set; returns its code (ST_INTERNAL if e is NULL). */
enum status err_cure(struct err *e, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The word of STATUS_LIST: "refused". Never NULL. */
const char *status_word(enum status code);

#endif
