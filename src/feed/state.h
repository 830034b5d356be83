/*
 * STATE frames of a recording as text: what no message of a node says but a replay needs to give the same model. One JSON
 * object, "ev" first; members that are 0, false or "" are left out, unknown ones are skipped. doc/RECORDING.md lists them.
 */
#ifndef FEED_STATE_H
#define FEED_STATE_H

#include "base/buf.h"
#include "feed/event.h"

enum state_kind {
	/* what a feed or the app said: EV_LINK EV_CHAIN EV_HEAD EV_INFO EV_TAG EV_GAP EV_BODY_MISS EV_TRAFFIC EV_PEER…
	 * EV_CLOCK EV_LOST */
	STATE_EVENT,
	STATE_FAIL, /* a call ended without an answer: wire_fail */
	STATE_ASK_CHAIN, /* wire_ask_chain */
	STATE_FEED, /* what the feed table does not hold */
	STATE_DROP, /* of a DROP frame */
	STATE_END, /* the recording was stopped in order */
};

struct state {
	enum state_kind kind;
	struct event e; /* STATE_EVENT: kind and u; path, seq, mono and wall are the frame's */
	/* STATE_FAIL */
	uint64_t id;
	uint8_t code; /* enum status */
	int32_t detail;
	uint64_t wait_ns; /* as wire_fail; 0 also in recordings that do not tell it */
	char text[200];
	/* STATE_FEED */
	bool push, local;
	/* STATE_DROP: frames that are missing; text says why */
	uint64_t dropped;
};

/* Can this kind of event be told as a state? EV_BLOCK, EV_VERDICT and EV_REPLY come from messages alone. */
bool state_tells(enum event_kind k);
/* Appends the text. ST_USAGE: an event that cannot be told. */
enum status state_write(struct buf *b, const struct state *s) MUST_CHECK;
/*
 * Any text from any file: what it gives is safe to hand to a model (enums in range, texts clean and terminated).
 * ST_UNSUPPORTED: an "ev" of a later version, to be skipped. ST_MALFORMED.
 */
enum status state_read(struct state *s, const char *text, size_t n) MUST_CHECK;

#endif
