/* Boundaries of JSON texts in a stream; see ipc_scan.h. */
#include "net/ipc_scan.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/*
 * First '"' or '\' at or behind i, or n. Eight bytes a step: a block is nearly all strings.
 * (x − 0x01…) & ~x & 0x80… has a bit for each zero byte of x, and none below the first.
 */
static size_t
string_end(const char *p, size_t i, size_t n)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), high = ones << 7;

	for (; i + 8 <= n; i += 8) {
		uint64_t v, q, b;

		memcpy(&v, p + i, 8);
		q = v ^ ones * '"';
		b = v ^ ones * '\\';
		if (((q - ones) & ~q & high) | ((b - ones) & ~b & high))
			break;
	}
	while (i < n && p[i] != '"' && p[i] != '\\')
		i++;
	return i;
}

static bool
is_space(char c)
{
	return c == '\n' || c == ' ' || c == '\r' || c == '\t';
}

static enum ipc_found
between(const char *p, size_t n, size_t *used)
{
	bool space = is_space(p[0]);
	size_t i = 0;

	while (i < n && p[i] != '{' && p[i] != '[' && is_space(p[i]) == space)
		i++;
	*used = i;
	return space ? IPC_SPACE : IPC_JUNK;
}

#ifdef __SSE2__
enum {
	STEP = 64,
};

/* A bit for each of 16 bytes that is c. */
static inline uint64_t
equal16(__m128i v, char c)
{
	return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8(c)));
}

static inline uint64_t
equal64(const __m128i v[4], char c)
{
	return equal16(v[0], c) | equal16(v[1], c) << 16 | equal16(v[2], c) << 32 | equal16(v[3], c) << 48;
}

/* Few are set: no instruction for it is needed, which not all processors have. */
static inline unsigned
count_bits(uint64_t m)
{
	unsigned n = 0;

	for (; m != 0; m &= m - 1)
		n++;
	return n;
}

/*
 * Goes over whole steps in which no text ends, without a branch for each string: brackets are counted where an even
 * number of quotes stands before them. Stops in front of a backslash, and of a step in which the depth might reach 0.
 * SSE2 is part of x86-64, so nothing is chosen at run time.
 */
static size_t
skip_steps(struct ipc_scan *s, const char *p, size_t i, size_t n)
{
	const __m128i bend = _mm_set1_epi8(0x20);

	while (i + STEP <= n) {
		const __m128i *at = (const __m128i *)(const void *)(p + i);
		__m128i v[4] = {_mm_loadu_si128(at), _mm_loadu_si128(at + 1), _mm_loadu_si128(at + 2),
			_mm_loadu_si128(at + 3)};
		uint64_t quotes, inside, open, close;

		if (equal64(v, '\\') != 0)
			return i;
		quotes = equal64(v, '"');
		/* '[' and ']' are '{' and '}' without the bit 0x20. */
		v[0] = _mm_or_si128(v[0], bend);
		v[1] = _mm_or_si128(v[1], bend);
		v[2] = _mm_or_si128(v[2], bend);
		v[3] = _mm_or_si128(v[3], bend);
		open = equal64(v, '{');
		close = equal64(v, '}');
		/* Parity of the quotes up to each byte: set from an opening quote to before its closing one. */
		inside = quotes ^ quotes << 1;
		inside ^= inside << 2;
		inside ^= inside << 4;
		inside ^= inside << 8;
		inside ^= inside << 16;
		inside ^= inside << 32;
		if (s->in_string)
			inside = ~inside;
		open &= ~inside;
		close &= ~inside;
		if ((open | close) != 0) {
			unsigned closed = count_bits(close);

			if (s->depth <= closed)
				return i;
			s->depth += count_bits(open);
			s->depth -= closed;
		}
		s->in_string = inside >> 63;
		i += STEP;
	}
	return i;
}
#else
static size_t
skip_steps(struct ipc_scan *s, const char *p, size_t i, size_t n)
{
	(void)s;
	(void)p;
	(void)n;
	return i;
}
#endif

enum ipc_found
ipc_scan_next(struct ipc_scan *s, const char *p, size_t n, size_t *used)
{
	size_t i = 0, tried = 0;

	if (s->depth == 0 && p[0] != '{' && p[0] != '[')
		return between(p, n, used);
	while (i < n) {
		/* Once for each step's worth of bytes: where it stopped, the loop below goes on for a while. */
		if (i >= tried && s->depth > 0 && !s->escape) {
			i = skip_steps(s, p, i, n);
			tried = i + 64;
			if (i == n)
				break;
		}
		if (s->escape) {
			s->escape = false;
			i++;
			continue;
		}
		if (s->in_string) {
			i = string_end(p, i, n);
			if (i == n)
				break;
			s->escape = p[i] == '\\';
			s->in_string = s->escape;
			i++;
			continue;
		}
		switch (p[i++]) {
		case '"': s->in_string = true; break;
		case '{':
		case '[': s->depth++; break;
		case '}':
		case ']':
			if (--s->depth > 0)
				break;
			*used = i;
			return IPC_MESSAGE;
		default: break;
		}
	}
	*used = n;
	return IPC_MORE;
}
