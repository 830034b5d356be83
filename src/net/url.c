/* Parsing, showing and hiding of endpoints; see url.h. */
#include "net/url.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "net/devp2p/enode.h"

enum {
	WORD_MAX = 4096, /* more is no URL that anybody typed */
	PORT_GUESS = 8545, /* what nodes listen on if nothing is said */
};

static const struct {
	const char *word;
	enum url_scheme scheme;
	uint16_t port;
} schemes[] = {
	{"ws", URL_WS, 80},
	{"wss", URL_WSS, 443},
	{"http", URL_HTTP, 80},
	{"https", URL_HTTPS, 443},
};

static bool starts(const char *s, const char *prefix)
{
	return strncasecmp(s, prefix, strlen(prefix)) == 0;
}

static bool ends(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n > m && strcmp(s + n - m, suffix) == 0;
}

static bool is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool has_control(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)s[i] < 0x20 || s[i] == 0x7f)
			return true;
	return false;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* The text never repeats the word: a mistyped URL still holds its key. */
static enum status usage(struct err *e, const char *text, const char *cure)
{
	err_set(e, ST_USAGE, "%s", text);
	if (e)
		err_cure(e, "%s", cure);
	return ST_USAGE;
}

/* Percent-decodes into fresh memory. ST_USAGE for a broken escape or a control behind one. */
static enum status decode(char **out, const char *s, size_t n, struct err *e)
{
	char *p = malloc(n + 1);
	size_t len = 0;

	if (!p)
		return err_set(e, ST_NOMEM, "out of memory");
	for (size_t i = 0; i < n; i++) {
		int hi, lo;

		if (s[i] != '%') {
			p[len++] = s[i];
			continue;
		}
		hi = i + 2 < n ? hex_digit(s[i + 1]) : -1;
		lo = i + 2 < n ? hex_digit(s[i + 2]) : -1;
		if (hi < 0 || lo < 0) {
			free(p);
			return usage(e, "user or password of the URL holds a broken % escape",
				"write a % itself as %25");
		}
		p[len++] = (char)(hi << 4 | lo);
		i += 2;
	}
	p[len] = 0;
	if (has_control(p, len)) {
		free(p);
		return usage(e, "user or password of the URL holds a control character",
			"remove it");
	}
	*out = p;
	return ST_OK;
}

/* "my node=ws://…": meant as a name, and better said so than that some port is none. */
static bool bad_name(const char *s)
{
	size_t n = strcspn(s, "=/?@[");

	return s[n] == '=' && (s[n + 1] == '/' || strstr(s + n, "://"));
}

/* NAME= in front, if NAME is made of name characters only; else it is part of the URL. */
static enum status take_name(struct url *u, const char **word, struct err *e)
{
	const char *s = *word;
	size_t n = 0;

	while (is_alnum(s[n]) || s[n] == '_' || s[n] == '-')
		n++;
	if ((n == 0 || s[n] != '=') && bad_name(s))
		return usage(e, "the name in front of = has other characters than A-Z a-z 0-9 _ -", "my-node=ws://host:port");
	if (n == 0 || s[n] != '=')
		return ST_OK;
	if (n >= sizeof(u->name))
		return usage(e, "the name in front of = is longer than 32 characters",
			"choose a shorter one");
	memcpy(u->name, s, n);
	u->name[n] = 0;
	*word = s + n + 1;
	if (!**word)
		return usage(e, "nothing behind NAME=", "write NAME=ws://host:port");
	return ST_OK;
}

static enum status take_port(struct url *u, const char *s, size_t n, struct err *e)
{
	unsigned long v = 0;

	for (size_t i = 0; i < n; i++) {
		if (s[i] < '0' || s[i] > '9' || n > 5)
			return usage(e, "the port is no number of 1 to 65535", "write host:8545");
		v = v * 10 + (unsigned long)(s[i] - '0');
	}
	if (n == 0 || v == 0 || v > 65535)
		return usage(e, "the port is no number of 1 to 65535", "write host:8545");
	u->port = (uint16_t)v;
	return ST_OK;
}

static enum status take_userinfo(struct url *u, const char *s, size_t n, struct err *e)
{
	const char *colon = memchr(s, ':', n);
	size_t user_n = colon ? (size_t)(colon - s) : n;
	enum status st = decode(&u->user, s, user_n, e);

