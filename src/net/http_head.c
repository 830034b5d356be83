/* Heads and statuses of HTTP answers; see http_head.h. */
#include "net/http_head.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/time.h"
#include "net/stream.h"

static const uint64_t retry_max = 300 * NS_S;

long
http_head_end(const char *p, size_t n, size_t from)
{
	static const char http[] = "HTTP/1.";
	size_t k = n < sizeof(http) - 1 ? n : sizeof(http) - 1;

	if (memcmp(p, http, k) != 0)
		return -1;
	/* A blank line may have begun before `from`. */
	for (size_t i = from > 3 ? from - 3 : 0; i < n; i++) {
		if (p[i] != '\n')
			continue;
		if (i + 1 < n && p[i + 1] == '\n')
			return (long)(i + 2);
		if (i + 2 < n && p[i + 1] == '\r' && p[i + 2] == '\n')
			return (long)(i + 3);
	}
	return 0;
}

static void
copy_value(char *out, size_t size, const char *s, size_t n)
{
	if (n >= size)
		n = size - 1;
	memcpy(out, s, n);
	out[n] = 0;
}

static bool
is(const char *s, size_t n, const char *word)
{
	return n == strlen(word) && strncasecmp(s, word, n) == 0;
}

static void
header(struct http_head *h, const char *name, size_t nn, const char *v, size_t vn, uint64_t wall_ns)
{
	if (is(name, nn, "Retry-After")) {
		h->retry_ns = http_retry_after(v, vn, wall_ns);
	} else if (is(name, nn, "Upgrade")) {
		h->upgrade = is(v, vn, "websocket");
	} else if (is(name, nn, "Sec-WebSocket-Accept")) {
		copy_value(h->accept, sizeof(h->accept), v, vn);
	} else if (is(name, nn, "Sec-WebSocket-Extensions")) {
		copy_value(h->extensions, sizeof(h->extensions), v, vn);
	} else if (is(name, nn, "Sec-WebSocket-Protocol")) {
		copy_value(h->protocol, sizeof(h->protocol), v, vn);
	} else if (is(name, nn, "Location")) {
		http_location_host(h->host, sizeof(h->host), v, vn);
	}
}

static bool
digit(char c)
{
	return c >= '0' && c <= '9';
}

enum status
http_head_parse(struct http_head *h, const char *p, size_t n, uint64_t wall_ns, struct err *e)
{
	const char *end = p + n, *line = memchr(p, '\n', n);

	*h = (struct http_head){0};
	/* "HTTP/1.1 101" */
	if (line == NULL || line - p < 12 || p[8] != ' ' || !digit(p[9]) || !digit(p[10]) ||
		!digit(p[11]))
		return err_set(e, ST_MALFORMED, "the answer is not HTTP");
	h->status = (p[9] - '0') * 100 + (p[10] - '0') * 10 + (p[11] - '0');
	for (line++; line < end;) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));
		const char *colon, *v;

		if (stop == NULL)
			stop = end;
		colon = memchr(line, ':', (size_t)(stop - line));
		if (colon != NULL) {
			const char *back = stop;

			for (v = colon + 1; v < back && (*v == ' ' || *v == '\t');)
				v++;
			while (back > v && (back[-1] == '\r' || back[-1] == ' ' || back[-1] == '\t'))
				back--;
			header(h, line, (size_t)(colon - line), v, (size_t)(back - v), wall_ns);
		}
		line = stop + 1;
	}
	return ST_OK;
}

static int
month(const char *name)
{
	static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

	for (int i = 0; i < 12; i++)
		if (strncasecmp(names + 3 * i, name, 3) == 0)
			return i;
	return -1;
}

/* RFC 9110 §5.6.7: IMF-fixdate, RFC 850 and asctime. −1: none of them. */
static int64_t
parse_date(const char *s)
{
	struct tm tm = {0};
	char mon[4] = "", zone[4] = "";
	const char *comma = strchr(s, ',');

	if (comma != NULL && sscanf(comma + 1, "%2d %3s %4d %2d:%2d:%2d %3s", &tm.tm_mday, mon,
				     &tm.tm_year, &tm.tm_hour, &tm.tm_min, &tm.tm_sec, zone) == 7) {
		tm.tm_year -= 1900;
	} else if (comma != NULL && sscanf(comma + 1, "%2d-%3s-%2d %2d:%2d:%2d %3s", &tm.tm_mday, mon,
					    &tm.tm_year, &tm.tm_hour, &tm.tm_min, &tm.tm_sec,
					    zone) == 7) {
		tm.tm_year += tm.tm_year < 70 ? 100 : 0;
	} else if (comma == NULL && sscanf(s, "%*3s %3s %2d %2d:%2d:%2d %4d", mon, &tm.tm_mday,
					    &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &tm.tm_year) == 6) {
		tm.tm_year -= 1900;
		memcpy(zone, "GMT", 4);
	}
	tm.tm_mon = month(mon);
	if (strcmp(zone, "GMT") != 0 || tm.tm_mon < 0 || tm.tm_mday < 1 || tm.tm_mday > 31 ||
		tm.tm_year < 70 || tm.tm_year > 1000)
		return -1;
	return (int64_t)timegm(&tm);
}

