#include "out/json_text.h"

#include <string.h>
#include <time.h>

#include "base/hex.h"
#include "base/number.h"
#include "eth/chains.h"
#include "out/append.h"

enum {
	CHUNK = 4096,
	KEPT = 16, /* containers whose members' names are remembered: what hides deeper has no notes */
	INDENT_MOST = 64, /* from here on lines begin in the same column: else 20 KB of brackets become 300 MB of blanks */
	NOTE_SIZE = 2 * NUMBER_MAX,
};

/* What may come next. */
enum next { NEXT_VALUE, NEXT_VALUE_OR_END, NEXT_KEY, NEXT_KEY_OR_END, NEXT_COLON, NEXT_COMMA };

struct writer {
	FILE *f;
	const struct json_text_opts *o;
	const char *start, *p, *end;
	unsigned depth;
	uint8_t object[JSON_TEXT_DEPTH / 8]; /* a bit for each open container */
	enum next next;
	enum field_unit unit[KEPT + 1]; /* of the values at this depth */
	char note[NOTE_SIZE]; /* of the value before, until its line ends */
	struct err *e;
};

static enum status bad(const struct writer *w, const char *what)
{
	return err_set(w->e, ST_MALFORMED, "no JSON: %s expected at byte %zu", what, (size_t)(w->p - w->start));
}

static void put(struct writer *w, const char *s)
{
	fputs(s, w->f);
}

/* In pieces that cut no character. */
void json_write_plain(FILE *f, const char *s, size_t n)
{
	char out[6 * CHUNK + APPEND_SLACK];

	while (n > 0) {
		size_t k = n < CHUNK ? n : CHUNK;

		while (k < n && k > 1 && ((unsigned char)s[k] & 0xc0) == 0x80)
			k--;
		fwrite(out, 1, (size_t)(append_json(out, s, k) - out), f);
		s += k;
		n -= k;
	}
}

static void end_line(struct writer *w)
{
	if (w->o->line)
		return;
	if (w->note[0]) {
		put(w, "  # ");
		put(w, w->note);
		w->note[0] = '\0';
	}
	put(w, "\n");
	for (unsigned i = 0; i < w->depth && i < INDENT_MOST; i++)
		put(w, "  ");
}

static bool in_object(const struct writer *w)
{
	unsigned top = w->depth - 1;

	return w->depth && w->object[top / 8] & 1u << top % 8;
}

/* ---- notes ---- */

static void note_time(char *out, const struct u256 *v)
{
	uint64_t s = u256_sat64(v);
	time_t t = (time_t)s;
	struct tm tm;

	/* Until the year 9999. */
	if (s < UINT64_C(253402300800) && gmtime_r(&t, &tm))
		strftime(out, NOTE_SIZE, "%Y-%m-%d %H:%M:%S UTC", &tm);
}

static void note_chain(char *out, const struct u256 *v)
{
	char n[NUMBER_MAX];
	const struct chain_info *c = u256_fits64(v) ? chain_find(v->w[0]) : NULL;

	u256_dec(n, sizeof(n), v);
	snprintf(out, NOTE_SIZE, "%s%s%s", n, c && c->id ? "  " : "", c && c->id ? c->name : "");
}

/* All digits that there are, and no zeros behind them. */
static void note_exact(char *out, const struct u256 *v, unsigned unit, const char *name)
{
	char n[NUMBER_MAX];
	size_t len;

	u256_unit(n, sizeof(n), v, unit, unit);
	len = strlen(n);
	while (len && n[len - 1] == '0')
		len--;
	if (len && n[len - 1] == '.')
		len--;
	snprintf(out, NOTE_SIZE, "%.*s %s", (int)len, n, name);
}

static void note_amount(char *out, const struct u256 *wei)
{
	char n[NUMBER_MAX];

	/* Small ones are nothing but zeros in ether. */
	if (u256_fits64(wei) && wei->w[0] < 1000000000)
		snprintf(out, NOTE_SIZE, "%s wei", number_int(n, sizeof(n), wei->w[0]));
	else
		note_exact(out, wei, 18, "ether");
}

static void note_price(char *out, const struct u256 *wei)
{
	char n[NUMBER_MAX];

	if (u256_fits64(wei) && wei->w[0] < 1000)
		snprintf(out, NOTE_SIZE, "%s wei", number_int(n, sizeof(n), wei->w[0]));
	else
		note_exact(out, wei, 9, "gwei");
}

/* text: a string's, between its quotes. */
static void make_note(struct writer *w, enum field_unit unit, const char *text, size_t n)
{
	const struct u256 giga = u256_from64(1000000000);
	struct u256 v;

	w->note[0] = '\0';
	if (unit == FIELD_NONE || !hex_u256(text, n, &v, NULL))
		return;
	switch (unit) {
	case FIELD_NUMBER:
		if (u256_fits64(&v) && v.w[0] != UINT64_MAX)
			number_int(w->note, NUMBER_MAX, v.w[0]);
		else
			u256_dec(w->note, NUMBER_MAX, &v);
		break;
	case FIELD_PRICE:
		note_price(w->note, &v);
		break;
	case FIELD_WEI:
		note_amount(w->note, &v);
		break;
	case FIELD_GWEI:
		if (u256_mul(&v, &v, &giga))
			note_amount(w->note, &v);
		break;
	case FIELD_TIME:
		note_time(w->note, &v);
		break;
	case FIELD_CHAIN:
		note_chain(w->note, &v);
		break;
	case FIELD_NONE:
		break;
	}
}

