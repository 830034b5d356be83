/*
 * ui/screen on a pseudo-terminal: refusals, colours, minimal output, keys, resizing, and the terminal as it was after quit,
 * stop and crash. Each case runs in a child that owns the terminal; the parent is the terminal.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "ui/command.h"
#include "ui/screen.h"

enum { W = 60, H = 10, DEADLINE_MS = 20000 };

/* What the child says to the parent: one byte a step, then numbers. */
static int tell_fd = -1;

static void
tell(uint32_t v)
{
	if (write(tell_fd, &v, sizeof(v)) != (ssize_t)sizeof(v))
		_exit(99);
}

/* The same through the terminal: what was sent before has then arrived. */
static void
mark(const char *text)
{
	if (write(1, text, strlen(text)) < 0)
		_exit(99);
}

struct tty {
	pid_t pid;
	int master, tell; /* tell: what the child writes */
	char out[1 << 16]; /* what the terminal got */
	size_t n;
};

static struct tty tty;

/* Starts fn in a child whose standard input and output are a new terminal. */
static void
begin(void (*fn)(void), const char *term_name)
{
	struct winsize ws = {.ws_row = H, .ws_col = W};
	int fds[2], slave;
	char *name;

	memset(&tty, 0, sizeof(tty));
	tty.master = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(tty.master >= 0 && grantpt(tty.master) == 0 && unlockpt(tty.master) == 0);
	name = ptsname(tty.master);
	assert_non_null(name);
	assert_int_equal(pipe(fds), 0);
	fflush(NULL);
	tty.pid = fork();
	assert_true(tty.pid >= 0);
	if (tty.pid == 0) {
		setsid();
		slave = open(name, O_RDWR);
		if (slave < 0 || ioctl(slave, TIOCSWINSZ, &ws) != 0)
			_exit(98);
		ioctl(slave, TIOCSCTTY, 0);
		dup2(slave, 0);
		dup2(slave, 1);
		tell_fd = fds[1];
		/* The test library catches it, too: here it must kill. */
		signal(SIGSEGV, SIG_DFL);
		setlocale(LC_CTYPE, "C.UTF-8");
		unsetenv("NO_COLOR");
		unsetenv("LINES");
		unsetenv("COLUMNS");
		setenv("TERM", term_name, 1);
		alarm(DEADLINE_MS / 1000 + 10);
		fn();
		_exit(0);
	}
	close(fds[1]);
	tty.tell = fds[0];
}

static void
drain(void)
{
	struct pollfd p = {.fd = tty.master, .events = POLLIN};
	ssize_t n;

	while (poll(&p, 1, 0) > 0 && tty.n < sizeof(tty.out) - 1) {
		n = read(tty.master, tty.out + tty.n, sizeof(tty.out) - 1 - tty.n);
		if (n <= 0)
			break;
		tty.n += (size_t)n;
	}
	tty.out[tty.n] = '\0';
}

/* The next number that the child tells; what it writes on the terminal meanwhile is kept. */
static uint32_t
told(void)
{
	struct pollfd p[2] = {{.fd = tty.tell, .events = POLLIN}, {.fd = tty.master, .events = POLLIN}};
	uint32_t v = 0;
	int i;

	for (i = 0; i < DEADLINE_MS / 10; i++) {
		poll(p, 2, 10);
		drain();
		if (p[0].revents & POLLIN) {
			if (read(tty.tell, &v, sizeof(v)) != (ssize_t)sizeof(v))
				fail_msg("the child ended too soon; the terminal got: %s", tty.out);
			drain();
			return v;
		}
		if (p[0].revents)
			fail_msg("the child ended too soon; the terminal got: %s", tty.out);
	}
	fail_msg("nothing from the child; the terminal got: %s", tty.out);
	return 0;
}

/* Waits for a mark on the terminal; returns how many bytes came before it since `from`. */
static size_t
marked(const char *text, size_t from)
{
	const char *at;
	int i;

	for (i = 0; i < DEADLINE_MS / 10; i++) {
		drain();
		at = memmem(tty.out + from, tty.n - from, text, strlen(text));
		if (at != NULL)
			return (size_t)(at - tty.out) - from;
		poll(NULL, 0, 10);
	}
	fail_msg("no %s; the terminal got: %s", text, tty.out);
	return 0;
}

