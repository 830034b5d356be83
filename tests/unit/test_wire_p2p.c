/*
 * feed over RLPx, whole: a feed's thread, a real socket, and a node that is good, branches, announces, lies, forgets or
 * says nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <poll.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/time.h"
#include "feed/feed.h"
#include "feed/recorder.h"
#include "feed/replay.h"
#include "tests/unit/p2p_node.h"

enum { EVENTS = 4096 };

static struct p2p_node node;
static struct claims claims;
static struct wake wake;
static struct net_opts net;
static struct url url;
static struct feed *feed;
static struct event events[EVENTS];
static unsigned n_events;

static int setup(void **state)
{
	struct err e;

	(void)state;
	memset(&node, 0, sizeof(node));
	node.version = 69;
	node.network = 1337;
	node.top = 50;
	claims_init(&claims);
	memset(&net, 0, sizeof(net));
	n_events = 0;
	feed = NULL;
	return wake_init(&wake, &e) == ST_OK ? 0 : -1;
}

static void forget(void)
{
	for (unsigned i = 0; i < n_events; i++) {
		if (events[i].kind == EV_BLOCK)
			block_unref(events[i].u.block.block);
	}
	n_events = 0;
}

static int teardown(void **state)
{
	(void)state;
	if (feed) {
		feed_stop(feed);
		assert_true(feed_join(feed, time_mono() + 10 * NS_S));
		feed_free(feed);
	}
	p2p_node_stop(&node);
	forget();
	url_fini(&url);
	wake_fini(&wake);
	return 0;
}

static void begin(enum node_act act, uint64_t retry_ns)
{
	struct feed_opts o = { .url = &url, .net = &net, .claims = &claims, .wake = &wake, .p2p_retry_ns = retry_ns };
	struct err e = { .text = "" };

	node.act = act;
	p2p_node_start(&node);
	assert_int_equal(url_parse(&url, node.url, &e), ST_OK);
	if (feed_start(&feed, &o, &e) != ST_OK)
		fail_msg("%s", e.text);
}

static void collect(void)
{
	const struct event *e;

	while ((e = feed_peek(feed)) != NULL) {
		assert_true(n_events < EVENTS);
		events[n_events++] = *e;
		feed_pop(feed);
	}
}

typedef bool (*match_fn)(const struct event *e, uint64_t what);

static const struct event *seen(match_fn match, uint64_t what)
{
	for (unsigned i = n_events; i > 0; i--) {
		if (match(&events[i - 1], what))
			return &events[i - 1];
	}
	return NULL;
}

/* Waits for an event; fails the test after 20 s. */
static const struct event *wait_for(const char *name, match_fn match, uint64_t what)
{
	uint64_t end = time_mono() + 20 * NS_S;
	const struct event *e;

	for (;;) {
		struct pollfd p = { .fd = wake_fd(&wake), .events = POLLIN };

		wake_take(&wake);
		collect();
		e = seen(match, what);
		if (e)
			return e;
		if (time_mono() > end)
			fail_msg("no %s %llu among %u events", name, (unsigned long long)what, n_events);
		poll(&p, 1, 100);
	}
}

static bool is_head(const struct event *e, uint64_t number)
{
	return e->kind == EV_HEAD && e->u.head.h.number == number;
}

static bool is_block(const struct event *e, uint64_t number)
{
	return e->kind == EV_BLOCK && e->u.block.block->h.number == number;
}

static bool is_link(const struct event *e, uint64_t state)
{
	return e->kind == EV_LINK && e->u.link.state == state;
}

static bool is_kind(const struct event *e, uint64_t kind)
{
	return e->kind == kind;
}

static bool is_pinged(const struct event *e, uint64_t any)
{
	(void)any;
	return e->kind == EV_PEER_COUNT && e->u.count.ping_ns != UINT64_MAX && e->u.count.kind[PK_BODIES].in >= 32;
}

/* A head of the other branch. */
static bool is_other(const struct event *e, uint64_t number)
{
	return is_head(e, number) && hash_eq(&e->u.head.h.hash, &node.hash[1][number]);
}

static bool is_asked(const struct event *e, uint64_t number)
{
	return is_block(e, number) && e->u.block.source == SRC_ASKED;
}

static unsigned count(match_fn match, uint64_t what)
{
	unsigned n = 0;

	for (unsigned i = 0; i < n_events; i++)
		n += match(&events[i], what);
	return n;
}

