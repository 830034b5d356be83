/* Colours by role: the two built-in themes, theme files, and coarser palettes; see theme.h. */
#include "ui/theme.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/canvas.h"

enum {
	RGB = 0x1000000, /* mark of a true colour in struct face */
	FILE_MAX_BYTES = 64 << 10,
	VARS_MAX = 64,
	WORD_MAX = 64,
	LINE_BYTES_MAX = 512,
};

static const struct {
	const char *name;
	uint8_t mono;
	int8_t fg;
} roles[ROLE_N] = {
#define X(id, text, bits, color) [id] = {.name = text, .mono = bits, .fg = color},
	ROLE_LIST(X)
#undef X
};

/*
 * Colour replaces what stands in for it: dim and reverse stay only where the colour is the terminal's
 * own. Bold stays, so that warnings are also bold where colours are hard to tell apart.
 */
static const struct theme builtin_default = {
	.name = "default",
	.face = {
#define ATTR(bits, color) ((color) < 0 ? (bits) : (bits) & CELL_BOLD)
#define X(id, text, bits, color) [id] = {.fg = color, .bg = -1, .attr = ATTR(bits, color)},
		ROLE_LIST(X)
#undef X
	},
};

static const struct theme builtin_mono = {
	.name = "mono",
	.face = {
#define X(id, text, bits, color) [id] = {.fg = -1, .bg = -1, .attr = bits},
		ROLE_LIST(X)
#undef X
	},
};

const struct theme *
theme_builtin(const char *name)
{
	if (strcmp(name, builtin_default.name) == 0)
		return &builtin_default;
	if (strcmp(name, builtin_mono.name) == 0)
		return &builtin_mono;
	return NULL;
}

unsigned
role_mono(enum role r)
{
	return (unsigned)r < ROLE_N ? roles[r].mono : 0;
}

const char *
role_name(enum role r)
{
	return (unsigned)r < ROLE_N ? roles[r].name : "";
}

/* ---- palettes ---- */

/* xterm's usual values of the 16; terminals differ, but the nearest one is the same nearly always. */
static const int32_t ansi[16] = {
	0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
	0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
};

static int
distance(int32_t a, int32_t b)
{
	int r = (a >> 16 & 0xff) - (b >> 16 & 0xff);
	int g = (a >> 8 & 0xff) - (b >> 8 & 0xff);
	int l = (a & 0xff) - (b & 0xff);

	return r * r + g * g + l * l;
}

static int
cube_level(int v)
{
	/* Levels of the 6×6×6 cube: 0, 95, 135, 175, 215, 255. */
	return v < 48 ? 0 : v < 115 ? 1 : (v - 35) / 40;
}

int
theme_to_256(int32_t c)
{
	static const int level[6] = {0, 95, 135, 175, 215, 255};
	int r, g, b, mean, grey;
	int32_t cube, ramp;

	if (c < RGB)
		return c;
	r = cube_level(c >> 16 & 0xff);
	g = cube_level(c >> 8 & 0xff);
	b = cube_level(c & 0xff);
	cube = level[r] << 16 | level[g] << 8 | level[b];
	mean = ((c >> 16 & 0xff) + (c >> 8 & 0xff) + (c & 0xff)) / 3;
	grey = mean < 3 ? 0 : mean > 238 ? 23 : (mean - 3) / 10;
	ramp = (8 + grey * 10) * 0x010101;
	if (distance(ramp, c & 0xffffff) < distance(cube, c & 0xffffff))
		return 232 + grey;
	return 16 + 36 * r + 6 * g + b;
}

int
theme_to_16(int32_t c)
{
	int best = 0, i;

	if (c < RGB)
		return c;
	for (i = 1; i < 16; i++)
		if (distance(ansi[i], c & 0xffffff) < distance(ansi[best], c & 0xffffff))
			best = i;
	return best;
}

/* ---- files ---- */

