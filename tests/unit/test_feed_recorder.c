/*
 * The recorder's thread: feeds never wait for it. What finds no room or no disk is counted and told; afterwards it goes
 * on. Segments and files stand by themselves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/time.h"
#include "feed/recorder.h"
#include "feed/recqueue.h"
#include "feed/replay.h"
#include "feed/state.h"
#include "feed/tap.h"

static char dir[64];
static struct err err;

#define OK(call) \
	do { \
		if ((call) != ST_OK) \
			fail_msg(#call ": %s", err.text); \
	} while (0)

static int make_dir(void **state)
{
	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	snprintf(dir, sizeof(dir), "/tmp/recorder.XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char path[400];

	(void)state;
	while (d && (e = readdir(d)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		unlink(path);
	}
	if (d)
		closedir(d);
	return rmdir(dir);
}

static const char *name(const char *file)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	return path;
}

/* ---- feeds ---- */

enum { FEEDS = 3 };

static const struct recorder_feed feeds[FEEDS] = {
	{ "geth", "ws", "127.0.0.1:8546", true, true, NULL },
	{ "geth", "ipc", "data/geth.ipc", true, true, NULL },
	{ "infura", "https", "example.org:443", false, false, NULL },
};

static struct recorder *start(const char *file, struct recorder_opts o)
{
	struct recorder *r;

	o.file = name(file);
	o.feeds = feeds;
	o.n_feeds = FEEDS;
	o.version = "chaintop test";
	o.mono = time_mono();
	o.wall = time_wall();
	OK(recorder_start(&r, &o, &err));
	return r;
}

static void stop(struct recorder *r)
{
	OK(recorder_stop(r, time_mono(), time_wall(), false, &err));
}

static void tap_link(struct rec_tap *t, enum link_state s, const char *text)
{
	struct event e = { .kind = EV_LINK, .mono = time_mono(), .wall = time_wall() };

	e.u.link.state = (uint8_t)s;
	e.u.link.attempt = s == LINK_WAITING;
	snprintf(e.u.link.via, sizeof(e.u.link.via), "ws");
	snprintf(e.u.link.text, sizeof(e.u.link.text), "%s", text);
	tap_event(t, &e);
}

static void tap_chain(struct rec_tap *t)
{
	struct event e = { .kind = EV_CHAIN, .mono = time_mono(), .wall = time_wall(), .u.chain = { .id = 1, .ok = true } };

	e.u.chain.genesis.b[0] = 7;
	tap_event(t, &e);
}

static void tap_head(struct rec_tap *t, uint64_t number)
{
	struct event e = { .kind = EV_HEAD, .mono = time_mono(), .wall = time_wall() };

	e.u.head.h.number = number;
	e.u.head.h.has = H_NUMBER | H_HASH;
	memcpy(e.u.head.h.hash.b, &number, sizeof(number));
	tap_event(t, &e);
}

/* A message of about n bytes that is like no other, into text[n + 100]. Its length. */
static size_t message(char *text, uint64_t seed, size_t n)
{
	size_t at = (size_t)sprintf(text, "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"result\":\"0x", (unsigned long long)seed);

	for (seed = seed * 2862933555777941757u + 3037000493u; at < n; at++) {
		seed = seed * 2862933555777941757u + 3037000493u;
		text[at] = "0123456789abcdef"[seed >> 60];
	}
	return at + (size_t)sprintf(text + at, "\"}");
}

static void tap_message(struct rec_tap *t, uint64_t seed, size_t n)
{
	struct net_meta m = { .recv_ns = time_mono(), .wall_ns = time_wall(), .wire_bytes = n, .reads = 2 };
	char *text = malloc(n + 100);

	tap_in(t, text, message(text, seed, n), &m);
	tap_block(t, m.recv_ns + 1234, true, 56);
	tap_flush(t);
	free(text);
}

/* What a file holds, by kind; the last DROP frame's count. */
struct found {
	uint64_t n[FRAME_KINDS], snapshots, dropped, segments, heads, last_number;
	bool ended;
};

