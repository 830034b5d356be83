#include "serve/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 128 };

static enum status not_an_address(const char *word, struct err *e)
{
	err_set(e, ST_USAGE, "%.80s: not an address to listen on", word);
	return err_cure(e, "127.0.0.1:8545, [::1]:8545 or :0");
}

/* "[::1]:80" → "::1", "80"; "80" → "", "80". */
static bool split(const char *word, char host[64], char port[6])
{
	const char *colon = strrchr(word, ':'), *digits = colon ? colon + 1 : word;
	size_t n = colon ? (size_t)(colon - word) : 0, len = strlen(digits);

	if (n >= 2 && word[0] == '[' && word[n - 1] == ']') {
		word++;
		n -= 2;
	} else if (memchr(word, ':', n)) {
		return false;
	}
	if (n > 63 || len < 1 || len > 5 || strspn(digits, "0123456789") != len)
		return false;
	/* getaddrinfo takes 99999 and cuts it to 16 bits. */
	if (strtoul(digits, NULL, 10) > 65535)
		return false;
	memcpy(host, word, n);
	host[n] = 0;
	memcpy(port, digits, len + 1);
	return true;
}

static int open_socket(int family)
{
	int fd = socket(family, SOCK_STREAM, 0);

	if (fd >= 0) {
		fcntl(fd, F_SETFD, FD_CLOEXEC);
		fcntl(fd, F_SETFL, O_NONBLOCK);
	}
	return fd;
}

enum status listen_tcp(const char *word, int *fd, char *show, size_t size, struct err *e)
{
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM };
	struct addrinfo *ai = NULL;
	struct sockaddr_storage at;
	socklen_t len = sizeof(at);
	char host[64], port[8], name[64];
	const char *address = "127.0.0.1";
	const int on = 1;
	enum status st = ST_OK;

	*fd = -1;
	if (!split(word, host, port))
		return not_an_address(word, e);
	if (host[0] && strcmp(host, "localhost") != 0)
		address = host;
	if (getaddrinfo(address, port, &hints, &ai) != 0 || !ai)
		return not_an_address(word, e);
	*fd = open_socket(ai->ai_family);
	if (*fd < 0 || setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
	    bind(*fd, ai->ai_addr, ai->ai_addrlen) != 0 || listen(*fd, BACKLOG) != 0 ||
	    getsockname(*fd, (struct sockaddr *)&at, &len) != 0) {
		st = err_set_detail(e, ST_IO, errno, "%.80s: cannot listen: %s", word, strerror(errno));
		if (errno == EADDRINUSE)
			st = err_cure(e, "another port, or port 0 for a free one");
		goto out;
	}
	if (getnameinfo((struct sockaddr *)&at, len, name, sizeof(name), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
		st = err_set(e, ST_IO, "%.80s: cannot tell its address", word);
		goto out;
	}
	snprintf(show, size, at.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", name, port);
out:
	freeaddrinfo(ai);
	if (st != ST_OK && *fd >= 0) {
		close(*fd);
		*fd = -1;
	}
	return st;
}

/* Is there a file in the way? A socket that nobody listens on is removed. */
static enum status make_room(const struct sockaddr_un *un, struct err *e)
{
	struct stat s;
	int fd, rc, why;

	if (lstat(un->sun_path, &s) != 0)
		return ST_OK;
	if (!S_ISSOCK(s.st_mode))
		return err_set(e, ST_USAGE, "%s: is there and no socket", un->sun_path);
	fd = open_socket(AF_UNIX);
	if (fd < 0)
		return err_set_detail(e, ST_IO, errno, "%s: %s", un->sun_path, strerror(errno));
	rc = connect(fd, (const struct sockaddr *)un, sizeof(*un));
	why = errno;
	close(fd);
	if (rc != 0 && why == ECONNREFUSED && unlink(un->sun_path) == 0)
		return ST_OK;
	return err_set(e, ST_USAGE, "%s: somebody listens there", un->sun_path);
}

enum status listen_unix(const char *path, int *fd, struct err *e)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	enum status st;
	mode_t mask;
	int rc;

	*fd = -1;
	if (!path[0] || strlen(path) >= sizeof(un.sun_path)) {
		err_set(e, ST_USAGE, "%.80s: no path for a socket", path);
		return err_cure(e, "a path of at most %zu bytes", sizeof(un.sun_path) - 1);
	}
	memcpy(un.sun_path, path, strlen(path) + 1);
	st = make_room(&un, e);
	if (st != ST_OK)
		return st;
	*fd = open_socket(AF_UNIX);
	/* The file has its rights from the moment it is there. */
	mask = umask(0177);
	rc = *fd < 0 ? -1 : bind(*fd, (struct sockaddr *)&un, sizeof(un));
	umask(mask);
	if (rc == 0 && listen(*fd, BACKLOG) == 0)
		return ST_OK;
	st = err_set_detail(e, ST_IO, errno, "%s: cannot listen: %s", path, strerror(errno));
	if (rc == 0)
		unlink(path);
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	return st;
}