static void told_by(unsigned version)
{
	const struct event *e;

	node.version = version;
	begin(NODE_GOOD, 0);
	e = wait_for("link", is_link, LINK_POLLING);
	assert_string_equal(e->u.link.via, "rlpx");
	wait_for("block", is_block, 50);
	wait_for("block", is_block, 19);
	e = wait_for("verdict", is_kind, EV_VERDICT);
	assert_int_equal(e->u.verdict.v.header, TRUTH_YES);
	e = wait_for("chain", is_kind, EV_CHAIN);
	assert_int_equal(e->u.chain.id, 1337);
	assert_true(hash_eq(&e->u.chain.genesis, &node.hash[0][0]));
	/* The chain comes before its heads; the newest and 31 below, none twice, none an arrival. */
	assert_int_equal(count(is_kind, EV_HEAD), 32);
	assert_int_equal(count(is_kind, EV_BLOCK), 32);
	for (unsigned i = 0; i < n_events && events[i].kind != EV_CHAIN; i++)
		assert_int_not_equal(events[i].kind, EV_HEAD);
	e = seen(is_head, 50);
	assert_int_equal(e->u.head.source, SRC_FIRST);
	assert_int_equal(e->u.head.hash_ok, TRUTH_YES);
	assert_true(hash_eq(&e->u.head.h.hash, &node.hash[0][50]));
	assert_int_equal(seen(is_head, 49)->u.head.source, SRC_BACKFILL);
	for (unsigned i = 0; i < n_events; i++) {
		if (events[i].kind == EV_INFO && events[i].u.info.info == INFO_CLIENT)
			assert_string_equal(events[i].u.info.text, "Node/v1.2.3");
	}
	assert_null(seen(is_kind, EV_BODY_MISS));
	e = wait_for("peer", is_kind, EV_PEER);
	assert_int_equal(e->u.peer.network, 1337);
	assert_int_equal(e->u.peer.eth, version);
	assert_int_equal(e->u.peer.p2p, 5);
	assert_true(hash_eq(&e->u.peer.genesis, &node.hash[0][0]));
	assert_string_equal(e->u.peer.caps, version == 68 ? "eth/68" : version == 69 ? "eth/69" : "eth/70");
	/* Its number is a network's: which chain has such a genesis nobody knows. */
	assert_true(seen(is_kind, EV_CHAIN)->u.chain.network);
	/* The first ping goes out at once. */
	e = wait_for("count", is_pinged, 0);
	assert_in_range(e->u.count.kind[PK_HEADERS].in, 1, 100);
	assert_in_range(e->u.count.kind[PK_BODIES].out, 32, 100);
	assert_int_equal(e->u.count.kind[PK_STATUS].in, 1);
	assert_int_equal(e->u.count.kind[PK_STATUS].out, 1);
	assert_in_range(e->u.count.reads, 1, 1000);
	assert_in_range(e->u.count.writes, 1, 1000);
	assert_int_not_equal(e->u.count.tcp_ns, UINT64_MAX);
}

static void heads_and_blocks_by_eth_68(void **state)
{
	(void)state;
	told_by(68);
}

static void heads_and_blocks_by_eth_69(void **state)
{
	(void)state;
	told_by(69);
}

static void heads_and_blocks_by_eth_70(void **state)
{
	(void)state;
	told_by(70);
}

static void new_heads_are_polled(void **state)
{
	(void)state;
	begin(NODE_GOOD, 0);
	wait_for("block", is_block, 50);
	atomic_store(&node.top, 53);
	assert_int_equal(wait_for("head", is_head, 53)->u.head.source, SRC_POLL);
	wait_for("block", is_block, 53);
	assert_int_equal(count(is_head, 51), 1);
	assert_int_equal(seen(is_head, 51)->u.head.source, SRC_POLL);
	assert_null(seen(is_kind, EV_GAP));
}

static void announced(int how)
{
	const struct event *e;
	unsigned top = 50;

	begin(NODE_GOOD, 0);
	wait_for("block", is_block, 50);
	/* The first two after a connect are no arrivals. A poll may be quicker now and then: not every time. */
	for (unsigned i = 0; i < 40; i++) {
		atomic_store(&node.top, ++top);
		atomic_store(&node.announce, how);
		e = wait_for("head", is_head, top);
		wait_for("block", is_block, top);
		if (e->u.head.source == SRC_PUSH)
			return;
		while (atomic_load(&node.announce))
			poll(NULL, 0, 1);
	}
	fail_msg("no head counts as pushed");
}