static struct found look(const char *file)
{
	struct found f = { .ended = false };
	struct recreader *r;
	struct reccount c;
	struct state s;
	struct frame fr;
	enum status st;

	OK(recreader_open(&r, name(file), &err));
	recreader_strict(r, true);
	while ((st = recreader_next(r, &fr, &err)) == ST_OK) {
		f.n[fr.kind]++;
		f.snapshots += fr.kind == FRAME_STATE && frame_has(&fr, META_SNAPSHOT);
		if (fr.kind == FRAME_DROP && state_read(&s, fr.text, fr.n) == ST_OK)
			f.dropped += s.dropped;
	}
	assert_int_equal(st, ST_CLOSED);
	OK(recreader_count(r, &c, &err));
	OK(recreader_integrity(r, &err));
	f.segments = c.segments;
	f.heads = c.marks[MARK_HEAD];
	f.ended = recreader_info(r)->ended;
	recreader_close(r);
	return f;
}

/* ---- tests ---- */

struct crowd {
	struct rec_tap t;
	uint64_t pushed;
};

static void *talk(void *arg)
{
	struct crowd *c = arg;

	tap_link(&c->t, LINK_LIVE, "");
	tap_chain(&c->t);
	tap_open(&c->t, time_mono(), time_wall());
	for (unsigned i = 0; i < 300; i++) {
		tap_out(&c->t, "{\"id\":1}", 8, time_mono(), time_wall(), 1, 0, 0);
		tap_message(&c->t, i * FEEDS + c->t.feed, 200 + i * 13);
		tap_head(&c->t, i);
	}
	tap_close(&c->t, time_mono(), time_wall());
	tap_flush(&c->t);
	return NULL;
}

/* Several feeds at once, each in its own order. */
static void many_feeds(void **state)
{
	struct recorder *r = start("many.ct", (struct recorder_opts){ .queue_bytes = 0 });
	struct crowd c[FEEDS];
	pthread_t id[FEEDS];
	struct recorder_stats s;
	uint64_t next[FEEDS] = { 0 };
	struct recreader *in;
	struct frame f;
	struct found found;

	(void)state;
	for (unsigned i = 0; i < FEEDS; i++) {
		c[i] = (struct crowd){ .t = { .q = recorder_queue(r), .feed = (uint16_t)i } };
		assert_int_equal(pthread_create(&id[i], NULL, talk, &c[i]), 0);
	}
	for (unsigned i = 0; i < 20; i++) {
		recorder_event(r, &(struct event){ .kind = EV_CLOCK, .mono = time_mono(), .wall = time_wall() });
		recorder_mark(r, &(struct mark){ .kind = MARK_USER, .number = i });
		recorder_stats(r, &s);
	}
	for (unsigned i = 0; i < FEEDS; i++)
		pthread_join(id[i], NULL);
	stop(r);
	found = look("many.ct");
	assert_int_equal(found.n[FRAME_IN], 300 * FEEDS);
	assert_int_equal(found.n[FRAME_OUT], 300 * FEEDS);
	assert_int_equal(found.n[FRAME_OPEN], FEEDS);
	assert_int_equal(found.n[FRAME_CLOSE], FEEDS);
	assert_int_equal(found.n[FRAME_DROP], 0);
	/* Feeds may be more than 64 heads apart: a head told late may count anew. */
	assert_in_range(found.heads, 300, 300 * FEEDS);
	assert_true(found.ended);
	OK(recreader_open(&in, name("many.ct"), &err));
	while (recreader_next(in, &f, &err) == ST_OK) {
		unsigned long long seed;

		if (f.kind != FRAME_IN)
			continue;
		assert_int_equal(sscanf(f.text, "{\"jsonrpc\":\"2.0\",\"id\":%llu", &seed), 1);
		assert_int_equal(seed, next[f.feed]++ * FEEDS + f.feed);
		assert_int_equal(f.meta[META_DECODE], 1234);
		assert_int_equal(f.meta[META_VERIFY], 56);
	}
	recreader_close(in);
}

