#include "app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"
#include "net/probe.h"

enum { BURST = 64 };

/* ---- endpoints ---- */

/* Where nodes listen if nobody told them otherwise. %s: the home folder. */
static const struct {
	const char *name, *word;
} usual[] = {
	{ "geth", "%s/.ethereum/geth.ipc" },
	{ "reth", "/tmp/reth.ipc" },
	{ "local", "ws://127.0.0.1:8546" },
	{ "local", "http://127.0.0.1:8545" },
};

static enum status add(struct app *a, const char *word, struct err *e)
{
	enum status st;

	if (a->n_urls == PATHS_MAX) {
		err_set(e, ST_USAGE, "more than %d endpoints", PATHS_MAX);
		return e->code;
	}
	st = url_parse(&a->urls[a->n_urls], word, e);
	if (st == ST_OK)
		a->n_urls++;
	return st;
}

static enum status find_local(struct app *a, struct err *e)
{
	enum { N = sizeof(usual) / sizeof(usual[0]) };
	const char *home = getenv("HOME");
	struct url urls[N];
	unsigned n = 0;
	int found;

	for (unsigned i = 0; i < N; i++) {
		char word[600], path[512];

		if (usual[i].word[0] == '%' && (!home || home[0] != '/' || strlen(home) > 400))
			continue;
		snprintf(path, sizeof(path), usual[i].word[0] == '%' ? "%s%s" : "%s%s",
			 usual[i].word[0] == '%' ? home : "", usual[i].word + (usual[i].word[0] == '%' ? 2 : 0));
		snprintf(word, sizeof(word), "%s=%s", usual[i].name, path);
		if (url_parse(&urls[n], word, e) == ST_OK)
			n++;
	}
	found = net_probe(urls, n, 300);
	for (unsigned i = 0; i < n; i++) {
		if ((int)i == found) {
			char show[48];

			snprintf(a->from, sizeof(a->from), "found %s", url_show(show, sizeof(show), &urls[i]));
			a->urls[a->n_urls++] = urls[i];
		} else {
			url_fini(&urls[i]);
		}
	}
	return ST_OK;
}

static enum status find_endpoints(struct app *a, struct err *e)
{
	const char *env = getenv("ETH_RPC_URL");
	enum status st = ST_OK;

	if (a->conf->n_args) {
		for (unsigned i = 0; i < a->conf->n_args && st == ST_OK; i++)
			st = add(a, a->conf->args[i], e);
		return st;
	}
	if (env && env[0]) {
		snprintf(a->from, sizeof(a->from), "from ETH_RPC_URL");
		return add(a, env, e);
	}
	return find_local(a, e);
}

static enum status check_header(const char *h, struct err *e)
{
	size_t n = strcspn(h, ":");

	if (h[n] != ':' || n == 0 || strpbrk(h, "\r\n")) {
		err_set(e, ST_USAGE, "--header: not a header");
		return err_cure(e, "-H 'Name: value'");
	}
	return ST_OK;
}

enum status app_init(struct app *a, const struct conf *conf, struct err *e)
{
	enum status st = ST_OK;

	*a = (struct app){ .conf = conf };
	a->wake.rfd = a->wake.wfd = -1;
	a->net = (struct net_opts){
		.headers = conf->headers.item,
		.n_headers = conf->headers.n,
		.jwt_file = conf->jwt,
		.cacert = conf->cacert,
		.insecure = conf->insecure,
		.proxy = conf->proxy,
	};
	for (unsigned i = 0; i < conf->headers.n && st == ST_OK; i++)
		st = check_header(conf->headers.item[i], e);
	if (st == ST_OK && conf->jwt && access(conf->jwt, R_OK) != 0)
		st = err_set(e, ST_USAGE, "--jwt %s: cannot be read", conf->jwt);
	if (st == ST_OK && conf->cacert && access(conf->cacert, R_OK) != 0)
		st = err_set(e, ST_USAGE, "--cacert %s: cannot be read", conf->cacert);
	if (st == ST_OK)
		st = find_endpoints(a, e);
	for (unsigned i = 0; i < a->n_urls && st == ST_OK; i++) {
		if (a->urls[i].scheme == URL_RECORDING) {
			st = err_set(e, ST_USAGE, "%s: recordings are not read by this version", a->urls[i].target);
		}
	}
	if (st == ST_OK)
		st = wake_init(&a->wake, e);
	if (st != ST_OK)
		app_fini(a, 0);
	return st;
}

/* ---- start ---- */

static bool pushes(const struct url *u)
{
	return u->scheme == URL_WS || u->scheme == URL_WSS || u->scheme == URL_IPC;
}

enum status app_start(struct app *a, struct err *e)
{
	struct path_setup paths[PATHS_MAX];
	char shows[PATHS_MAX][64];
	unsigned n_push = 0;
	enum status st = ST_OK;