struct parser {
	struct theme *out;
	const char *name;
	unsigned line;
	struct {
		char name[WORD_MAX];
		int32_t color;
	} var[VARS_MAX];
	unsigned n_vars;
	bool named[ROLE_N], ground[ROLE_N]; /* ground: its background was given */
	struct err *e;
};

static enum status fail(const struct parser *p, const char *fmt, ...) PRINTF_LIKE(2, 3);

static enum status
fail(const struct parser *p, const char *fmt, ...)
{
	char text[128];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(p->e, ST_USAGE, "theme %s, line %u: %s", p->name, p->line, text);
}

static const char *const ansi_name[16] = {
	"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
	"bright-black", "bright-red", "bright-green", "bright-yellow",
	"bright-blue", "bright-magenta", "bright-cyan", "bright-white",
};

static bool
parse_hex(const char *s, int32_t *out)
{
	int32_t v = 0;
	int i, digit;

	for (i = 0; i < 6; i++) {
		if (s[i] >= '0' && s[i] <= '9')
			digit = s[i] - '0';
		else if (s[i] >= 'a' && s[i] <= 'f')
			digit = s[i] - 'a' + 10;
		else if (s[i] >= 'A' && s[i] <= 'F')
			digit = s[i] - 'A' + 10;
		else
			return false;
		v = v << 4 | digit;
	}
	*out = RGB | v;
	return s[6] == '\0';
}

static enum status
parse_color(const struct parser *p, const char *s, int32_t *out)
{
	unsigned i;
	int v;

	if (s[0] == '#') {
		if (parse_hex(s + 1, out))
			return ST_OK;
		return fail(p, "%s is not #rrggbb", s);
	}
	if (s[0] == '$') {
		for (i = 0; i < p->n_vars; i++)
			if (strcmp(p->var[i].name, s + 1) == 0) {
				*out = p->var[i].color;
				return ST_OK;
			}
		return fail(p, "no variable %s above", s);
	}
	if (strcmp(s, "default") == 0) {
		*out = -1;
		return ST_OK;
	}
	for (i = 0; i < 16; i++)
		if (strcmp(s, ansi_name[i]) == 0) {
			*out = (int32_t)i;
			return ST_OK;
		}
	if (s[0] >= '0' && s[0] <= '9' && strlen(s) <= 2) {
		v = s[0] - '0';
		if (s[1] >= '0' && s[1] <= '9')
			v = v * 10 + s[1] - '0';
		else if (s[1] != '\0')
			v = 16;
		if (v < 16) {
			*out = v;
			return ST_OK;
		}
	}
	return fail(p, "unknown colour %s", s[0] ? s : "\"\"");
}

/* FG[,BG][+ATTR] */
static enum status
parse_face(const struct parser *p, char *s, struct face *out)
{
	struct face f = {.fg = -1, .bg = -1};
	char *plus = strchr(s, '+'), *comma;
	enum status st;

	if (plus != NULL) {
		*plus++ = '\0';
		for (; *plus != '\0'; plus++) {
			switch (*plus) {
			case 'b': f.attr |= CELL_BOLD; break;
			case 'r': f.attr |= CELL_REVERSE; break;
			case 'd': f.attr |= CELL_DIM; break;
			case 'u': f.attr |= CELL_UNDERLINE; break;
			default: return fail(p, "unknown attribute %c (b, r, d or u)", *plus);
			}
		}
	}
	comma = strchr(s, ',');
	if (comma != NULL) {
		*comma = '\0';
		if ((st = parse_color(p, comma + 1, &f.bg)) != ST_OK)
			return st;
	}
	if ((st = parse_color(p, s, &f.fg)) != ST_OK)
		return st;
	*out = f;
	return ST_OK;
}

/* ROLE_N: none of that name. */
static int
find_role(const char *name)
{
	int r;

	for (r = 0; r < ROLE_N; r++)
		if (strcmp(roles[r].name, name) == 0)
			break;
	return r;
}