static void hashes_are_pushed_heads(void **state)
{
	(void)state;
	announced(1);
}

static void new_blocks_are_pushed_heads(void **state)
{
	(void)state;
	announced(2);
}

static void range_updates_are_pushed_heads(void **state)
{
	(void)state;
	announced(3);
}

static bool is_pending(const struct event *e, uint64_t code)
{
	return e->kind == EV_INFO && e->u.info.info == INFO_PENDING && e->u.info.code == code;
}

/* Without being asked; eleven in an event. */
static void transactions_are_announced(void **state)
{
	unsigned n = 0, events_n = 0;

	(void)state;
	begin(NODE_GOOD, 0);
	wait_for("block", is_block, 50);
	assert_int_equal(count(is_pending, ST_OK), 1);
	atomic_store(&node.announce, 4);
	wait_for("transactions", is_kind, EV_TXS);
	atomic_store(&node.top, 51);
	wait_for("head", is_head, 51);
	for (unsigned i = 0; i < n_events; i++) {
		if (events[i].kind != EV_TXS)
			continue;
		assert_int_equal(events[i].u.txs.n, events_n++ < 2 ? TXS_MAX : 3);
		assert_true(events[i].u.txs.fee[0] == UINT64_MAX && events[i].u.txs.after_us[2] == 0);
		for (unsigned k = 0; k < events[i].u.txs.n; k++) {
			uint8_t b[8];

			memcpy(b, &events[i].u.txs.key[k], 8);
			assert_int_equal(b[0], ++n);
			assert_int_equal(b[7], 0x77);
		}
	}
	assert_int_equal(n, 25);
	assert_int_equal(events_n, 3);
}

static void another_branch_is_followed_to_its_root(void **state)
{
	(void)state;
	node.top = 65;
	begin(NODE_GOOD, 0);
	wait_for("block", is_block, 65);
	atomic_store(&node.branch, 1);
	atomic_store(&node.top, 66);
	wait_for("other head", is_other, 66);
	for (unsigned i = NODE_FORK; i <= 66; i++)
		wait_for("other head", is_other, i);
	assert_int_equal(count(is_head, NODE_FORK - 1), 1);
	assert_null(seen(is_other, 20));
}

static void a_node_that_went_back_is_found_again(void **state)
{
	(void)state;
	begin(NODE_GOOD, 0);
	wait_for("block", is_block, 50);
	atomic_store(&node.top, 40);
	poll(NULL, 0, 700);
	atomic_store(&node.top, 60);
	wait_for("head", is_head, 60);
	for (unsigned i = 51; i <= 60; i++)
		assert_int_equal(count(is_head, i), 1);
}

static void a_gap_is_filled_after_an_outage(void **state)
{
	const struct event *e;

	(void)state;
	begin(NODE_GOOD, NS_MS);
	wait_for("block", is_block, 50);
	atomic_store(&node.hang_up, true);
	wait_for("link", is_link, LINK_WAITING);
	atomic_store(&node.top, 95);
	for (unsigned i = 51; i <= 95; i++)
		wait_for("head", is_head, i);
	e = wait_for("gap", is_kind, EV_GAP);
	assert_int_equal(e->u.gap.from, 51);
	assert_int_equal(e->u.gap.to, 94);
	assert_int_equal(seen(is_head, 52)->u.head.source, SRC_GAP);
	assert_int_equal(count(is_head, 50), 1);
}

static void a_block_is_fetched_for_who_wants_it(void **state)
{
	struct cmd c = { .kind = CMD_BODY, .number = 5 };

	(void)state;
	begin(NODE_GOOD, 0);
	wait_for("block", is_block, 50);
	assert_true(feed_command(feed, &c));
	wait_for("block", is_asked, 5);
	c.hash = node.hash[0][6];
	c.number = 6;
	assert_true(feed_command(feed, &c));
	wait_for("block", is_asked, 6);
	c.hash = node.hash[1][70];
	assert_true(feed_command(feed, &c));
	assert_int_equal(wait_for("miss", is_kind, EV_BODY_MISS)->u.miss.code, ST_NULL);
}