	for (unsigned i = 0; i < a->n_urls; i++) {
		const struct url *u = &a->urls[i];

		url_show(shows[i], sizeof(shows[i]), u);
		paths[i] = (struct path_setup){
			.node = u->name[0] ? u->name : shows[i],
			.via = u->scheme == URL_GUESS ? "http" : url_via(u->scheme),
			.show = shows[i],
			.push = pushes(u),
			.local = url_is_local(u),
		};
		n_push += pushes(u);
	}
	a->model = model_new(paths, a->n_urls, time_mono(), time_wall());
	if (!a->model)
		return err_set(e, ST_NOMEM, "no memory for the model");
	claims_init(&a->claims);
	for (unsigned i = 0; i < a->n_urls && st == ST_OK; i++) {
		struct feed_opts o = {
			.url = &a->urls[i],
			.net = &a->net,
			.path = (uint16_t)i,
			.bodies = (enum bodies)a->conf->bodies,
			.others_push = n_push > (unsigned)pushes(&a->urls[i]),
			.claims = &a->claims,
			.wake = &a->wake,
		};

		st = feed_start(&a->feeds[i], &o, e);
		if (st == ST_OK)
			a->n_feeds++;
	}
	return st;
}

/* ---- events ---- */

static void resync(struct app *a, unsigned path)
{
	(void)feed_command(a->feeds[path], &(struct cmd){ .kind = CMD_RESYNC });
}

unsigned app_drain(struct app *a, bool *more)
{
	unsigned dirty = 0;

	*more = false;
	for (unsigned k = 0; k < a->n_feeds; k++) {
		struct feed *f = a->feeds[(a->turn + k) % a->n_feeds];
		const struct event *e;
		int n = 0;

		while (n < BURST && (e = feed_peek(f)) != NULL) {
			unsigned bits = model_apply(a->model, e);

			/* The glass figure counts from the first path that brought the head that is new on the screen. */
			if (e->kind == EV_HEAD && (bits & DIRTY_HEAD) && a->head_recv == 0)
				a->head_recv = e->mono;
			if (e->kind == EV_LOST)
				resync(a, e->path);
			dirty |= bits;
			feed_pop(f);
			n++;
		}
		a->events += (unsigned)n;
		*more |= n == BURST;
	}
	if (a->n_feeds)
		a->turn = (a->turn + 1) % a->n_feeds;
	return dirty;
}

/* Resident memory in bytes; 0 where the system does not say. */
static uint64_t resident(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	unsigned long total, pages = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%lu %lu", &total, &pages) != 2)
		pages = 0;
	fclose(f);
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void ask_for_missing(struct app *a)
{
	struct want w[32];
	unsigned n = model_wants(a->model, w, 32);

	for (unsigned i = 0; i < n; i++) {
		struct cmd c = { .kind = (uint16_t)w[i].kind, .number = w[i].number, .hash = w[i].hash };

		if (w[i].path < a->n_feeds)
			(void)feed_command(a->feeds[w[i].path], &c);
	}
}

static void tell_clock(struct app *a, uint64_t now)
{
	struct event e = { .kind = EV_CLOCK, .mono = now, .wall = time_wall() };

	e.u.clock.bound_ns = a->conf->clock_bound != UINT64_MAX ? a->conf->clock_bound : time_clock_bound();
	model_apply(a->model, &e);
}

unsigned app_tick(struct app *a, uint64_t now)
{
	uint64_t dropped = 0;

	if (now >= a->next_wants) {
		a->next_wants = now + NS_S;
		ask_for_missing(a);
	}
	if (now >= a->next_own) {
		a->next_own = now + 2 * NS_S;
		for (unsigned i = 0; i < a->n_feeds; i++)
			dropped += feed_dropped(a->feeds[i]);
		model_own(a->model, time_cpu(), resident(), a->frames, a->events, dropped);
		tell_clock(a, now);
	}
	return model_tick(a->model, now, time_wall());
}

void app_command_all(struct app *a, enum cmd_kind kind)
{
	for (unsigned i = 0; i < a->n_feeds; i++)
		(void)feed_command(a->feeds[i], &(struct cmd){ .kind = (uint16_t)kind });
}

void app_fini(struct app *a, int code)
{
	uint64_t deadline = time_mono() + 2 * NS_S;
	bool stuck = false;

	for (unsigned i = 0; i < a->n_feeds; i++)
		feed_stop(a->feeds[i]);
	for (unsigned i = 0; i < a->n_feeds; i++)
		stuck |= !feed_join(a->feeds[i], deadline);
	if (stuck)
		_exit(code);
	for (unsigned i = 0; i < a->n_feeds; i++)
		feed_free(a->feeds[i]);
	a->n_feeds = 0;
	model_free(a->model);
	a->model = NULL;
	for (unsigned i = 0; i < a->n_urls; i++)
		url_fini(&a->urls[i]);
	a->n_urls = 0;
	wake_fini(&a->wake);
}