/* ---- tokens ---- */

/* The end of the string that begins at w->p, behind its quote; NULL: there is none. */
static const char *string_end(const struct writer *w)
{
	for (const char *p = w->p + 1; p < w->end; p++) {
		if (*p == '\\')
			p++;
		else if (*p == '"')
			return p + 1;
		else if ((unsigned char)*p < 0x20)
			return NULL;
	}
	return NULL;
}

static enum status put_string(struct writer *w)
{
	const char *end = string_end(w);
	unsigned at = w->depth < KEPT ? w->depth : KEPT;

	if (!end)
		return bad(w, "the end of a string");
	if (w->next == NEXT_KEY || w->next == NEXT_KEY_OR_END) {
		w->next = NEXT_COLON;
		if (w->o->notes && w->depth <= KEPT)
			w->unit[at] = field_unit(w->p + 1, (size_t)(end - w->p) - 2);
	} else {
		w->next = NEXT_COMMA;
		if (w->o->notes && w->depth <= KEPT)
			make_note(w, w->unit[at], w->p + 1, (size_t)(end - w->p) - 2);
	}
	json_write_plain(w->f, w->p, (size_t)(end - w->p));
	w->p = end;
	return ST_OK;
}

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '-' || c == '.';
}

static enum status put_word(struct writer *w)
{
	const char *p = w->p;

	while (p < w->end && is_word(*p))
		p++;
	if (p == w->p)
		return bad(w, "a value");
	json_write_plain(w->f, w->p, (size_t)(p - w->p));
	w->p = p;
	w->next = NEXT_COMMA;
	return ST_OK;
}

static void skip_space(struct writer *w)
{
	while (w->p < w->end && (*w->p == ' ' || *w->p == '\n' || *w->p == '\r' || *w->p == '\t'))
		w->p++;
}

static enum status open_container(struct writer *w)
{
	bool object = *w->p == '{';
	unsigned bit = 1u << w->depth % 8;

	if (w->depth == JSON_TEXT_DEPTH)
		return err_set(w->e, ST_TOO_BIG, "nested more than %d deep", JSON_TEXT_DEPTH);
	put(w, object ? "{" : "[");
	w->object[w->depth / 8] = (uint8_t)(object ? w->object[w->depth / 8] | bit : w->object[w->depth / 8] & ~bit);
	w->depth++;
	/* What a list is called its items are called. */
	if (w->depth <= KEPT)
		w->unit[w->depth] = object ? FIELD_NONE : w->unit[w->depth - 1];
	w->p++;
	skip_space(w);
	w->next = object ? NEXT_KEY_OR_END : NEXT_VALUE_OR_END;
	if (w->p == w->end || *w->p != (object ? '}' : ']'))
		end_line(w);
	return ST_OK;
}

static enum status close_container(struct writer *w)
{
	bool empty = w->next == NEXT_KEY_OR_END || w->next == NEXT_VALUE_OR_END, object = in_object(w);

	if (!w->depth || (!empty && w->next != NEXT_COMMA) || *w->p != (object ? '}' : ']'))
		return bad(w, "something else");
	w->depth--;
	if (!empty)
		end_line(w);
	put(w, object ? "}" : "]");
	w->p++;
	w->next = NEXT_COMMA;
	return ST_OK;
}

static enum status one(struct writer *w)
{
	bool value = w->next == NEXT_VALUE || w->next == NEXT_VALUE_OR_END;
	bool key = w->next == NEXT_KEY || w->next == NEXT_KEY_OR_END;

	switch (*w->p) {
	case '{':
	case '[':
		return value ? open_container(w) : bad(w, key ? "a name" : "a comma");
	case '}':
	case ']':
		return close_container(w);
	case '"':
		return value || key ? put_string(w) : bad(w, "a comma");
	case ':':
		if (w->next != NEXT_COLON)
			return bad(w, "no colon");
		put(w, w->o->line ? ":" : ": ");
		w->next = NEXT_VALUE;
		w->p++;
		return ST_OK;
	case ',':
		if (w->next != NEXT_COMMA || !w->depth)
			return bad(w, "no comma");
		put(w, ",");
		end_line(w);
		w->next = in_object(w) ? NEXT_KEY : NEXT_VALUE;
		w->p++;
		return ST_OK;
	default:
		return value ? put_word(w) : bad(w, key ? "a name" : "a comma");
	}
}

enum status json_write(FILE *f, const char *text, size_t n, const struct json_text_opts *o, struct err *e)
{
	struct writer w = { .f = f, .o = o, .start = text, .p = text, .end = text + n, .next = NEXT_VALUE, .e = e };
	enum status st = ST_OK;

	w.unit[0] = o->notes ? o->top : FIELD_NONE;
	skip_space(&w);
	while (w.p < w.end && st == ST_OK) {
		st = one(&w);
		skip_space(&w);
		if (st == ST_OK && !w.depth && w.next == NEXT_COMMA)
			break;
	}
	if (st == ST_OK && (w.p < w.end || w.depth || w.next != NEXT_COMMA))
		st = bad(&w, w.p < w.end ? "the end" : "more");
	if (w.note[0] && !o->line) {
		put(&w, "  # ");
		put(&w, w.note);
	}
	put(&w, "\n");
	return st == ST_OK && ferror(f) ? err_set(e, ST_IO, "cannot write") : st;
}
