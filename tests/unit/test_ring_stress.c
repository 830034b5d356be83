/*
 * Stress of base/ring and base/wake between threads, with both variants of the wake-up: no item is
 * lost, doubled, reordered or torn, and no wake-up is lost. Meant for ThreadSanitizer as well.
 * Each case ends by count or after CASE_NS, whichever is first.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "base/ring.h"
#include "base/time.h"
#include "wake_pipe.h"

#define CASE_NS (600 * NS_MS)
#define LOST_MS 5000 /* an item that lies there this long while its reader sleeps was lost */
#define BATCH 64 /* most items taken of one ring at a turn, as in the program */
#define WORDS (RING_SLOT / sizeof(uint64_t))

enum { MAX_FEEDS = 3 };

/* seq fills the whole slot, each word differently, so that a mix of two items shows. */
struct item {
	uint64_t word[WORDS];
};

static void
fill(struct item *it, uint64_t seq)
{
	size_t i;

	for (i = 0; i < WORDS; i++)
		it->word[i] = seq * (2 * i + 1);
}

static bool
whole(const struct item *it, uint64_t *seq)
{
	size_t i;

	*seq = it->word[0];
	for (i = 1; i < WORDS; i++)
		if (it->word[i] != *seq * (2 * i + 1))
			return false;
	return true;
}

/* One direction of the talk between two threads. */
struct lane {
	const struct wake_variant *v;
	struct wake *wake; /* of the reader */
	struct ring ring;
};

static bool
send(struct lane *l, uint64_t seq, bool important)
{
	struct item it;

	fill(&it, seq);
	if (!ring_push(&l->ring, &it, important))
		return false;
	l->v->raise(l->wake);
	return true;
}

/*
 * Sleeps until the wake-up, then takes it. False if there was none although something lay in the
 * ring all the time. An empty ring may just mean a slow machine: some more patience then.
 */
static bool
wait_for(const struct wake_variant *v, struct wake *w, struct ring *ring)
{
	struct pollfd p = {.fd = v->fd(w), .events = POLLIN};
	int tries;

	for (tries = 0; poll(&p, 1, LOST_MS) <= 0; tries++)
		if (tries > (ring_peek(ring) != NULL ? 0 : 3))
			return false;
	v->take(w);
	return true;
}

/* Streams: feeds → one reader, who may or may not give credit back ---------------------------- */

struct feed {
	struct lane up;
	struct lane down; /* credit, with a wake of its own; used if lossless */
	struct wake down_wake;
	bool lossless;
	uint64_t items, deadline; /* to send, or until then */
	uint64_t sent, refused; /* read after join */
	bool lost_wake;
	_Atomic bool done;
};

static void *
feed_main(void *arg)
{
	struct feed *f = arg;
	uint64_t seq = 0;

	while (seq < f->items && ((seq & 255) != 0 || time_mono() < f->deadline)) {
		if (send(&f->up, seq + 1, seq % 16 == 0)) {
			seq++;
		} else if (!f->lossless) {
			f->refused++;
			seq++; /* dropped, as a feed does; the number is never used again */
		} else {
			/* Full: sleep until the reader has made room. */
			if (!wait_for(f->down.v, &f->down_wake, &f->down.ring)) {
				f->lost_wake = true;
				break;
			}
			while (ring_peek(&f->down.ring) != NULL)
				ring_pop(&f->down.ring);
		}
	}
	f->sent = seq;
	atomic_store(&f->done, true);
	f->up.v->raise(f->up.wake);
	return NULL;
}

/* Takes at most BATCH items. Returns true if some may be left. */
static bool
drain(struct feed *f, uint64_t *last, uint64_t *got)
{
	const struct item *it;
	uint64_t seq;
	int n;

	for (n = 0; n < BATCH && (it = ring_peek(&f->up.ring)) != NULL; n++) {
		if (!whole(it, &seq))
			fail_msg("torn item after %llu", (unsigned long long)*last);
		if (f->lossless ? seq != *last + 1 : seq <= *last)
			fail_msg("item %llu after %llu", (unsigned long long)seq,
				(unsigned long long)*last);
		*last = seq;
		++*got;
		ring_pop(&f->up.ring);
	}
	/* Credit that finds its ring full is credit enough, but only the wake-up makes it seen. */
	if (n > 0 && f->lossless && !send(&f->down, *last, true))
		f->down.v->raise(f->down.wake);
	return n == BATCH;
}

