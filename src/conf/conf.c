#include "conf/conf.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "conf/file.h"

enum kind { KIND_FLAG, KIND_TEXT, KIND_LIST, KIND_TIME, KIND_CHOICE, KIND_SIZE, KIND_NUMBER, KIND_COMMAND };

struct option {
	enum kind kind;
	const char *name, *arg, *help;
	char letter;
	size_t offset;
};

static const struct option options[] = {
#define ROW(k, f, n, s, a, h) { .kind = k, .name = n, .arg = a, .help = h, .letter = s, .offset = offsetof(struct conf, f) },
#define FLAG(field, name, short, help) ROW(KIND_FLAG, field, name, short, NULL, help)
#define TEXT(field, name, short, arg, def, help) ROW(KIND_TEXT, field, name, short, arg, help)
#define LIST(field, name, short, arg, help) ROW(KIND_LIST, field, name, short, arg, help)
#define TIME(field, name, short, arg, def, help) ROW(KIND_TIME, field, name, short, arg, help)
#define CHOICE(field, name, short, words, def, help) ROW(KIND_CHOICE, field, name, short, words, help)
#define SIZE(field, name, short, help) ROW(KIND_SIZE, field, name, short, "WxH", help)
#define NUMBER(field, name, short, arg, def, help) ROW(KIND_NUMBER, field, name, short, arg, help)
#define COMMAND(names) { .kind = KIND_COMMAND, .name = "", .arg = names },
#include "conf/options.def"
#undef FLAG
#undef TEXT
#undef LIST
#undef TIME
#undef CHOICE
#undef SIZE
#undef NUMBER
#undef COMMAND
};

enum { N_OPTIONS = sizeof(options) / sizeof(options[0]) };
_Static_assert((int)N_OPTIONS <= (int)CONF_ROWS_MAX, "conf.from has a place for each row");

/* Is `word` one of the words of `list`? */
static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = list; *p;) {
		size_t len = strcspn(p, " ");

		if (len == n && memcmp(p, word, n) == 0)
			return true;
		p += len + (p[len] == ' ');
	}
	return false;
}

/* Commands that the option belongs to, "" for all of them. */
static const char *commands_of(const struct option *o)
{
	for (ptrdiff_t i = o - options; i >= 0; i--) {
		if (options[i].kind == KIND_COMMAND)
			return options[i].arg;
	}
	return "";
}

static void defaults(struct conf *c)
{
	*c = (struct conf){
#define FLAG(field, name, short, help) .field = false,
#define TEXT(field, name, short, arg, def, help) .field = def,
#define LIST(field, name, short, arg, help) .field = { .n = 0 },
#define TIME(field, name, short, arg, def, help) .field = def,
#define CHOICE(field, name, short, words, def, help) .field = def,
#define SIZE(field, name, short, help) .field = { .on = false },
#define NUMBER(field, name, short, arg, def, help) .field = def,
#define COMMAND(names)
#include "conf/options.def"
#undef FLAG
#undef TEXT
#undef LIST
#undef TIME
#undef CHOICE
#undef SIZE
#undef NUMBER
#undef COMMAND
	};
}

bool conf_time(const char *s, uint64_t *ns)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "ms", 1e6 }, { "s", 1e9 }, { "m", 60e9 }, { "h", 3600e9 }, { "us", 1e3 } };
	double v = 0, scale = 1;
	const char *p = s;

	/* Not strtod: it takes "inf", hex and the decimal comma of some locales. */
	for (; *p >= '0' && *p <= '9'; p++)
		v = v * 10 + (*p - '0');
	if (p == s)
		return false;
	if (*p == '.') {
		for (p++; *p >= '0' && *p <= '9'; p++)
			v += (*p - '0') * (scale /= 10);
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(p, units[i].unit) == 0 && v * units[i].ns < 1e18) {
			*ns = (uint64_t)(v * units[i].ns + 0.5);
			return true;
		}
	}
	return false;
}

bool conf_size(const char *s, int *w, int *h)
{
	int n = 0;

	if (strlen(s) > 9 || sscanf(s, "%4dx%4d%n", w, h, &n) != 2 || s[n])
		return false;
	return *w >= 1 && *w <= 1000 && *h >= 1 && *h <= 1000;
}

static bool choice(const char *words, const char *s, int *index)
{
	size_t n = strlen(s);

	for (int i = 0;; i++) {
		size_t len = strcspn(words, "|");

		if (len == n && memcmp(words, s, n) == 0) {
			*index = i;
			return true;
		}
		if (words[len] == 0)
			return false;
		words += len + 1;
	}
}

static bool number(const char *s, uint64_t *v)
{
	uint64_t sum = 0;

	if (!*s)
		return false;
	for (; *s; s++) {
		if (*s < '0' || *s > '9' || sum > (UINT64_MAX - (uint64_t)(*s - '0')) / 10)
			return false;
		sum = sum * 10 + (uint64_t)(*s - '0');
	}
	*v = sum;
	return true;
}

