/*
 * A recording gives the model that the live run had: nodes with faults, restarts and reorgs are watched over three transports and
 * recorded meanwhile; then the file is played, and the two models must show the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <dirent.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app.h"
#include "model_equal.h"
#include "net/stream.h"
#include "p2p_node.h"

/* ---- the scripted node ---- */

struct node {
	pid_t pid;
	int in; /* its stdin: it ends when this closes */
	int http, ws, control;
	char ipc[128];
};

static int port_of(const char *line, const char *name)
{
	char key[24];
	const char *p;

	snprintf(key, sizeof(key), "\"%s\": ", name);
	p = strstr(line, key);
	return p ? atoi(p + strlen(key)) : 0;
}

/* fault, pool (pool.py): NULL for none. */
static bool node_start(struct node *n, const char *rate, const char *fault, const char *pool)
{
	const char *argv[14] = { "python3", "-B", "", "--stdin-guard", "--rate", rate };
	const char *src = getenv("CHAINTOP_SRC");
	char script[512], line[1000] = "", *p;
	int in[2], out[2], argc = 6;
	FILE *f;

	if (fault) {
		argv[argc++] = "--fault";
		argv[argc++] = fault;
	}
	if (pool) {
		argv[argc++] = "--ahead";
		argv[argc++] = "100";
		argv[argc++] = "--pool";
		argv[argc++] = pool;
	}
	argv[2] = script;
	snprintf(script, sizeof(script), "%s/tests/faults/node.py", src ? src : ".");
	if (access(script, R_OK) != 0 || pipe(in) != 0 || pipe(out) != 0)
		return false;
	n->pid = fork();
	if (n->pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		for (int i = 3; i < 64; i++)
			close(i);
		execvp("python3", (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	n->in = in[1];
	f = fdopen(out[0], "r");
	if (!fgets(line, sizeof(line), f))
		line[0] = 0;
	fclose(f);
	n->http = port_of(line, "http");
	n->ws = port_of(line, "ws");
	n->control = port_of(line, "control");
	p = strstr(line, "\"ipc\": \"");
	snprintf(n->ipc, sizeof(n->ipc), "%.*s", p ? (int)strcspn(p + 8, "\"") : 0, p ? p + 8 : "");
	return n->control != 0;
}

static void node_stop(struct node *n)
{
	close(n->in);
	waitpid(n->pid, NULL, 0);
}

/* One call on the control port. */
static void control(const struct node *n, const char *method, const char *params)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)n->control) };
	char body[300], text[600], answer[4000];
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	size_t got = 0;
	ssize_t k;

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	snprintf(body, sizeof(body), "{\"id\":1,\"method\":\"%s\",\"params\":%s}", method, params);
	snprintf(text, sizeof(text), "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n%s",
		strlen(body), body);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	while (got < sizeof(answer) - 1 && (k = read(fd, answer + got, sizeof(answer) - 1 - got)) > 0)
		got += (size_t)k;
	answer[got] = 0;
	close(fd);
	if (!strstr(answer, "\"result\""))
		fail_msg("%s %s: %s", method, params, answer);
}

/* ---- a live run ---- */

static char dir[64];

static int make_dir(void **state)
{
	struct err e;

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	snprintf(dir, sizeof(dir), "/tmp/record.XXXXXX");
	return mkdtemp(dir) && net_global_init(&e) == ST_OK ? 0 : -1;
}

static int remove_dir(void **state)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char path[400];

	(void)state;
	net_global_fini();
	while (d && (e = readdir(d)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		unlink(path);
	}
	if (d)
		closedir(d);
	return rmdir(dir);
}

struct run {
	struct conf conf;
	struct app app;
	uint64_t next_tick;
};

static void run_start(struct run *r, const char *file, char **argv)
{
	struct err e = { .code = ST_OK };
	int argc = 0;

	while (argv[argc])
		argc++;
	memset(r, 0, sizeof(*r));
	if (conf_parse(&r->conf, argc, argv, &e) != ST_OK || app_init(&r->app, &r->conf, &e) != ST_OK ||
	    app_start(&r->app, file, &e) != ST_OK)
		fail_msg("%s", e.text);
}

