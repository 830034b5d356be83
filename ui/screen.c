/*
 * The terminal; see screen.h. What is known of ncurses here is measured: it never installs its handlers over
 * ours, alloc_pair numbers above 255 survive only in setcchar's opts, a whole frame rewritten and one doupdate
 * sends what changed.
 */
#include "ui/screen.h"

/* Before term.h, to which `columns` is a macro. */
#include "base/utf8.h"

#include <curses.h>
#include <term.h>

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "ui/command.h"

struct screen {
	SCREEN *curses;
	struct theme theme;
	enum color_mode color;
	bool mouse, alive, titled; /* titled: the title is one of ours */
	int w, h;
	int pair[ROLE_N];
	attr_t attr[ROLE_N];
	struct cell *last; /* what was shown, w × h; NULL: everything has to be sent */
	cchar_t *row; /* one line for curses */
};

/* What signal handlers need: there is one terminal, and handlers get no pointer. */
static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGQUIT};
static const int own_signals[] = {SIGWINCH, SIGTSTP, SIGCONT};

enum {
	N_CRASH = sizeof(crash_signals) / sizeof(crash_signals[0]),
	N_OWN = sizeof(own_signals) / sizeof(own_signals[0]),
	ALT_STACK = 64 << 10,
	OSC_TEXT = 200,
	EMERGENCY_TRIES = 4,
	EMERGENCY_MS = 50, /* each */
};

static struct {
	struct screen *open; /* NULL: none */
	struct wake *wake;
	volatile sig_atomic_t winch, tstp, cont;
	struct termios saved; /* of stdin, before us */
	char restore[256]; /* what the terminal gets in a crash */
	size_t restore_n;
	struct sigaction old_crash[N_CRASH], old_own[N_OWN];
	char stack[ALT_STACK];
	bool at_exit;
} term;

/* ---- signals ---- */

/* A terminal that takes nothing (^S, a dead link) must not hold a process that is about to end. */
static void
send_restore(void)
{
	struct pollfd p = {.fd = STDOUT_FILENO, .events = POLLOUT};
	int flags = fcntl(STDOUT_FILENO, F_GETFL), tries;
	size_t sent = 0;
	ssize_t n;

	if (flags < 0 || fcntl(STDOUT_FILENO, F_SETFL, flags | O_NONBLOCK) != 0)
		return;
	for (tries = 0; tries < EMERGENCY_TRIES && sent < term.restore_n; tries++) {
		if (poll(&p, 1, EMERGENCY_MS) <= 0)
			continue;
		n = write(STDOUT_FILENO, term.restore + sent, term.restore_n - sent);
		if (n > 0)
			sent += (size_t)n;
	}
	fcntl(STDOUT_FILENO, F_SETFL, flags);
}

/* Only calls that are safe in a handler: endwin is not. Then the signal goes to whoever had it before. */
void
screen_emergency(void)
{
	if (term.restore_n == 0)
		return;
	send_restore();
	tcsetattr(STDIN_FILENO, TCSANOW, &term.saved);
}

static void
on_crash(int sig, siginfo_t *info, void *context)
{
	int i;

	(void)context;
	screen_emergency();
	for (i = 0; i < N_CRASH; i++)
		if (crash_signals[i] == sig)
			sigaction(sig, &term.old_crash[i], NULL);
	/* A fault happens again on return, at the same place, which keeps the report and the core true. */
	if (info == NULL || info->si_code <= 0 || sig == SIGABRT)
		raise(sig);
}

static void
on_signal(int sig)
{
	int saved = errno;

	if (sig == SIGWINCH)
		term.winch = 1;
	else if (sig == SIGTSTP)
		term.tstp = 1;
	else
		term.cont = 1;
	if (term.wake != NULL)
		wake_raise(term.wake);
	errno = saved;
}

static void
add_restore(const char *s)
{
	size_t n;

	if (s == NULL || s == (const char *)-1)
		return;
	n = strlen(s);
	/* Padding ($<5>) is for terminals that are gone. */
	if (strstr(s, "$<") != NULL)
		n = (size_t)(strstr(s, "$<") - s);
	if (n > sizeof(term.restore) - term.restore_n)
		return;
	memcpy(term.restore + term.restore_n, s, n);
	term.restore_n += n;
}

