#include "base/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 64 << 10 };

static enum status feed(EVP_MD_CTX *ctx, int fd, const char *path, struct err *e)
{
	unsigned char piece[PIECE];
	ssize_t n;

	while ((n = read(fd, piece, sizeof(piece))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set_detail(e, ST_IO, errno, "%s: %s", path, strerror(errno));
		if (EVP_DigestUpdate(ctx, piece, (size_t)n) != 1)
			return err_set(e, ST_NOMEM, "%s: SHA-256 fails", path);
	}
	return ST_OK;
}

enum status sha256_file(char out[SHA256_HEX], const char *path, struct err *e)
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned int n = 0;
	EVP_MD_CTX *ctx = NULL;
	enum status st = ST_OK;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	out[0] = '\0';
	if (fd < 0)
		return err_set_detail(e, ST_IO, errno, "%s: %s", path, strerror(errno));
	ctx = EVP_MD_CTX_new();
	if (!ctx || EVP_DigestInit_ex(ctx, EVP_sha256(), NULL) != 1)
		st = err_set(e, ST_NOMEM, "%s: no SHA-256", path);
	if (st == ST_OK)
		st = feed(ctx, fd, path, e);
	if (st == ST_OK && (EVP_DigestFinal_ex(ctx, digest, &n) != 1 || n != 32))
		st = err_set(e, ST_NOMEM, "%s: no SHA-256", path);
	for (unsigned i = 0; st == ST_OK && i < n; i++)
		snprintf(out + (size_t)2 * i, 3, "%02x", digest[i]);
	EVP_MD_CTX_free(ctx);
	close(fd);
	return st;
}