/* One turn of the monitor's loop, without its screen and its wait. */
static bool run_turn(struct run *r)
{
	uint64_t now;
	bool more;

	wake_take(&r->app.wake);
	app_drain(&r->app, &more);
	now = time_mono();
	if (now >= r->next_tick) {
		r->next_tick = now - now % (250 * NS_MS) + 250 * NS_MS;
		app_tick(&r->app, now);
	}
	return more;
}

static void run_stop(struct run *r)
{
	struct err e = { .code = ST_OK };
	bool more = true;

	if (app_stop_recording(&r->app, &e) != ST_OK)
		fail_msg("%s", e.text);
	assert_false(r->app.stuck);
	while (more)
		app_drain(&r->app, &more);
}

static void run_fini(struct run *r)
{
	app_fini(&r->app, 1);
	conf_fini(&r->conf);
}

/* Plays the file to its end. */
static void replay_all(struct run *r, char *file, bool verify)
{
	char *argv[] = { (char[]){ "chaintop" }, (char[]){ "--speed=max" }, verify ? (char[]){ "--verify" } : (char[]){ "--" },
			 NULL };
	struct pollfd p;
	struct err e = { .code = ST_OK };
	bool more = false;

	memset(r, 0, sizeof(*r));
	if (conf_parse(&r->conf, 3, argv, &e) != ST_OK || app_init_replay(&r->app, &r->conf, file, &e) != ST_OK ||
	    app_start(&r->app, NULL, &e) != ST_OK)
		fail_msg("%s", e.text);
	p = (struct pollfd){ .fd = wake_fd(&r->app.wake), .events = POLLIN };
	while (!r->app.ended) {
		if (poll(&p, 1, more ? 0 : 5000) > 0)
			wake_take(&r->app.wake);
		app_drain(&r->app, &more);
	}
	if (replay_error(r->app.replay, &e) != ST_OK)
		fail_msg("%s", e.text);
}

#define SAME(what, a, b) \
	do { \
		if ((a) != (b)) { \
			print_message("%s: %llu live, %llu replayed\n", what, (unsigned long long)(a), (unsigned long long)(b)); \
			return false; \
		} \
	} while (0)

/* What model_equal leaves out, being about the order of events. */
static bool same_facts(const struct path *a, const struct path *b)
{
	for (unsigned m = 0; m < M_N; m++) {
		SAME("calls of a method", a->method[m].n, b->method[m].n);
		SAME("failures of a method", a->method[m].failed, b->method[m].failed);
		SAME("bytes of a method", a->method[m].bytes, b->method[m].bytes);
		SAME("p50 of a method", a->method[m].p50, b->method[m].p50);
		SAME("p99 of a method", a->method[m].p99, b->method[m].p99);
		SAME("unsupported", a->method[m].unsupported, b->method[m].unsupported);
	}
	for (unsigned c = 0; c < ST_N; c++)
		SAME(status_word((enum status)c), a->errors.by_code[c], b->errors.by_code[c]);
	SAME("last error", strcmp(a->errors.last, b->errors.last), 0);
	SAME("last error's time", a->errors.last_mono, b->errors.last_mono);
	SAME("text", strcmp(a->text, b->text), 0);
	SAME("cure", strcmp(a->cure, b->cure), 0);
	SAME("via", strcmp(a->via, b->via), 0);
	SAME("node", strcmp(a->node, b->node), 0);
	SAME("show", strcmp(a->show, b->show), 0);
	SAME("push", a->push, b->push);
	SAME("local", a->local, b->local);
	SAME("retry", a->retry_mono, b->retry_mono);
	SAME("attempt", a->attempt, b->attempt);
	SAME("tcp", a->tcp_us, b->tcp_us);
	SAME("ready", a->ready_us, b->ready_us);
	SAME("silent", a->silent_count, b->silent_count);
	SAME("interval", a->poll_interval_ns, b->poll_interval_ns);
	SAME("in", a->bytes_in, b->bytes_in);
	SAME("out", a->bytes_out, b->bytes_out);
	SAME("calls", a->calls, b->calls);
	SAME("notes", a->notes, b->notes);
	SAME("odd", a->odd, b->odd);
	SAME("bodies", a->bodies, b->bodies);
	SAME("lost", a->lost, b->lost);
	SAME("client", strcmp(a->facts.client, b->facts.client), 0);
	SAME("peers", a->facts.peers, b->facts.peers);
	SAME("peers_mono", a->facts.peers_mono, b->facts.peers_mono);
	SAME("pending", a->facts.pending, b->facts.pending);
	SAME("queued", a->facts.queued, b->facts.queued);
	SAME("pool_mono", a->facts.pool_mono, b->facts.pool_mono);
	SAME("peers_why", a->facts.peers_why, b->facts.peers_why);
	SAME("pool_why", a->facts.pool_why, b->facts.pool_why);
	SAME("announces", a->pending.on, b->pending.on);
	SAME("whole", a->pending.whole, b->pending.whole);
	SAME("announces since", a->pending.since, b->pending.since);
	SAME("syncing", a->facts.syncing, b->facts.syncing);
	SAME("gas price", memcmp(&a->facts.gas_price, &b->facts.gas_price, sizeof(a->facts.gas_price)), 0);
	return true;
}