static void
prepare_restore(void)
{
	static const char *const caps[] = {"sgr0", "op", "cnorm", "rmkx", "rmcup"};
	size_t i;
	const char *mouse = tigetstr("kmous");

	term.restore_n = 0;
	if (mouse != NULL && mouse != (const char *)-1)
		add_restore("\033[?1000l\033[?1006l");
	for (i = 0; i < sizeof(caps) / sizeof(caps[0]); i++)
		add_restore(tigetstr(caps[i]));
}

static void
catch_signals(void)
{
	struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	stack_t stack = {.ss_sp = term.stack, .ss_size = sizeof(term.stack)}, now;
	int i;

	sigemptyset(&sa.sa_mask);
	for (i = 0; i < N_OWN; i++)
		sigaction(own_signals[i], &sa, &term.old_own[i]);
	/* A stack overflow leaves no stack for the handler. Sanitizers bring their own. */
	if (sigaltstack(NULL, &now) == 0 && (now.ss_flags & SS_DISABLE) != 0)
		sigaltstack(&stack, NULL);
	sa = (struct sigaction){.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	sigemptyset(&sa.sa_mask);
	for (i = 0; i < N_CRASH; i++)
		sigaction(crash_signals[i], &sa, &term.old_crash[i]);
}

static void
release_signals(void)
{
	int i;

	for (i = 0; i < N_CRASH; i++)
		sigaction(crash_signals[i], &term.old_crash[i], NULL);
	for (i = 0; i < N_OWN; i++)
		sigaction(own_signals[i], &term.old_own[i], NULL);
}

/* ---- colours ---- */

static enum color_mode
decide_color(enum color_mode wish)
{
	const char *no = getenv("NO_COLOR");
	enum color_mode most;

	if (wish == COLOR_NEVER || (wish == COLOR_AUTO && no != NULL && no[0] != '\0'))
		return COLOR_NEVER;
	if (!has_colors() || start_color() != OK)
		return COLOR_NEVER;
	use_default_colors();
	most = COLORS < 256 ? COLOR_16 : COLORS > 0xffffff && tigetflag("RGB") == 1 ? COLOR_DIRECT : COLOR_256;
	return wish == COLOR_AUTO || wish > most ? most : wish;
}

/* A colour of the theme as a number of this terminal; may ask for an attribute instead. */
static int
terminal_color(enum color_mode mode, int32_t c, attr_t *attr)
{
	if (mode == COLOR_DIRECT && c >= 0x1000000)
		return (int)(c & 0xffffff);
	c = mode == COLOR_16 ? theme_to_16(c) : theme_to_256(c);
	if (c < 8 || (c < COLORS && mode != COLOR_DIRECT))
		return (int)c;
	/* Eight colours only: bright ones are bold, bright black is dim. */
	if (c == 8) {
		*attr |= A_DIM;
		return -1;
	}
	*attr |= A_BOLD;
	return (int)(c & 7);
}

static attr_t
curses_attr(unsigned a)
{
	return (a & CELL_BOLD ? A_BOLD : 0) | (a & CELL_REVERSE ? A_REVERSE : 0) | (a & CELL_DIM ? A_DIM : 0) |
		(a & CELL_UNDERLINE ? A_UNDERLINE : 0);
}

static void
resolve_roles(struct screen *s)
{
	const struct face *f;
	attr_t ignore = 0;
	int r, fg, bg, pair;

	for (r = 0; r < ROLE_N; r++) {
		f = &s->theme.face[r];
		s->pair[r] = 0;
		if (s->color == COLOR_NEVER) {
			s->attr[r] = curses_attr(role_mono((enum role)r));
			continue;
		}
		s->attr[r] = curses_attr(f->attr);
		fg = terminal_color(s->color, f->fg, &s->attr[r]);
		bg = terminal_color(s->color, f->bg, &ignore);
		pair = fg < 0 && bg < 0 ? 0 : alloc_pair(fg, bg);
		if (pair > 0)
			s->pair[r] = pair;
		else if (fg >= 0 || bg >= 0)
			s->attr[r] |= curses_attr(role_mono((enum role)r));
	}
}

enum glyphs
screen_glyphs(void)
{
	const char *name = getenv("TERM");

	if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		return GLYPHS_ASCII;
	/* The fonts of the Linux console have no braille. */
	return name != NULL && strcmp(name, "linux") == 0 ? GLYPHS_BLOCK : GLYPHS_BRAILLE;
}

/* ---- open and close ---- */

static void
close_at_exit(void)
{
	screen_close(term.open);
}

static enum status
no_terminal(struct err *e, const char *what)
{
	err_set(e, ST_USAGE, "%s", what);
	return err_cure(e, "chaintop --once prints one frame as text");
}

static enum status
look_at_terminal(struct err *e)
{
	const char *name = getenv("TERM"), *cup;
	char text[120];
	int found = 0;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return no_terminal(e, "standard input and output must be a terminal");
	if (name == NULL || name[0] == '\0')
		return no_terminal(e, "TERM is not set");
	if (setupterm(NULL, STDOUT_FILENO, &found) != OK) {
		snprintf(text, sizeof(text), "TERM=%.40s: no description of such a terminal here", name);
		return no_terminal(e, text);
	}
	cup = tigetstr("cup");
	/* newterm would take a dumb terminal and print rubbish. */
	if (cup == NULL || cup == (const char *)-1) {
		snprintf(text, sizeof(text), "TERM=%.40s: such a terminal cannot place its cursor", name);
		del_curterm(cur_term);
		return no_terminal(e, text);
	}
	del_curterm(cur_term);
	return ST_OK;
}

static bool
grid(struct screen *s)
{
	free(s->last);
	free(s->row);
	s->last = NULL;
	getmaxyx(stdscr, s->h, s->w);
	s->row = calloc((size_t)(s->w > 0 ? s->w : 1) + 1, sizeof(*s->row));
	return s->row != NULL;
}

/* Numbers that curses has none for. */
enum { ALT_LEFT = KEY_MAX + 64, ALT_RIGHT };

/* Some terminals send these whatever their description says, most of all behind ssh and tmux. */
static void
more_keys(void)
{
	static const struct {
		const char *bytes;
		int key;
	} keys[] = {
		{"\033[A", KEY_UP}, {"\033[B", KEY_DOWN}, {"\033[C", KEY_RIGHT}, {"\033[D", KEY_LEFT},
		{"\033OA", KEY_UP}, {"\033OB", KEY_DOWN}, {"\033OC", KEY_RIGHT}, {"\033OD", KEY_LEFT},
		{"\033[H", KEY_HOME}, {"\033[F", KEY_END}, {"\033OH", KEY_HOME}, {"\033OF", KEY_END},
		{"\033[1~", KEY_HOME}, {"\033[4~", KEY_END}, {"\033[5~", KEY_PPAGE}, {"\033[6~", KEY_NPAGE},
		{"\033[Z", KEY_BTAB}, {"\033OP", KEY_F(1)}, {"\033[11~", KEY_F(1)}, {"\033[15~", KEY_F(5)},
		{"\033[17~", KEY_F(6)}, {"\033[21~", KEY_F(10)}, {"\033[1;3D", ALT_LEFT}, {"\033[1;3C", ALT_RIGHT},
		{"\033\033[D", ALT_LEFT}, {"\033\033[C", ALT_RIGHT}, {"\033\033OD", ALT_LEFT}, {"\033\033OC", ALT_RIGHT},
		{"\033b", ALT_LEFT}, {"\033f", ALT_RIGHT},
	};
	size_t i;

	/* What terminfo knows only by an extended name has a number that nobody else knows: ours is better. */
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (key_defined(keys[i].bytes) == 0 || key_defined(keys[i].bytes) > KEY_MAX)
			define_key(keys[i].bytes, keys[i].key);
}

/* ^Z comes as a key, so that the tty is given back in order before we stop. */
static void
set_modes(void)
{
	struct termios t;

	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	more_keys();
	nodelay(stdscr, TRUE);
	leaveok(stdscr, TRUE);
	set_escdelay(25);
	mouseinterval(0);
	curs_set(0);
	if (tcgetattr(STDIN_FILENO, &t) == 0) {
		t.c_cc[VSUSP] = _POSIX_VDISABLE;
		tcsetattr(STDIN_FILENO, TCSANOW, &t);
		def_prog_mode();
	}
}

enum status
screen_open(struct screen **out, const struct screen_opts *o, struct err *e)
{
	struct screen *s = NULL;
	enum status st;

	*out = NULL;
	if (term.open != NULL)
		return err_set(e, ST_INTERNAL, "the screen is already open");
	if ((st = look_at_terminal(e)) != ST_OK)
		return st;
	if (tcgetattr(STDIN_FILENO, &term.saved) != 0)
		return no_terminal(e, "standard input is no terminal");
	s = calloc(1, sizeof(*s));
	if (s == NULL)
		return err_set(e, ST_NOMEM, "no memory for the screen");
	s->theme = o->theme != NULL ? *o->theme : *theme_builtin("default");
	s->alive = true;
	term.wake = o->wake;
	term.winch = term.tstp = term.cont = 0;
	term.restore_n = 0;
	catch_signals();
	/* The size is the terminal's, not what an exported COLUMNS says it once was. */
	use_env(FALSE);
	use_tioctl(TRUE);
	s->curses = newterm(NULL, stdout, stdin);
	if (s->curses == NULL) {
		release_signals();
		free(s);
		return no_terminal(e, "this terminal cannot be used");
	}
	set_term(s->curses);
	term.open = s;
	prepare_restore();
	if (!term.at_exit)
		term.at_exit = atexit(close_at_exit) == 0;
	set_modes();
	s->color = decide_color(o->color);
	resolve_roles(s);
	screen_mouse(s, o->mouse);
	if (!grid(s)) {
		screen_close(s);
		return err_set(e, ST_NOMEM, "no memory for the screen");
	}
	*out = s;
	return ST_OK;
}

void
screen_close(struct screen *s)
{
	if (s == NULL)
		return;
	screen_title(s, NULL);
	mousemask(0, NULL);
	endwin();
	delscreen(s->curses);
	tcsetattr(STDIN_FILENO, TCSADRAIN, &term.saved);
	release_signals();
	term.open = NULL;
	term.wake = NULL;
	free(s->last);
	free(s->row);
	free(s);
}

/* ---- size and signals ---- */

void
screen_size(const struct screen *s, int *w, int *h)
{
	*w = s->w;
	*h = s->h;
}

int
screen_fd(const struct screen *s)
{
	(void)s;
	return STDIN_FILENO;
}

static void
take_size(struct screen *s)
{
	struct winsize ws;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_row > 0 && ws.ws_col > 0)
		resizeterm(ws.ws_row, ws.ws_col);
	if (!grid(s))
		s->alive = false;
}