static void all_is_told_again(void **state)
{
	struct cmd c = { .kind = CMD_RESYNC };

	(void)state;
	begin(NODE_GOOD, 0);
	wait_for("block", is_block, 19);
	forget();
	assert_true(feed_command(feed, &c));
	wait_for("chain", is_kind, EV_CHAIN);
	wait_for("head", is_head, 50);
	wait_for("head", is_head, 19);
}

static void a_body_of_another_block_is_none(void **state)
{
	const struct event *e;

	(void)state;
	begin(NODE_WRONG_BODY, 0);
	e = wait_for("miss", is_kind, EV_BODY_MISS);
	if (e->u.miss.code != ST_WRONG_BLOCK || !strstr(e->u.miss.text, "transactionsRoot"))
		fail_msg("%s: %s", status_word(e->u.miss.code), e->u.miss.text);
	assert_null(seen(is_kind, EV_BLOCK));
}

/* The connection ends, and why is said. */
static void ends(enum node_act act, enum status code, const char *text)
{
	const struct event *e;

	begin(act, 0);
	e = wait_for("link", is_link, LINK_WAITING);
	if (e->u.link.code != code || !strstr(e->u.link.text, text))
		fail_msg("%s \"%s\" in place of %s \"%s\"", status_word(e->u.link.code), e->u.link.text, status_word(code), text);
	/* No sooner than a node lets the same address in again. */
	assert_true(e->u.link.retry_mono + 50 * NS_MS >= e->mono + 35 * NS_S);
}

static void closed_before_hello(void **state)
{
	(void)state;
	ends(NODE_CLOSES, ST_CLOSED, "closed during the RLPx handshake");
}

static void full(void **state)
{
	(void)state;
	ends(NODE_FULL, ST_CLOSED, "too many peers");
}

static void useless(void **state)
{
	(void)state;
	ends(NODE_USELESS, ST_CLOSED, "useless peer");
}

static void silent(void **state)
{
	(void)state;
	ends(NODE_SILENT, ST_TIMEOUT, "");
}

static void garbage(void **state)
{
	(void)state;
	ends(NODE_GARBAGE, ST_MALFORMED, "");
}

static void without_its_head(void **state)
{
	(void)state;
	node.version = 68;
	ends(NODE_FORGETS, ST_NULL, "does not have the block that its Status names");
}

static void a_lie_is_no_head(void **state)
{
	(void)state;
	begin(NODE_LIES, 0);
	wait_for("link", is_link, LINK_WAITING);
	assert_null(seen(is_kind, EV_HEAD));
}

static void a_refused_connection_is_tried_again_soon(void **state)
{
	const struct event *e;
	struct feed_opts o = { .url = &url, .net = &net, .claims = &claims, .wake = &wake };
	struct err err;

	(void)state;
	p2p_node_start(&node);
	/* Its port, but nobody there any more. */
	assert_int_equal(url_parse(&url, node.url, &err), ST_OK);
	url.port = 1;
	assert_int_equal(feed_start(&feed, &o, &err), ST_OK);
	e = wait_for("link", is_link, LINK_WAITING);
	assert_int_equal(e->u.link.code, ST_REFUSED);
	assert_true(e->u.link.retry_mono < e->mono + 2 * NS_S);
}

static void a_command_does_not_come_too_soon(void **state)
{
	struct cmd c = { .kind = CMD_RETRY };

	(void)state;
	ends(NODE_FULL, ST_CLOSED, "too many peers");
	assert_true(feed_command(feed, &c));
	poll(NULL, 0, 100);
	assert_int_equal(atomic_load(&node.accepted), 1);
}

/* ---- several paths ---- */

enum { SAMPLES = 24, APART = 17 /* pieces of a message between two of them: at any place of it */ };

