/*
 * Inside feed/: what the parts of the drive share. drive_ask.c: requests that wait and go out; drive_heads.c: polling, gaps,
 * bodies; drive.c: answers, life, time.
 */
#ifndef FEED_DRIVE_PRIV_H
#define FEED_DRIVE_PRIV_H

#include "base/time.h"
#include "feed/drive.h"

/* Order in which waiting requests are sent. */
enum prio { PRIO_FIRST, PRIO_HEAD, PRIO_PLAIN, PRIO_FILL };

#define UNSUPPORTED_NS (3600 * NS_S) /* what a node does not have is asked for again then */

static inline uint64_t clamp(uint64_t v, uint64_t lo, uint64_t hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

enum status drive_send_ask(struct drive *d, const struct ask *a);
void drive_ask_plain(struct drive *d, enum method m, enum prio prio);
/* Facts about the node. Returns how many were added to list[6]. */
unsigned drive_list_infos(const struct drive *d, struct ask *list);
void drive_body_miss(struct drive *d, const struct ask *a, enum status code, const char *text);
/* Several requests in one message, where the node takes batches. */
void drive_send_list(struct drive *d, const struct ask *list, unsigned n);
unsigned drive_list_tags(struct ask *list);
bool drive_ask_is_body(const struct ask *a);
void drive_ask_number(struct drive *d, uint64_t number, enum head_source source, bool full);
struct ask *drive_ask_add(struct drive *d, const struct ask *a);
/* A block that somebody wants to see: with its transactions even if bodies are off, and before what fills gaps. */
void drive_ask_whole(struct drive *d, const struct hash *h, uint64_t number);
void drive_ask_body(struct drive *d, const struct hash *h, uint64_t number, enum head_source source, bool sample);
void drive_ask_tag(struct drive *d, enum wire_tag tag, enum head_source source, bool full, enum prio prio);
/* A head by push, poll or `latest`: does it follow the one before? */
void drive_follow(struct drive *d, const struct head *h, bool polled);
/* Asks for an unknown parent by hash. Known ones were claimed when they were heard or fetched. */
void drive_walk(struct drive *d, const struct head *child);
/*
 * Block time over the last 32 to 64 blocks: whole seconds in headers of fast chains need a long span. h is the tip, or was
 * fetched with it.
 */
void drive_learn_time(struct drive *d, const struct head *h);
void drive_heard(struct drive *d);
/* The interval follows the block time; small changes of a time that is measured change nothing. */
void drive_adapt_polling(struct drive *d);
void drive_backfill(struct drive *d);
/* Subscribes to transactions that wait, if that is wanted, and neither done nor refused. */
void drive_want_pending(struct drive *d);
/* That failed. */
void drive_pending_failed(struct drive *d, const struct wire_result *r);
void drive_set_polling(struct drive *d, bool on);
void drive_on_push(void *ctx, const struct head *h);
/* One path fetches each body, the others every sixteenth so that "usable" stays measured. */
void drive_want_body(struct drive *d, const struct head *h, enum head_source source);

#endif