void
screen_clear(struct screen *s)
{
	clearok(curscr, TRUE);
	free(s->last);
	s->last = NULL;
}

bool
screen_signals(struct screen *s)
{
	bool changed = false;

	if (term.tstp) {
		term.tstp = 0;
		screen_suspend(s);
		changed = true;
	}
	if (term.cont) {
		term.cont = 0;
		/* Stopped by somebody else: the shell may have changed the modes. Coming back sets them. */
		endwin();
		screen_clear(s);
		changed = true;
	}
	if (term.winch) {
		term.winch = 0;
		take_size(s);
		changed = true;
	}
	return changed;
}

void
screen_suspend(struct screen *s)
{
	struct sigaction stop = {.sa_handler = SIG_DFL}, mine;
	sigset_t unblock, old;

	endwin();
	tcsetattr(STDIN_FILENO, TCSADRAIN, &term.saved);
	sigemptyset(&stop.sa_mask);
	sigaction(SIGTSTP, &stop, &mine);
	sigemptyset(&unblock);
	sigaddset(&unblock, SIGTSTP);
	pthread_sigmask(SIG_UNBLOCK, &unblock, &old);
	kill(0, SIGTSTP);
	/* Here again: continued. */
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	sigaction(SIGTSTP, &mine, NULL);
	term.cont = 0;
	term.tstp = 0;
	/* The shell's modes of now are what we give back later. */
	tcgetattr(STDIN_FILENO, &term.saved);
	reset_prog_mode();
	take_size(s);
	screen_clear(s);
}