static bool same_peer(const struct peer_view *a, const struct peer_view *b)
{
	SAME("peer known", a->known, b->known);
	SAME("network", a->network, b->network);
	SAME("genesis", hash_eq(&a->genesis, &b->genesis), true);
	SAME("fork", memcmp(a->fork_hash, b->fork_hash, 4), 0);
	SAME("eth", a->eth, b->eth);
	SAME("caps", strcmp(a->caps, b->caps), 0);
	SAME("frames in", a->frames_in, b->frames_in);
	SAME("reads", a->reads, b->reads);
	SAME("writes", a->writes, b->writes);
	SAME("ping", a->ping_ns, b->ping_ns);
	SAME("tcp", a->tcp_ns, b->tcp_ns);
	for (unsigned k = 0; k < PK_N; k++) {
		SAME(peer_kind_name((enum peer_kind)k), a->kind[k].in, b->kind[k].in);
		SAME(peer_kind_name((enum peer_kind)k), a->kind[k].out_bytes, b->kind[k].out_bytes);
	}
	for (unsigned r = 0; r < PEER_REASONS; r++)
		SAME("reason", a->left[r], b->left[r]);
	return true;
}

static bool same_models(const struct model *a, const struct model *b)
{
	SAME("now", a->now_mono, b->now_mono);
	SAME("wall", a->now_wall, b->now_wall);
	SAME("start", a->start_mono, b->start_mono);
	SAME("clock bound", a->clock_bound, b->clock_bound);
	SAME("paths", a->n_paths, b->n_paths);
	SAME("shown", a->shown, b->shown);
	for (unsigned i = 0; i < a->n_paths; i++) {
		if (!same_facts(a->paths[i], b->paths[i]) || !same_peer(&a->paths[i]->peer, &b->paths[i]->peer)) {
			print_message("path %u, %s %s\n", i, a->paths[i]->node, a->paths[i]->via);
			return false;
		}
	}
	SAME("pool", a->pool.pending, b->pool.pending);
	return model_equal(a, b);
}

/* The end of the recording is the last moment of both. */
static void compare(struct run *live, char *file)
{
	struct run again;
	const struct recinfo *i;

	replay_all(&again, file, true);
	i = replay_info(again.app.replay);
	assert_true(i->ended);
	/*
	 * Figures that are made once a second may be up to a second old, and not the same second: ticks of a live run are
	 * late by a little. From the second of these on, both make them at the same ones.
	 */
	for (unsigned k = 0; k < 6; k++) {
		model_tick(live->app.model, i->last_mono + k * NS_S, i->last_wall + k * NS_S);
		model_tick(again.app.model, i->last_mono + k * NS_S, i->last_wall + k * NS_S);
	}
	if (!same_models(live->app.model, again.app.model)) {
		const char *keep = getenv("CHAINTOP_KEEP");

		if (keep)
			assert_int_equal(rename(file, keep), 0);
		fail_msg("the replay shows something else");
	}
	run_fini(&again);
}