static bool wait_failing(struct recorder *r, struct rec_tap *t, bool failing)
{
	struct recorder_stats s = { .failing = ST_OK };
	uint64_t end = time_mono() + 20 * NS_S;

	while (time_mono() < end) {
		recorder_stats(r, &s);
		if ((s.failing != ST_OK) == failing)
			return true;
		if (t)
			tap_message(t, time_mono(), 20000);
		(void)poll(NULL, 0, 2);
	}
	return false;
}

/* More than the queue takes: nobody waits, and the file says how many are missing. */
static void full_queue(void **state)
{
	struct recorder *r = start("queue.ct", (struct recorder_opts){ .queue_bytes = 100000 });
	struct rec_tap t = { .q = recorder_queue(r) };
	struct recorder_stats s;
	struct found f;

	(void)state;
	tap_link(&t, LINK_LIVE, "");
	for (unsigned i = 0; i < 200; i++)
		tap_message(&t, i, 60000);
	/* Small ones have room of their own. */
	for (unsigned i = 0; i < 50; i++)
		tap_link(&t, LINK_SILENT, "still there");
	tap_flush(&t);
	recorder_stats(r, &s);
	stop(r);
	f = look("queue.ct");
	assert_true(s.dropped > 0);
	assert_int_equal(f.n[FRAME_IN] + s.dropped, 200);
	assert_true(f.n[FRAME_DROP] >= 1);
	assert_int_equal(f.dropped, s.dropped);
	/* 51 links, the END, and what each segment begins with. */
	assert_int_equal(f.n[FRAME_STATE] - f.snapshots, 52);
	assert_true(f.segments > 1);
}

/* A disk that is full for a while. */
static void full_disk(void **state)
{
	struct recorder *r = start("disk.ct", (struct recorder_opts){ .queue_bytes = 0 });
	struct rec_tap t = { .q = recorder_queue(r) };
	struct rlimit before, small;
	struct recorder_stats s;
	struct found f;

	(void)state;
	tap_link(&t, LINK_LIVE, "");
	tap_chain(&t);
	tap_message(&t, 1, 1000);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = before;
	small.rlim_cur = 300000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_true(wait_failing(r, &t, true));
	for (unsigned i = 0; i < 10; i++)
		tap_message(&t, i, 5000);
	recorder_stats(r, &s);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_true(wait_failing(r, NULL, false));
	for (unsigned i = 0; i < 10; i++)
		tap_message(&t, 100 + i, 5000);
	stop(r);
	f = look("disk.ct");
	assert_true(s.dropped > 0);
	assert_true(f.n[FRAME_DROP] == 1);
	assert_in_range(f.dropped, s.dropped, s.dropped + 20);
	assert_true(f.n[FRAME_IN] >= 10);
	assert_true(f.segments == 2 && f.ended);
}

static unsigned count_events(
	struct replay *r, struct wake *w, uint64_t from, unsigned *kinds, unsigned n_kinds, uint64_t *first_head)
{
	struct pollfd p = { .fd = wake_fd(w), .events = POLLIN };
	uint64_t mono, wall;
	unsigned n = 0;

	OK(replay_start(r, from, &mono, &wall, &err));
	*first_head = UINT64_MAX;
	for (bool end = false; !end;) {
		const struct event *e;

		if (poll(&p, 1, 10000) <= 0)
			fail_msg("nothing comes");
		wake_take(w);
		while ((e = replay_peek(r)) != NULL) {
			end |= e->kind == REPLAY_END;
			if (e->kind < n_kinds)
				kinds[e->kind]++;
			if (e->kind == EV_HEAD && *first_head == UINT64_MAX)
				*first_head = e->u.head.h.number;
			if (e->kind == EV_BLOCK)
				block_unref(e->u.block.block);
			n++;
			replay_pop(r);
		}
	}
	replay_stop(r);
	return n;
}