void
screen_mouse(struct screen *s, bool on)
{
	s->mouse = on;
	mousemask(on ? BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED : 0, NULL);
}

/* RFC 4648. */
static size_t
base64(char *out, const char *in, size_t n)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *p = (const unsigned char *)in;
	char *to = out;
	unsigned v;

	for (; n >= 3; n -= 3, p += 3) {
		v = (unsigned)p[0] << 16 | (unsigned)p[1] << 8 | p[2];
		*to++ = digit[v >> 18];
		*to++ = digit[v >> 12 & 63];
		*to++ = digit[v >> 6 & 63];
		*to++ = digit[v & 63];
	}
	if (n > 0) {
		v = (unsigned)p[0] << 16 | (n > 1 ? (unsigned)p[1] << 8 : 0);
		*to++ = digit[v >> 18];
		*to++ = digit[v >> 12 & 63];
		*to++ = n > 1 ? digit[v >> 6 & 63] : '=';
		*to++ = '=';
	}
	return (size_t)(to - out);
}

bool
screen_copy(struct screen *s, const char *text, size_t n)
{
	static const char begin[] = "\033]52;c;", end[] = "\a";
	char *out;
	size_t len;

	(void)s;
	if (n > SCREEN_COPY_MAX)
		return false;
	out = malloc(sizeof(begin) + (n + 2) / 3 * 4 + sizeof(end));
	if (out == NULL)
		return false;
	memcpy(out, begin, sizeof(begin) - 1);
	len = sizeof(begin) - 1;
	len += base64(out + len, text, n);
	memcpy(out + len, end, sizeof(end) - 1);
	len += sizeof(end) - 1;
	/* Curses keeps its own output until doupdate and has sent it all then: this does not cut a sequence in two. */
	fwrite(out, 1, len, stdout);
	fflush(stdout);
	free(out);
	return true;
}