static bool
name_ok(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");

	return n > 0 && n < WORD_MAX - 8 && s[n] == '\0';
}

static enum status
set_var(struct parser *p, const char *name, const char *value)
{
	int32_t color;
	enum status st = parse_color(p, value, &color);

	if (st != ST_OK)
		return st;
	if (p->n_vars == VARS_MAX)
		return fail(p, "more than %d variables", VARS_MAX);
	snprintf(p->var[p->n_vars].name, sizeof(p->var[0].name), "%s", name);
	p->var[p->n_vars++].color = color;
	return ST_OK;
}

static enum status
set_face(struct parser *p, const char *name, char *value)
{
	int role = find_role(name);

	if (role == ROLE_N)
		return fail(p, "unknown role %s", name);
	p->named[role] = true;
	p->ground[role] = strchr(value, ',') != NULL;
	return parse_face(p, value, &p->out->face[role]);
}

static enum status
set_grad(struct parser *p, const char *name, char *word[3])
{
	static const char *const part[3] = {"low", "mid", "high"};
	char full[WORD_MAX + 8];
	enum status st;
	int i;

	for (i = 0; i < 3; i++) {
		snprintf(full, sizeof(full), "%s.%s", name, part[i]);
		if ((st = set_face(p, full, word[i])) != ST_OK)
			return st;
	}
	return ST_OK;
}

/* One line without its end and comment; is cut to pieces. */
static enum status
parse_line(struct parser *p, char *line)
{
	char *word[8], *save = NULL, *s;
	unsigned n = 0;

	/* Blanks around = are optional. */
	s = strchr(line, '=');
	if (s == NULL) {
		if (line[strspn(line, " \t\r")] == '\0')
			return ST_OK;
		return fail(p, "no = in it");
	}
	*s++ = '\0';
	for (line = strtok_r(line, " \t\r", &save); line != NULL && n < 3; line = strtok_r(NULL, " \t\r", &save))
		word[n++] = line;
	if (n != 2)
		return fail(p, "begins with var NAME, face ROLE or grad NAME");
	for (s = strtok_r(s, " \t\r", &save); s != NULL && n < 7; s = strtok_r(NULL, " \t\r", &save))
		word[n++] = s;
	if (!name_ok(word[1]))
		return fail(p, "not a name: %s", word[1]);
	if (strcmp(word[0], "var") == 0 && n == 3)
		return set_var(p, word[1], word[2]);
	if (strcmp(word[0], "face") == 0 && n == 3)
		return set_face(p, word[1], word[2]);
	if (strcmp(word[0], "grad") == 0 && n == 5)
		return set_grad(p, word[1], &word[2]);
	return fail(p, "not understood: %s with %u values", word[0], n - 2);
}

/* A role that the file does not name takes the face of the longest named role before a dot, the ground is that of text. */
static void
fall_back(struct parser *p)
{
	char name[WORD_MAX], *dot;
	int role, up;

	for (role = 0; role < ROLE_N; role++) {
		if (p->named[role])
			continue;
		snprintf(name, sizeof(name), "%s", roles[role].name);
		while ((dot = strrchr(name, '.')) != NULL) {
			*dot = '\0';
			up = find_role(name);
			if (up != ROLE_N && p->named[up]) {
				p->out->face[role] = p->out->face[up];
				p->ground[role] = p->ground[up];
				break;
			}
		}
	}
	for (role = 0; role < ROLE_N; role++)
		if (!p->ground[role])
			p->out->face[role].bg = p->out->face[ROLE_TEXT].bg;
}

static void
cut_comment(char *line)
{
	char *s;

	for (s = line; *s != '\0'; s++)
		if (*s == '#' && (s == line || s[-1] == ' ' || s[-1] == '\t')) {
			int32_t color;
			char word[8] = "";

			/* " #81A1C1" is a colour, " # text" a comment. */
			memcpy(word, s + 1, strnlen(s + 1, 6));
			if (s != line && parse_hex(word, &color) && strchr(" \t\r,+", s[7]) != NULL)
				continue;
			*s = '\0';
			return;
		}
}