uint64_t
http_retry_after(const char *s, size_t n, uint64_t wall_ns)
{
	char text[48];
	uint64_t ns;
	int64_t at;
	size_t i = 0;

	if (n == 0 || n >= sizeof(text))
		return 0;
	memcpy(text, s, n);
	text[n] = 0;
	if (digit(text[0])) {
		uint64_t v = 0;

		for (; digit(text[i]); i++)
			v = v < retry_max ? v * 10 + (uint64_t)(text[i] - '0') : v;
		if (text[i] != 0 && text[i] != '.')
			return 0;
		ns = v > retry_max / NS_S ? retry_max : v * NS_S;
		return ns < NS_MS ? NS_MS : ns;
	}
	at = parse_date(text);
	if (at < 0)
		return 0;
	ns = (uint64_t)at > wall_ns / NS_S ? (uint64_t)at - wall_ns / NS_S : 0;
	ns = ns > retry_max / NS_S ? retry_max : ns * NS_S;
	return ns < NS_MS ? NS_MS : ns;
}

void
http_location_host(char *out, size_t size, const char *s, size_t n)
{
	const char *p = memmem(s, n, "://", 3), *end = s + n, *at;
	size_t k;

	out[0] = 0;
	if (p == NULL)
		return;
	p += 3;
	for (k = 0; p + k < end && !strchr("/?#", p[k]);)
		k++;
	at = memrchr(p, '@', k);
	if (at != NULL) {
		k -= (size_t)(at + 1 - p);
		p = at + 1;
	}
	if (k > 0 && p[0] != '[') {
		const char *colon = memchr(p, ':', k);

		if (colon != NULL)
			k = (size_t)(colon - p);
	}
	copy_value(out, size, p, k);
	for (char *c = out; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c + 32);
}

static bool
is_ws(const struct url *u)
{
	return u->scheme == URL_WS || u->scheme == URL_WSS;
}

static const char *
reason(int status)
{
	switch (status) {
	case 400: return "bad request";
	case 404: return "not found";
	case 405: return "method not allowed";
	case 413: return "request too large";
	case 426: return "upgrade required";
	case 500: return "internal server error";
	case 502: return "bad gateway";
	case 503: return "service unavailable";
	case 504: return "gateway timeout";
	default: return "";
	}
}

enum status
http_status_err(struct err *e, int status, const char *host, const struct url *u,
	const struct net_opts *o)
{
	const char *text = reason(status);
	struct err scratch;

	if (e == NULL)
		e = &scratch;
	if (status == 401 || status == 403) {
		err_set_detail(e, ST_AUTH, status, "HTTP %d: key rejected", status);
		if (o->jwt_file)
			return err_cure(e, "check the --jwt file and this machine's clock");
		if (url_is_local(u))
			return err_cure(e, "does this port want --jwt? geth: see --http.vhosts, --ws.origins");
		return err_cure(e, "check the key in the URL or in -H");
	}
	if (status == 429) {
		err_set_detail(e, ST_RATE, status, "HTTP 429: rate limited");
		return err_cure(e, "fewer paths to this provider, or a larger plan");
	}
	if (status == 407) {
		err_set_detail(e, ST_PROXY, status, "HTTP 407: the proxy wants a password");
		return err_cure(e, "--proxy http://user:password@host:port");
	}
	if (status >= 300 && status < 400) {
		err_set_detail(e, ST_HTTP, status, "HTTP %d: redirects%s%s, not followed", status,
			host[0] ? " to " : "", host);
		return err_cure(e, "use the address that it redirects to");
	}
	if (status < 300 && is_ws(u)) {
		err_set_detail(e, ST_HTTP, status, "no WebSocket here: HTTP %d instead of 101", status);
		if (url_is_local(u))
			return err_cure(e, "start geth with --ws and use its port, or say http://");
		return err_cure(e, "check the URL, or try %s", u->scheme == URL_WSS ? "https://" : "http://");
	}
	err_set_detail(e, ST_HTTP, status, "HTTP %d%s%s", status, text[0] ? " " : "", text);
	if (status == 404)
		return err_cure(e, "check the path of the URL");
	if ((status == 400 || status == 405 || status == 426) && is_ws(u))
		return err_cure(e, "no WebSocket at this address? try http://");
	if (status == 405 || status == 400 || status == 426)
		return err_cure(e, "no JSON-RPC at this address? try ws://");
	if (status >= 500)
		return err_cure(e, "the node or what stands before it has trouble; it is asked again");
	return e->code;
}
