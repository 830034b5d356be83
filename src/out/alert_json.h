/*
 * An alert's event as one JSON object in one line: what hooks get on standard input and webhooks as their body, and what --stream
 * may print. Keys: state was resolved node check text value limit unit since time count chain location program.
 */
#ifndef OUT_ALERT_JSON_H
#define OUT_ALERT_JSON_H

#include "base/buf.h"
#include "model/alert.h"

/* state: as alert_seen_from gave it. location: NULL for none. Appends; no line end. ST_NOMEM, ST_TOO_BIG. */
enum status alert_json(struct buf *out, const struct alert_event *e, enum level state, const char *location) MUST_CHECK;
/* "s", "", "blocks", "%": the unit that value and limit are in. */
const char *alert_unit(enum check_unit u);

#endif