enum status
theme_parse(struct theme *out, const char *name, const char *text, size_t n, struct err *e)
{
	struct parser p = {.out = out, .name = name, .e = e};
	char line[LINE_BYTES_MAX];
	const char *end;
	enum status st = ST_OK;
	size_t len;

	*out = builtin_default;
	if (n > FILE_MAX_BYTES)
		return err_set(e, ST_TOO_BIG, "theme %s: more than 64 kB", name);
	while (n > 0 && st == ST_OK) {
		p.line++;
		end = memchr(text, '\n', n);
		len = end != NULL ? (size_t)(end - text) : n;
		if (len >= sizeof(line) || memchr(text, '\0', len) != NULL) {
			st = fail(&p, "too long, or not text");
			break;
		}
		memcpy(line, text, len);
		line[len] = '\0';
		cut_comment(line);
		st = parse_line(&p, line);
		text += len + (end != NULL);
		n -= len + (end != NULL);
	}
	if (st != ST_OK) {
		*out = builtin_default;
		return st;
	}
	fall_back(&p);
	snprintf(out->name, sizeof(out->name), "%.*s", (int)sizeof(out->name) - 1, name);
	return ST_OK;
}

enum status
theme_load(struct theme *out, const char *path, struct err *e)
{
	const char *base = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
	char name[sizeof(out->name)], *text = NULL;
	size_t n = strlen(base);
	enum status st;
	FILE *f;

	*out = builtin_default;
	if (n > 6 && strcmp(base + n - 6, ".theme") == 0)
		n -= 6;
	snprintf(name, sizeof(name), "%.*s", (int)(n < sizeof(name) ? n : sizeof(name) - 1), base);
	f = fopen(path, "re");
	if (f == NULL)
		return err_set_detail(e, ST_IO, errno, "theme %s: %s", path, strerror(errno));
	text = malloc(FILE_MAX_BYTES + 1);
	if (text == NULL) {
		st = err_set(e, ST_NOMEM, "theme %s: no memory", path);
		goto out;
	}
	n = fread(text, 1, FILE_MAX_BYTES + 1, f);
	if (ferror(f)) {
		st = err_set_detail(e, ST_IO, errno, "theme %s: %s", path, strerror(errno));
		goto out;
	}
	st = theme_parse(out, name, text, n, e);
out:
	free(text);
	fclose(f);
	return st;
}

enum status
theme_find(struct theme *out, const char *name, const char *config_dir, const char *data_dir, struct err *e)
{
	const char *dir[2] = {config_dir, data_dir};
	char path[PATH_MAX], names[80] = "";
	int i, n;
	size_t k;
	FILE *f;

	*out = builtin_default;
	if (strchr(name, '/') != NULL)
		return theme_load(out, name, e);
	for (i = 0; i < 2; i++) {
		if (dir[i] == NULL)
			continue;
		n = snprintf(path, sizeof(path), "%s/themes/%s.theme", dir[i], name);
		if (n < 0 || (size_t)n >= sizeof(path))
			continue;
		f = fopen(path, "re");
		if (f == NULL)
			continue;
		fclose(f);
		return theme_load(out, path, e);
	}
	if (theme_builtin(name) != NULL) {
		*out = *theme_builtin(name);
		return ST_OK;
	}
	for (k = 0; k < theme_files_n; k++)
		if (strcmp(theme_files[k].name, name) == 0)
			return theme_parse(out, name, theme_files[k].text, strlen(theme_files[k].text), e);
	err_set(e, ST_USAGE, "theme %s: there is none of that name", name);
	for (k = 0; k < theme_files_n; k++) {
		n = (int)strlen(names);
		snprintf(names + n, sizeof(names) - (size_t)n, "%s, ", theme_files[k].name);
	}
	return err_cure(e, "%sor a file with a / in its name", names);
}
