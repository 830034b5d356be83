#include "conf/file_text.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 8, NAME_MAX_ = 64 };

struct scan {
	char *text;
	size_t n, at;
	bool *env;
	unsigned line;
	unsigned depth, opened[DEPTH_MAX]; /* lines of the braces that are open */
	bool word; /* within a word: what begins here is none */
	struct err *e;
};

static enum status variable_lacks(struct scan *s, const char *name)
{
	err_set(s->e, ST_USAGE, "${%s} is not set", name);
	return err_cure(s->e, "set it, or give it a value for that case: ${%s:-value}", name);
}

/* At "${": libconfuse replaces up to the next }, whatever stands there. */
static enum status variable(struct scan *s)
{
	const char *p = s->text + s->at + 2, *end = memchr(p, '}', s->n - s->at - 2);
	const char *stop = end ? memchr(p, ':', (size_t)(end - p)) : NULL;
	size_t n = end ? (size_t)((stop ? stop : end) - p) : 0;
	char name[NAME_MAX_ + 1];

	if (!end || memchr(p, '\n', (size_t)(end - p))) {
		err_set(s->e, ST_USAGE, "${ without }");
		return err_cure(s->e, "${NAME}; for the characters themselves single quotes: '${'");
	}
	if (n == 0 || n > NAME_MAX_ || (stop && stop[1] != '-')) {
		err_set(s->e, ST_USAGE, "${…}: not the name of a variable");
		return err_cure(s->e, "${NAME} or ${NAME:-value}");
	}
	memcpy(name, p, n);
	name[n] = '\0';
	for (size_t i = 0; i < n; i++) {
		bool letter = (name[i] >= 'A' && name[i] <= 'Z') || (name[i] >= 'a' && name[i] <= 'z') || name[i] == '_';

		if (!letter && (i == 0 || name[i] < '0' || name[i] > '9')) {
			err_set(s->e, ST_USAGE, "${%s}: not the name of a variable", name);
			return err_cure(s->e, "${NAME} or ${NAME:-value}");
		}
	}
	if (!stop && !getenv(name))
		return variable_lacks(s, name);
	s->env[s->line] = true;
	s->at = (size_t)(end - s->text) + 1;
	return ST_OK;
}

static enum status string(struct scan *s, char quote)
{
	for (s->at++; s->at < s->n; s->at++) {
		char c = s->text[s->at];

		if (c == quote) {
			s->at++;
			return ST_OK;
		}
		if (c == '\n')
			break;
		if (c == '\\' && s->at + 1 < s->n && s->text[s->at + 1] != '\n') {
			s->at++;
		} else if (quote == '"' && c == '$' && s->at + 1 < s->n && s->text[s->at + 1] == '{') {
			enum status st = variable(s);

			if (st != ST_OK)
				return st;
			s->at--;
		}
	}
	err_set(s->e, ST_USAGE, "the %c of this string is lacking at its end", quote);
	return err_cure(s->e, "%c…%c on one line", quote, quote);
}

static void line_comment(struct scan *s)
{
	while (s->at < s->n && s->text[s->at] != '\n')
		s->text[s->at++] = ' ';
}

static enum status block_comment(struct scan *s)
{
	unsigned begin = s->line;
	const char *end = strstr(s->text + s->at + 2, "*/");

	if (!end) {
		s->line = begin;
		return err_set(s->e, ST_USAGE, "the end of this comment is lacking: */");
	}
	for (end += 2; s->text + s->at < end; s->at++) {
		if (s->text[s->at] == '\n')
			s->line++;
		else
			s->text[s->at] = ' ';
	}
	return ST_OK;
}

static enum status brace(struct scan *s, char c)
{
	if (c == '{') {
		if (s->depth == DEPTH_MAX)
			return err_set(s->e, ST_USAGE, "more than %d braces are open", DEPTH_MAX);
		s->opened[s->depth++] = s->line;
	} else if (s->depth == 0) {
		return err_set(s->e, ST_USAGE, "} without {");
	} else {
		s->depth--;
	}
	s->at++;
	return ST_OK;
}

/* What stands here, outside of strings. */
static enum status step(struct scan *s)
{
	char c = s->text[s->at], next = s->text[s->at + 1];
	bool word = s->word;

	s->word = false;
	switch (c) {
	case '\n':
		s->line++;
		s->at++;
		return ST_OK;
	case ' ':
	case '\t':
	case '\r':
	case '=':
	case ',':
		s->at++;
		return ST_OK;
	case '{':
	case '}':
		return brace(s, c);
	case '"':
	case '\'':
		return string(s, c);
	case '#':
		line_comment(s);
		return ST_OK;
	case '(':
	case ')':
	case '+':
	case '[':
	case ']':
	case '\\':
		/* libconfuse has functions and other things for them. */
		err_set(s->e, ST_USAGE, "%c has no place here", c);
		return err_cure(s->e, "name = \"value\"; a value with such characters stands in quotes");
	case '/':
		if (!word && next == '/') {
			line_comment(s);
			return ST_OK;
		}
		if (!word && next == '*')
			return block_comment(s);
		break;
	case '*':
		err_set(s->e, ST_USAGE, "* has no place here");
		return err_cure(s->e, "a value with such characters stands in quotes");
	case '$':
		if (next == '{')
			return variable(s);
		break;
	default:
		break;
	}
	s->word = true;
	s->at++;
	return ST_OK;
}

/* Also in strings and comments: none of it is text. */
static enum status no_controls(const char *text, size_t n, unsigned *line, struct err *e)
{
	*line = 1;
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '\n')
			++*line;
		if ((c < ' ' && c != '\n' && c != '\t' && c != '\r') || c == 127)
			return err_set(e, ST_USAGE, "a control character (0x%02x)", c);
	}
	return ST_OK;
}

enum status file_text_clean(char *text, size_t n, bool *env, unsigned *line, struct err *e)
{
	struct scan s = { .text = text, .n = n, .env = env, .line = 1, .e = e };
	enum status st = no_controls(text, n, line, e);

	if (st != ST_OK)
		return st;
	/* The mark that some editors put in front. */
	if (n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		memset(text, ' ', 3);
	while (s.at < s.n && st == ST_OK)
		st = step(&s);
	*line = s.line;
	if (st == ST_OK && s.depth) {
		*line = s.opened[s.depth - 1];
		return err_set(e, ST_USAGE, "the } of this { is lacking");
	}
	return st;
}
