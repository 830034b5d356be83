/* What a block says of itself; see block_fields.h. */
#include "ui/panes/block_fields.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/hex.h"
#include "base/time.h"
#include "base/utf8.h"
#include "eth/address.h"
#include "eth/names.h"
#include "ui/panes/parts.h"

enum { HASH_WIDE = 70 };

/* In the order of the page; the first eight are those of the picture in the design. */
enum field {
	F_HASH, F_PARENT, F_HEARD, F_BUILDER, F_GAS, F_BASE, F_BURNED, F_BLOBS, F_TRUTH, F_FATE, F_TIME, F_TXS, F_SEEN, F_TIPS,
	F_SIZE, F_USABLE, F_WITHDRAWALS, F_EXTRA, F_MINER, F_SLOT, F_STATE, F_TX_ROOT, F_RECEIPTS, F_WITHDRAWALS_ROOT,
	F_BEACON, F_REQUESTS, F_BAL, F_UNCLES, F_MIX, F_NONCE, F_DIFFICULTY, F_TOTAL_DIFFICULTY, F_N
};
_Static_assert((int)F_N <= (int)FIELDS_MAX, "every field has room");

/* Fields that are nothing but a hash of the header. */
static const struct hash *root_of(const struct header *h, enum field f)
{
	switch (f) {
	case F_STATE:
		return &h->state_root;
	case F_TX_ROOT:
		return &h->tx_root;
	case F_RECEIPTS:
		return &h->receipts_root;
	case F_WITHDRAWALS_ROOT:
		return h->has & H_WITHDRAWALS_ROOT ? &h->withdrawals_root : NULL;
	case F_BEACON:
		return h->has & H_BEACON_ROOT ? &h->beacon_root : NULL;
	case F_REQUESTS:
		return h->has & H_REQUESTS_HASH ? &h->requests_hash : NULL;
	case F_BAL:
		return h->has & H_BAL_HASH ? &h->bal_hash : NULL;
	case F_UNCLES:
		return &h->uncles_hash;
	case F_MIX:
		return h->has & H_MIX ? &h->mix_hash : NULL;
	default:
		return NULL;
	}
}

static bool is_poa(const struct block_view *v)
{
	return v->c && v->c->turns;
}

static bool has_field(const struct block_view *v, enum field f)
{
	const struct header *h = v->body ? &v->body->h : NULL;

	switch (f) {
	case F_HASH:
	case F_HEARD:
	case F_GAS:
	case F_BASE:
	case F_TIME:
		return true;
	case F_PARENT:
		return v->h.has & H_PARENT;
	case F_BURNED:
		return v->h.has & H_BASE_FEE && !u256_is_zero(&v->h.base_fee);
	case F_BLOBS:
		return v->h.has & H_BLOB_GAS_USED;
	case F_BUILDER:
		return is_poa(v) || (v->b && v->b->builder[0]);
	case F_TRUTH:
		return v->b && v->b->truth_why[0];
	case F_FATE:
		return v->b && v->b->state != BLK_CANON;
	case F_TXS:
	case F_TIPS:
		return v->b && v->b->body_seen;
	case F_SEEN:
		return v->b && v->b->seen_known && v->b->seen_of;
	case F_USABLE:
		return v->b && v->b->heard && v->b->usable_mono != UNKNOWN;
	case F_MINER:
		return v->h.has & H_MINER;
	case F_SIZE:
	case F_EXTRA:
		return h;
	case F_WITHDRAWALS:
		return h && h->has & H_WITHDRAWALS;
	case F_SLOT:
		return v->c && v->c->info->slot_genesis && v->h.time_ms / 1000 >= v->c->info->slot_genesis;
	case F_NONCE:
		return h && h->has & H_NONCE;
	case F_DIFFICULTY:
		return h && h->has & H_DIFFICULTY;
	case F_TOTAL_DIFFICULTY:
		return h && h->has & H_TOTAL_DIFFICULTY;
	default:
		return h && root_of(h, f);
	}
}

void block_view(struct block_view *v, const struct model *m, const struct hash *hash, const struct block *b)
{
	*v = (struct block_view){ .m = m, .c = model_chain(m), .body = b };
	v->b = v->c ? chain_by_hash(v->c, hash) : NULL;
	if (v->b)
		v->h = v->b->h;
	else if (b)
		head_from(&v->h, &b->h, block_at(b, b->h.extra));
	v->known = v->b || b;
	for (unsigned f = 0; v->known && f < F_N; f++) {
		if (has_field(v, (enum field)f))
			v->field[v->n_fields++] = (uint8_t)f;
	}
}