/* Each segment begins with what was said before: a jump needs none of the others. */
static void segments(void **state)
{
	struct recorder *r = start("seg.ct", (struct recorder_opts){ .segment_bytes = 40000 });
	struct rec_tap t = { .q = recorder_queue(r) };
	struct wake wake;
	struct replay_opts o = { .wake = &wake, .jump_bytes = 1, .jump_ns = 1, .jump_most = 1 };
	unsigned kinds[16] = { 0 };
	uint64_t head, place;
	struct replay *play;
	struct found f;

	(void)state;
	tap_link(&t, LINK_LIVE, "");
	tap_chain(&t);
	for (unsigned i = 0; i < 200; i++) {
		tap_message(&t, i, 2000);
		tap_head(&t, i);
	}
	tap_flush(&t);
	stop(r);
	f = look("seg.ct");
	assert_in_range(f.segments, 9, 12);
	assert_int_equal(f.heads, 200);
	o.file = name("seg.ct");
	OK(wake_init(&wake, &err));
	OK(replay_open(&play, &o, &err));
	/* From the start: nothing is said twice. */
	count_events(play, &wake, 0, kinds, 16, &head);
	assert_int_equal(kinds[EV_LINK], 1);
	assert_int_equal(kinds[EV_HEAD], 0); /* those of the messages would be, if they were any */
	/* From the middle: with the link, the chain and the last 64 heads before it. */
	memset(kinds, 0, sizeof(kinds));
	OK(replay_find(play, "150", &place, &err));
	count_events(play, &wake, place, kinds, 16, &head);
	assert_int_equal(kinds[EV_LINK], 1);
	assert_int_equal(kinds[EV_CHAIN], 1);
	assert_int_equal(kinds[EV_HEAD], 64);
	assert_in_range(head, 50, 86);
	assert_int_equal(replay_find(play, "1000", &place, &err), ST_USAGE);
	assert_int_equal(replay_find(play, "reorg:1", &place, &err), ST_USAGE);
	assert_int_equal(replay_find(play, "soon", &place, &err), ST_USAGE);
	OK(replay_find(play, "+0s", &place, &err));
	OK(replay_find(play, "-0s", &place, &err));
	replay_free(play);
	wake_fini(&wake);
}

static void rotation(void **state)
{
	struct recorder *r = start("one.ct", (struct recorder_opts){ .queue_bytes = 0 });
	struct rec_tap t = { .q = recorder_queue(r) };
	struct recorder_stats s;
	struct found f;

	(void)state;
	tap_link(&t, LINK_LIVE, "");
	tap_chain(&t);
	tap_message(&t, 1, 1000);
	recorder_rotate(r, name("two.ct"), time_mono(), time_wall());
	tap_message(&t, 2, 1000);
	/* A name that is taken: it stands still, and says so. */
	recorder_rotate(r, name("one.ct"), time_mono(), time_wall());
	tap_message(&t, 3, 1000);
	assert_true(wait_failing(r, NULL, true));
	recorder_rotate(r, name("three.ct"), time_mono(), time_wall());
	assert_true(wait_failing(r, NULL, false));
	tap_message(&t, 4, 1000);
	recorder_stats(r, &s);
	stop(r);
	assert_true(s.dropped >= 1);
	f = look("one.ct");
	assert_true(f.ended && f.n[FRAME_IN] == 1);
	f = look("two.ct");
	assert_true(f.ended && f.n[FRAME_IN] == 1);
	f = look("three.ct");
	assert_true(f.ended && f.n[FRAME_IN] == 1);
	/* Three feeds, the link and the chain. */
	assert_int_equal(f.snapshots, 5);
}

/* ---- without a file: the ring ---- */

static struct recorder *start_ring(struct recorder_opts o)
{
	struct recorder *r;

	o.feeds = feeds;
	o.n_feeds = FEEDS;
	o.version = "chaintop test";
	o.mono = time_mono();
	o.wall = time_wall();
	OK(recorder_start(&r, &o, &err));
	return r;
}

