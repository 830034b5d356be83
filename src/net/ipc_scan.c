/* Boundaries of JSON texts in a stream; see ipc_scan.h. */
#include "net/ipc_scan.h"

#include <string.h>

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

enum ipc_found
ipc_scan_next(struct ipc_scan *s, const char *p, size_t n, size_t *used)
{
	size_t i = 0;

	if (s->depth == 0 && p[0] != '{' && p[0] != '[')
		return between(p, n, used);
	while (i < n) {
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
