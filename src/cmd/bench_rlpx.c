#include "cmd/bench_rlpx.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <sys/socket.h>
#include <unistd.h>

#include "base/time.h"
#include "cmd/cmd.h"
#include "eth/keccak.h"
#include "net/devp2p/listen.h"
#include "net/devp2p/rlpx.h"

enum {
	SIZE_DEFAULT = 1024,
	SIZE_MAX_BYTES = RLPX_MESSAGE_MAX,
	BATCH_BYTES = 128 * 1024, /* of one send of small messages by default: more gains 1 % */
	BATCH_LARGE = 4,         /* messages of that size or more: fewer wake-ups of the reader */
	BATCH_MAX_BYTES = 32 * 1024 * 1024,
	CODE = 0x10,              /* first of a sub-protocol */
	KECCAK_BYTES = 120 * 136, /* fits the first cache */
};

#define KECCAK_NS (120 * NS_MS)
#define WARM_UP_NS (100 * NS_MS)

/* One end. Everything in it belongs to its thread until that is joined. */
struct end {
	const struct bench_rlpx_opts *o;
	int fd;
	struct rlpx *r;
	pthread_barrier_t *barrier;
	uint8_t *payload;
	uint64_t batch;
	uint64_t messages, calls; /* what was counted */
	uint64_t perms;           /* during that */
	uint64_t took_ns, cpu_ns; /* wall time of the reader; processor time of this thread */
	double keccak_ns;         /* processor time of one permutation */
	bool failed;
	struct err e;
};

static enum status sys_err(struct err *e, const char *what)
{
	return err_set_detail(e, ST_IO, errno, "bench rlpx: %s: %s", what, strerror(errno));
}

static enum status pair(int fd[2], struct err *e)
{
	uint16_t port = 0;
	int l;
	enum status st = listen_open(&l, &port, e);

	fd[0] = fd[1] = -1;
	if (st != ST_OK)
		return st;
	st = listen_connect(&fd[0], port, e);
	if (st == ST_OK)
		st = listen_accept(l, -1, &fd[1], e);
	if (st != ST_OK && fd[0] >= 0)
		close(fd[0]);
	close(l);
	return st;
}

/* All that waits, normally by one call. ST_CLOSED: the reader has had enough. */
static enum status flush(struct end *x)
{
	const uint8_t *p;
	size_t n;

	while ((p = rlpx_out(x->r, &n)) != NULL) {
		const ssize_t got = send(x->fd, p, n, MSG_NOSIGNAL);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && (errno == EPIPE || errno == ECONNRESET))
			return ST_CLOSED;
		if (got < 0)
			return sys_err(&x->e, "send");
		x->calls++;
		rlpx_sent(x->r, (size_t)got);
	}
	return ST_OK;
}

static enum status fill(struct end *x)
{
	size_t n;
	uint8_t *const p = rlpx_space(x->r, &n);
	ssize_t got;

	if (p == NULL)
		return err_set(&x->e, ST_NOMEM, "out of memory");
	do
		got = recv(x->fd, p, n, 0);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return sys_err(&x->e, "recv");
	if (got == 0)
		return err_set(&x->e, ST_CLOSED, "bench rlpx: the other end closed");
	x->calls++;
	rlpx_received(x->r, (size_t)got, 0, 0);
	return ST_OK;
}

static enum status shake_hands(struct end *x)
{
	struct rlpx_msg m;
	enum status st = flush(x);

	while (st == ST_OK && !rlpx_secure(x->r)) {
		st = fill(x);
		if (st == ST_OK)
			st = rlpx_next(x->r, &m, &x->e);
		if (st == ST_AGAIN)
			st = ST_OK;
		if (st == ST_OK)
			st = flush(x);
	}
	if (st == ST_OK)
		rlpx_hello_done(x->r, true);
	return st;
}

/*
 * Keccak alone, in both threads at once: what a processor of this machine allows right now. In
 * processor time, so that who else works here does not count.
 */
static double keccak_alone(const uint8_t *p)
{
	const enum keccak_variant v = keccak_best();
	uint64_t state[25] = { 0 }, n = 0;
	const uint64_t start = time_mono(), t = time_thread_cpu();

	do {
		keccak_absorb(v, state, p, KECCAK_BYTES / 136);
		n += KECCAK_BYTES / 136;
	} while (time_mono() - start < KECCAK_NS);
	return (double)(time_thread_cpu() - t) / (double)n;
}

static uint64_t perms_of(const struct end *x, bool in)
{
	struct rlpx_stats s;

	rlpx_stats(x->r, &s);
	return in ? s.perms_in : s.perms_out;
}

static enum status send_all(struct end *x)
{
	enum status st = ST_OK;