/* Waits for its end; returns the status of waitpid. modes: those of the terminal then; may be NULL. */
static int
end_with(struct termios *modes)
{
	int status, i;

	for (i = 0; i < DEADLINE_MS / 10; i++) {
		drain();
		if (waitpid(tty.pid, &status, WNOHANG) == tty.pid) {
			drain();
			if (modes != NULL && tcgetattr(tty.master, modes) != 0)
				memset(modes, 0, sizeof(*modes));
			close(tty.master);
			close(tty.tell);
			return status;
		}
		poll(NULL, 0, 10);
	}
	kill(tty.pid, SIGKILL);
	fail_msg("the child does not end");
	return -1;
}

static int
end(void)
{
	return end_with(NULL);
}

static bool
got(const char *what)
{
	return memmem(tty.out, tty.n, what, strlen(what)) != NULL;
}

/* ---- children ---- */

static struct wake wake;

static struct screen *
open_or_exit(enum color_mode color)
{
	struct screen_opts o = {.color = color, .mouse = true, .wake = &wake};
	struct screen *s;
	struct err e = {.code = ST_OK};

	if (wake_init(&wake, &e) != ST_OK || screen_open(&s, &o, &e) != ST_OK)
		_exit(97);
	return s;
}

static void
refused(void)
{
	struct screen_opts o = {.color = COLOR_AUTO};
	struct screen *s;
	struct err e = {.code = ST_OK};

	tell(screen_open(&s, &o, &e));
	tell(e.text[0] != '\0' && e.cure[0] != '\0' && s == NULL);
}

static void
shows(void)
{
	struct screen *s = open_or_exit(COLOR_AUTO);
	struct canvas c;
	int w, h;

	screen_size(s, &w, &h);
	tell((uint32_t)(w * 1000 + h));
	if (canvas_init(&c, W, H, GLYPHS_BRAILLE) != ST_OK)
		_exit(96);
	canvas_box(&c, (struct rect){.w = W, .h = H}, true, "Blocks", "note", NULL);
	canvas_text(&c, 2, 2, -1, ROLE_CRIT, 0, "\xe6\x97\xa5 crit");
	screen_show(s, &c);
	mark("<1>");
	screen_show(s, &c);
	mark("<2>");
	canvas_text(&c, 2, 3, -1, ROLE_OK, 0, "x");
	screen_show(s, &c);
	mark("<3>");
	screen_clear(s);
	screen_show(s, &c);
	mark("<4>");
	/* Larger and smaller than the terminal. */
	canvas_fini(&c);
	if (canvas_init(&c, W + 20, H + 5, GLYPHS_BRAILLE) != ST_OK)
		_exit(96);
	canvas_fill(&c, c.at, 'f', ROLE_TEXT, 0);
	screen_show(s, &c);
	canvas_fini(&c);
	if (canvas_init(&c, 1, 1, GLYPHS_BRAILLE) != ST_OK)
		_exit(96);
	screen_show(s, &c);
	canvas_fini(&c);
	screen_close(s);
	wake_fini(&wake);
}

static void
without_color(void)
{
	struct screen *s;
	struct canvas c;

	setenv("NO_COLOR", "1", 1);
	s = open_or_exit(COLOR_AUTO);
	if (canvas_init(&c, W, H, GLYPHS_BRAILLE) != ST_OK)
		_exit(96);
	canvas_text(&c, 2, 2, -1, ROLE_CRIT, 0, "crit");
	canvas_text(&c, 2, 3, -1, ROLE_OK, 0, "fine");
	screen_show(s, &c);
	canvas_fini(&c);
	screen_close(s);
	tell(1);
}

