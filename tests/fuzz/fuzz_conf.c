/*
 * Fuzz target of conf/file: any text is taken, or refused with its line and one sentence; nothing of it ends the process,
 * hangs, or is printed.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "conf/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const struct conf_text *t)
{
	if (t->s && t->line == 0)
		abort();
	for (const char *s = t->s; s && *s; s++) {
		if ((unsigned char)*s < ' ')
			abort();
	}
}

static void check_file(const struct conf_file *f)
{
	if (f->n_nodes > CONF_NODES_MAX || f->n_checks > CONF_CHECKS_MAX)
		abort();
	for (unsigned i = 0; i < f->n_nodes; i++) {
		if (f->nodes[i].url.n > CONF_WORDS_MAX || f->nodes[i].url.n + f->nodes[i].url_command.n == 0)
			abort();
		for (unsigned k = 0; k < f->nodes[i].url.n; k++)
			check_text(&f->nodes[i].url.at[k]);
	}
	for (unsigned i = 0; i < f->n_checks; i++)
		check_text(&f->checks[i].warn);
	check_text(&f->alert.webhook);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[] = "chaintop", *argv[] = { name, NULL };
	struct err e = { .code = ST_OK };
	struct conf_shown o;
	struct conf c;
	enum status st;

	if (size > CONF_FILE_BYTES || conf_parse(&c, 1, argv, &e) != ST_OK)
		return 0;
	st = conf_load_text(&c, (const char *)data, size, "fuzz", true, &e);
	if (st == ST_OK)
		check_file(c.file);
	else if (e.code != st || strncmp(e.text, "fuzz:", 5) != 0)
		abort();
	for (unsigned i = 0; conf_option(&c, i, &o); i++) {
		if (memchr(o.value, 0, sizeof(o.value)) == NULL)
			abort();
	}
	conf_fini(&c);
	return 0;
}
