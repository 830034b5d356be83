#include "cmd/save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "rewind.h"

static enum status write_file(const struct save *s, struct err *e)
{
	int fd = open(s->file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	size_t at = 0;
	ssize_t n = 0;

	if (fd < 0)
		return err_set_detail(e, ST_IO, errno, "%.150s: %s", s->file, strerror(errno));
	while (at < s->text.len) {
		n = write(fd, s->text.p + at, s->text.len - at);
		if (n < 0 && errno != EINTR)
			break;
		at += n > 0 ? (size_t)n : 0;
	}
	if (at < s->text.len || fsync(fd) != 0) {
		err_set_detail(e, ST_IO, errno, "%.150s: %s", s->file, strerror(errno));
		(void)unlink(s->file);
	}
	close(fd);
	return e->code;
}

static void *run(void *arg)
{
	struct save *s = arg;

	s->err = (struct err){ .code = ST_OK };
	if (!rewind_make_dir(s->dir))
		err_set_detail(&s->err, ST_IO, errno, "%.150s: %s", s->dir, strerror(errno));
	else
		(void)write_file(s, &s->err);
	atomic_store(&s->done, true);
	wake_raise(s->wake);
	return NULL;
}

void save_start(struct save *s, const char *dir, const char *name, struct buf *text, struct wake *wake)
{
	save_look(s);
	if (s->running) {
		snprintf(s->say, sizeof(s->say), "the last report is still being written");
		buf_fini(text);
		return;
	}
	s->text = *text;
	*text = (struct buf){ .limit = 0 };
	s->wake = wake;
	snprintf(s->dir, sizeof(s->dir), "%s", dir);
	snprintf(s->file, sizeof(s->file), "%s/%.100s", s->dir, name);
	atomic_store(&s->done, false);
	s->running = pthread_create(&s->thread, NULL, run, s) == 0;
	if (!s->running) {
		snprintf(s->say, sizeof(s->say), "not saved: no thread to be had");
		buf_fini(&s->text);
	}
}

void save_look(struct save *s)
{
	if (!s->running || !atomic_load(&s->done))
		return;
	pthread_join(s->thread, NULL);
	s->running = false;
	buf_fini(&s->text);
	if (s->err.code == ST_OK)
		snprintf(s->say, sizeof(s->say), "saved %s", s->file);
	else
		snprintf(s->say, sizeof(s->say), "not saved: %s", s->err.text);
}

void save_stop(struct save *s)
{
	if (!s->running)
		return;
	pthread_join(s->thread, NULL);
	s->running = false;
	buf_fini(&s->text);
}