/* ---- stories ---- */

struct step {
	unsigned ms; /* to wait before it */
	const char *method, *params; /* of the node's control; NULL: the end */
};

struct story {
	const char *name, *rate, *fault;
	struct step step[10];
	unsigned ms; /* to wait after the last one */
	uint64_t reorgs, heads; /* at least */
	const char *pool;
};

static const struct story stories[] = {
	{ "peace", "4", NULL, { { 0, NULL, NULL } }, 2500, 0, 8, NULL },
	{ "reorgs and outages", "4", NULL,
	  { { 1500, "test_reorg", "[2]" }, { 700, "test_drop", "[\"reset\", \"ws\"]" }, { 700, "test_reorg", "[1, 1]" },
	    { 500, "test_down", "[\"ipc\", 1]" }, { 100, "test_drop", "[\"close\", \"ipc\"]" },
	    { 300, "test_down", "[\"http\", 1]" }, { 1500, "test_skip", "[3]" } },
	  1500, 2, 20, NULL },
	{ "rate limits", "4", "23:how=retry", { { 500, "test_drop", "[\"reset\"]" } }, 2500, 0, 8, NULL },
	{ "broken answers", "4", "24:how=html", { { 500, "test_reorg", "[2]" } }, 2500, 0, 8, NULL },
	{ "odd envelopes", "4", "49,18,19", { { 500, "test_reorg", "[3]" } }, 2000, 0, 8, NULL },
	{ "errors in a status", "4", "25:status=500,35:how=object", { { 1000, "test_drop", "[\"reset\"]" } }, 2000, 0, 8, NULL },
	{ "batches", "4", "38:how=short,36", { { 1000, "test_drop", "[\"reset\"]" } }, 2000, 0, 8, NULL },
	{ "restart as another chain", "4", NULL,
	  { { 1000, "test_set", "{\"chainId\": 777}" }, { 100, "test_drop", "[\"reset\"]" } }, 2500, 0, 8, NULL },
	{ "transactions that wait", "4", NULL,
	  { { 700, "test_announce", "[300, 1000000000000]" }, { 300, "test_announce", "[100, 7, \"ws\"]" },
	    { 200, "test_drop", "[\"reset\", \"ipc\"]" }, { 1500, "test_announce", "[50, 7]" } }, 13000, 0, 8,
	  "{\"ws\":[0.3,0.2,null,0.1],\"ipc\":[0.1,null,0.2]}" },
	{ "early, held, reversed", "4", "11,13,22", { { 1000, "test_drop", "[\"reset\"]" } }, 4500, 0, 8, NULL },
};

struct tale {
	const struct story *s;
	char file[128];
	struct node n;
	struct run live;
	const struct step *next;
	uint64_t due;
	bool over;
};

static void tale_start(struct tale *t)
{
	const struct story *s = t->s;
	char urls[3][200];
	char *argv[] = { (char[]){ "chaintop" }, urls[0], urls[1], urls[2], NULL };

	snprintf(t->file, sizeof(t->file), "%s/%td.ct", dir, s - stories);
	snprintf(urls[0], sizeof(urls[0]), "n=http://127.0.0.1:%d/key/planted-5ecr3t", t->n.http);
	snprintf(urls[1], sizeof(urls[1]), "n=ws://user:planted-5ecr3t@127.0.0.1:%d/", t->n.ws);
	snprintf(urls[2], sizeof(urls[2]), "m=%s", t->n.ipc);
	run_start(&t->live, t->file, argv);
	t->due = time_mono() + (t->next->method ? t->next->ms : s->ms) * NS_MS;
}