	if (st == ST_OK)
		st = decode(&u->pass, colon ? colon + 1 : "", colon ? n - user_n - 1 : 0, e);
	return st;
}

/* Lower case, so that equal hosts compare equal and the loopback names are known. */
static enum status take_host(struct url *u, const char *s, size_t n, bool ip6, struct err *e)
{
	if (n == 0)
		return usage(e, "the URL has no host", "write ws://host:port");
	if (n >= sizeof(u->host))
		return usage(e, "the host is longer than 255 characters", "check it");
	for (size_t i = 0; i < n; i++) {
		char c = s[i];
		bool good = is_alnum(c) || c == '.' || c == '-' || c == '_';

		if (ip6)
			good = is_alnum(c) || c == ':' || c == '.' || c == '%';
		if (!good)
			return usage(e, "the host holds a character that no host name has",
				"names beyond ASCII in their xn-- form; IPv6 in [brackets]");
		u->host[i] = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
	}
	u->host[n] = 0;
	return ST_OK;
}

/* Path and query, without the fragment; bytes beyond ASCII and spaces leave escaped. */
static enum status take_target(struct url *u, const char *s, struct err *e)
{
	static const char digits[] = "0123456789ABCDEF";
	size_t n = strcspn(s, "#");
	char *p = malloc(3 * n + 2), *w = p;

	if (!p)
		return err_set(e, ST_NOMEM, "out of memory");
	if (n == 0 || s[0] != '/')
		*w++ = '/';
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c <= 0x20 || c >= 0x7f) {
			*w++ = '%';
			*w++ = digits[c >> 4];
			*w++ = digits[c & 15];
		} else {
			*w++ = (char)c;
		}
	}
	*w = 0;
	u->target = p;
	return ST_OK;
}

/* [user[:pass]@]host[:port][/path][?query], behind "scheme://" or alone. */
static enum status parse_authority(struct url *u, const char *s, struct err *e)
{
	size_t n = strcspn(s, "/?#");
	const char *rest = s + n, *host, *port = NULL, *end;
	enum status st = ST_OK;
	bool ip6 = false;

	/* The last @ parts: a password may hold one unescaped. */
	for (size_t i = n; i > 0; i--) {
		if (s[i - 1] != '@')
			continue;
		st = take_userinfo(u, s, i - 1, e);
		s += i;
		break;
	}
	if (st != ST_OK)
		return st;
	host = s;
	end = rest;
	if (*s == '[') {
		const char *close = memchr(s, ']', (size_t)(rest - s));

		if (!close || (close + 1 < rest && close[1] != ':'))
			return usage(e, "a [ without its ] in the host", "write [::1]:8545");
		ip6 = true;
		host = s + 1;
		end = close;
		port = close + 1 < rest ? close + 1 : NULL;
	} else {
		port = memchr(s, ':', (size_t)(rest - s));
		if (port)
			end = port;
	}
	if (port) {
		st = take_port(u, port + 1, (size_t)(rest - port - 1), e);
		if (st != ST_OK)
			return st;
	}
	st = take_host(u, host, (size_t)(end - host), ip6, e);
	return st == ST_OK ? take_target(u, rest, e) : st;
}

static bool is_ip4(const char *s, size_t n)
{
	unsigned dots = 0;

	for (size_t i = 0; i < n; i++) {
		if (s[i] == '.')
			dots++;
		else if (s[i] < '0' || s[i] > '9')
			return false;
	}
	return dots == 3;
}

/* localhost, 10.0.0.5, host:port, :8545. */
static enum status parse_guess(struct url *u, const char *s, struct err *e)
{
	static const char cure[] = "write ws://host:port, https://host/path, host:port, a socket's "
				   "/path, or a recording.ct";
	char full[WORD_MAX + 16];
	size_t n = strcspn(s, "/?#");
	const char *colon = memchr(s, ':', n);
	bool alone = (n == 9 && starts(s, "localhost")) || is_ip4(s, n) || *s == '[';