/* Tells every input until q. */
static void
reads(void)
{
	struct screen *s = open_or_exit(COLOR_NEVER);
	struct pollfd p = {.fd = screen_fd(s), .events = POLLIN};
	struct input in;

	tell(0);
	while (poll(&p, 1, DEADLINE_MS) > 0)
		while (screen_input(s, &in)) {
			tell(in.kind == INPUT_KEY ? in.key : (uint32_t)(in.kind * 1000000 + in.x * 1000 + in.y));
			if (in.kind == INPUT_WHEEL)
				tell((uint32_t)(in.steps + 10));
			if (in.kind == INPUT_KEY && in.key == 'q')
				return;
		}
}

static void
resizes(void)
{
	struct screen *s = open_or_exit(COLOR_NEVER);
	struct pollfd p = {.fd = wake_fd(&wake), .events = POLLIN};
	int w, h;

	tell(screen_signals(s));
	while (poll(&p, 1, DEADLINE_MS) != 1 && errno == EINTR)
		;
	wake_take(&wake);
	tell(screen_signals(s));
	screen_size(s, &w, &h);
	tell((uint32_t)(w * 1000 + h));
	screen_close(s);
}

static void
crashes(void)
{
	open_or_exit(COLOR_AUTO);
	tell(1);
	raise(SIGSEGV);
}

static void
exits(void)
{
	open_or_exit(COLOR_AUTO);
	tell(1);
	exit(7); /* forgot to close */
}

static void
exits_blocked(void)
{
	open_or_exit(COLOR_AUTO);
	tcflow(1, TCOOFF);
	tell(1);
	screen_emergency();
	_exit(7);
}

/* Exported sizes of another terminal, and one that no terminal has. */
static void
misled(void)
{
	struct screen *s;
	int w, h;

	setenv("COLUMNS", "99999", 1);
	setenv("LINES", "3", 1);
	s = open_or_exit(COLOR_NEVER);
	screen_size(s, &w, &h);
	tell((uint32_t)(w * 1000 + h));
	screen_close(s);
}

/* ---- cases ---- */

static void
refuse(const char *term_name)
{
	begin(refused, term_name);
	assert_int_equal(told(), ST_USAGE);
	assert_int_equal(told(), 1);
	assert_int_equal(end(), 0);
	assert_int_equal(tty.n, 0);
}

static void
test_refuses_what_cannot_show(void **state)
{
	struct screen_opts o = {.color = COLOR_AUTO};
	struct screen *s;
	struct err e;
	int in = dup(0), null = open("/dev/null", O_RDWR);

	(void)state;
	refuse("dumb");
	refuse("no-such-terminal");
	refuse("");
	/* Not a terminal at all. */
	assert_true(null >= 0);
	dup2(null, 0);
	assert_int_equal(screen_open(&s, &o, &e), ST_USAGE);
	assert_non_null(strstr(e.cure, "--once"));
	if (in >= 0) {
		dup2(in, 0);
		close(in);
	}
	close(null);
	screen_close(NULL);
}

static void
test_sends_only_what_changed(void **state)
{
	size_t at, n;

	(void)state;
	begin(shows, "xterm-256color");
	assert_int_equal(told(), W * 1000 + H);
	at = marked("<1>", 0);
	assert_true(got("\xe2\x94\x8c") && got(" Blocks ") && got("\xe6\x97\xa5"));
	assert_true(got("\033[?1049h"));
	assert_true(got("\033[31m") || got(";31m"));
	/* Nothing, one cell, all of it; three bytes of each are the mark before. */
	n = marked("<2>", at);
	assert_in_range(n, 3, 7);
	at += n;
	n = marked("<3>", at);
	assert_in_range(n, 4, 63);
	at += n;
	assert_true(marked("<4>", at) > W);
	assert_int_equal(end(), 0);
	assert_true(got("\033[?1049l"));
}

static void
test_no_color(void **state)
{
	char color[16];
	int i;

	(void)state;
	begin(without_color, "xterm-256color");
	assert_int_equal(told(), 1);
	assert_int_equal(end(), 0);
	assert_true(got("crit"));
	for (i = 0; i < 8; i++) {
		snprintf(color, sizeof(color), "\033[3%dm", i);
		assert_false(got(color));
		snprintf(color, sizeof(color), "\033[4%dm", i);
		assert_false(got(color));
	}
	assert_false(got("38;5;") || got("\033[9"));
	/* A warning is still one. */
	assert_true(got(";1;7m") || got(";7;1m"));
}

