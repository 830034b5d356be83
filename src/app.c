#include "app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"
#include "configured.h"
#include "net/devp2p/enode.h"
#include "net/probe.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unreleased"
#endif

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
	return configured_urls(a->conf, word, a->urls, PATHS_MAX, &a->n_urls, e);
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
	const struct conf_file *f = a->conf->file;
	enum status st = ST_OK;

	if (a->conf->n_args) {
		for (unsigned i = 0; i < a->conf->n_args && st == ST_OK; i++)
			st = add(a, a->conf->args[i], e);
		return st;
	}
	if (f && f->n_nodes) {
		snprintf(a->from, sizeof(a->from), "from %.90s%s", f->show, env && env[0] ? ", not ETH_RPC_URL" : "");
		for (unsigned i = 0; i < f->n_nodes && st == ST_OK; i++)
			st = add(a, f->nodes[i].name, e);
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
			st = err_set(e, ST_USAGE, "%s: a recording cannot be watched beside endpoints", a->urls[i].target);
			(void)err_cure(e, "chaintop replay %s", a->urls[i].target);
		}
	}
	if (st == ST_OK)
		st = wake_init(&a->wake, e);
	if (st != ST_OK)
		app_fini(a, 0);
	return st;
}

/* "max" is 0. */
static enum status parse_speed(const char *word, double *speed, struct err *e)
{
	char *end;

	*speed = strtod(word, &end);
	if (strcmp(word, "max") == 0)
		*speed = 0;
	else if (end == word || *end || !(*speed >= 0.1 && *speed <= 100))
		return err_set(e, ST_USAGE, "--speed %.20s: neither max nor from 0.1 to 100", word);
	return ST_OK;
}

static enum status init_replay(struct app *a, const struct conf *conf, struct replay_opts *o, struct err *e)
{
	enum status st;

	*a = (struct app){ .conf = conf };
	a->wake.rfd = a->wake.wfd = -1;
	o->wake = &a->wake;
	/* What is said of a block must not depend on how fast it was. */
	o->verify = conf->verify || conf->stream;
	st = parse_speed(conf->speed ? conf->speed : conf->stream ? "max" : "1", &o->speed, e);
	if (st == ST_OK)
		st = wake_init(&a->wake, e);
	if (st == ST_OK)
		st = replay_open(&a->replay, o, e);
	if (st != ST_OK)
		app_fini(a, 0);
	return st;
}

enum status app_init_replay(struct app *a, const struct conf *conf, const char *file, struct err *e)
{
	return init_replay(a, conf, &(struct replay_opts){ .file = file }, e);
}

enum status app_init_demo(struct app *a, const struct conf *conf, const void *data, size_t n, struct err *e)
{
	enum status st = init_replay(a, conf, &(struct replay_opts){ .data = data, .n = n }, e);

	a->demo = st == ST_OK;
	return st;
}

/* ---- start ---- */

static bool pushes(const struct url *u)
{
	return u->scheme == URL_WS || u->scheme == URL_WSS || u->scheme == URL_IPC;
}

/* The limits that the configuration file has for checks. */
static enum status set_limits(struct app *a, struct err *e)
{
	struct limit_row rows[CONF_CHECKS_MAX];
	unsigned n = 0;
	enum status st;

	if (!a->model)
		return err_set(e, ST_NOMEM, "no memory for the model");
	st = configured_limits(a->conf, rows, &n, e);
	return st == ST_OK && n ? model_limits(a->model, rows, n, e) : st;
}

/* The model and the replay begin together, at `mono` or as far before it as it takes to know the state then. */
static enum status start_replay(struct app *a, uint64_t mono, struct err *e)
{
	const struct recinfo *info = replay_info(a->replay);
	struct path_setup paths[PATHS_MAX];
	uint64_t start_mono, start_wall;
	enum status st;