/* "true" and its like, as far as they are told apart by everybody. */
static bool flag(const char *s, bool *on)
{
	static const char *const yes[] = { "true", "yes", "on" }, *const no[] = { "false", "no", "off" };

	for (size_t i = 0; i < 3; i++) {
		if (strcmp(s, yes[i]) == 0 || strcmp(s, no[i]) == 0) {
			*on = strcmp(s, yes[i]) == 0;
			return true;
		}
	}
	return false;
}

/* dash: how the option is written where it was found, "--" or "". */
static enum status put(struct conf *c, const struct option *o, const char *value, const char *dash, struct err *e)
{
	void *p = (char *)c + o->offset;
	struct conf_size *size = p;
	struct conf_list *list = p;

	switch (o->kind) {
	case KIND_FLAG:
		*(bool *)p = true;
		if (value && !flag(value, p)) {
			err_set(e, ST_USAGE, "%s%s %s: neither true nor false", dash, o->name, value);
			return err_cure(e, "true|false");
		}
		break;
	case KIND_TEXT:
		*(const char **)p = value;
		break;
	case KIND_LIST:
		if (list->n == CONF_LIST_MAX)
			return err_set(e, ST_USAGE, "%s%s: more than %d of them", dash, o->name, CONF_LIST_MAX);
		list->item[list->n++] = value;
		break;
	case KIND_TIME:
		if (!conf_time(value, p)) {
			err_set(e, ST_USAGE, "%s%s %s: not a time", dash, o->name, value);
			return err_cure(e, "a number with ms, s, m or h: 10s");
		}
		break;
	case KIND_CHOICE:
		if (!choice(o->arg, value, p)) {
			err_set(e, ST_USAGE, "%s%s %s: no such choice", dash, o->name, value);
			return err_cure(e, "%s", o->arg);
		}
		break;
	case KIND_SIZE:
		size->on = true;
		if (value && !conf_size(value, &size->w, &size->h)) {
			err_set(e, ST_USAGE, "%s%s=%s: not a size", dash, o->name, value);
			return err_cure(e, "columns x rows: %s%s=120x36", dash, o->name);
		}
		break;
	case KIND_NUMBER:
		if (!number(value, p))
			return err_set(e, ST_USAGE, "%s%s %s: not a number", dash, o->name, value);
		break;
	case KIND_COMMAND:
		break;
	}
	return ST_OK;
}

static enum status set(struct conf *c, const struct option *o, const char *value, struct err *e)
{
	c->origin[o - options].source = CONF_ARGV;
	return put(c, o, value, "--", e);
}

enum status conf_set(struct conf *c, const char *name, const char *value, unsigned line, struct err *e)
{
	for (int i = 0; i < N_OPTIONS; i++) {
		struct conf checked;

		if (options[i].kind == KIND_COMMAND || strcmp(options[i].name, name) != 0)
			continue;
		if (c->origin[i].source == CONF_ARGV) {
			checked = *c;
			if (options[i].kind == KIND_LIST)
				((struct conf_list *)(void *)((char *)&checked + options[i].offset))->n = 0;
			return put(&checked, &options[i], value, "", e);
		}
		c->origin[i] = (struct conf_origin){ .source = CONF_FILE, .line = line };
		return put(c, &options[i], value, "", e);
	}
	return err_set(e, ST_USAGE, "%.60s: no such option", name);
}

/* Edits needed to turn a into b, at most; enough to guess what a typo meant. */
static unsigned distance(const char *a, size_t n, const char *b)
{
	unsigned row[32], m = (unsigned)strlen(b);

	if (n > 31 || m > 31)
		return 99;
	for (unsigned j = 0; j <= m; j++)
		row[j] = j;
	for (size_t i = 1; i <= n; i++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)i;
		for (unsigned j = 1; j <= m; j++) {
			unsigned above = row[j], best = diagonal + (a[i - 1] != b[j - 1]);

			best = above + 1 < best ? above + 1 : best;
			row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
			diagonal = above;
		}
	}
	return row[m];
}

static enum status unknown(const char *word, size_t n, struct err *e)
{
	unsigned best = 4;
	const char *name = NULL;

	err_set(e, ST_USAGE, "%.60s: no such option", word);
	for (int i = 0; i < N_OPTIONS; i++) {
		unsigned d = word[1] == '-' ? distance(word + 2, n, options[i].name) : 99;

		if (d < best && options[i].kind != KIND_COMMAND) {
			best = d;
			name = options[i].name;
		}
	}
	return name ? err_cure(e, "--%s", name) : err_cure(e, "chaintop --help");
}

