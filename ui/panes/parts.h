/* What panes share: texts that shrink, fees and rates as they stand beside a graph, the clipboard. */
#ifndef UI_PANES_PARTS_H
#define UI_PANES_PARTS_H

#include "model/compare.h"
#include "ui/pane.h"
#include "base/number.h"

enum { PARTS_TEXT = 512, BLOB_GAS = 131072 /* EIP-4844: gas of one blob */ };

/* Arbitrum's gas limit of that size means that there is none. */
static const uint64_t PARTS_NO_LIMIT = UINT64_C(1) << 50;

/*
 * Draws the first of n texts that fits from x to the edge, the last one clipped if none does. NULL entries are skipped.
 * Returns the column behind.
 */
int parts_fit(struct canvas *c, int x, int y, enum role role, const char *const *text, unsigned n);
/* Columns that a text takes. */
int parts_width(const char *s);
/* True, and says so, if there is no block yet. */
bool parts_waiting(struct canvas *in, const struct model *m);
/* The newest canonical blocks, newest first, NULL for one that is missing; ends at the oldest known. At most max. */
unsigned parts_blocks(const struct chain *c, const struct blk **out, unsigned max);
/* The newest block whose body is known, of the last three: the head's own is on its way for a moment. NULL: none. */
const struct blk *parts_newest_body(const struct chain *c);
/* How a cell of compare.h looks. */
enum role parts_tone(enum tone t);
/* ROLE_DIM for "—", else role. */
enum role parts_role(const char *s, enum role role);
/*
 * A fee with three digits in the unit chosen, without the unit's name; too little for that: "250,000 wei". NULL: "—".
 */
char *parts_fee(char *out, size_t size, const struct u256 *wei, enum fee_unit unit);
/* "Ξ", "BNB"; "ether" where nothing is known. c may be NULL. */
const char *parts_unit(const struct chain *c);
/* An amount of the chain's own currency with its unit: "2.838 Ξ", "0.000215 Ξ". */
char *parts_amount(char *out, size_t size, const struct u256 *wei, const struct chain *c);
/* "2.67 Mgas/s", "950 gas/s"; NaN: "—". */
char *parts_gas_rate(char *out, size_t size, double gas_per_s);
/* "19.7", "0.25", "1,204"; NaN: "—". */
char *parts_tx_rate(char *out, size_t size, double tx_per_s);
int parts_clamp(int v, int lo, int hi);

/* How the blocks of a window stand as bars: n of them, each so many columns, w columns in all. */
struct parts_bars {
	unsigned n;
	int each, w;
};

/* The window's blocks where they fit; the newest of them where not; older ones, too, where there is much more room. */
struct parts_bars parts_bars(unsigned window, int room, int least);
/* The upper edge of an axis for values up to max: a round number, little more than it. */
double parts_axis(double max);
/* A span of time: "250 ms", "12 s", "2.4 s", "3m20s". UNKNOWN: "—". */
char *parts_span(char *out, size_t size, uint64_t ms);
/* How long a wall time in ms is ago; what cannot be is the farthest that can. */
int64_t parts_since(const struct model *m, uint64_t time_ms);
/*
 * What became of a block that is not on the chain: "heard 4.9 s late, orphaned 8.7 s later: 95 of 97 txs re-included"; not wide:
 * "late 4.9 s, orphaned after 8.7 s, 95/97 back".
 */
char *parts_story(const struct blk *b, bool wide, char *out, size_t size);
/* An age with a blank before its unit while it is short: "4.2 s", "42 s", "1m04s". */
char *parts_age(char *out, size_t size, int64_t ns);
/*
 * n of `of` as a share: "83 %"; "—" of nothing. All are 100 %, what rounds there is "> 99 %"; the same for none. floor: "≥ 83 %".
 */
char *parts_share(char *out, size_t size, uint64_t n, uint64_t of, bool floor);
enum { PARTS_CHANGE = 48 };
/*
 * How the pool moves, with two blanks before it: "  +21.4/s" are the new ones, where somebody announces them; without, all that
 * is known is how its size changed between two answers: "  growing 1.2/s", "  shrinking 0.4/s". "": nothing is known.
 */
char *parts_pool_news(char *out, size_t size, const struct pool_view *p);
/* How long before: "250 ms", "6.1 s", "3m20s". UNKNOWN: "—". */
char *parts_lead(char *out, size_t size, uint64_t ns);
/* "0x…" of all 32 bytes. */
char *parts_hex(char out[67], const struct hash *h);
/* Opens the page of a block. PANE_OPEN. */
enum pane_result parts_open_block(struct pane *p, const struct hash *h, uint64_t number);
/* w and o: the window and the order that all comparisons share. PANE_IGNORED for all else. */
enum pane_result parts_setting(struct pane *p, enum ui_cmd cmd);
/* Opens the page of a path. PANE_OPEN. */
enum pane_result parts_open_path(struct pane *p, unsigned path);
/* A sentence for line 2. PANE_DONE. */
enum pane_result parts_say(struct pane *p, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Text for the clipboard. PANE_COPY. */
enum pane_result parts_copy(struct pane *p, const char *text);
/* The body of the page's block, or one transaction of it, for the clipboard; says so if that cannot be. */
enum pane_result parts_copy_json(struct pane *p, uint32_t tx);
/* Appends the JSON of a block, or of one of its transactions. ST_UNSUPPORTED without a writer. ST_NOMEM, ST_TOO_BIG. */
enum status parts_json(const struct pane *p, const struct block *b, uint32_t tx, struct buf *out) MUST_CHECK;
/* "at block 18,204,113" belongs on the frame while nodes still sync: then true. */
bool parts_syncing(const struct model *m);

#endif
