/* chaintop verify FILE: is a recording whole? */
#include <inttypes.h>
#include <stdio.h>

#include "cmd/cmd.h"
#include "feed/recfile.h"
#include "feed/state.h"

enum { SHOWN = 10 };

struct tally {
	uint64_t frames, bytes, bad, unknown;
};

static void complain(struct tally *t, const char *text)
{
	if (t->bad++ < SHOWN)
		fprintf(stderr, "chaintop: %s\n", text);
	else if (t->bad == SHOWN + 1)
		fprintf(stderr, "chaintop: and more of them\n");
}

/* Every frame, every body against its hash, every state against its form. */
static enum status check_frames(struct recreader *r, struct tally *t, struct err *e)
{
	enum status st;
	struct state s;
	struct frame f;
	char text[120];

	recreader_strict(r, true);
	while ((st = recreader_next(r, &f, e)) != ST_CLOSED) {
		if (st != ST_OK && st != ST_MALFORMED)
			return st;
		t->frames++;
		if (st == ST_MALFORMED) {
			complain(t, e->text);
			continue;
		}
		t->bytes += f.n;
		if (f.kind != FRAME_STATE && f.kind != FRAME_DROP)
			continue;
		st = state_read(&s, f.text, f.n);
		t->unknown += st == ST_UNSUPPORTED;
		if (st == ST_MALFORMED) {
			snprintf(text, sizeof(text), "frame %" PRIu64 ": a state that cannot be read", f.seq);
			complain(t, text);
		}
	}
	return ST_OK;
}

static int verify_run(const struct conf *c)
{
	struct recreader *r = NULL;
	struct tally t = { 0 };
	struct err e = { .code = ST_OK };

	if (c->n_args != 1) {
		err_set(&e, ST_USAGE, "verify wants one recording");
		(void)err_cure(&e, "chaintop verify FILE.ct");
		return cmd_fail(&e);
	}
	if (recreader_open(&r, c->args[0], &e) != ST_OK || recreader_integrity(r, &e) != ST_OK ||
	    check_frames(r, &t, &e) != ST_OK) {
		recreader_close(r);
		(void)cmd_fail(&e);
		return EXIT_BAD;
	}
	printf("%s: %s, %" PRIu64 " frames, %.1f MiB of messages", c->args[0], t.bad ? "DAMAGED" : "whole", t.frames,
	       (double)t.bytes / (1 << 20));
	if (t.bad)
		printf(", %" PRIu64 " frame%s cannot be read", t.bad, t.bad == 1 ? "" : "s");
	if (t.unknown)
		printf(", %" PRIu64 " states of a later version", t.unknown);
	printf("%s\n", recreader_info(r)->ended ? "" : "; not ended in order");
	recreader_close(r);
	return fflush(stdout) == 0 && !t.bad ? EXIT_FINE : EXIT_BAD;
}

const struct cmd_class cmd_verify = {
	.name = "verify",
	.args = "FILE",
	.help = "check that a recording is whole",
	.about = "Reads all of FILE: the database, every body against its hash, every frame. Exit 0 if it is whole, else 1.\n",
	.run = verify_run,
};