	u->scheme = URL_GUESS;
	u->port = PORT_GUESS;
	if (!*s)
		return usage(e, "empty URL", cure);
	if (!colon && !alone) {
		/* data/geth is a path whose ./ was forgotten; node is a name that no config knows. */
		if (strchr(s, '/'))
			return usage(e, "neither a URL nor a path", "a path begins with / or ./");
		return usage(e, "not a URL", cure);
	}
	snprintf(full, sizeof(full), "%s%s", *s == ':' ? "localhost" : "", s);
	return parse_authority(u, full, e);
}

static enum status parse_path(struct url *u, enum url_scheme scheme, const char *s, struct err *e)
{
	const char *home = starts(s, "~/") ? getenv("HOME") : NULL;
	size_t size = strlen(s) + (home ? strlen(home) : 0) + 1;

	if (!*s)
		return usage(e, "the path is empty", "write ipc:/path/of/geth.ipc");
	u->scheme = scheme;
	u->target = malloc(size);
	if (!u->target)
		return err_set(e, ST_NOMEM, "out of memory");
	snprintf(u->target, size, "%s%s", home ? home : "", home ? s + 1 : s);
	return ST_OK;
}

static bool is_path(const char *s)
{
	return starts(s, "/") || starts(s, "./") || starts(s, "../") || starts(s, "~/");
}

static enum status parse_scheme(struct url *u, const char *s, size_t n, struct err *e)
{
	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		if (strlen(schemes[i].word) != n || !starts(s, schemes[i].word))
			continue;
		u->scheme = schemes[i].scheme;
		u->port = schemes[i].port;
		return parse_authority(u, s + n + 3, e);
	}
	err_set(e, ST_USAGE, "unknown scheme %.*s://", n > 16 ? 16 : (int)n, s);
	if (e)
		err_cure(e, "known are ws:// wss:// http:// https:// and ipc:/path");
	return ST_USAGE;
}

static enum status parse_enode(struct url *u, const char *s, struct err *e)
{
	struct enode n;
	enum status st = enode_parse(&n, s, e);

	if (st != ST_OK)
		return st;
	st = take_host(u, n.host, strlen(n.host), strchr(n.host, ':') != NULL, e);
	if (st != ST_OK)
		return st;
	u->scheme = URL_ENODE;
	u->port = n.port;
	/* enode_parse saw that the digits are there. */
	u->target = strndup(s + strlen("enode://"), 2 * (size_t)CURVE_PUB);
	return u->target ? ST_OK : err_set(e, ST_NOMEM, "out of memory");
}

static enum status parse_word(struct url *u, const char *s, struct err *e)
{
	size_t n = 0;

	while (is_alnum(s[n]) || s[n] == '+' || s[n] == '.' || s[n] == '-')
		n++;
	if (starts(s, "enode:"))
		return parse_enode(u, s, e);
	if (starts(s, "enr:"))
		return usage(e, "enr: records are not understood", "use the enode:// form of the node");
	if (n > 0 && strncmp(s + n, "://", 3) == 0 && !(n == 3 && starts(s, "ipc")))
		return parse_scheme(u, s, n, e);
	if (starts(s, "ipc:"))
		return parse_path(u, URL_IPC, s + 4 + (starts(s + 4, "//") ? 2 : 0), e);
	if (ends(s, ".ct"))
		return parse_path(u, URL_RECORDING, s, e);
	if (is_path(s) || ends(s, ".ipc"))
		return parse_path(u, URL_IPC, s, e);
	return parse_guess(u, s, e);
}

enum status url_parse(struct url *u, const char *word, struct err *e)
{
	size_t n = strnlen(word, WORD_MAX + 1);
	enum status st;

	memset(u, 0, sizeof(*u));
	if (n > WORD_MAX)
		return usage(e, "the URL is longer than 4096 characters", "check it");
	if (has_control(word, n))
		return usage(e, "the URL holds a control character or line end", "remove it");
	st = take_name(u, &word, e);
	if (st == ST_OK)
		st = parse_word(u, word, e);
	if (st != ST_OK)
		url_fini(u);
	return st;
}

enum status url_copy(struct url *to, const struct url *from)
{
	*to = *from;
	to->target = from->target ? strdup(from->target) : NULL;
	to->user = from->user ? strdup(from->user) : NULL;
	to->pass = from->pass ? strdup(from->pass) : NULL;
	if (!to->target == !from->target && !to->user == !from->user && !to->pass == !from->pass)
		return ST_OK;
	url_fini(to);
	return ST_NOMEM;
}

