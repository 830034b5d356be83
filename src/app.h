/*
 * What every command that watches shares: endpoints → feeds → model, or a recording → replay → model. The only place where feeds
 * and model meet; main thread only. Order of start: wake, claims, model, recorder, feeds. Order of stop: feeds (2 s), recorder,
 * then what is left in the rings, then the model.
 */
#ifndef APP_H
#define APP_H

#include "conf/conf.h"
#include "feed/feed.h"
#include "feed/recorder.h"
#include "feed/replay.h"
#include "hook.h"
#include "model/model.h"
#include "rewind.h"
#include "outputs.h"

struct app {
	const struct conf *conf;
	struct url urls[PATHS_MAX];
	unsigned n_urls;
	struct net_opts net;
	struct wake wake; /* raised by feeds and signal handlers */
	struct claims claims;
	struct feed *feeds[PATHS_MAX];
	unsigned n_feeds;
	struct model *model;
	struct replay *replay; /* instead of feeds; NULL: live */
	bool demo; /* the replay is the demo's: it loops, and the screen says so */
	bool there, ended; /* replay: the place it was told to start at, and its end, are reached */
	uint64_t until; /* replay: it ends at this time of the recording; 0: at its end */
	struct recorder *recorder; /* NULL: not recording */
	bool stays; /* set by a front end before app_start: it is not over at once, so what is said is kept (rewind.h) */
	struct rewind rewind;
	struct hooks *hooks; /* NULL: none */
	uint64_t hooks_cursor; /* of model.alerts */
	struct outputs *outputs; /* NULL: the screen is all */
	bool stopped, stuck; /* the feeds have ended; one has not */
	unsigned long reorgs[CHAINS_MAX]; /* marked in the recording */
	char from[128]; /* who named the endpoints if not argv: "from ETH_RPC_URL", "found …"; "" */
	unsigned turn; /* ring to begin with */
	uint64_t events, frames;
	uint64_t head_recv; /* stamp of the head that is newest in the model; 0 once drawn */
	uint64_t next_wants, next_own;
};

/*
 * Reads the endpoints: words of the command line, else the nodes of the configuration file, else ETH_RPC_URL, else the first
 * usual local address that answers within 300 ms. None is no error: n_urls is 0. Allocates nothing that app_fini does not free.
 */
enum status app_init(struct app *a, const struct conf *conf, struct err *e) MUST_CHECK;
/* The same for a recording: opens it and no socket. */
enum status app_init_replay(struct app *a, const struct conf *conf, const char *file, struct err *e) MUST_CHECK;
/* The same for the demo, a recording in memory that stays until app_fini. */
enum status app_init_demo(struct app *a, const struct conf *conf, const void *data, size_t n, struct err *e) MUST_CHECK;
/* Makes the model and starts the feeds, or the replay. record: file to record to (recorder.h); NULL: none. */
enum status app_start(struct app *a, const char *record, struct err *e) MUST_CHECK;
/*
 * From now on alerts do what the configuration says: for front ends that stay (the monitor, --stream, record), after app_start.
 * Nothing in a replay or the demo.
 */
enum status app_hooks(struct app *a, struct err *e) MUST_CHECK;
/* Replays: goes to another place of the recording, with a new model; mono as of replay_find. */
enum status app_jump(struct app *a, uint64_t mono, struct err *e) MUST_CHECK;
/* Replays: holds at once, so that app_start and app_jump stop where they were told to. */
void app_hold(struct app *a, bool on);
/* The clock that the model goes by: this machine's, or the recording's. */
uint64_t app_now(const struct app *a);
/*
 * Applies what the rings hold, at most 64 events of each in rotating order. Returns DIRTY_ bits; *more: something is left, so the
 * next poll must not wait.
 */
unsigned app_drain(struct app *a, bool *more);
/* Time passes: model_tick, what is missing, own cost. Returns DIRTY_ bits. */
unsigned app_tick(struct app *a, uint64_t now_mono);
/* Sends a command to every feed. */
void app_command_all(struct app *a, enum cmd_kind kind);
/* Writes the end of a stream, ends the other outputs, and says how it went. why: "end", "signal". Nothing to do: ST_OK. */
enum status app_stop_outputs(struct app *a, const char *why, struct err *e) MUST_CHECK;
/* Ends the recording and says how it went. Nothing to do: ST_OK. */
enum status app_stop_recording(struct app *a, struct err *e) MUST_CHECK;
/*
 * Ends the feeds and frees everything. If one does not end within 2 s the process ends here with `code`, the terminal
 * being closed already.
 */
void app_fini(struct app *a, int code);

#endif