	for (unsigned i = 0; i < info->n_feeds && i < PATHS_MAX; i++) {
		const struct recfeed *f = &info->feed[i];

		paths[i] = (struct path_setup){
			.node = f->node[0] ? f->node : "unknown",
			.via = f->via[0] ? f->via : "?",
			.show = f->show,
			.push = f->push,
			.local = f->local,
		};
	}
	a->there = a->ended = false;
	st = replay_start(a->replay, mono, &start_mono, &start_wall, e);
	if (st != ST_OK)
		return st;
	model_free(a->model);
	a->model = model_new(paths, info->n_feeds < PATHS_MAX ? info->n_feeds : PATHS_MAX, start_mono, start_wall);
	if (set_limits(a, e) != ST_OK)
		return e->code;
	return outputs_start(a->outputs, a->model, a->demo ? "demo" : "replay", e);
}

enum status app_jump(struct app *a, uint64_t mono, struct err *e)
{
	replay_stop(a->replay);
	return start_replay(a, mono, e);
}

void app_hold(struct app *a, bool on)
{
	replay_pause(a->replay, on);
}

uint64_t app_now(const struct app *a)
{
	return a->replay ? a->model->now_mono : time_mono();
}

static enum status start_recorder(struct app *a, const char *file, const struct path_setup *paths, struct err *e)
{
	struct recorder_feed feeds[PATHS_MAX];
	const char *secrets[CONF_LIST_MAX + 1];
	struct recorder_opts o = {
		.file = file,
		.feeds = feeds,
		.n_feeds = a->n_urls,
		.secrets = secrets,
		.version = "chaintop " PACKAGE_VERSION,
		.mono = a->model->start_mono,
		.wall = a->model->now_wall,
		.ring_ns = a->conf->rewind,
	};

	if (a->conf->incidents && o.ring_ns < INCIDENT_BEFORE_S * NS_S)
		o.ring_ns = INCIDENT_BEFORE_S * NS_S;
	for (unsigned i = 0; i < a->n_urls; i++) {
		feeds[i] = (struct recorder_feed){
			.node = paths[i].node,
			.via = paths[i].via,
			.show = paths[i].show,
			.push = paths[i].push,
			.local = paths[i].local,
			.url = &a->urls[i],
		};
	}
	for (unsigned i = 0; i < a->net.n_headers; i++) {
		const char *h = a->net.headers[i];

		/* Of `Name: value` the value. */
		h += strcspn(h, ":");
		secrets[o.n_secrets++] = h + strspn(h, ": ");
	}
	return recorder_start(&a->recorder, &o, e);
}

/*
 * --mempool; auto is the first of its words. Of several paths to a node the first one says transactions whole: what they pay is
 * the same on all, and a recording would have each of them several times.
 */
static enum pending_mode pending_of(const struct app *a, unsigned i)
{
	enum { AUTO, ALL };
	const struct url *u = &a->urls[i];

	if (!url_is_local(u))
		return a->conf->mempool == ALL ? PENDING_HASHES : PENDING_OFF;
	if (a->conf->mempool > ALL)
		return PENDING_OFF;
	for (unsigned k = 0; k < i && u->name[0]; k++) {
		if (strcmp(a->urls[k].name, u->name) == 0 && url_is_local(&a->urls[k]) && pushes(&a->urls[k]))
			return PENDING_HASHES;
	}
	return PENDING_WHOLE;
}

enum status app_start(struct app *a, const char *record, struct err *e)
{
	struct path_setup paths[PATHS_MAX];
	char shows[PATHS_MAX][64];
	unsigned n_push = 0;
	uint8_t key[CURVE_KEY];
	uint64_t at = 0;
	enum status st = outputs_open(&a->outputs, a->conf, &a->wake, e);