/* ---- texts ---- */

static void hash_text(const struct block_view *v, const uint8_t *bytes, size_t n, char *out, size_t size)
{
	char hex[2 + 64 + 1];

	hex_print(hex, bytes, n < 32 ? n : 32);
	if (v->width >= HASH_WIDE || n < 16)
		snprintf(out, size, "%s", hex);
	else
		snprintf(out, size, "%.10s\xe2\x80\xa6%s", hex, hex + strlen(hex) - 6);
}

static void mark_of(struct doc_line *l, unsigned i, const char *what, enum truth t)
{
	static const char *const sign[] = { "", "\xe2\x9c\x93", "?", "\xe2\x9c\x97" };
	static const enum role role[] = { ROLE_DIM, ROLE_OK, ROLE_DIM, ROLE_CRIT };

	if (t == TRUTH_NONE)
		return;
	snprintf(l->mark[i].text, sizeof(l->mark[i].text), "%s %s", what, sign[t]);
	l->mark[i].role = role[t];
}

static void line_hash(const struct block_view *v, struct doc_line *l)
{
	char hash[2 + 64 + 8];

	hash_text(v, v->h.hash.b, 32, hash, sizeof(hash));
	snprintf(l->text, sizeof(l->text), "%s ", hash);
	if (!v->b)
		return;
	mark_of(l, 0, "hash", v->b->part[PART_HEADER]);
	mark_of(l, 1, "txs", v->b->part[PART_TXS]);
	mark_of(l, 2, "wdrl", v->b->part[PART_WITHDRAWALS]);
}

static void line_parent(const struct block_view *v, struct doc_line *l)
{
	char hash[2 + 64 + 8], n[NUMBER_MAX];

	hash_text(v, v->h.parent.b, 32, hash, sizeof(hash));
	snprintf(l->text, sizeof(l->text), "%s   %s", hash, v->h.number ? number_int(n, sizeof(n), v->h.number - 1) : "");
}

/* Paths that heard it, the first one first. */
static unsigned listeners(const struct block_view *v, uint8_t path[PATHS_MAX], uint64_t mono[PATHS_MAX])
{
	unsigned n = 0;

	for (unsigned i = 0; i < v->m->n_paths && i < PATHS_MAX; i++) {
		uint64_t at = path_heard(v->m->paths[i], &v->h.hash);
		unsigned k = n;

		if (at == UNKNOWN)
			continue;
		for (; k > 0 && mono[k - 1] > at; k--) {
			mono[k] = mono[k - 1];
			path[k] = path[k - 1];
		}
		mono[k] = at;
		path[k] = (uint8_t)i;
		n++;
	}
	return n;
}

/* "ws" is enough where only one of the paths is spoken to so. */
static void path_label(const struct model *m, const uint8_t *path, unsigned n, unsigned i, char *out, size_t size)
{
	const struct path *p = m->paths[path[i]];
	bool alone = i > 0;

	for (unsigned k = 0; k < n && alone; k++)
		alone = k == i || strcmp(m->paths[path[k]]->via, p->via) != 0;
	snprintf(out, size, "%s%s%s", alone ? "" : p->node, alone ? "" : " ", p->via);
}