/* The command, for options whose name means something else in another one: the first word that is one's name. "": none. */
static const char *command_in(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		for (int k = 0; k < N_OPTIONS; k++) {
			if (options[k].kind == KIND_COMMAND && argv[i][0] && has_word(options[k].arg, argv[i]))
				return argv[i];
		}
	}
	return "";
}

/* By its name (letter 0) or its letter; of several of that name the one of this command, else the first. NULL: none. */
static const struct option *find_option(const char *name, size_t n, char letter, const char *command)
{
	const struct option *first = NULL;

	for (int k = 0; k < N_OPTIONS; k++) {
		const struct option *o = &options[k];

		if (o->kind == KIND_COMMAND || (letter && o->letter != letter))
			continue;
		if (!letter && (strlen(o->name) != n || memcmp(o->name, name, n) != 0))
			continue;
		if (has_word(commands_of(o), command))
			return o;
		if (!first)
			first = o;
	}
	return first;
}

/* *i: index of the option's word; moved on if the next word is its value. */
static enum status parse_long(struct conf *c, int argc, char **argv, int *i, struct err *e)
{
	const char *word = argv[*i], *value = strchr(word, '=');
	size_t n = value ? (size_t)(value - word) - 2 : strlen(word) - 2;
	const struct option *o = find_option(word + 2, n, 0, command_in(argc, argv));

	if (!o)
		return unknown(word, n, e);
	if (value)
		value++;
	if (o->kind == KIND_FLAG && value)
		return err_set(e, ST_USAGE, "--%s takes no value", o->name);
	if (o->kind != KIND_FLAG && o->kind != KIND_SIZE && !value) {
		if (*i + 1 >= argc)
			return err_set(e, ST_USAGE, "--%s needs a value: %s", o->name, o->arg);
		value = argv[++*i];
	}
	return set(c, o, value, e);
}

static enum status parse_short(struct conf *c, int argc, char **argv, int *i, struct err *e)
{
	const char *word = argv[*i];

	for (const char *p = word + 1; *p; p++) {
		const struct option *o = find_option("", 0, *p, command_in(argc, argv));

		if (!o)
			return unknown(word, 0, e);
		if (o->kind == KIND_FLAG) {
			enum status st = set(c, o, NULL, e);

			if (st != ST_OK)
				return st;
			continue;
		}
		if (p[1])
			return set(c, o, p + 1, e);
		if (*i + 1 >= argc)
			return err_set(e, ST_USAGE, "-%c needs a value: %s", *p, o->arg);
		return set(c, o, argv[++*i], e);
	}
	return ST_OK;
}

enum status conf_parse(struct conf *c, int argc, char **argv, struct err *e)
{
	enum status st = ST_OK;
	bool words = false;

	defaults(c);
	c->args = calloc((size_t)argc + 1, sizeof(*c->args));
	if (!c->args)
		return err_set(e, ST_NOMEM, "no memory");
	for (int i = 1; i < argc && st == ST_OK; i++) {
		const char *word = argv[i];

		if (words || word[0] != '-' || word[1] == 0)
			c->args[c->n_args++] = word;
		else if (strcmp(word, "--") == 0)
			words = true;
		else if (word[1] == '-')
			st = parse_long(c, argc, argv, &i, e);
		else
			st = parse_short(c, argc, argv, &i, e);
	}
	if (st != ST_OK)
		conf_fini(c);
	return st;
}

void conf_fini(struct conf *c)
{
	free(c->args);
	c->args = NULL;
	c->n_args = 0;
	conf_file_free(c->file);
	c->file = NULL;
}

enum status conf_check(const struct conf *c, const char *command, struct err *e)
{
	for (int i = 0; i < N_OPTIONS; i++) {
		const char *of = commands_of(&options[i]);

		if (c->origin[i].source != CONF_ARGV || !*of || has_word(of, command))
			continue;
		err_set(e, ST_USAGE, "--%s: not an option of `chaintop %s`", options[i].name, command);
		return err_cure(e, "chaintop %.*s --help", (int)strcspn(of, " "), of);
	}
	return ST_OK;
}

/* ---- showing ---- */

static void show_time(char *out, size_t size, uint64_t ns)
{
	if (ns == UINT64_MAX)
		snprintf(out, size, "—");
	else if (ns % NS_S == 0)
		snprintf(out, size, "%llus", (unsigned long long)(ns / NS_S));
	else
		snprintf(out, size, "%.15gms", (double)ns / 1e6);
}

/* The value of a header is a secret, and what stands before the @ of a proxy. */
static void show_secretly(char *out, size_t size, const char *name, const char *value)
{
	const char *at = strrchr(value, '@'), *host = strstr(value, "://");

	if (strcmp(name, "header") == 0)
		snprintf(out, size, "%.*s: …", (int)strcspn(value, ":"), value);
	else if (strcmp(name, "proxy") == 0 && at)
		snprintf(out, size, "%.*s…%s", host && host < at ? (int)(host + 3 - value) : 0, value, at);
	else
		snprintf(out, size, "%s", value);
}

