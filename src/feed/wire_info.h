/* Answers that are facts about the node: client, peers, syncing, pool, gas price. Part of wire_rpc.c. */
#ifndef FEED_WIRE_INFO_H
#define FEED_WIRE_INFO_H

#include "eth/json.h"
#include "feed/event.h"

/* A quantity that stands as a string or, against the rules, as a number. */
bool wire_quantity(const struct json_str *text, uint64_t *out);
bool wire_is_info(enum method m);
enum info_kind wire_info_kind(enum method m);
/* Reads the result of such a method into e->u.info. False: not the type that the method answers with. */
bool wire_info_read(enum method m, const struct json_str *result, struct event *e);

#endif