/* "geth ipc 1.91 s late, ws +0.1, wss +182 ms" */
static void line_heard(const struct block_view *v, struct doc_line *l)
{
	uint8_t path[PATHS_MAX];
	uint64_t mono[PATHS_MAX];
	unsigned n = listeners(v, path, mono);
	char label[64], num[NUMBER_MAX], piece[160];
	int at;

	if (n == 0) {
		snprintf(l->text, sizeof(l->text), "not live: asked for afterwards");
		l->role = ROLE_DIM;
		return;
	}
	path_label(v->m, path, n, 0, label, sizeof(label));
	if (v->b && v->b->heard && v->b->late_known)
		at = snprintf(l->text, sizeof(l->text), "%s %s s %s", label,
			      number_fixed(num, sizeof(num), fabs((double)v->b->late_ns) / 1e9, 2),
			      v->b->late_ns < 0 ? "early" : "late");
	else
		at = snprintf(l->text, sizeof(l->text), "%s%s", label, n > 1 ? " first" : "");
	for (unsigned i = 1; i < n; i++) {
		double ms = (double)(mono[i] - mono[0]) / 1e6;

		path_label(v->m, path, n, i, label, sizeof(label));
		snprintf(piece, sizeof(piece), ", %s%s +%s", label, v->m->paths[path[i]]->push ? "" : " poll",
			 number_fixed(num, sizeof(num), ms, ms < 9.95));
		if (parts_width(l->text) + parts_width(piece) + (i + 1 < n ? 9 : 3) > v->width && i > 1) {
			at += snprintf(l->text + at, sizeof(l->text) - (size_t)at, " ms, %u more", n - i);
			return;
		}
		if (at + (int)strlen(piece) + 16 >= (int)sizeof(l->text))
			return;
		at += snprintf(l->text + at, sizeof(l->text) - (size_t)at, "%s", piece);
	}
	if (n > 1)
		snprintf(l->text + at, sizeof(l->text) - (size_t)at, " ms");
}

static void line_builder(const struct block_view *v, struct doc_line *l)
{
	char name[72], text[ADDRESS_TEXT];
	size_t n = v->h.extra_len < sizeof(v->h.extra) ? v->h.extra_len : sizeof(v->h.extra);

	l->role = ROLE_BUILDER;
	if (is_poa(v)) {
		snprintf(l->label, sizeof(l->label), "signer");
		snprintf(l->text, sizeof(l->text), "%s",
			 v->b && v->b->signer_known ? address_text(text, &v->b->signer) : "\xe2\x80\x94");
		if (v->b && v->b->run && v->c->run_len)
			snprintf(l->mark[0].text, sizeof(l->mark[0].text), "%u/%u", v->b->run, v->c->run_len);
		return;
	}
	name_builder(name, sizeof(name), v->h.extra, n, NULL);
	snprintf(l->text, sizeof(l->text), "%s (from %s)", v->b->builder, name[0] ? "extra data" : "the fee recipient");
}

static void line_gas(const struct block_view *v, struct doc_line *l)
{
	char used[NUMBER_MAX], limit[NUMBER_MAX], share[NUMBER_MAX];

	number_int(used, sizeof(used), v->h.gas_used);
	if (v->h.gas_limit >= PARTS_NO_LIMIT) {
		snprintf(l->text, sizeof(l->text), "%s, no limit", used);
		return;
	}
	number_percent(share, sizeof(share), v->h.gas_limit ? (double)v->h.gas_used / (double)v->h.gas_limit : NAN, 1);
	snprintf(l->text, sizeof(l->text), "%s of %s   %s", used, number_int(limit, sizeof(limit), v->h.gas_limit), share);
}

/* What the block after this one took, or will. */
static bool next_base(const struct block_view *v, struct u256 *out)
{
	const struct blk *child = v->c ? chain_by_number(v->c, v->h.number + 1) : NULL;

	if (child && hash_eq(&child->h.parent, &v->h.hash)) {
		*out = child->h.base_fee;
		return child->h.has & H_BASE_FEE;
	}
	return v->c && v->c->info->eip1559 && fee_next_base(&v->h.base_fee, v->h.gas_used, v->h.gas_limit, out);
}

/* All nine digits: the exact number is what one comes here for. */
static char *exact_fee(char *out, size_t size, const struct u256 *wei, enum fee_unit unit)
{
	if (unit == FEE_GWEI)
		return number_gwei(out, size, wei, 9);
	if (unit == FEE_ETHER)
		return number_ether(out, size, wei, 18);
	return number_fee_in(out, size, wei, unit);
}

static void line_base(const struct block_view *v, struct doc_line *l)
{
	char now[NUMBER_MAX], next[NUMBER_MAX];
	const char *unit = fee_unit_name(v->unit);
	struct u256 child;

	if (!(v->h.has & H_BASE_FEE)) {
		snprintf(l->text, sizeof(l->text), "none");
		return;
	}
	exact_fee(now, sizeof(now), &v->h.base_fee, v->unit);
	if (next_base(v, &child) && !(u256_is_zero(&child) && u256_is_zero(&v->h.base_fee)))
		snprintf(l->text, sizeof(l->text), "%s \xe2\x86\x92 next %s %s", now,
			 exact_fee(next, sizeof(next), &child, v->unit), unit);
	else if (u256_is_zero(&v->h.base_fee))
		snprintf(l->text, sizeof(l->text), "0");
	else
		snprintf(l->text, sizeof(l->text), "%s %s", now, unit);
}

