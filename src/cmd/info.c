/* chaintop info FILE: what a recording holds. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/time.h"
#include "cmd/cmd.h"
#include "feed/recfile.h"

static const char *const frame_words[FRAME_KINDS] = { "states", "opened", "closed", "sent", "received", "holes" };
static const char *const mark_words[MARK_KINDS] = { "heads", "reorgs", "gaps", "outages", "holes", "marks" };

static void print_wall(const char *word, uint64_t wall)
{
	time_t s = (time_t)(wall / NS_S);
	struct tm tm;
	char text[40];

	if (!gmtime_r(&s, &tm) || !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		return;
	printf("%-10s %s.%03u UTC\n", word, text, (unsigned)(wall % NS_S / NS_MS));
}

static void print_counts(const char *word, const uint64_t *n, const char *const *names, unsigned kinds)
{
	const char *comma = "";

	printf("%-10s ", word);
	for (unsigned i = 0; i < kinds; i++) {
		if (!n[i])
			continue;
		printf("%s%" PRIu64 " %s", comma, n[i], names[i]);
		comma = ", ";
	}
	printf("%s\n", *comma ? "" : "none");
}

static void print(const char *path, const struct recinfo *i, const struct reccount *c)
{
	uint64_t ns = i->last_mono > i->start_mono ? i->last_mono - i->start_mono : 0;

	printf("%-10s %s\n", "file", path);
	printf("%-10s %.1f MiB; messages %.1f MiB in %" PRIu64 " segment%s; %" PRIu64 " bodies kept once in %.1f MiB\n", "size",
	       (double)c->file_bytes / (1 << 20), (double)c->raw_bytes / (1 << 20), c->segments,
	       c->segments == 1 ? "" : "s", c->bodies, (double)c->stored_bytes / (1 << 20));
	printf("%-10s %s\n", "written by", i->version[0] ? i->version : "unknown");
	print_wall("from", i->start_wall);
	print_wall("to", i->last_wall);
	printf("%-10s %.3f s%s\n", "span", (double)ns / 1e9, i->ended ? "" : "; not ended in order: up to the last commit");
	print_counts("frames", c->frames, frame_words, FRAME_KINDS);
	print_counts("places", c->marks, mark_words, MARK_KINDS);
	for (unsigned k = 0; k < i->n_feeds; k++) {
		const struct recfeed *f = &i->feed[k];

		if (f->known)
			printf("%-10s %s %s (%s)%s\n", k ? "" : "paths", f->node, f->via, f->show, f->push ? "" : ", polled");
	}
}

static int info_run(const struct conf *c)
{
	struct recreader *r = NULL;
	struct reccount n;
	struct err e = { .code = ST_OK };

	if (c->n_args != 1) {
		err_set(&e, ST_USAGE, "info wants one recording");
		(void)err_cure(&e, "chaintop info FILE.ct");
		return cmd_fail(&e);
	}
	if (recreader_open(&r, c->args[0], &e) != ST_OK || recreader_count(r, &n, &e) != ST_OK) {
		recreader_close(r);
		(void)cmd_fail(&e);
		return EXIT_BAD;
	}
	print(c->args[0], recreader_info(r), &n);
	recreader_close(r);
	return fflush(stdout) == 0 ? EXIT_FINE : EXIT_BAD;
}

const struct cmd_class cmd_info = {
	.name = "info",
	.args = "FILE",
	.help = "what a recording holds: span, paths, counts",
	.about = "Exit 1 if FILE is no recording or cannot be read.\n",
	.run = info_run,
};