/* Until the recorder has worked off what stands in its queue. */
static void settle_files(struct recorder *r, unsigned begun, bool open)
{
	struct recorder_stats s;

	for (unsigned i = 0; i < 1000; i++) {
		recorder_stats(r, &s);
		if (s.begun == begun && s.open == open)
			return;
		(void)poll(NULL, 0, 10);
	}
	fail_msg("begun %u, open %d", s.begun, s.open);
}

/* What came before is in the file, what comes after it too, and behind its end there is a ring again. */
static void a_file_begins_with_the_ring(void **state)
{
	struct recorder *r = start_ring((struct recorder_opts){ .queue_bytes = 0 });
	struct rec_tap t = { .q = recorder_queue(r) };
	struct found f;

	(void)state;
	tap_link(&t, LINK_LIVE, "");
	tap_chain(&t);
	for (uint64_t k = 1; k <= 5; k++)
		tap_message(&t, k, 1000);
	tap_flush(&t);
	recorder_begin(r, name("ring1.ct"), 0, time_mono(), time_wall());
	settle_files(r, 1, true);
	for (uint64_t k = 6; k <= 8; k++)
		tap_message(&t, k, 1000);
	tap_flush(&t);
	recorder_end(r, time_mono(), time_wall());
	settle_files(r, 1, false);
	f = look("ring1.ct");
	assert_true(f.ended);
	assert_int_equal(f.n[FRAME_IN], 8);
	/* Three feeds; the link and the chain are frames of their own. */
	assert_int_equal(f.snapshots, FEEDS);
	for (uint64_t k = 9; k <= 10; k++)
		tap_message(&t, k, 1000);
	tap_flush(&t);
	recorder_begin(r, name("ring2.ct"), 0, time_mono(), time_wall());
	settle_files(r, 2, true);
	stop(r);
	f = look("ring2.ct");
	assert_true(f.ended);
	assert_int_equal(f.n[FRAME_IN], 2);
	/* What was said before the ring is in its snapshot: link and chain. */
	assert_int_equal(f.snapshots, FEEDS + 2);
}

/* The file has messages first … 100 as they were told. */
static void messages_are_whole(const char *file, uint64_t first, size_t n)
{
	char *text = malloc(n + 100);
	struct recreader *r;
	struct frame f;

	OK(recreader_open(&r, name(file), &err));
	while (recreader_next(r, &f, &err) == ST_OK) {
		if (f.kind != FRAME_IN)
			continue;
		assert_int_equal(f.n, message(text, first++, n));
		assert_memory_equal(f.text, text, f.n);
	}
	assert_int_equal(first, 101);
	recreader_close(r);
	free(text);
}

/* Bounded by bytes, packed (random hex digits take half the room): the oldest leave; what they said is in the snapshot. */
static void the_ring_is_bounded(void **state)
{
	struct recorder *r = start_ring((struct recorder_opts){ .ring_bytes = 100 << 10 });
	struct rec_tap t = { .q = recorder_queue(r) };
	struct recorder_stats s;
	struct found f;

	(void)state;
	tap_link(&t, LINK_LIVE, "");
	tap_chain(&t);
	for (uint64_t k = 1; k <= 100; k++)
		tap_message(&t, k, 10000);
	tap_flush(&t);
	recorder_begin(r, name("ring3.ct"), 0, time_mono(), time_wall());
	settle_files(r, 1, true);
	recorder_stats(r, &s);
	assert_int_equal(s.dropped, 0);
	stop(r);
	f = look("ring3.ct");
	assert_in_range(f.n[FRAME_IN], 14, 19);
	assert_int_equal(f.snapshots, FEEDS + 2);
	messages_are_whole("ring3.ct", 101 - f.n[FRAME_IN], 10000);
}