static const struct blob_schedule *blobs_of(const struct block_view *v)
{
	return v->c ? chain_blobs(v->c->info, v->h.time_ms / 1000) : NULL;
}

static bool burned(const struct block_view *v, struct u256 *out)
{
	struct header h = {
		.has = v->h.has,
		.base_fee = v->h.base_fee,
		.gas_used = v->h.gas_used,
		.blob_gas_used = v->h.blob_gas_used,
		.excess_blob_gas = v->h.excess_blob_gas,
	};

	return fee_burned(&h, blobs_of(v), out);
}

static void line_burned(const struct block_view *v, struct doc_line *l)
{
	struct u256 wei;
	char n[NUMBER_MAX];
	bool known = burned(v, &wei);

	snprintf(l->text, sizeof(l->text), "%s %s", number_ether(n, sizeof(n), known ? &wei : NULL, 6),
		 known ? parts_unit(v->c) : "");
}

static void line_blobs(const struct block_view *v, struct doc_line *l)
{
	const struct blob_schedule *s = blobs_of(v);
	char excess[NUMBER_MAX], fee[NUMBER_MAX];
	unsigned long long n = v->h.blob_gas_used / BLOB_GAS;
	struct u256 price;

	number_int(excess, sizeof(excess), v->h.excess_blob_gas);
	if (s && fee_blob_base(v->h.excess_blob_gas, s->fraction, &price))
		snprintf(l->text, sizeof(l->text), "%llu of %u, target %u    excess %s    %s", n, s->max, s->target, excess,
			 number_fee(fee, sizeof(fee), &price));
	else
		snprintf(l->text, sizeof(l->text), "%llu    excess %s", n, excess);
}

static void line_fate(const struct block_view *v, struct doc_line *l)
{
	const struct blk *b = v->b;
	char n[NUMBER_MAX];
	int at;

	l->role = ROLE_ORPHAN;
	if (b->state == BLK_SIDE) {
		snprintf(l->text, sizeof(l->text), "not on the chain we follow");
		return;
	}
	at = snprintf(l->text, sizeof(l->text), "orphan: %02x%02x won", b->winner.b[0], b->winner.b[1]);
	if (b->heard && b->orphaned_mono != UNKNOWN && b->first_mono != UNKNOWN && b->orphaned_mono >= b->first_mono)
		at += snprintf(l->text + at, sizeof(l->text) - (size_t)at, " after %s s",
			       number_fixed(n, sizeof(n), (double)(b->orphaned_mono - b->first_mono) / 1e9, 1));
	if (b->reincluded >= 0 && b->body_seen)
		snprintf(l->text + at, sizeof(l->text) - (size_t)at, ", %d/%u back", b->reincluded, b->ntx);
}

static void line_time(const struct block_view *v, struct doc_line *l)
{
	time_t t = (time_t)(v->h.time_ms / 1000);
	uint64_t after = v->b && v->c ? blk_interval_ms(v->c, v->b) : UNKNOWN;
	char date[40] = "", span[48];
	struct tm tm;
	int at;

	if (gmtime_r(&t, &tm))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &tm);
	at = snprintf(l->text, sizeof(l->text), "%s", date);
	if (v->h.has & H_MILLIS)
		at += snprintf(l->text + at, sizeof(l->text) - (size_t)at, ".%03u", (unsigned)(v->h.time_ms % 1000));
	at += snprintf(l->text + at, sizeof(l->text) - (size_t)at, " UTC");
	if (after != UNKNOWN)
		snprintf(l->text + at, sizeof(l->text) - (size_t)at, "   %s after parent",
			 parts_span(span, sizeof(span), after));
}

static void line_txs(const struct block_view *v, struct doc_line *l)
{
	static const char *const name[] = { "legacy", "2930", "1559", "blob", "7702", "other" };
	char n[NUMBER_MAX];
	int at = snprintf(l->text, sizeof(l->text), "%s", number_int(n, sizeof(n), v->b->ntx));

	for (unsigned i = 0; i < 6; i++) {
		if (v->b->types[i])
			at += snprintf(l->text + at, sizeof(l->text) - (size_t)at, "   %s %u", name[i], v->b->types[i]);
	}
}