static void tale_turn(struct tale *t)
{
	if (t->over || time_mono() < t->due)
		return;
	if (t->next->method) {
		control(&t->n, t->next->method, t->next->params);
		t->next++;
		t->due += (t->next->method ? t->next->ms : t->s->ms) * NS_MS;
		return;
	}
	run_stop(&t->live);
	t->over = true;
}

static void tale_end(struct tale *t)
{
	const struct chain *c = model_chain(t->live.app.model);

	assert_non_null(c);
	print_message("%s: %u blocks, %lu reorgs, %u notes, head %llu\n", t->s->name, c->kept, c->reorg_count,
		      t->live.app.model->notes_n, (unsigned long long)(c->head ? c->head->h.number : 0));
	compare(&t->live, t->file);
	if (t->s->pool) {
		print_message("%llu of %llu seen before\n", (unsigned long long)t->live.app.model->pool.cover.seen,
			      (unsigned long long)t->live.app.model->pool.cover.txs);
		assert_true(t->live.app.model->pool.cover.seen > 0);
	}
	assert_true(c->kept >= t->s->heads && c->reorg_count >= t->s->reorgs);
	run_fini(&t->live);
	node_stop(&t->n);
}

/* Several at once, for time; not all: a starved machine is another test. */
static void tell(const struct story *const *list, unsigned n)
{
	static struct tale t[3];
	unsigned left = n;

	for (unsigned i = 0; i < n; i++) {
		t[i] = (struct tale){ .s = list[i], .next = list[i]->step };
		if (!node_start(&t[i].n, list[i]->rate, list[i]->fault, list[i]->pool)) {
			print_message("SKIP: no python3 that runs tests/faults/node.py\n");
			skip();
		}
	}
	/* From here on the models must not wait: what they hear late they may judge otherwise. */
	for (unsigned i = 0; i < n; i++)
		tale_start(&t[i]);
	while (left) {
		struct pollfd p[3];
		bool more = false;

		left = 0;
		for (unsigned i = 0; i < n; i++) {
			if (!t[i].over)
				more |= run_turn(&t[i].live);
			tale_turn(&t[i]);
			left += !t[i].over;
			p[i] = (struct pollfd){ .fd = t[i].over ? -1 : wake_fd(&t[i].live.app.wake), .events = POLLIN };
		}
		(void)poll(p, n, more || !left ? 0 : 20);
	}
	for (unsigned i = 0; i < n; i++)
		tale_end(&t[i]);
}

static void replay_shows_the_same(void **state)
{
	const char *only = getenv("CHAINTOP_STORY");
	const struct story *list[3];
	unsigned n = 0;

	(void)state;
	for (unsigned i = 0; i < sizeof(stories) / sizeof(stories[0]); i++) {
		if (!only || strcmp(only, stories[i].name) == 0)
			list[n++] = &stories[i];
		if (n == 3) {
			tell(list, n);
			n = 0;
		}
	}
	if (n)
		tell(list, n);
}

/* ---- devp2p ---- */

/* Turns of the monitor until the node's head is `number` there; fails after 20 s. */
static void until_head(struct run *r, uint64_t number, const struct hash *hash)
{
	const uint64_t end = time_mono() + 20 * NS_S;
	const struct chain *c;

	for (;;) {
		struct pollfd p = { .fd = wake_fd(&r->app.wake), .events = POLLIN };

		if (!run_turn(r))
			(void)poll(&p, 1, 20);
		c = model_chain(r->app.model);
		if (c && c->head && c->head->h.number == number && c->head->body && hash_eq(&c->head->h.hash, hash))
			return;
		if (time_mono() > end)
			fail_msg("no block %llu", (unsigned long long)number);
	}
}

static void until_left(struct run *r)
{
	const uint64_t end = time_mono() + 20 * NS_S;

	while (r->app.model->paths[0]->state != LINK_WAITING) {
		struct pollfd p = { .fd = wake_fd(&r->app.wake), .events = POLLIN };

		if (!run_turn(r))
			(void)poll(&p, 1, 20);
		if (time_mono() > end)
			fail_msg("still connected");
	}
}