/* Bounded by time, by the frames' own; and a file may want less than there is. */
static void the_ring_has_its_time(void **state)
{
	struct recorder *r = start_ring((struct recorder_opts){ .ring_ns = 10 * NS_S });
	struct rec_tap t = { .q = recorder_queue(r) };
	uint64_t base = time_mono(), wall = time_wall();
	struct recorder_stats s;
	struct found f;

	(void)state;
	for (unsigned k = 0; k <= 30; k++) {
		struct net_meta m = { .recv_ns = base + k * NS_S, .wall_ns = wall + k * NS_S, .reads = 1 };

		tap_in(&t, "{}", 2, &m);
	}
	tap_flush(&t);
	for (unsigned i = 0; i < 500 && (recorder_stats(r, &s), s.ring_ns < 10 * NS_S); i++)
		(void)poll(NULL, 0, 10);
	assert_int_equal(s.ring_ns, 10 * NS_S);
	recorder_begin(r, name("ring4.ct"), 3 * NS_S, base + 30 * NS_S, wall + 30 * NS_S);
	settle_files(r, 1, true);
	stop(r);
	f = look("ring4.ct");
	assert_int_equal(f.n[FRAME_IN], 4); /* 27 … 30 */
}

/* A file that cannot be made leaves the ring as it was. */
static void a_file_that_cannot_be_made(void **state)
{
	struct recorder *r = start_ring((struct recorder_opts){ .queue_bytes = 0 });
	struct rec_tap t = { .q = recorder_queue(r) };
	struct recorder_stats s;
	struct found f;

	(void)state;
	tap_message(&t, 1, 1000);
	tap_flush(&t);
	recorder_begin(r, "/no/such/folder/x.ct", 0, time_mono(), time_wall());
	for (unsigned i = 0; i < 500 && (recorder_stats(r, &s), s.refused == 0); i++)
		(void)poll(NULL, 0, 10);
	assert_int_equal(s.refused, 1);
	assert_false(s.open);
	assert_int_not_equal(s.failing, ST_OK);
	tap_message(&t, 2, 1000);
	tap_flush(&t);
	recorder_begin(r, name("ring5.ct"), 0, time_mono(), time_wall());
	settle_files(r, 1, true);
	recorder_stats(r, &s);
	assert_int_equal(s.failing, ST_OK);
	/* A second beginning is none. */
	recorder_begin(r, name("ring6.ct"), 0, time_mono(), time_wall());
	stop(r);
	f = look("ring5.ct");
	assert_int_equal(f.n[FRAME_IN], 2);
	assert_int_not_equal(access(name("ring6.ct"), F_OK), 0);
}

/* Wherever the disk ends while a file is made, it is refused whole: nothing of it stays, and the ring goes on. */
static void a_disk_that_ends_while_a_file_is_made(void **state)
{
	struct recorder_feed many[REC_FEEDS_MAX];
	struct recorder_opts o = { .feeds = many, .n_feeds = REC_FEEDS_MAX, .version = "chaintop test" };
	struct rlimit before, small;
	struct recorder *r;
	struct recorder_stats s;
	unsigned refused = 0;
	char show[250];

	(void)state;
	/* What it begins with is longer than the empty tables are. */
	memset(show, 'x', sizeof(show) - 1);
	show[sizeof(show) - 1] = '\0';
	for (unsigned i = 0; i < REC_FEEDS_MAX; i++) {
		many[i] = feeds[i % FEEDS];
		many[i].show = show;
	}
	/* Old enough for what it begins with to be due at once. */
	o.mono = time_mono() - 10 * NS_S;
	o.wall = time_wall() - 10 * NS_S;
	OK(recorder_start(&r, &o, &err));
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	for (unsigned pages = 0;; pages++) {
		small = before;
		small.rlim_cur = pages * 4096;
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
		recorder_begin(r, name("ends.ct"), 0, time_mono(), time_wall());
		for (unsigned i = 0; i < 500 && (recorder_stats(r, &s), s.refused == refused && !s.open); i++)
			(void)poll(NULL, 0, 5);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
		if (s.open)
			break;
		assert_int_equal(s.refused, ++refused);
		assert_int_not_equal(access(name("ends.ct"), F_OK), 0);
		assert_int_not_equal(access(name("ends.ct-wal"), F_OK), 0);
		assert_true(pages < 100);
	}
	/* The empty tables have some twelve pages; the feeds, 16 KB of them, come behind. */
	assert_in_range(refused, 13, 99);
	stop(r);
	assert_int_equal(access(name("ends.ct"), F_OK), 0);
}