static void show_list(char *out, size_t size, const char *name, const struct conf_list *list)
{
	size_t at = 0;

	for (unsigned i = 0; i < list->n && at < size; i++) {
		char one[100];

		show_secretly(one, sizeof(one), name, list->item[i]);
		at += (size_t)snprintf(out + at, size - at, "%s%s", i ? ", " : "", one);
	}
}

static void show_choice(char *out, size_t size, const char *words, int index)
{
	while (index-- > 0)
		words += strcspn(words, "|") + 1;
	snprintf(out, size, "%.*s", (int)strcspn(words, "|"), words);
}

bool conf_option(const struct conf *c, unsigned i, struct conf_shown *out)
{
	const struct option *o;
	const void *p;
	const struct conf_size *size;

	if (i >= N_OPTIONS)
		return false;
	o = &options[i];
	p = (const char *)c + o->offset;
	*out = (struct conf_shown){
		.name = o->name, .help = o->help, .commands = commands_of(o), .list = o->kind == KIND_LIST, .from = c->origin[i],
	};
	snprintf(out->value, sizeof(out->value), "—");
	switch (o->kind) {
	case KIND_FLAG:
		snprintf(out->value, sizeof(out->value), "%s", *(const bool *)p ? "true" : "false");
		break;
	case KIND_TEXT:
		if (*(const char *const *)p)
			show_secretly(out->value, sizeof(out->value), o->name, *(const char *const *)p);
		break;
	case KIND_LIST:
		show_list(out->value, sizeof(out->value), o->name, p);
		break;
	case KIND_TIME:
		show_time(out->value, sizeof(out->value), *(const uint64_t *)p);
		break;
	case KIND_CHOICE:
		show_choice(out->value, sizeof(out->value), o->arg, *(const int *)p);
		break;
	case KIND_SIZE:
		size = p;
		if (size->on)
			snprintf(out->value, sizeof(out->value), "%dx%d", size->w, size->h);
		break;
	case KIND_NUMBER:
		if (*(const uint64_t *)p != UINT64_MAX)
			snprintf(out->value, sizeof(out->value), "%llu", (unsigned long long)*(const uint64_t *)p);
		break;
	case KIND_COMMAND:
		break;
	}
	return true;
}

static void option_words(const struct option *o, char *out, size_t size)
{
	char letter[6] = "";

	if (o->letter)
		snprintf(letter, sizeof(letter), "-%c, ", o->letter);
	if (o->kind == KIND_SIZE)
		snprintf(out, size, "%s--%s[=%s]", letter, o->name, o->arg);
	else if (o->arg)
		snprintf(out, size, "%s--%s %s", letter, o->name, o->arg);
	else
		snprintf(out, size, "%s--%s", letter, o->name);
}

/* Is it one of those that conf_help and conf_man were asked for? */
static bool wanted(const struct option *o, const char *command)
{
	const char *of = commands_of(o);

	return o->kind != KIND_COMMAND && (command ? has_word(of, command) : !*of);
}

bool conf_help(FILE *f, const char *command)
{
	enum { LEFT = 32, RIGHT = 100 };
	bool any = false;

	for (int i = 0; i < N_OPTIONS; i++) {
		const char *p = options[i].help;
		char words[80];

		if (!wanted(&options[i], command))
			continue;
		any = true;
		option_words(&options[i], words, sizeof(words));
		fprintf(f, "  %-*s", LEFT - 2, words);
		if (strlen(words) > LEFT - 3)
			fprintf(f, "\n%*s", LEFT, "");
		while (*p) {
			size_t n = strlen(p);

			if (n > RIGHT - LEFT) {
				for (n = RIGHT - LEFT; n > 0 && p[n] != ' '; n--)
					;
			}
			fprintf(f, "%.*s\n", (int)n, p);
			p += n;
			while (*p == ' ')
				p++;
			if (*p)
				fprintf(f, "%*s", LEFT, "");
		}
	}
	return any;
}

void conf_man(FILE *f, const char *command)
{
	for (int i = 0; i < N_OPTIONS; i++) {
		const struct option *o = &options[i];

		if (!wanted(o, command))
			continue;
		fprintf(f, ".It ");
		if (o->letter)
			fprintf(f, "Fl %c , ", o->letter);
		fprintf(f, "Fl -%s", o->name);
		if (o->kind == KIND_SIZE)
			fprintf(f, " Ns Op = Ns Ar %s", o->arg);
		else if (o->arg)
			fprintf(f, " Ar %s", o->arg);
		fprintf(f, "\n%s.\n", o->help);
	}
}