static void
type(const char *bytes, uint32_t want)
{
	assert_int_equal(write(tty.master, bytes, strlen(bytes)), strlen(bytes));
	assert_int_equal(told(), want);
}

static void
test_keys(void **state)
{
	(void)state;
	begin(reads, "xterm-256color");
	assert_int_equal(told(), 0);
	type("a", 'a');
	type("\033[A", KEY_UP_);
	type("\033OA", KEY_UP_);
	type("\033[6~", KEY_PGDN_);
	type("\033OH", KEY_HOME_);
	type("\033[Z", KEY_STAB_);
	type("\t", KEY_TAB_);
	type("\r", KEY_ENTER_);
	type("\033", KEY_ESC_);
	type("\033OP", KEY_F1_);
	type("\033[17~", KEY_F1_ + 5);
	type("\x0c", KEY_CTRL_ + 'L');
	type("\x1a", KEY_CTRL_ + 'Z');
	type("\xc3\xa9", 0xe9);
	type("\x7f", KEY_BACKSPACE_);
	type("\033[<0;8;5M", INPUT_CLICK * 1000000 + 7004);
	type("\033[<64;8;5M", INPUT_WHEEL * 1000000 + 7004);
	assert_int_equal(told(), 9);
	type("\033[<65;8;5M", INPUT_WHEEL * 1000000 + 7004);
	assert_int_equal(told(), 11);
	type("q", 'q');
	assert_int_equal(end(), 0);
}

static void
test_resize(void **state)
{
	struct winsize ws = {.ws_row = 20, .ws_col = 100};

	(void)state;
	begin(resizes, "xterm-256color");
	assert_int_equal(told(), 0);
	assert_int_equal(ioctl(tty.master, TIOCSWINSZ, &ws), 0);
	assert_int_equal(told(), 1);
	assert_int_equal(told(), 100020);
	assert_int_equal(end(), 0);
}

/* The terminal's modes must be what they were, whatever ended the program. */
static void
modes_restored(void (*fn)(void), bool crash)
{
	struct termios after;
	int status;

	begin(fn, "xterm-256color");
	assert_int_equal(told(), 1);
	status = end_with(&after);
	if (crash)
		assert_true(WIFSIGNALED(status) ? WTERMSIG(status) == SIGSEGV : WEXITSTATUS(status) != 0);
	else
		assert_int_equal(WEXITSTATUS(status), 7);
	assert_true(got("\033[?1049l"));
	assert_true(got("\033[?25h") || got("\033[?12l\033[?25h") || got("\033[34h\033[?25h"));
	assert_true((after.c_lflag & (ICANON | ECHO)) == (ICANON | ECHO));
}

static void
test_restores(void **state)
{
	(void)state;
	modes_restored(exits, false);
	modes_restored(crashes, true);
}

/* As after ^S: the second SIGTERM must end it although nothing can be written. */
static void
test_blocked_terminal(void **state)
{
	struct termios after;
	int status;

	(void)state;
	begin(exits_blocked, "xterm-256color");
	assert_int_equal(told(), 1);
	status = end_with(&after);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
	assert_true((after.c_lflag & (ICANON | ECHO)) == (ICANON | ECHO));
}

static void
test_size_is_the_terminals(void **state)
{
	(void)state;
	begin(misled, "xterm-256color");
	assert_int_equal(told(), W * 1000 + H);
	assert_int_equal(end(), 0);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refuses_what_cannot_show),
		cmocka_unit_test(test_sends_only_what_changed),
		cmocka_unit_test(test_no_color),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_resize),
		cmocka_unit_test(test_restores),
		cmocka_unit_test(test_blocked_terminal),
		cmocka_unit_test(test_size_is_the_terminals),
	};

	return cmocka_run_group_tests_name("screen", tests, NULL, NULL);
}