static void
stream(const struct wake_variant *v, int feeds, size_t slots, uint64_t items, bool lossless)
{
	static struct feed feed[MAX_FEEDS];
	uint64_t last[MAX_FEEDS] = {0}, got[MAX_FEEDS] = {0}, all = 0, drops = 0, wakes = 0;
	uint64_t start = time_mono();
	pthread_t thread[MAX_FEEDS];
	struct wake wake;
	struct pollfd p;
	bool left = false, done = false, empty;
	int i, first = 0, idle = 0;

	assert_int_equal(v->init(&wake, NULL), ST_OK);
	memset(feed, 0, sizeof(feed));
	for (i = 0; i < feeds; i++) {
		feed[i] = (struct feed){
			.up = {.v = v, .wake = &wake},
			.down = {.v = v, .wake = &feed[i].down_wake},
			.lossless = lossless,
			.items = items,
			.deadline = start + CASE_NS,
		};
		assert_int_equal(ring_init(&feed[i].up.ring, slots), ST_OK);
		assert_int_equal(ring_init(&feed[i].down.ring, 4), ST_OK);
		assert_int_equal(v->init(&feed[i].down_wake, NULL), ST_OK);
	}
	for (i = 0; i < feeds; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, feed_main, &feed[i]), 0);
	p = (struct pollfd){.fd = v->fd(&wake), .events = POLLIN};
	while (!done || left) {
		if (poll(&p, 1, left ? 0 : LOST_MS) > 0) {
			v->take(&wake);
			wakes++;
			idle = 0;
		} else if (!left) {
			for (empty = true, i = 0; i < feeds; i++)
				empty = empty && ring_peek(&feed[i].up.ring) == NULL
					&& !atomic_load(&feed[i].done);
			if (!empty && ++idle > 1)
				fail_msg("%s: a wake-up was lost", v->name);
		}
		/* Asked before the drain: what a feed sent before it was done is then seen. */
		for (done = true, i = 0; i < feeds; i++)
			done = done && atomic_load(&feed[i].done);
		left = false;
		first = (first + 1) % feeds;
		for (i = 0; i < feeds; i++) {
			int k = (first + i) % feeds;

			left |= drain(&feed[k], &last[k], &got[k]);
		}
	}
	for (i = 0; i < feeds; i++) {
		pthread_join(thread[i], NULL);
		assert_false(feed[i].lost_wake);
		assert_null(ring_peek(&feed[i].up.ring));
		assert_true(feed[i].sent > 0);
		if (lossless)
			assert_int_equal(got[i], feed[i].sent);
		assert_int_equal(got[i] + feed[i].refused, feed[i].sent);
		if (!lossless)
			assert_int_equal(ring_dropped(&feed[i].up.ring), feed[i].refused);
		all += got[i];
		drops += feed[i].refused;
		ring_fini(&feed[i].up.ring);
		ring_fini(&feed[i].down.ring);
		v->fini(&feed[i].down_wake);
	}
	v->fini(&wake);
	print_message("# %s, %d feed(s), %zu slots: %llu items, %llu dropped, %llu wakes, "
		"%llu ms\n", v->name, feeds, slots, (unsigned long long)all, (unsigned long long)drops,
		(unsigned long long)wakes, (unsigned long long)((time_mono() - start) / NS_MS));
}

static void
test_lossless(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < WAKE_VARIANTS; i++) {
		stream(&wake_variants[i], 1, 1024, 3000000, true);
		stream(&wake_variants[i], 1, 4, 3000000, true); /* mostly full: both sides sleep */
	}
}

static void
test_drops(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < WAKE_VARIANTS; i++)
		stream(&wake_variants[i], MAX_FEEDS, 64, 1000000, false);
}

/*
 * Ping-pong: with few items on their way, each lost wake-up stops the game. A round is one to three
 * items sent with short pauses of changing length, so that a raise falls into every moment of the
 * other side's take and drain ------------------------------------------------------------------
 */

struct player {
	struct lane out, in;
	struct wake wake;
	uint64_t rounds, deadline;
	bool broken;
};

static void *
echo_main(void *arg)
{
	struct player *p = arg;
	const struct item *it;
	uint64_t seq = 1;

	while (seq != 0) {
		if (!wait_for(p->in.v, &p->wake, &p->in.ring)) {
			p->broken = true;
			return NULL;
		}
		while ((it = ring_peek(&p->in.ring)) != NULL) {
			if (!whole(it, &seq))
				p->broken = true;
			ring_pop(&p->in.ring);
			if (!send(&p->out, seq, true))
				p->broken = true;
		}
	}
	return NULL;
}

static void
ping_pong(const struct wake_variant *v)
{
	struct player far = {0};
	const struct item *it;
	struct wake near;
	pthread_t thread;
	uint64_t seq = 0, due = 0, back, start = time_mono();
	unsigned round, burst, i;
	volatile unsigned pause;
	bool last = false;

	assert_int_equal(v->init(&near, NULL), ST_OK);
	assert_int_equal(v->init(&far.wake, NULL), ST_OK);
	far.in.v = far.out.v = v;
	far.in.wake = &far.wake;
	far.out.wake = &near;
	assert_int_equal(ring_init(&far.in.ring, 4), ST_OK);
	assert_int_equal(ring_init(&far.out.ring, 4), ST_OK);
	assert_int_equal(pthread_create(&thread, NULL, echo_main, &far), 0);
	for (round = 0; !last; round++) {
		last = round == 100000 || (round % 64 == 0 && time_mono() - start > CASE_NS);
		burst = last ? 1 : 1 + round % 3;
		for (i = 0; i < burst; i++) {
			for (pause = round * 7 % 1024; i > 0 && pause > 0; pause--)
				;
			assert_true(send(&far.in, last ? 0 : ++seq, true));
		}
		while (burst > 0) {
			/* A wake-up may stand from before: look first. */
			if ((it = ring_peek(&far.out.ring)) == NULL) {
				if (!wait_for(v, &near, &far.out.ring))
					fail_msg("%s: a wake-up was lost after %llu", v->name,
						(unsigned long long)due);
				continue;
			}
			assert_true(whole(it, &back));
			assert_int_equal(back, last ? 0 : ++due);
			ring_pop(&far.out.ring);
			burst--;
		}
	}
	pthread_join(thread, NULL);
	assert_false(far.broken);
	assert_null(ring_peek(&far.out.ring));
	ring_fini(&far.in.ring);
	ring_fini(&far.out.ring);
	v->fini(&near);
	v->fini(&far.wake);
	print_message("# %s: %llu echoes in %u rounds, %llu ms\n", v->name,
		(unsigned long long)seq, round,
		(unsigned long long)((time_mono() - start) / NS_MS));
}

