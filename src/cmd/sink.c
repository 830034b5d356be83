#include "cmd/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"

enum {
	TOGETHER = 64 * 1024, /* bytes of a write, where the pieces are smaller */
};

static enum status failed(struct sink *s, struct err *e)
{
	if (errno == EPIPE)
		return err_set_detail(e, ST_IO, EPIPE, "%s: nobody reads it any more", s->name);
	return err_set_detail(e, ST_IO, errno, "%s: %s", s->name, strerror(errno));
}

static enum status write_all(struct sink *s, const char *p, size_t n, struct err *e)
{
	while (n > 0) {
		ssize_t k = write(s->fd, p, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return failed(s, e);
		p += k;
		n -= (size_t)k;
	}
	return ST_OK;
}

static enum status flush(struct sink *s, struct err *e)
{
	enum status st = write_all(s, s->held.p ? s->held.p : "", s->held.len, e);

	buf_clear(&s->held);
	return st;
}

enum status sink_write(struct sink *s, const char *text, size_t n, struct err *e)
{
	enum status st = ST_OK;

	if (s->held.len + n > TOGETHER)
		st = flush(s, e);
	if (st != ST_OK)
		return st;
	if (n >= TOGETHER)
		return write_all(s, text, n, e);
	st = buf_add(&s->held, text, n);
	return st == ST_OK ? ST_OK : err_set(e, st, "no memory to write with");
}

/* final + suffix. */
static char *name_with(const char *final, const char *suffix)
{
	size_t n = strlen(final) + strlen(suffix) + 1;
	char *p = malloc(n);

	if (p)
		snprintf(p, n, "%s%s", final, suffix);
	return p;
}

/* A new file has the rights that the shell would have given it, a replaced one those that it had. */
static mode_t usual_mode(const char *final)
{
	struct stat st;
	mode_t mask;

	if (stat(final, &st) == 0)
		return st.st_mode & 07777;
	mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

static enum status open_temp(struct sink *s, struct err *e)
{
	s->temp = name_with(s->final, ".XXXXXX");
	if (!s->temp)
		return err_set(e, ST_NOMEM, "no memory");
	s->fd = mkostemp(s->temp, O_CLOEXEC);
	if (s->fd < 0) {
		free(s->temp);
		s->temp = NULL;
		return failed(s, e);
	}
	/* If it fails the file is only more private than usual. */
	if (fchmod(s->fd, usual_mode(s->final)) != 0)
		errno = 0;
	return ST_OK;
}

enum status sink_open(struct sink *s, const char *path, struct err *e)
{
	struct stat st;

	*s = (struct sink){ .fd = -1 };
	buf_init(&s->held, 2 * TOGETHER);
	if (!path || strcmp(path, "-") == 0) {
		snprintf(s->name, sizeof(s->name), "standard output");
		s->fd = STDOUT_FILENO;
		return ST_OK;
	}
	utf8_clean(s->name, sizeof(s->name), path, strlen(path));
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		s->fd = open(path, O_WRONLY | O_CLOEXEC);
		return s->fd < 0 ? failed(s, e) : ST_OK;
	}
	/* A link keeps being one: what it points to is replaced. */
	s->final = realpath(path, NULL);
	if (!s->final)
		s->final = strdup(path);
	if (!s->final)
		return err_set(e, ST_NOMEM, "no memory");
	return open_temp(s, e);
}

static bool close_fd(struct sink *s)
{
	int fd = s->fd;

	s->fd = -1;
	return fd < 0 || fd == STDOUT_FILENO || close(fd) == 0;
}

/* The folder, so that the new name is on the disk too. Where that cannot be had the name is there all the same. */
static void sync_folder(const char *file)
{
	const char *slash = strrchr(file, '/');
	char *dir = slash ? strndup(file, (size_t)(slash - file) + 1) : strdup(".");
	int fd = dir ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd >= 0) {
		(void)!fsync(fd);
		close(fd);
	}
	free(dir);
}

enum status sink_keep(struct sink *s, struct err *e)
{
	enum status st = flush(s, e);

	if (st != ST_OK || !s->temp)
		return st;
	if (fsync(s->fd) != 0 || !close_fd(s) || rename(s->temp, s->final) != 0)
		return failed(s, e);
	sync_folder(s->final);
	free(s->temp);
	s->temp = NULL;
	return ST_OK;
}

const char *sink_part(struct sink *s)
{
	struct stat st;
	char *part;

	if (flush(s, NULL) != ST_OK || !s->temp)
		return NULL;
	if (fstat(s->fd, &st) != 0 || st.st_size == 0 || !close_fd(s))
		return NULL;
	part = name_with(s->final, ".part");
	if (!part || rename(s->temp, part) != 0) {
		free(part);
		return NULL;
	}
	free(s->temp);
	s->temp = NULL;
	free(s->final);
	s->final = part;
	return part;
}

void sink_fini(struct sink *s)
{
	(void)close_fd(s);
	if (s->temp)
		unlink(s->temp);
	free(s->temp);
	free(s->final);
	buf_fini(&s->held);
	s->temp = s->final = NULL;
}
