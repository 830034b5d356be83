/* JSON Web Tokens of a node's authenticated port; see jwt.h. */
#include "net/jwt.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/hex.h"

enum status
jwt_read(uint8_t secret[JWT_SECRET], const char *file, struct err *e)
{
	enum status st = ST_OK;
	FILE *f = fopen(file, "re");
	char text[256];
	size_t n, skip;

	if (f == NULL) {
		err_set_detail(e, ST_USAGE, errno, "cannot read the JWT secret %s: %s", file,
			strerror(errno));
		if (e)
			err_cure(e, "--jwt takes the file that the node's --authrpc.jwtsecret names");
		return ST_USAGE;
	}
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = 0;
	while (n > 0 && strchr(" \t\r\n", text[n - 1]))
		text[--n] = 0;
	skip = strspn(text, " \t\r\n");
	if (text[skip] == '0' && (text[skip + 1] == 'x' || text[skip + 1] == 'X'))
		skip += 2;
	if (n - skip != 2 * (size_t)JWT_SECRET || !hex_digits(text + skip, secret, JWT_SECRET)) {
		st = err_set(e, ST_USAGE, "%s does not hold a JWT secret", file);
		if (e)
			err_cure(e, "the file holds 64 hex digits, with or without 0x");
	}
	OPENSSL_cleanse(text, sizeof(text));
	return st;
}

/* RFC 4648 §5: base64 without padding, − and _ for + and /. Returns the length. */
static size_t
base64url(char *out, const uint8_t *in, size_t n)
{
	size_t len = (size_t)EVP_EncodeBlock((unsigned char *)out, in, (int)n);

	while (len > 0 && out[len - 1] == '=')
		len--;
	out[len] = 0;
	for (size_t i = 0; i < len; i++) {
		if (out[i] == '+')
			out[i] = '-';
		else if (out[i] == '/')
			out[i] = '_';
	}
	return len;
}

enum status
jwt_make(char *out, const uint8_t secret[JWT_SECRET], uint64_t iat, struct err *e)
{
	static const char head[] = "{\"alg\":\"HS256\",\"typ\":\"JWT\"}";
	uint8_t mac[EVP_MAX_MD_SIZE];
	unsigned mac_n = 0;
	char claim[48];
	size_t n;
	int k;

	k = snprintf(claim, sizeof(claim), "{\"iat\":%" PRIu64 "}", iat);
	n = base64url(out, (const uint8_t *)head, sizeof(head) - 1);
	out[n++] = '.';
	n += base64url(out + n, (const uint8_t *)claim, (size_t)k);
	if (!HMAC(EVP_sha256(), secret, JWT_SECRET, (const uint8_t *)out, n, mac, &mac_n))
		return err_set(e, ST_INTERNAL, "HMAC-SHA256 is not available");
	out[n++] = '.';
	base64url(out + n, mac, mac_n);
	return ST_OK;
}