	x->calls = 0;
	x->perms = perms_of(x, false);
	x->cpu_ns = time_thread_cpu();
	while (st == ST_OK) {
		for (uint64_t i = 0; i < x->batch && st == ST_OK; i++)
			st = rlpx_send(x->r, CODE, x->payload, x->o->size, &x->e);
		if (st == ST_OK)
			st = flush(x);
		if (st == ST_OK)
			x->messages += x->batch;
	}
	x->perms = perms_of(x, false) - x->perms;
	x->cpu_ns = time_thread_cpu() - x->cpu_ns;
	return st == ST_CLOSED ? ST_OK : st;
}

static enum status read_all(struct end *x)
{
	uint64_t start = time_mono(), now = start, perms = 0;
	bool warm = false;
	enum status st = ST_OK;
	struct rlpx_msg m;

	while (st == ST_OK) {
		st = fill(x);
		if (st != ST_OK)
			break;
		while ((st = rlpx_next(x->r, &m, &x->e)) == ST_OK) {
			if (m.code != CODE || m.n != x->o->size)
				return err_set(&x->e, ST_INTERNAL, "bench rlpx: another message");
			x->messages++;
		}
		if (st == ST_AGAIN)
			st = ST_OK;
		now = time_mono();
		if (!warm && now - start >= WARM_UP_NS) {
			warm = true;
			x->messages = x->calls = 0;
			perms = perms_of(x, true);
			x->cpu_ns = time_thread_cpu();
			start = now;
		} else if (warm && now - start >= x->o->seconds_ns) {
			break;
		}
	}
	x->took_ns = now - start;
	x->cpu_ns = time_thread_cpu() - x->cpu_ns;
	x->perms = perms_of(x, true) - perms;
	return st;
}

static void end_run(struct end *x, enum status (*what)(struct end *x))
{
	double before;

	/*
	 * Both wait for each other, so that Keccak alone is measured with both processors busy,
	 * too.
	 */
	x->failed = shake_hands(x) != ST_OK;
	pthread_barrier_wait(x->barrier);
	before = keccak_alone(x->payload);
	pthread_barrier_wait(x->barrier);
	x->failed = x->failed || what(x) != ST_OK;
	/*
	 * The other end may wait in a system call. Unread bytes make this a reset; shutdown would
	 * leave it waiting.
	 */
	close(x->fd);
	x->fd = -1;
	pthread_barrier_wait(x->barrier);
	x->keccak_ns = (before + keccak_alone(x->payload)) / 2;
}

static void *sender(void *arg)
{
	end_run(arg, send_all);
	return NULL;
}

/* Random, as in the benchmark that this one is compared with: snappy finds nothing to compress. */
static uint8_t *random_payload(size_t n)
{
	const size_t size = (n > KECCAK_BYTES ? n : KECCAK_BYTES) + 8;
	uint8_t *const p = malloc(size);
	uint64_t x = 1337;

	if (p == NULL)
		return NULL;
	for (size_t i = 0; i + 8 <= size; i += 8) {
		uint64_t z = x += UINT64_C(0x9e3779b97f4a7c15); /* SplitMix64 */

		z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
		z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
		z ^= z >> 31;
		memcpy(p + i, &z, 8);
	}
	return p;
}

static enum status two_ends(struct end x[2], struct err *e)
{
	static const uint8_t key[CURVE_KEY] = { 0x49, [31] = 0xee };
	struct rlpx_opts server = { .role = RLPX_RECIPIENT, .key = key }, client = { .role = RLPX_INITIATOR };
	enum status st = rlpx_new(&x[0].r, &server, e);

	if (st != ST_OK)
		return st;
	client.remote = rlpx_own(x[0].r);
	return rlpx_new(&x[1].r, &client, e);
}

enum status bench_rlpx_run(const struct bench_rlpx_opts *opts, struct bench_rlpx_result *r, struct err *e)
{
	struct bench_rlpx_opts o = *opts;
	struct end x[2] = { { .o = &o, .fd = -1 }, { .o = &o, .fd = -1 } };
	pthread_barrier_t barrier;
	pthread_t thread;
	int fd[2];
	enum status st;