/* Announced before any path heard of the block: "187 of 201 before (93 %)   lead p50 6.1 s". */
static void line_seen(const struct block_view *v, struct doc_line *l)
{
	char n[NUMBER_MAX], of[NUMBER_MAX], share[NUMBER_MAX], lead[40];
	int at = snprintf(l->text, sizeof(l->text), "%s of %s before (%s)", number_int(n, sizeof(n), v->b->seen),
			  number_int(of, sizeof(of), v->b->seen_of),
			  parts_share(share, sizeof(share), v->b->seen, v->b->seen_of, false));

	if (v->b->seen_p50 != UNKNOWN)
		snprintf(l->text + at, sizeof(l->text) - (size_t)at, "   lead p50 %s",
			 parts_lead(lead, sizeof(lead), v->b->seen_p50));
}

static void line_tips(const struct block_view *v, struct doc_line *l)
{
	const struct fee_tips *t = v->b->tips.valid ? &v->b->tips : NULL;
	char p[3][NUMBER_MAX];

	parts_fee(p[0], sizeof(p[0]), t ? &t->p10 : NULL, v->unit);
	parts_fee(p[1], sizeof(p[1]), t ? &t->p50 : NULL, v->unit);
	parts_fee(p[2], sizeof(p[2]), t ? &t->p90 : NULL, v->unit);
	snprintf(l->text, sizeof(l->text), "p10 %s   p50 %s   p90 %s %s", p[0], p[1], p[2], fee_unit_name(v->unit));
}

static void line_size(const struct block_view *v, struct doc_line *l)
{
	char json[NUMBER_MAX], size[NUMBER_MAX];

	number_bytes(json, sizeof(json), v->body->json_bytes);
	if (v->body->h.has & H_SIZE)
		snprintf(l->text, sizeof(l->text), "%s as RLP, %s as JSON",
			 number_bytes(size, sizeof(size), v->body->h.size), json);
	else
		snprintf(l->text, sizeof(l->text), "%s as JSON", json);
}

static const struct withdrawal *withdrawals(const struct block_view *v, unsigned *n)
{
	*n = v->body ? v->body->withdrawals.len : 0;
	return v->body ? block_at(v->body, v->body->withdrawals) : NULL;
}

/* Amounts are in gwei. */
static void line_withdrawals(const struct block_view *v, struct doc_line *l)
{
	unsigned n;
	const struct withdrawal *w = withdrawals(v, &n);
	struct u256 sum = u256_from64(0), one, gwei = u256_from64(1000000000);
	char ether[NUMBER_MAX];

	for (unsigned i = 0; i < n; i++) {
		one = u256_from64(w[i].amount);
		if (!u256_mul(&one, &one, &gwei) || !u256_add(&sum, &sum, &one))
			break;
	}
	snprintf(l->text, sizeof(l->text), "%u   %s %s", n, number_ether(ether, sizeof(ether), &sum, 6), parts_unit(v->c));
}

static void line_withdrawal(const struct block_view *v, unsigned i, struct doc_line *l)
{
	unsigned n;
	const struct withdrawal *w = withdrawals(v, &n) + i;
	struct u256 wei = u256_from64(w->amount), gwei = u256_from64(1000000000);
	char ether[NUMBER_MAX], validator[NUMBER_MAX], to[ADDRESS_SHORT];
	bool known = u256_mul(&wei, &wei, &gwei);

	snprintf(l->label, sizeof(l->label), "  #%u", i);
	snprintf(l->text, sizeof(l->text), "%s  %s  validator %s", address_short(to, &w->addr),
		 number_ether(ether, sizeof(ether), known ? &wei : NULL, 6),
		 number_int(validator, sizeof(validator), w->validator));
}

static bool readable(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i] < 0x20 || p[i] > 0x7e)
			return false;
	}
	return n > 0;
}

