#include "out/words.h"

#define WORDS(name, ...) \
	const char *name(unsigned i) \
	{ \
		static const char *const words[] = { __VA_ARGS__ }; \
		\
		return i < sizeof(words) / sizeof(words[0]) ? words[i] : NULL; \
	}

WORDS(link_word, "idle", "connecting", "live", "polling", "silent", "waiting", "stopped")
WORDS(source_word, "push", "poll", "first", "backfill", "gap", "walk", "asked")
WORDS(truth_word, "none", "yes", "unknown", "no")
WORDS(info_word, "client", "peers", "sync", "txpool", "gas_price", "poll_interval", "pending", "fork", "disk")
WORDS(line_word, "ok", "warn", "crit", "wait")
WORDS(scope_word, "node", "chain", "machine")
WORDS(unit_word, "s", "count", "blocks", "percent")

const char *code_word(unsigned code)
{
	return status_word(code < ST_N ? (enum status)code : ST_INTERNAL);
}
