#include "feed/secrets.h"

#include <stdlib.h>
#include <string.h>

enum {
	FEEDS = 64,
	LEAST = 4, /* below, nothing is a secret of a URL: "v3" */
	WORD_MOST = 20, /* letters alone of this many and more are no word */
	ANYWHERE = 16, /* from here on a secret counts inside of other words too */
};

struct needle {
	struct needle *next;
	size_t n;
	char text[];
};

struct secrets {
	struct needle *of[FEEDS];
};

struct secrets *secrets_new(void)
{
	return calloc(1, sizeof(struct secrets));
}

void secrets_free(struct secrets *s)
{
	if (!s)
		return;
	for (unsigned f = 0; f < FEEDS; f++) {
		for (struct needle *k = s->of[f], *next; k; k = next) {
			next = k->next;
			free(k);
		}
	}
	free(s);
}

static bool is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void add(struct secrets *s, unsigned feed, const char *text, size_t n)
{
	struct needle *k;

	if (n == 0 || feed >= FEEDS)
		return;
	for (k = s->of[feed]; k; k = k->next) {
		if (k->n == n && memcmp(k->text, text, n) == 0)
			return;
	}
	k = malloc(sizeof(*k) + n + 1);
	if (!k)
		return;
	k->n = n;
	memcpy(k->text, text, n);
	k->text[n] = 0;
	k->next = s->of[feed];
	s->of[feed] = k;
}

/* As it stands, and as it stands inside a JSON string. */
static void add_both(struct secrets *s, unsigned feed, const char *text, size_t n)
{
	char *escaped = malloc(2 * n + 1);
	size_t k = 0;

	add(s, feed, text, n);
	for (size_t i = 0; escaped && i < n; i++) {
		if (strchr("\"\\/", text[i]))
			escaped[k++] = '\\';
		escaped[k++] = text[i];
	}
	if (escaped && k != n)
		add(s, feed, escaped, k);
	free(escaped);
}

/* "mainnet", "eth_subscribe", "json-rpc": lower case letters with signs between. */
static bool is_word(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!((p[i] >= 'a' && p[i] <= 'z') || strchr("-_.", p[i])))
			return false;
	}
	return n < WORD_MOST;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static void add_part(struct secrets *s, unsigned feed, const char *p, size_t n)
{
	char *plain;
	size_t k = 0;

	if (n < LEAST || is_word(p, n))
		return;
	add_both(s, feed, p, n);
	if (!memchr(p, '%', n))
		return;
	plain = malloc(n);
	for (size_t i = 0; plain && i < n; i++) {
		if (p[i] == '%' && i + 2 < n && hex_digit(p[i + 1]) >= 0 && hex_digit(p[i + 2]) >= 0) {
			plain[k++] = (char)(hex_digit(p[i + 1]) << 4 | hex_digit(p[i + 2]));
			i += 2;
		} else {
			plain[k++] = p[i];
		}
	}
	if (plain)
		add_both(s, feed, plain, k);
	free(plain);
}

void secrets_url(struct secrets *s, unsigned feed, const struct url *u)
{
	const char *p = u ? u->target : NULL;

	if (!u || u->scheme == URL_IPC || u->scheme == URL_RECORDING)
		return;
	while (p && *p) {
		size_t n = strcspn(p, "/?&=");

		add_part(s, feed, p, n);
		p += n + (p[n] != 0);
	}
	if (u->user)
		add_both(s, feed, u->user, strlen(u->user));
	if (u->pass)
		add_both(s, feed, u->pass, strlen(u->pass));
}

void secrets_add(struct secrets *s, unsigned feed, const char *value)
{
	const char *p = value;

	add_both(s, feed, value, strlen(value));
	while (*p) {
		size_t n = strcspn(p, " ,;");

		add_part(s, feed, p, n);
		p += n + (p[n] != 0);
	}
}

static unsigned blot(char *text, size_t n, const struct needle *k)
{
	char *p = text, *end = text + n;
	unsigned found = 0;

	while ((p = memmem(p, (size_t)(end - p), k->text, k->n)) != NULL) {
		bool left = p == text || !is_alnum(p[-1]) || !is_alnum(k->text[0]);
		bool right = p + k->n == end || !is_alnum(p[k->n]) || !is_alnum(k->text[k->n - 1]);

		if (k->n >= ANYWHERE || (left && right)) {
			memset(p, '*', k->n);
			found++;
			p += k->n;
		} else {
			p++;
		}
	}
	return found;
}

/* Texts of ours were cut where their buffer ended: a secret's first bytes may stand at the end of a JSON string. */
static unsigned blot_cut(char *text, size_t n, const struct needle *k)
{
	char *p = text, *end = text + n;
	unsigned found = 0;

	while (k->n > LEAST && (p = memmem(p, (size_t)(end - p), k->text, LEAST)) != NULL) {
		size_t m = LEAST;

		while (m < k->n && p + m < end && p[m] == k->text[m])
			m++;
		if ((p + m == end || p[m] == '"') && (p == text || !is_alnum(p[-1]) || !is_alnum(k->text[0]) || m >= ANYWHERE)) {
			memset(p, '*', m);
			found++;
		}
		p += m;
	}
	return found;
}

unsigned secrets_blot_cut(const struct secrets *s, unsigned feed, char *text, size_t n)
{
	unsigned found = secrets_blot(s, feed, text, n);

	if (feed >= FEEDS)
		return 0;
	for (const struct needle *k = s->of[feed]; k; k = k->next)
		found += blot_cut(text, n, k);
	return found;
}

unsigned secrets_blot(const struct secrets *s, unsigned feed, char *text, size_t n)
{
	unsigned found = 0;

	if (feed >= FEEDS)
		return 0;
	for (const struct needle *k = s->of[feed]; k; k = k->next)
		found += blot(text, n, k);
	return found;
}