static void line_extra(const struct block_view *v, struct doc_line *l)
{
	const struct header *h = &v->body->h;
	const uint8_t *p = block_at(v->body, h->extra);
	char hex[2 + 2 * 200 + 1];
	uint32_t n = h->extra.len < 200 ? h->extra.len : 200;

	if (h->extra.len == 0)
		snprintf(l->text, sizeof(l->text), "none");
	else if (readable(p, h->extra.len))
		snprintf(l->text, sizeof(l->text), "\"%.*s\"", (int)n, (const char *)p);
	else if (h->extra.len <= 32)
		snprintf(l->text, sizeof(l->text), "%s", hex_print(hex, p, n));
	else
		snprintf(l->text, sizeof(l->text), "%u bytes  %s", h->extra.len, hex_print(hex, p, n));
}

static void line_miner(const struct block_view *v, struct doc_line *l)
{
	char text[ADDRESS_TEXT];

	snprintf(l->text, sizeof(l->text), "%s", address_text(text, &v->h.miner));
}

static uint64_t slot_of(const struct block_view *v)
{
	const struct chain_info *info = v->c->info;

	return info->block_ms ? (v->h.time_ms - info->slot_genesis * UINT64_C(1000)) / info->block_ms : 0;
}

static void line_slot(const struct block_view *v, struct doc_line *l)
{
	/* Ethereum and its test networks have 32 slots in an epoch, Gnosis 16. */
	unsigned per_epoch = v->c->info->block_ms == 12000 ? 32 : 16;
	char slot[NUMBER_MAX], epoch[NUMBER_MAX];

	snprintf(l->text, sizeof(l->text), "%s   epoch %s", number_int(slot, sizeof(slot), slot_of(v)),
		 number_int(epoch, sizeof(epoch), slot_of(v) / per_epoch));
}

static void line_root(const struct block_view *v, enum field f, struct doc_line *l)
{
	hash_text(v, root_of(&v->body->h, f)->b, 32, l->text, sizeof(l->text));
	l->role = ROLE_LABEL;
}

static void line_number(const struct u256 *n, struct doc_line *l)
{
	char dec[80];

	snprintf(l->text, sizeof(l->text), "%s", u256_dec(dec, sizeof(dec), n));
}

static const char *const labels[F_N] = {
	[F_HASH] = "hash",
	[F_PARENT] = "parent",
	[F_HEARD] = "heard",
	[F_BUILDER] = "builder",
	[F_GAS] = "gas",
	[F_BASE] = "base",
	[F_BURNED] = "burned",
	[F_BLOBS] = "blobs",
	[F_TRUTH] = "why",
	[F_FATE] = "fate",
	[F_TIME] = "time",
	[F_TXS] = "txs",
	[F_SEEN] = "seen",
	[F_TIPS] = "tips",
	[F_SIZE] = "size",
	[F_USABLE] = "usable",
	[F_WITHDRAWALS] = "wdrl",
	[F_EXTRA] = "extra",
	[F_MINER] = "fees to",
	[F_SLOT] = "slot",
	[F_STATE] = "state",
	[F_TX_ROOT] = "tx root",
	[F_RECEIPTS] = "receipts",
	[F_WITHDRAWALS_ROOT] = "w root",
	[F_BEACON] = "beacon",
	[F_REQUESTS] = "requests",
	[F_BAL] = "bal",
	[F_UNCLES] = "uncles",
	[F_MIX] = "mix",
	[F_NONCE] = "nonce",
	[F_DIFFICULTY] = "diff",
	[F_TOTAL_DIFFICULTY] = "total",
};