	if (st == ST_OK && a->replay) {
		if (a->conf->at)
			st = replay_find(a->replay, a->conf->at, &at, e);
		return st == ST_OK ? start_replay(a, at, e) : st;
	}
	if (st != ST_OK)
		return st;
	for (unsigned i = 0; i < a->n_urls; i++) {
		const struct url *u = &a->urls[i];

		url_show(shows[i], sizeof(shows[i]), u);
		paths[i] = (struct path_setup){
			.node = u->name[0] ? u->name : shows[i],
			.via = u->scheme == URL_GUESS ? "http" : url_via(u->scheme),
			.show = shows[i],
			.push = pushes(u),
			.local = url_is_local(u),
			.budget_day = u->name[0] && conf_node(a->conf, u->name) ? conf_node(a->conf, u->name)->budget_day : 0,
		};
		n_push += pushes(u);
	}
	a->model = model_new(paths, a->n_urls, time_mono(), time_wall());
	st = set_limits(a, e);
	claims_init(&a->claims);
	if (st == ST_OK)
		st = outputs_start(a->outputs, a->model, "live", e);
	if (a->conf->key && st == ST_OK)
		st = enode_key(key, a->conf->key, e);
	if ((record || (a->stays && rewind_wanted(a->conf))) && st == ST_OK)
		st = start_recorder(a, record, paths, e);
	if (a->recorder && !record)
		rewind_start(&a->rewind, a->recorder, a->conf);
	for (unsigned i = 0; i < a->n_urls && st == ST_OK; i++) {
		struct feed_opts o = {
			.url = &a->urls[i],
			.net = &a->net,
			.path = (uint16_t)i,
			.bodies = (enum bodies)a->conf->bodies,
			.pending = pending_of(a, i),
			.others_push = n_push > (unsigned)pushes(&a->urls[i]),
			.claims = &a->claims,
			.wake = &a->wake,
			.key = a->conf->key ? key : NULL,
			.rec = a->recorder ? recorder_queue(a->recorder) : NULL,
		};

		st = feed_start(&a->feeds[i], &o, e);
		if (st == ST_OK)
			a->n_feeds++;
	}
	explicit_bzero(key, sizeof(key));
	return st;
}

/* What a recording tells has happened long ago: it must wake nobody. */
enum status app_hooks(struct app *a, struct err *e)
{
	struct hook_opts o = {
		.location = a->conf->location, .proxy = a->conf->proxy, .cacert = a->conf->cacert, .insecure = a->conf->insecure,
	};

	if (a->replay || !a->conf->file)
		return ST_OK;
	if (configured_check(a->conf, e) != ST_OK)
		return e->code;
	o.alert = &a->conf->file->alert;
	model_alert_cooldown(a->model, o.alert->cooldown);
	return hooks_start(&a->hooks, &o, e);
}

static void tell_hooks(struct app *a)
{
	struct alert_event e;

	while (model_alert_next(a->model, &a->hooks_cursor, &e))
		hooks_tell(a->hooks, &e);
}

/* ---- events ---- */

/* The model takes what the event owns; the outputs look at it once more. */
static unsigned apply(struct app *a, const struct event *e)
{
	struct block *kept = a->outputs && e->kind == EV_BLOCK ? block_ref(e->u.block.block) : NULL;
	unsigned dirty = model_apply(a->model, e);

	outputs_event(a->outputs, a->model, e);
	block_unref(kept);
	return dirty;
}

static void resync(struct app *a, unsigned path)
{
	(void)feed_command(a->feeds[path], &(struct cmd){ .kind = CMD_RESYNC });
}

static unsigned drain_replay(struct app *a, bool *more)
{
	unsigned dirty = 0;
	const struct event *e;
	int n = 0;

	while (n < BURST && !a->ended && (e = replay_peek(a->replay)) != NULL) {
		switch ((int)e->kind) {
		case REPLAY_TICK:
			dirty |= model_tick(a->model, e->mono, e->wall);
			outputs_tick(a->outputs, a->model);
			a->ended = a->until && e->mono >= a->until;
			break;
		case REPLAY_THERE:
			a->there = true;
			outputs_there(a->outputs);
			break;
		case REPLAY_END:
			a->ended = true;
			break;
		default:
			dirty |= apply(a, e);
			a->events++;
			break;
		}
		replay_pop(a->replay);
		n++;
	}
	*more = n == BURST;
	return dirty;
}