void
screen_bell(struct screen *s)
{
	(void)s;
	fputc('\a', stdout);
	fflush(stdout);
}

/* An operating system command: number, text, BEL. Text of others loses its controls before. */
static void
send_osc(const char *number, const char *text)
{
	char clean[OSC_TEXT];

	utf8_clean(clean, sizeof(clean), text, strlen(text));
	printf("\033]%s;%s\a", number, clean);
}

void
screen_title(struct screen *s, const char *title)
{
	if (title == NULL && !s->titled)
		return;
	/* XTWINOPS: the title of before is on the terminal's stack. Who has none ignores it: then the title is ours. */
	if (!s->titled)
		fputs("\033[22;2t", stdout);
	if (title != NULL)
		send_osc("2", title);
	else
		fputs("\033]2;chaintop\a\033[23;2t", stdout);
	s->titled = title != NULL;
	fflush(stdout);
}

void
screen_notify(struct screen *s, const char *text)
{
	(void)s;
	send_osc("9", text);
	fflush(stdout);
}

bool
screen_alive(const struct screen *s)
{
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};

	return s->alive && (poll(&p, 1, 0) <= 0 || (p.revents & (POLLHUP | POLLERR | POLLNVAL)) == 0);
}

/* ---- showing ---- */

/* Where libc's idea of a width differs from ours, curses would shift the rest of the line. */
static wchar_t
printable(uint32_t cp, int width)
{
	if (cp < 0x80)
		return cp >= 0x20 && cp < 0x7f ? (wchar_t)cp : L'?';
	return wcwidth((wchar_t)cp) == width ? (wchar_t)cp : L'?';
}

static void
show_row(struct screen *s, const struct cell *cell, int y, int w)
{
	wchar_t text[2] = {0};
	int x, n = 0, width, pair, i;
	attr_t attr;

	for (x = 0; x < w; x += width) {
		width = x + 1 < w && cell[x + 1].cp == 0 ? 2 : 1;
		text[0] = printable(cell[x].cp == 0 ? ' ' : cell[x].cp, width);
		attr = s->attr[cell[x].role] | curses_attr(cell[x].attr);
		pair = s->pair[cell[x].role];
		/* Two stand-ins for a wide character that cannot be shown. */
		for (i = 0; i < (text[0] == L'?' ? width : 1); i++)
			setcchar(&s->row[n++], text, attr, 0, &pair);
	}
	mvadd_wchnstr(y, 0, s->row, n);
}