static int by_ns(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* From the node's send to the stamp of the event, ascending. */
static void hear_announcements(uint64_t ns[SAMPLES], struct p2p_node *flooder)
{
	for (unsigned i = 0; i < SAMPLES;) {
		unsigned pieces = flooder ? atomic_load(&flooder->pieces) : 0, top;
		const struct event *e;

		while (flooder && atomic_load(&flooder->pieces) - pieces < APART)
			poll(NULL, 0, 1);
		top = atomic_fetch_add(&node.top, 1) + 1;
		atomic_store(&node.announce, 1);
		e = wait_for("head", is_head, top);
		while (atomic_load(&node.announce) != 0)
			poll(NULL, 0, 1);
		/* A poll may have been quicker. */
		if (e->u.head.source == SRC_PUSH && e->mono >= atomic_load(&node.announced_ns))
			ns[i++] = e->mono - atomic_load(&node.announced_ns);
		forget();
	}
	qsort(ns, SAMPLES, sizeof(ns[0]), by_ns);
}

/*
 * The stamps of one path while another one is sent the largest messages that are taken. Medians: on a busy machine any single
 * stamp may wait for a processor.
 */
static void large_frames_of_one_delay_no_other(void **state)
{
	struct p2p_node flooder = { .act = NODE_FLOODS, .version = 69, .network = 1337, .top = 5 };
	uint64_t alone[SAMPLES], beside[SAMPLES];
	struct wake other_wake;
	struct feed *other;
	struct url other_url;
	struct err e = { .text = "" };
	struct feed_opts o = { .url = &other_url, .net = &net, .claims = &claims, .wake = &other_wake, .path = 1 };
	unsigned before;

	(void)state;
	node.top = 20;
	if (getenv("CHAINTOP_SLOW") || sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		print_message("SKIP: threads that share one processor delay each other\n");
		p2p_node_start(&node); /* teardown stops it */
		skip();
	}
	begin(NODE_GOOD, 0);
	wait_for("block", is_block, 20);
	hear_announcements(alone, NULL);
	p2p_node_start(&flooder);
	assert_int_equal(wake_init(&other_wake, &e), ST_OK);
	assert_int_equal(url_parse(&other_url, flooder.url, &e), ST_OK);
	assert_int_equal(feed_start(&other, &o, &e), ST_OK);
	while (atomic_load(&flooder.flooded) < 2)
		poll(NULL, 0, 5);
	before = atomic_load(&flooder.flooded);
	hear_announcements(beside, &flooder);
	print_message("stamps alone: median %.3f ms, worst %.3f ms; beside %u messages of 10 MiB: %.3f, %.3f ms\n",
		      (double)alone[SAMPLES / 2] / 1e6, (double)alone[SAMPLES - 1] / 1e6,
		      atomic_load(&flooder.flooded) - before, (double)beside[SAMPLES / 2] / 1e6,
		      (double)beside[SAMPLES - 1] / 1e6);
	assert_true(atomic_load(&flooder.flooded) > before);
	assert_in_range(beside[SAMPLES / 2], 0, alone[SAMPLES / 2] + 2 * NS_MS);
	feed_stop(other);
	assert_true(feed_join(other, time_mono() + 10 * NS_S));
	feed_free(other);
	url_fini(&other_url);
	wake_fini(&other_wake);
	p2p_node_stop(&flooder);
}

/*
 * A proxy of the environment is for the web. 127.1 is the loopback, but nothing that a URL's reader takes for it: what is
 * local uses no proxy anyway.
 */
static void no_proxy_of_the_environment(void **state)
{
	struct feed_opts o = { .url = &url, .net = &net, .claims = &claims, .wake = &wake };
	struct err e = { .text = "" };
	char text[300];
	char *host;

	(void)state;
	assert_int_equal(setenv("ALL_PROXY", "http://127.0.0.1:1", 1), 0);
	p2p_node_start(&node);
	host = strstr(node.url, "127.0.0.1:");
	assert_non_null(host);
	snprintf(text, sizeof(text), "%.*s127.1%s", (int)(host - node.url), node.url, host + strlen("127.0.0.1"));
	if (url_parse(&url, text, &e) != ST_OK || feed_start(&feed, &o, &e) != ST_OK)
		fail_msg("%s", e.text);
	assert_false(url_is_local(&url));
	wait_for("link", is_link, LINK_POLLING);
	unsetenv("ALL_PROXY");
}

/* ---- recordings ---- */

/* Plays from `mono` on (0: all of it) and collects what comes. */
static void play_from(const char *file, uint64_t mono)
{
	struct wake w;
	struct replay_opts o = { .file = file, .wake = &w, .jump_bytes = 1, .jump_most = 1, .jump_ns = 1 };
	struct replay *r;
	struct err e = { .text = "" };
	uint64_t start_mono, start_wall;

	forget();
	assert_int_equal(wake_init(&w, &e), ST_OK);
	if (replay_open(&r, &o, &e) != ST_OK || replay_start(r, mono, &start_mono, &start_wall, &e) != ST_OK)
		fail_msg("%s", e.text);
	for (bool end = false; !end;) {
		struct pollfd p = { .fd = wake_fd(&w), .events = POLLIN };
		const struct event *ev;

		if (poll(&p, 1, 10000) <= 0)
			fail_msg("nothing comes");
		wake_take(&w);
		while ((ev = replay_peek(r)) != NULL) {
			end |= ev->kind == REPLAY_END;
			assert_true(n_events < EVENTS);
			events[n_events++] = *ev;
			replay_pop(r);
		}
	}
	replay_free(r);
	wake_fini(&w);
}

/* Who begins at a segment has not seen the Hello, and yet sees the blocks that come from there on. */
static void a_recording_is_entered_in_the_middle(void **state)
{
	struct recorder_feed named = { .node = "n", .via = "rlpx", .show = "x", .local = true };
	struct recorder_opts ro = { .feeds = &named, .n_feeds = 1, .version = "test", .segment_bytes = 1500 };
	struct feed_opts o = { .url = &url, .net = &net, .claims = &claims, .wake = &wake };
	char dir[] = "/tmp/wire_p2p.XXXXXX", file[64];
	struct recorder *r;
	struct err e = { .text = "" };
	uint64_t middle;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/a.ct", dir);
	ro.file = file;
	ro.mono = time_mono();
	ro.wall = time_wall();
	if (recorder_start(&r, &ro, &e) != ST_OK)
		fail_msg("%s", e.text);
	p2p_node_start(&node);
	o.rec = recorder_queue(r);
	assert_int_equal(url_parse(&url, node.url, &e), ST_OK);
	assert_int_equal(feed_start(&feed, &o, &e), ST_OK);
	wait_for("block", is_block, 50);
	wait_for("block", is_block, 19);
	for (unsigned top = 51; top < 60; top++) {
		atomic_store(&node.top, top);
		atomic_store(&node.announce, top % 2 ? 1 : 2);
		wait_for("block", is_block, top);
	}
	middle = seen(is_head, 57)->mono;
	feed_stop(feed);
	assert_true(feed_join(feed, time_mono() + 10 * NS_S));
	feed_free(feed);
	feed = NULL;
	if (recorder_stop(r, time_mono(), time_wall(), false, &e) != ST_OK)
		fail_msg("%s", e.text);
	play_from(file, 0);
	assert_int_equal(count(is_kind, EV_PEER), 1);
	assert_int_equal(count(is_kind, EV_HEAD), 41);
	assert_int_equal(count(is_kind, EV_BLOCK), 41);
	play_from(file, middle);
	/* The snapshot: what the Hello and Status were, and the heads before it. */
	assert_int_equal(count(is_kind, EV_PEER), 1);
	assert_int_equal(seen(is_kind, EV_PEER)->u.peer.network, 1337);
	assert_int_equal(count(is_kind, EV_CHAIN), 1);
	assert_int_equal(count(is_head, 59), 1);
	assert_non_null(seen(is_block, 59));
	assert_non_null(seen(is_block, 58));
	assert_null(seen(is_block, 45));
	assert_int_equal(seen(is_head, 59)->u.head.source, SRC_PUSH);
	forget();
	unlink(file);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(heads_and_blocks_by_eth_68),
		T(heads_and_blocks_by_eth_69),
		T(heads_and_blocks_by_eth_70),
		T(new_heads_are_polled),
		T(hashes_are_pushed_heads),
		T(new_blocks_are_pushed_heads),
		T(range_updates_are_pushed_heads),
		T(transactions_are_announced),
		T(another_branch_is_followed_to_its_root),
		T(a_node_that_went_back_is_found_again),
		T(a_gap_is_filled_after_an_outage),
		T(a_block_is_fetched_for_who_wants_it),
		T(all_is_told_again),
		T(a_body_of_another_block_is_none),
		T(closed_before_hello),
		T(full),
		T(useless),
		T(silent),
		T(garbage),
		T(without_its_head),
		T(a_lie_is_no_head),
		T(a_refused_connection_is_tried_again_soon),
		T(a_command_does_not_come_too_soon),
		T(large_frames_of_one_delay_no_other),
		T(no_proxy_of_the_environment),
		T(a_recording_is_entered_in_the_middle),
	};
	struct err e;
	int failed;

	if (net_global_init(&e) != ST_OK)
		return 99;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	net_global_fini();
	return failed;
}
