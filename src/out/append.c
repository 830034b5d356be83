#include "out/append.h"

#include "base/utf8.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static const char digits[16] = "0123456789abcdef";

#ifdef __SSE2__
/* Sixteen bytes to 32 digits. SSE2 is part of x86-64, so nothing is chosen at run time. */
static inline void hex16(char *p, const uint8_t *b)
{
	const __m128i low = _mm_set1_epi8(0x0f), nine = _mm_set1_epi8(9), zero = _mm_set1_epi8('0'),
		      letter = _mm_set1_epi8('a' - '0' - 10);
	__m128i x = _mm_loadu_si128((const __m128i *)(const void *)b);
	__m128i h = _mm_and_si128(_mm_srli_epi16(x, 4), low), l = _mm_and_si128(x, low);

	h = _mm_add_epi8(_mm_add_epi8(h, zero), _mm_and_si128(_mm_cmpgt_epi8(h, nine), letter));
	l = _mm_add_epi8(_mm_add_epi8(l, zero), _mm_and_si128(_mm_cmpgt_epi8(l, nine), letter));
	_mm_storeu_si128((__m128i *)(void *)p, _mm_unpacklo_epi8(h, l));
	_mm_storeu_si128((__m128i *)(void *)(p + 16), _mm_unpackhi_epi8(h, l));
}
#else
static inline void hex16(char *p, const uint8_t *b)
{
	for (int i = 0; i < 16; i++) {
		p[2 * i] = digits[b[i] >> 4];
		p[2 * i + 1] = digits[b[i] & 15];
	}
}
#endif

char *append_hex(char *p, const void *bytes, size_t n)
{
	const uint8_t *b = bytes;
	char *end = p + 2 * n;

	if (n < 16) {
		for (; n > 0; n--, b++) {
			*p++ = digits[*b >> 4];
			*p++ = digits[*b & 15];
		}
		return end;
	}
	for (; n >= 16; n -= 16, b += 16, p += 32)
		hex16(p, b);
	/* The rest once more with what stands before it. */
	if (n > 0)
		hex16(p - 2 * (16 - n), b - (16 - n));
	return end;
}

/* The top `count` of 16 digits of v; writes 16 (and, by hex16, 32) bytes. */
static inline char *top_digits(char *p, uint64_t v, unsigned count)
{
	uint8_t b[16] = {0};

	v <<= 64 - 4 * count;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	memcpy(b, &v, sizeof(v));
	hex16(p, b);
	return p + count;
}

char *append_quantity(char *p, uint64_t v)
{
	p = APPEND(p, "0x");
	return top_digits(p, v, v ? (67 - (unsigned)__builtin_clzll(v)) / 4 : 1);
}

char *append_quantity256(char *p, const struct u256 *v)
{
	int i = 3;

	while (i > 0 && v->w[i] == 0)
		i--;
	p = append_quantity(p, v->w[i]);
	while (--i >= 0)
		p = top_digits(p, v->w[i], 16);
	return p;
}

static const char pairs[200] =
	"00010203040506070809101112131415161718192021222324252627282930313233343536373839"
	"40414243444546474849505152535455565758596061626364656667686970717273747576777879"
	"8081828384858687888990919293949596979899";

static inline char *pair(char *p, unsigned v)
{
	memcpy(p, pairs + 2 * v, 2);
	return p + 2;
}

/* Exactly eight digits. */
static inline char *eight(char *p, uint32_t v)
{
	uint32_t high = v / 10000, low = v % 10000;

	p = pair(p, high / 100);
	p = pair(p, high % 100);
	p = pair(p, low / 100);
	return pair(p, low % 100);
}

/* v < 10^8, without leading zeros. */
static inline char *short_dec(char *p, uint32_t v)
{
	char all[8];
	unsigned skip = 0;

	if (v < 10) {
		*p = (char)('0' + v);
		return p + 1;
	}
	eight(all, v);
	while (all[skip] == '0')
		skip++;
	for (unsigned i = skip; i < 8; i++)
		*p++ = all[i];
	return p;
}

char *append_dec(char *p, uint64_t v)
{
	const uint64_t part = 100000000;

	if (v < part)
		return short_dec(p, (uint32_t)v);
	if (v < part * part) {
		p = short_dec(p, (uint32_t)(v / part));
		return eight(p, (uint32_t)(v % part));
	}
	p = short_dec(p, (uint32_t)(v / (part * part)));
	v %= part * part;
	p = eight(p, (uint32_t)(v / part));
	return eight(p, (uint32_t)(v % part));
}

char *append_dec256(char *p, const struct u256 *v)
{
	char text[APPEND_DEC256 + 2];

	if (u256_fits64(v))
		return append_dec(p, v->w[0]);
	u256_dec(text, sizeof(text), v);
	return append(p, text, strlen(text));
}

static char *escape(char *p, unsigned unit)
{
	p = APPEND(p, "\\u");
	for (int shift = 12; shift >= 0; shift -= 4)
		*p++ = digits[unit >> shift & 15];
	return p;
}

char *append_json(char *p, const char *text, size_t n)
{
	while (n > 0) {
		unsigned char c = (unsigned char)*text;
		int len = 1;
		uint32_t cp;

		if (c >= 0x20 && c < 0x7f) {
			*p++ = (char)c;
		} else if (c < 0x20) {
			/* The decoder let it pass, so it stands between two tokens. */
			*p++ = ' ';
		} else {
			cp = utf8_decode(text, n, &len);
			if (cp >= 0x10000)
				p = escape(p, 0xd7c0 + (cp >> 10));
			p = escape(p, cp >= 0x10000 ? 0xdc00 | (cp & 0x3ff) : cp);
		}
		text += len;
		n -= (size_t)len;
	}
	return p;
}

static size_t tx_room(const struct block *b, const struct tx *t, const struct append_sizes *z)
{
	const struct access_entry *a = block_at(b, t->access);
	size_t n;

	if (t->has & T_HASH_ONLY)
		return z->hash;
	n = z->tx + 2 * (size_t)t->input.len + 6 * (size_t)t->raw.len + t->access.len * z->access +
		t->auths.len * z->auth + t->blobs.len * z->hash;
	for (uint32_t i = 0; i < t->access.len; i++)
		n += a[i].keys.len * z->hash;
	return n;
}

enum status append_begin(struct buf *out, const struct block *b, const struct append_sizes *z, char **p)
{
	const struct tx *txs = block_txs(b);
	size_t n = z->block + 2 * (size_t)b->h.extra.len + b->withdrawals.len * z->withdrawal +
		b->uncles.len * z->hash + APPEND_SLACK;
	enum status st;

	for (uint32_t i = 0; i < b->txs.len; i++)
		n += tx_room(b, &txs[i], z);
	st = buf_reserve(out, n);
	if (st == ST_OK)
		*p = out->p + out->len;
	return st;
}

void append_end(struct buf *out, char *p)
{
	*p = 0;
	out->len = (size_t)(p - out->p);
}