static void
test_ping_pong(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < WAKE_VARIANTS; i++)
		ping_pong(&wake_variants[i]);
}

/*
 * Litmus: one raise meets one take, again and again. In each turn a wake-up stands from before, the
 * reader takes it and looks once, and the other thread pushes and raises at about that moment.
 * Then both rest: either the item was seen or the descriptor must be readable; and if the flag is
 * set it must be readable, else every later raise stays silent. The lead follows the outcome and so
 * stays at the edge, where flag and index cross within nanoseconds. (With two
 * free cores it nearly always finds a relaxed store in take and a plain load in raise; threads that
 * sleep in between never do.)
 */
struct litmus {
	const struct wake_variant *v;
	struct wake wake;
	struct ring ring;
	_Atomic uint64_t go, done; /* turn that may start; turn whose raise is over */
	_Atomic int lead; /* of the reader; negative: of the other thread */
};

static void
await(_Atomic uint64_t *turn, uint64_t n)
{
	unsigned spins = 0;

	while (atomic_load(turn) < n)
		if (++spins % 4096 == 0)
			sched_yield();
}

static void
spin(int n)
{
	volatile int i;

	for (i = 0; i < n; i++)
		;
}

static void *
litmus_main(void *arg)
{
	struct litmus *l = arg;
	struct item it;
	uint64_t n;

	for (n = 1;; n++) {
		fill(&it, n);
		await(&l->go, n);
		if (atomic_load(&l->go) == UINT64_MAX)
			return NULL;
		spin(atomic_load(&l->lead) + (int)(n % 16));
		if (ring_push(&l->ring, &it, true))
			l->v->raise(&l->wake);
		atomic_store(&l->done, n);
	}
}

static void
litmus(const struct wake_variant *v)
{
	static struct litmus l;
	pthread_t thread;
	struct pollfd p;
	uint64_t n, seen = 0, start = time_mono();
	int lead = 0, used;
	bool got, told;

	memset(&l, 0, sizeof(l));
	l.v = v;
	assert_int_equal(v->init(&l.wake, NULL), ST_OK);
	assert_int_equal(ring_init(&l.ring, 4), ST_OK);
	assert_int_equal(pthread_create(&thread, NULL, litmus_main, &l), 0);
	p = (struct pollfd){.fd = v->fd(&l.wake), .events = POLLIN};
	for (n = 1; n % 64 != 0 || time_mono() - start < CASE_NS; n++) {
		v->raise(&l.wake);
		/* Each eighth turn is earlier than the edge: into the middle of the read. */
		used = n % 8 == 0 ? lead - (int)(n / 8 % 512) : lead;
		atomic_store(&l.lead, used);
		atomic_store(&l.go, n);
		spin(-used);
		v->take(&l.wake);
		got = ring_peek(&l.ring) != NULL;
		await(&l.done, n);
		told = poll(&p, 1, 0) == 1;
		if (!told && (!got || atomic_load(&l.wake.pending) != 0))
			fail_msg("%s: a wake-up was lost in turn %llu", v->name,
				(unsigned long long)n);
		seen += got;
		v->take(&l.wake);
		assert_non_null(ring_peek(&l.ring));
		ring_pop(&l.ring);
		assert_null(ring_peek(&l.ring));
		/* Bounded: while both share one core, the other thread is late anyhow. */
		if (used != lead)
			continue;
		if (got && lead < 4000)
			lead += 16;
		else if (!got && lead > -4000)
			lead -= 16;
	}
	atomic_store(&l.go, UINT64_MAX);
	pthread_join(thread, NULL);
	ring_fini(&l.ring);
	v->fini(&l.wake);
	print_message("# %s: %llu turns, item seen at once in %llu, last lead %d\n", v->name,
		(unsigned long long)n, (unsigned long long)seen, lead);
}

static void
test_litmus(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < WAKE_VARIANTS; i++)
		litmus(&wake_variants[i]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lossless),
		cmocka_unit_test(test_drops),
		cmocka_unit_test(test_ping_pong),
		cmocka_unit_test(test_litmus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