static bool
same(const struct cell *a, const struct cell *b, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (a[i].cp != b[i].cp || a[i].role != b[i].role || a[i].attr != b[i].attr)
			return false;
	return true;
}

void
screen_show(struct screen *s, const struct canvas *c)
{
	int w = c->at.w < s->w ? c->at.w : s->w, h = c->at.h < s->h ? c->at.h : s->h, y;
	const struct cell *row;
	bool fresh = s->last == NULL;

	if (s->row == NULL)
		return;
	if (fresh) {
		s->last = calloc((size_t)s->w * (size_t)s->h, sizeof(*s->last));
		erase();
	}
	for (y = 0; y < h; y++) {
		row = c->cells + (size_t)(c->at.y + y) * (size_t)c->stride + c->at.x;
		if (s->last != NULL) {
			if (!fresh && same(s->last + (size_t)y * (size_t)s->w, row, w))
				continue;
			memcpy(s->last + (size_t)y * (size_t)s->w, row, (size_t)w * sizeof(*row));
		}
		show_row(s, row, y, w);
	}
	wnoutrefresh(stdscr);
	doupdate();
}

/* ---- input ---- */

static unsigned
function_key(wint_t k)
{
	if (k >= KEY_F(1) && k <= KEY_F(12))
		return KEY_F1_ + (unsigned)(k - KEY_F(1));
	switch (k) {
	case KEY_UP: return KEY_UP_;
	case KEY_DOWN: return KEY_DOWN_;
	case KEY_LEFT: return KEY_LEFT_;
	case KEY_RIGHT: return KEY_RIGHT_;
	case KEY_HOME: return KEY_HOME_;
	case KEY_END: return KEY_END_;
	case KEY_PPAGE: return KEY_PGUP_;
	case KEY_NPAGE: return KEY_PGDN_;
	case KEY_BTAB: return KEY_STAB_;
	case KEY_ENTER: return KEY_ENTER_;
	case KEY_BACKSPACE: return KEY_BACKSPACE_;
	case KEY_DC: return KEY_DELETE_;
	case ALT_LEFT: return KEY_ALT_LEFT_;
	case ALT_RIGHT: return KEY_ALT_RIGHT_;
	default: return 0;
	}
}

static unsigned
plain_key(wint_t k)
{
	switch (k) {
	case '\t': return KEY_TAB_;
	case '\n':
	case '\r': return KEY_ENTER_;
	case 27: return KEY_ESC_;
	case 8:
	case 127: return KEY_BACKSPACE_;
	default: return k < 32 ? KEY_CTRL_ + (unsigned)k + '@' : k < KEY_SPECIAL ? (unsigned)k : 0;
	}
}

static bool
mouse_input(struct input *out)
{
	MEVENT m;

	if (getmouse(&m) != OK)
		return false;
	out->x = m.x;
	out->y = m.y;
	if (m.bstate & (BUTTON4_PRESSED | BUTTON5_PRESSED)) {
		out->kind = INPUT_WHEEL;
		out->steps = m.bstate & BUTTON4_PRESSED ? -1 : 1;
		return true;
	}
	out->kind = INPUT_CLICK;
	return (m.bstate & BUTTON1_PRESSED) != 0;
}

bool
screen_input(struct screen *s, struct input *out)
{
	wint_t k;
	int res;

	(void)s;
	/* What means nothing to us is skipped, not reported as "nothing waits". */
	while ((res = get_wch(&k)) != ERR) {
		*out = (struct input){.kind = INPUT_KEY};
		if (res == OK)
			out->key = plain_key(k);
		else if (k == KEY_MOUSE && mouse_input(out))
			return true;
		else if (k == KEY_RESIZE || k == KEY_MOUSE)
			continue;
		else
			out->key = function_key(k);
		if (out->key != 0)
			return true;
	}
	return false;
}
