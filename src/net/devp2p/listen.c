#include "net/devp2p/listen.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

static enum status failed(struct err *e, const char *what, int *fd)
{
	const int why = errno;

	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	return err_set_detail(e, ST_IO, why, "%s: %s", what, strerror(why));
}

static struct sockaddr_in loopback(uint16_t port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons(port),
	};
}

/* A frame is one write: nothing is gained by waiting for more. */
static int no_delay(int fd)
{
	const int one = 1;

	return setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

enum status listen_open(int *fd, uint16_t *port, struct err *e)
{
	struct sockaddr_in a = loopback(*port);
	socklen_t n = sizeof(a);

	*fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (*fd < 0 || bind(*fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(*fd, 8) < 0 ||
		getsockname(*fd, (struct sockaddr *)&a, &n) < 0)
		return failed(e, "listen on 127.0.0.1", fd);
	*port = ntohs(a.sin_port);
	return ST_OK;
}

enum status listen_accept(int fd, int timeout_ms, int *peer, struct err *e)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int n;

	do
		n = poll(&p, 1, timeout_ms);
	while (n < 0 && errno == EINTR);
	if (n == 0)
		return err_set(e, ST_TIMEOUT, "nobody connected in %d ms", timeout_ms);
	*peer = n < 0 ? -1 : accept4(fd, NULL, NULL, SOCK_CLOEXEC);
	if (*peer < 0 || no_delay(*peer) < 0)
		return failed(e, "accept", peer);
	return ST_OK;
}

enum status listen_connect(int *fd, uint16_t port, struct err *e)
{
	struct sockaddr_in a = loopback(port);

	*fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (*fd < 0 || connect(*fd, (struct sockaddr *)&a, sizeof(a)) < 0 || no_delay(*fd) < 0)
		return failed(e, "connect to 127.0.0.1", fd);
	return ST_OK;
}