	if (o.size == 0)
		o.size = SIZE_DEFAULT;
	if (o.seconds_ns == 0)
		o.seconds_ns = 3 * NS_S;
	if (o.size > SIZE_MAX_BYTES)
		return err_set(e, ST_USAGE, "bench rlpx: --size is at most %d", SIZE_MAX_BYTES);
	if (o.batch == 0)
		o.batch = o.size >= BATCH_BYTES / 2 && o.size <= 2 * BATCH_BYTES ? BATCH_LARGE : BATCH_BYTES / (o.size + 64) + 1;
	if (o.batch > BATCH_MAX_BYTES / (o.size + 64))
		return err_set(e, ST_USAGE, "bench rlpx: --batch × --size is at most %d bytes", BATCH_MAX_BYTES);
	x[0].batch = o.batch;
	x[0].payload = x[1].payload = random_payload(o.size);
	if (x[0].payload == NULL)
		return err_set(e, ST_NOMEM, "out of memory");
	st = two_ends(x, e);
	if (st == ST_OK)
		st = pair(fd, e);
	if (st != ST_OK)
		goto out;
	x[0].fd = fd[0];
	x[1].fd = fd[1];
	if (pthread_barrier_init(&barrier, NULL, 2) != 0) {
		st = err_set(e, ST_NOMEM, "out of memory");
		goto out;
	}
	x[0].barrier = x[1].barrier = &barrier;
	if (pthread_create(&thread, NULL, sender, &x[0]) != 0) {
		st = err_set(e, ST_IO, "bench rlpx: no thread could be made");
	} else {
		end_run(&x[1], read_all);
		pthread_join(thread, NULL);
		for (int i = 0; i < 2 && st == ST_OK; i++)
			if (x[i].failed) {
				*e = x[i].e;
				st = e->code;
			}
	}
	pthread_barrier_destroy(&barrier);
	if (st == ST_OK) {
		const double n = (double)x[1].messages;

		*r = (struct bench_rlpx_result){
			.seconds = (double)x[1].took_ns / 1e9,
			.writes = (double)x[0].calls / (double)x[0].messages,
			.reads = (double)x[1].calls / n,
			.permutations = (double)x[1].perms / n,
			.permutation_ns = (x[0].keccak_ns + x[1].keccak_ns) / 2,
			.send_cpu_ns = (double)x[0].cpu_ns / (double)x[0].messages,
			.read_cpu_ns = (double)x[1].cpu_ns / n,
			.batch = o.batch,
		};
		r->messages_per_s = n / r->seconds;
		r->mb_per_s = r->messages_per_s * (double)o.size / 1e6;
		r->bound_mb_per_s = (double)o.size / (r->permutations * r->permutation_ns) * 1e3;
	}
out:
	for (int i = 0; i < 2; i++) {
		rlpx_free(x[i].r);
		if (x[i].fd >= 0)
			close(x[i].fd);
	}
	free(x[0].payload);
	return st;
}

int bench_rlpx(const struct bench_rlpx_opts *o, FILE *f)
{
	const uint64_t size = o->size > 0 ? o->size : SIZE_DEFAULT;
	const char *const variant = keccak_variant_name(keccak_best());
	struct bench_rlpx_result r;
	struct err e;

	if (bench_rlpx_run(o, &r, &e) != ST_OK)
		return cmd_fail(&e);
	if (o->json)
		fprintf(f,
			"{\"benchmark\":\"rlpx\",\"size\":%llu,\"batch\":%llu,\"seconds\":%.3f,"
			"\"mb_per_s\":%.1f,\"messages_per_s\":%.0f,\"writes_per_message\":%.4f,"
			"\"reads_per_message\":%.4f,\"permutations_per_message\":%.2f,"
			"\"permutation_ns\":%.1f,\"bound_mb_per_s\":%.1f,\"send_cpu_ns\":%.0f,"
			"\"read_cpu_ns\":%.0f,\"keccak\":\"%s\"}\n",
			(unsigned long long)size, (unsigned long long)r.batch, r.seconds, r.mb_per_s, r.messages_per_s,
			r.writes, r.reads, r.permutations, r.permutation_ns, r.bound_mb_per_s, r.send_cpu_ns,
			r.read_cpu_ns, variant);
	else
		fprintf(f,
			"RLPx over loopback TCP, both ends in this process, %llu random bytes a "
			"message, snappy\n"
			"%8.1f MB/s of payload, %.0f messages/s, %.1f s\n"
			"%8.3f writes and %.3f reads per message, %llu messages per send\n"
			"%8.2f Keccak permutations per message and side, %.0f ns each (%s): one stream "
			"allows %.0f MB/s, %.0f %% of that were reached\n"
			"%8.2f and %.2f us of processor time to send and to read one, %.0f and %.0f %% of "
			"it in Keccak\n",
			(unsigned long long)size, r.mb_per_s, r.messages_per_s, r.seconds, r.writes, r.reads,
			(unsigned long long)r.batch, r.permutations, r.permutation_ns, variant, r.bound_mb_per_s,
			100 * r.mb_per_s / r.bound_mb_per_s, r.send_cpu_ns / 1e3, r.read_cpu_ns / 1e3,
			100 * r.permutations * r.permutation_ns / r.send_cpu_ns,
			100 * r.permutations * r.permutation_ns / r.read_cpu_ns);
	return EXIT_FINE;
}