static unsigned drain_feeds(struct app *a, bool *more)
{
	unsigned dirty = 0;

	*more = false;
	for (unsigned k = 0; k < a->n_feeds; k++) {
		struct feed *f = a->feeds[(a->turn + k) % a->n_feeds];
		const struct event *e;
		int n = 0;

		while (n < BURST && (e = feed_peek(f)) != NULL) {
			unsigned bits = apply(a, e);

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

unsigned app_drain(struct app *a, bool *more)
{
	unsigned dirty = a->replay ? drain_replay(a, more) : drain_feeds(a, more);

	outputs_serve(a->outputs, a->model);
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

/* With bodies off a block whose header is here lacks nothing. */
static bool lacks(const struct app *a, const struct want *w)
{
	if (w->kind != CMD_BODY || a->conf->bodies != BODIES_OFF)
		return true;
	for (unsigned i = 0; i < a->model->n_chains; i++) {
		if (chain_by_hash(a->model->chains[i], &w->hash))
			return false;
	}
	return true;
}

static void ask_for_missing(struct app *a)
{
	struct want w[32];
	unsigned n = model_wants(a->model, w, 32);

	for (unsigned i = 0; i < n; i++) {
		struct cmd c = { .kind = (uint16_t)w[i].kind, .number = w[i].number, .hash = w[i].hash };

		if (w[i].path < a->n_feeds && lacks(a, &w[i]))
			(void)feed_command(a->feeds[w[i].path], &c);
	}
}

static void tell_clock(struct app *a, uint64_t now)
{
	struct event e = { .kind = EV_CLOCK, .mono = now, .wall = time_wall() };

	e.u.clock.bound_ns = a->conf->clock_bound != UINT64_MAX ? a->conf->clock_bound : time_clock_bound();
	apply(a, &e);
	if (a->recorder)
		recorder_event(a->recorder, &e);
}

/* What the model found out is a place to jump to in a replay. */
static void mark_reorgs(struct app *a)
{
	for (unsigned i = 0; i < a->model->n_chains; i++) {
		const struct chain *c = a->model->chains[i];
		unsigned long n = c->reorg_count - a->reorgs[i];

		if (c->reorg_count < a->reorgs[i])
			n = 0;
		for (n = n < c->n_reorgs ? n : c->n_reorgs; n > 0; n--) {
			const struct reorg *r = &c->reorgs[n - 1];

			recorder_mark(a->recorder, &(struct mark){ .kind = MARK_REORG, .number = r->number, .hash = r->to,
								   .wall = r->wall });
		}
		a->reorgs[i] = c->reorg_count;
	}
}

unsigned app_tick(struct app *a, uint64_t now)
{
	uint64_t dropped = 0;
	unsigned dirty;

	/* A replay's time comes with its events. */
	if (a->replay)
		return 0;
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
	dirty = model_tick(a->model, now, time_wall());
	if (a->hooks)
		tell_hooks(a);
	outputs_tick(a->outputs, a->model);
	if (a->recorder)
		mark_reorgs(a);
	rewind_tick(&a->rewind, a->model, now, time_wall());
	return dirty;
}

void app_command_all(struct app *a, enum cmd_kind kind)
{
	for (unsigned i = 0; i < a->n_feeds; i++)
		(void)feed_command(a->feeds[i], &(struct cmd){ .kind = (uint16_t)kind });
}

/* False: one did not end. */
static bool stop_feeds(struct app *a)
{
	uint64_t deadline = time_mono() + 2 * NS_S;
	bool all = true;

	for (unsigned i = 0; i < a->n_feeds && !a->stopped; i++)
		feed_stop(a->feeds[i]);
	for (unsigned i = 0; i < a->n_feeds && !a->stopped; i++)
		all &= feed_join(a->feeds[i], deadline);
	a->stopped = true;
	return all;
}

enum status app_stop_outputs(struct app *a, const char *why, struct err *e)
{
	struct outputs *o = a->outputs;

	a->outputs = NULL;
	return outputs_stop(o, a->model, why, e);
}

enum status app_stop_recording(struct app *a, struct err *e)
{
	struct recorder *r = a->recorder;

	if (!r)
		return ST_OK;
	rewind_stop(&a->rewind);
	a->stuck |= !stop_feeds(a);
	a->recorder = NULL;
	return recorder_stop(r, time_mono(), time_wall(), a->stuck, e);
}

void app_fini(struct app *a, int code)
{
	struct err e;

	if (app_stop_outputs(a, "signal", &e) != ST_OK)
		log_msg(LOG_ERROR, "output: %s", e.text);
	if (app_stop_recording(a, &e) != ST_OK)
		log_msg(LOG_ERROR, "recording: %s", e.text);
	a->stuck |= !stop_feeds(a);
	if (a->stuck)
		_exit(code);
	hooks_stop(a->hooks);
	a->hooks = NULL;
	replay_free(a->replay);
	a->replay = NULL;
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