/* It has its name, but what is written goes into a log beside it, and there can be none. */
static void a_file_without_a_log(void **state)
{
	struct recorder *r = start_ring((struct recorder_opts){ .queue_bytes = 0 });
	struct recorder_stats s;

	(void)state;
	assert_int_equal(mkdir(name("log.ct-wal"), 0700), 0);
	recorder_begin(r, name("log.ct"), 0, time_mono(), time_wall());
	for (unsigned i = 0; i < 500 && (recorder_stats(r, &s), s.refused == 0); i++)
		(void)poll(NULL, 0, 10);
	assert_int_equal(s.refused, 1);
	assert_false(s.open);
	assert_int_not_equal(access(name("log.ct"), F_OK), 0);
	stop(r);
	assert_int_equal(rmdir(name("log.ct-wal")), 0);
}

/* Pace and pause: recorded seconds are seconds, or what they are told to be. */
static void pace(void **state)
{
	struct recorder *r;
	struct rec_tap t = { .q = NULL };
	struct recorder_opts ro = { .file = name("pace.ct"), .feeds = feeds, .n_feeds = 1, .mono = NS_S, .wall = 5 * NS_S };
	struct wake wake;
	struct replay_opts o = { .wake = &wake, .speed = 10 };
	unsigned kinds[2] = { 0 };
	struct replay_stats s;
	struct replay *play;
	uint64_t head, t0, took;

	(void)state;
	OK(recorder_start(&r, &ro, &err));
	t.q = recorder_queue(r);
	for (unsigned i = 0; i <= 40; i++) {
		struct event e = { .kind = EV_LINK, .mono = NS_S + i * 100 * NS_MS, .wall = 5 * NS_S + i * 100 * NS_MS };

		tap_event(&t, &e);
	}
	tap_flush(&t);
	OK(recorder_stop(r, 5 * NS_S, 9 * NS_S, false, &err));
	o.file = name("pace.ct");
	OK(wake_init(&wake, &err));
	OK(replay_open(&play, &o, &err));
	t0 = time_mono();
	count_events(play, &wake, 0, kinds, 2, &head);
	took = time_mono() - t0;
	/* 4 s at ten times. */
	assert_in_range(took, 380 * NS_MS, 3000 * NS_MS);
	assert_int_equal(kinds[EV_LINK], 41);
	/* All but the last second at once. */
	t0 = time_mono();
	count_events(play, &wake, 4 * NS_S, kinds, 2, &head);
	took = time_mono() - t0;
	assert_in_range(took, 80 * NS_MS, 2000 * NS_MS);
	replay_stats(play, &s);
	assert_true(s.ended && s.mono == 5 * NS_S && s.wall == 9 * NS_S);
	/* Paused: the clock stands. */
	replay_pause(play, true);
	OK(replay_start(play, 2 * NS_S, &head, &t0, &err));
	for (unsigned i = 0; i < 200 && (replay_stats(play, &s), s.mono < 2 * NS_S); i++)
		(void)poll(NULL, 0, 10);
	(void)poll(NULL, 0, 100);
	replay_stats(play, &s);
	assert_int_equal(s.mono, 2 * NS_S);
	replay_free(play);
	wake_fini(&wake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_feeds), cmocka_unit_test(full_queue), cmocka_unit_test(full_disk),
		cmocka_unit_test(segments), cmocka_unit_test(rotation), cmocka_unit_test(pace),
		cmocka_unit_test(a_file_begins_with_the_ring), cmocka_unit_test(the_ring_is_bounded),
		cmocka_unit_test(the_ring_has_its_time), cmocka_unit_test(a_file_that_cannot_be_made),
		cmocka_unit_test(a_disk_that_ends_while_a_file_is_made), cmocka_unit_test(a_file_without_a_log),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