void url_fini(struct url *u)
{
	free(u->target);
	free(u->user);
	free(u->pass);
	memset(u, 0, sizeof(*u));
}

char *url_show(char *out, size_t size, const struct url *u)
{
	const char *s = u->target ? u->target : "";
	unsigned parts = 0;
	size_t i;

	if (u->scheme != URL_IPC && u->scheme != URL_RECORDING) {
		bool ip6 = strchr(u->host, ':') != NULL;

		snprintf(out, size, ip6 ? "[%s]:%u" : "%s:%u", u->host, u->port);
		return out;
	}
	for (i = strlen(s); i > 0; i--)
		if (s[i - 1] == '/' && ++parts == 2)
			break;
	snprintf(out, size, "%s", s + i);
	return out;
}

const char *url_via(enum url_scheme s)
{
	switch (s) {
	case URL_WS: return "ws";
	case URL_WSS: return "wss";
	case URL_HTTP: return "http";
	case URL_HTTPS: return "https";
	case URL_IPC: return "ipc";
	case URL_GUESS: return "auto";
	case URL_RECORDING: return "ct";
	case URL_ENODE: return "rlpx";
	}
	return "?";
}

bool url_is_local(const struct url *u)
{
	size_t n = strlen(u->host);

	if (u->scheme == URL_IPC || u->scheme == URL_RECORDING)
		return true;
	if (strcmp(u->host, "localhost") == 0 || ends(u->host, ".localhost"))
		return true;
	if (is_ip4(u->host, n))
		return starts(u->host, "127.") || strcmp(u->host, "0.0.0.0") == 0;
	return strcmp(u->host, "::1") == 0 || starts(u->host, "::ffff:127.");
}

/* Texts are cut where a buffer ends: then a secret's beginning stands at the end. Four bytes of it are no accident. */
static void hide_beginning(char *text, const char *secret, size_t n)
{
	static const char dots[] = "…";
	size_t len = strlen(text), k = n - 1 < len ? n - 1 : len;

	for (; k >= 4; k--) {
		char *p = text + len - k;

		if (memcmp(p, secret, k) == 0 && (p == text || !is_alnum(p[-1]) || !is_alnum(secret[0]) || k >= 16)) {
			memcpy(p, dots, sizeof(dots));
			return;
		}
	}
}

/* Short secrets count only as whole words: a user called "a" must not blind every text. */
static void hide(char *text, const char *secret, size_t n)
{
	static const char dots[] = "…";
	char *p = text;

	if (n == 0)
		return;
	while ((p = memmem(p, strlen(p), secret, n)) != NULL) {
		bool whole = (p == text || !is_alnum(p[-1]) || !is_alnum(secret[0])) &&
			(!is_alnum(p[n]) || !is_alnum(secret[n - 1]));

		if (n < 4 && !whole) {
			p++;
			continue;
		}
		if (n < sizeof(dots) - 1) {
			memset(p, '*', n);
			p += n;
			continue;
		}
		memcpy(p, dots, sizeof(dots) - 1);
		memmove(p + sizeof(dots) - 1, p + n, strlen(p + n) + 1);
		p += sizeof(dots) - 1;
	}
	hide_beginning(text, secret, n);
}

void url_hide(char *text, const char *secret)
{
	if (secret)
		hide(text, secret, strlen(secret));
}

void url_redact(const struct url *u, char *text)
{
	const char *s = u->target;

	if (s && s[0] && s[1] && u->scheme != URL_IPC && u->scheme != URL_RECORDING && u->scheme != URL_ENODE) {
		url_hide(text, s);
		/* A library may name a part alone; below 4 bytes nothing is a key ("v3"). */
		while (*s) {
			size_t n = strcspn(s, "/?&=");
			char *plain = NULL;

			if (n >= 4)
				hide(text, s, n);
			if (n >= 4 && memchr(s, '%', n) && decode(&plain, s, n, NULL) == ST_OK)
				hide(text, plain, strlen(plain));
			free(plain);
			s += n + (s[n] != 0);
		}
	}
	url_hide(text, u->pass);
	url_hide(text, u->user);
}
