#include "net/devp2p/enode.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hex.h"

static enum status wrong(struct err *e, const char *what)
{
	err_set(e, ST_USAGE, "enode URL: %s", what);
	return err_cure(e, "it looks like enode://<128 hex digits>@host:port");
}

static bool read_port(const char *s, uint16_t *out)
{
	unsigned v = 0, n = 0;

	for (; s[n] >= '0' && s[n] <= '9' && n < 6; n++)
		v = 10 * v + (unsigned)(s[n] - '0');
	if (n == 0 || v == 0 || v > UINT16_MAX || (s[n] != '\0' && s[n] != '?' && s[n] != '/'))
		return false;
	*out = (uint16_t)v;
	return true;
}

enum status enode_parse(struct enode *n, const char *text, struct err *e)
{
	const char *at, *end, *colon;
	size_t len;

	memset(n, 0, sizeof(*n));
	if (strncmp(text, "enr:", 4) == 0) {
		err_set(e, ST_USAGE, "a node record (enr:) has to be looked up first");
		return err_cure(e, "use the node's enode:// URL: admin.nodeInfo.enode");
	}
	if (strncmp(text, "enode://", 8) != 0)
		return wrong(e, "it does not begin with enode://");
	text += 8;
	at = strchr(text, '@');
	if (at == NULL || at - text != 2 * CURVE_PUB || !hex_digits(text, n->id, CURVE_PUB))
		return wrong(e, "the node id is not 128 hex digits");
	at++;
	if (*at == '[') {
		at++;
		end = strchr(at, ']');
		if (end == NULL || end[1] != ':')
			return wrong(e, "no ] and port behind the address");
		colon = end + 1;
	} else {
		end = colon = strchr(at, ':');
		if (colon == NULL)
			return wrong(e, "no port");
	}
	len = (size_t)(end - at);
	if (len == 0 || len >= sizeof(n->host))
		return wrong(e, "no host");
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)at[i] <= ' ' || (unsigned char)at[i] >= 0x7f || at[i] == '/' || at[i] == '@')
			return wrong(e, "a strange character in the host");
	memcpy(n->host, at, len);
	return read_port(colon + 1, &n->port) ? ST_OK : wrong(e, "the port is not a number of 1 to 65535");
}

static void put_hex(char *out, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		snprintf(out + 2 * i, 3, "%02x", p[i]);
}

char *enode_print(char out[ENODE_TEXT], const struct enode *n)
{
	char id[2 * CURVE_PUB + 1];
	const bool v6 = strchr(n->host, ':') != NULL;

	put_hex(id, n->id, CURVE_PUB);
	snprintf(out, ENODE_TEXT, "enode://%s@%s%s%s:%u", id, v6 ? "[" : "", n->host, v6 ? "]" : "", (unsigned)n->port);
	return out;
}

char *enode_short(char out[20], const uint8_t id[CURVE_PUB])
{
	put_hex(out, id, 4);
	memcpy(out + 8, "…", sizeof("…") - 1);
	put_hex(out + 11, id + CURVE_PUB - 3, 3);
	return out;
}

static enum status io_err(struct err *e, const char *file, int why)
{
	return err_set_detail(e, ST_IO, why, "%s: %s", file, strerror(why));
}

static enum status make_key(uint8_t key[CURVE_KEY], const char *file, struct err *e)
{
	char text[2 * CURVE_KEY + 2];
	struct curve *c;
	enum status st = curve_new(&c, e);
	int fd;

	if (st != ST_OK)
		return st;
	if (!curve_key(c, key)) {
		curve_free(c);
		return err_set(e, ST_INTERNAL, "no random bytes for a key");
	}
	curve_free(c);
	put_hex(text, key, CURVE_KEY);
	text[2 * CURVE_KEY] = '\n';
	fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return io_err(e, file, errno);
	if (write(fd, text, 2 * CURVE_KEY + 1) != 2 * CURVE_KEY + 1)
		st = io_err(e, file, errno);
	if (close(fd) != 0 && st == ST_OK)
		st = io_err(e, file, errno);
	if (st != ST_OK)
		unlink(file);
	OPENSSL_cleanse(text, sizeof(text));
	return st;
}

enum status enode_key(uint8_t key[CURVE_KEY], const char *file, struct err *e)
{
	char text[256], *p = text;
	struct stat s;
	ssize_t n;
	const int fd = open(file, O_RDONLY | O_CLOEXEC);
	enum status st = ST_OK;

	if (fd < 0)
		return errno == ENOENT ? make_key(key, file, e) : io_err(e, file, errno);
	if (fstat(fd, &s) != 0) {
		st = io_err(e, file, errno);
		goto out;
	}
	if (s.st_mode & 077) {
		st = err_set(e, ST_USAGE, "%s: others can read this key", file);
		err_cure(e, "chmod 600 it");
		goto out;
	}
	n = read(fd, text, sizeof(text) - 1);
	if (n < 0) {
		st = io_err(e, file, errno);
		goto out;
	}
	while (n > 0 && strchr(" \t\r\n", text[n - 1]) != NULL)
		n--;
	text[n] = '\0';
	p += strspn(p, " \t\r\n");
	if (strlen(p) != 2 * CURVE_KEY || !hex_digits(p, key, CURVE_KEY)) {
		st = err_set(e, ST_USAGE, "%s: not a node key of 64 hex digits", file);
		err_cure(e, "remove it: a fresh one is made then");
	}
out:
	close(fd);
	OPENSSL_cleanse(text, sizeof(text));
	return st;
}