static void line(const void *ctx, unsigned i, struct doc_line *l)
{
	const struct block_view *v = ctx;
	char text[80];
	enum field f;

	if (i >= v->n_fields) {
		line_withdrawal(v, i - v->n_fields, l);
		return;
	}
	f = (enum field)v->field[i];
	snprintf(l->label, sizeof(l->label), "%s", labels[f]);
	switch (f) {
	case F_HASH:
		line_hash(v, l);
		break;
	case F_PARENT:
		line_parent(v, l);
		break;
	case F_HEARD:
		line_heard(v, l);
		break;
	case F_BUILDER:
		line_builder(v, l);
		break;
	case F_GAS:
		line_gas(v, l);
		break;
	case F_BASE:
		line_base(v, l);
		break;
	case F_BURNED:
		line_burned(v, l);
		break;
	case F_BLOBS:
		line_blobs(v, l);
		break;
	case F_TRUTH:
		snprintf(l->text, sizeof(l->text), "%s", v->b->truth_why);
		l->role = v->b->truth == TRUTH_NO ? ROLE_CRIT : ROLE_DIM;
		break;
	case F_FATE:
		line_fate(v, l);
		break;
	case F_TIME:
		line_time(v, l);
		break;
	case F_TXS:
		line_txs(v, l);
		break;
	case F_SEEN:
		line_seen(v, l);
		break;
	case F_TIPS:
		line_tips(v, l);
		break;
	case F_SIZE:
		line_size(v, l);
		break;
	case F_USABLE:
		snprintf(l->text, sizeof(l->text), "%s after the first head",
			 time_latency(text, sizeof(text), v->b->usable_mono > v->b->first_mono ?
							  v->b->usable_mono - v->b->first_mono : 0));
		break;
	case F_WITHDRAWALS:
		line_withdrawals(v, l);
		break;
	case F_EXTRA:
		line_extra(v, l);
		break;
	case F_MINER:
		line_miner(v, l);
		break;
	case F_SLOT:
		line_slot(v, l);
		break;
	case F_NONCE:
		snprintf(l->text, sizeof(l->text), "%s", hex_print(text, v->body->h.nonce, sizeof(v->body->h.nonce)));
		break;
	case F_DIFFICULTY:
		line_number(&v->body->h.difficulty, l);
		break;
	case F_TOTAL_DIFFICULTY:
		line_number(&v->body->h.total_difficulty, l);
		break;
	default:
		line_root(v, f, l);
		break;
	}
}

struct doc_source block_fields(const struct block_view *v)
{
	unsigned n = 0;

	if (v->known)
		withdrawals(v, &n);
	return (struct doc_source){ .ctx = v, .n = v->n_fields + n, .line = line };
}

/* ---- values ---- */

static enum status add_hex(struct buf *out, const uint8_t *p, size_t n)
{
	enum status st = buf_adds(out, "0x");

	for (size_t i = 0; i < n && st == ST_OK; i++)
		st = buf_addf(out, "%02x", p[i]);
	return st;
}

static enum status add_dec(struct buf *out, const struct u256 *v)
{
	char dec[80];

	return buf_adds(out, u256_dec(dec, sizeof(dec), v));
}

enum status block_field_value(const struct block_view *v, unsigned i, struct buf *out)
{
	unsigned n;
	const struct withdrawal *w = withdrawals(v, &n);
	struct doc_line l = { .role = ROLE_TEXT };
	char text[ADDRESS_TEXT];
	struct u256 wei;

	if (i >= v->n_fields)
		return i - v->n_fields < n ? buf_adds(out, address_text(text, &w[i - v->n_fields].addr)) : ST_OK;
	switch ((enum field)v->field[i]) {
	case F_HASH:
		return add_hex(out, v->h.hash.b, 32);
	case F_PARENT:
		return add_hex(out, v->h.parent.b, 32);
	case F_GAS:
		return buf_addf(out, "%" PRIu64, v->h.gas_used);
	case F_BASE:
		return v->h.has & H_BASE_FEE ? add_dec(out, &v->h.base_fee) : ST_OK;
	case F_BURNED:
		return burned(v, &wei) ? add_dec(out, &wei) : ST_OK;
	case F_BLOBS:
		return buf_addf(out, "%" PRIu64, v->h.blob_gas_used / BLOB_GAS);
	case F_TIME:
		return buf_addf(out, "%" PRIu64, v->h.time_ms / 1000);
	case F_TXS:
		return buf_addf(out, "%" PRIu32, v->b->ntx);
	case F_EXTRA:
		return add_hex(out, block_at(v->body, v->body->h.extra), v->body->h.extra.len);
	case F_MINER:
		return buf_adds(out, address_text(text, &v->h.miner));
	case F_SLOT:
		return buf_addf(out, "%" PRIu64, slot_of(v));
	default:
		break;
	}
	if (v->body && root_of(&v->body->h, (enum field)v->field[i]))
		return add_hex(out, root_of(&v->body->h, (enum field)v->field[i])->b, 32);
	line(v, i, &l);
	return buf_adds(out, l.text + strspn(l.text, " "));
}

long block_parent_line(const struct block_view *v)
{
	for (unsigned i = 0; i < v->n_fields; i++) {
		if (v->field[i] == F_PARENT)
			return i;
	}
	return -1;
}