static bool file_has(const char *file, const void *bytes, size_t n)
{
	FILE *f = fopen(file, "rb");
	static char data[4 << 20];
	size_t size = f ? fread(data, 1, sizeof(data), f) : 0;

	assert_in_range(size, 1, sizeof(data) - 1);
	fclose(f);
	return memmem(data, size, bytes, n) != NULL;
}

/* Every frame of the file, unpacked: is this in one of their texts? */
static bool frames_have(const char *file, const void *bytes, size_t n, unsigned *p2p)
{
	struct recreader *r;
	struct frame f;
	struct err e;
	bool found = false;

	*p2p = 0;
	if (recreader_open(&r, file, &e) != ST_OK)
		fail_msg("%s", e.text);
	while (recreader_next(r, &f, &e) == ST_OK) {
		found |= memmem(f.text, f.n, bytes, n) != NULL;
		*p2p += frame_has(&f, META_CODE);
	}
	recreader_close(r);
	return found;
}

/* A node over RLPx: polled and announced heads, a branch, a body that is wrong, the node going away. */
static void p2p_replay_shows_the_same(void **state)
{
	struct p2p_node n = { .act = NODE_GOOD, .version = 69, .network = 31337, .top = 50 };
	char url[300], file[128], hex[2 * CURVE_PUB + 1], *at;
	char *argv[] = { (char[]){ "chaintop" }, url, NULL };
	uint8_t id[CURVE_PUB];
	const struct path *p;
	struct curve *c;
	struct err e;
	struct run live;
	unsigned p2p;

	(void)state;
	p2p_node_start(&n);
	snprintf(url, sizeof(url), "n=%s", n.url);
	snprintf(file, sizeof(file), "%s/p2p.ct", dir);
	run_start(&live, file, argv);
	until_head(&live, 50, &n.hash[0][50]);
	atomic_store(&n.top, 53);
	until_head(&live, 53, &n.hash[0][53]);
	for (unsigned how = 1; how <= 3; how++) {
		atomic_store(&n.top, 60 + 2 * how);
		atomic_store(&n.announce, (int)how);
		until_head(&live, 60 + 2 * how, &n.hash[0][60 + 2 * how]);
	}
	atomic_store(&n.branch, 1);
	atomic_store(&n.top, 68);
	atomic_store(&n.announce, 1);
	until_head(&live, 68, &n.hash[1][68]);
	atomic_store(&n.leave, true);
	until_left(&live);
	run_stop(&live);
	p = live.app.model->paths[0];
	assert_true(p->peer.known && p->peer.counted);
	assert_int_equal(p->peer.network, 31337);
	assert_int_equal(p->peer.eth, 69);
	assert_int_equal(p->peer.left[4], 1); /* too many peers */
	assert_int_not_equal(p->peer.ping_ns, UNKNOWN);
	assert_in_range(p->peer.kind[PK_HEADERS].in, 3, 1000);
	assert_in_range(p->peer.kind[PK_BODIES].in, 3, 1000);
	compare(&live, file);
	/* Whose port it was is in no frame, and in no byte of the file. */
	assert_int_equal(curve_new(&c, &e), ST_OK);
	assert_true(curve_pub(c, n.key, id));
	curve_free(c);
	at = strstr(n.url, "//") + 2;
	snprintf(hex, sizeof(hex), "%.*s", (int)sizeof(hex) - 1, at);
	assert_false(frames_have(file, id, sizeof(id), &p2p));
	assert_in_range(p2p, 20, 100000);
	assert_false(frames_have(file, hex, 16, &p2p));
	assert_false(file_has(file, id, 16));
	assert_false(file_has(file, hex, 16));
	assert_false(file_has(file, n.key, sizeof(n.key)));
	run_fini(&live);
	p2p_node_stop(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(p2p_replay_shows_the_same),
		cmocka_unit_test(replay_shows_the_same),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
