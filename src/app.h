/*
 * What every live command shares: endpoints → feeds → model. The only place where feeds and model meet; main thread only.
 * Order of start: wake, claims, model, feeds. Order of stop: feeds (2 s), then what is left in the rings, then the model.
 */
#ifndef APP_H
#define APP_H

#include "conf/conf.h"
#include "feed/feed.h"
#include "model/model.h"

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
	char from[64]; /* where the endpoints come from if not from the command line: "ETH_RPC_URL", "found /…/geth.ipc"; "" */
	unsigned turn; /* ring to begin with */
	uint64_t events, frames;
	uint64_t head_recv; /* stamp of the head that is newest in the model; 0 once drawn */
	uint64_t next_wants, next_own;
};

/*
 * Reads the endpoints: words of the command line, else ETH_RPC_URL, else the first usual local address that answers within 300 ms.
 * None is no error: n_urls is 0. Allocates nothing that app_fini does not free.
 */
enum status app_init(struct app *a, const struct conf *conf, struct err *e) MUST_CHECK;
/* Makes the model and starts the feeds. */
enum status app_start(struct app *a, struct err *e) MUST_CHECK;
/*
 * Applies what the rings hold, at most 64 events of each in rotating order. Returns DIRTY_ bits; *more: something is left, so the
 * next poll must not wait.
 */
unsigned app_drain(struct app *a, bool *more);
/* Time passes: model_tick, what is missing, own cost. Returns DIRTY_ bits. */
unsigned app_tick(struct app *a, uint64_t now_mono);
/* Sends a command to every feed. */
void app_command_all(struct app *a, enum cmd_kind kind);
/* Ends the feeds and frees everything. If one does not end within 2 s the process ends here with `code`, the terminal being closed already. */
void app_fini(struct app *a, int code);

#endif
