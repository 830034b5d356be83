/* The last line; see keyline.h. */
#include "ui/keyline.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

enum { ITEMS_MAX = 24, GAP = 2 };

struct item {
	enum ui_cmd cmd;
	char key[24];
	const char *label;
	int x, w;
};

/*
 * The items that fit into w, placed. Views have no label in the table, being many: they are one item
 * with all their keys, behind help.
 */
static unsigned
items(struct item out[ITEMS_MAX], int w)
{
	static const char view[] = "view-";
	struct item *views = NULL;
	unsigned n = 0, i;
	int need = 1, x = 1;
	size_t k, len;

	for (k = 0; k < command_table_n && n < ITEMS_MAX - 1; k++) {
		const struct command *c = &command_table[k];

		if (c->line[0] != '\0') {
			out[n] = (struct item){.cmd = c->id, .label = c->line};
			snprintf(out[n].key, sizeof(out[n].key), "%.*s", (int)strcspn(c->keys, " "), c->keys);
			n++;
		} else if (strncmp(c->name, view, sizeof(view) - 1) == 0 && c->keys[0] >= '1' && c->keys[0] <= '9') {
			if (views == NULL) {
				views = &out[n++];
				*views = (struct item){.cmd = UI_NONE, .label = "View"};
			}
			len = strlen(views->key);
			snprintf(views->key + len, sizeof(views->key) - len, "%s%c", len ? " " : "", c->keys[0]);
		}
	}
	for (i = 0; i < n; i++) {
		out[i].w = (int)utf8_columns(out[i].key) + 1 + (int)utf8_columns(out[i].label);
		need += out[i].w + (i > 0 ? GAP : 0);
	}
	/* The one before the last leaves first. */
	while (need > w && n > 2) {
		need -= out[n - 2].w + GAP;
		out[n - 2] = out[n - 1];
		n--;
	}
	for (i = 0; i < n; i++) {
		out[i].x = x;
		x += out[i].w + GAP;
	}
	return n;
}

void
keyline_draw(struct canvas *c, int y)
{
	struct item item[ITEMS_MAX];
	unsigned n = items(item, c->at.w), i;
	int x;

	canvas_fill(c, (struct rect){.y = y, .w = c->at.w, .h = 1}, ' ', ROLE_TEXT, 0);
	for (i = 0; i < n; i++) {
		x = canvas_text(c, item[i].x, y, -1, ROLE_KEY, 0, item[i].key);
		canvas_text(c, x + 1, y, -1, ROLE_TEXT, 0, item[i].label);
	}
}

enum ui_cmd
keyline_at(int w, int x)
{
	struct item item[ITEMS_MAX];
	unsigned n = items(item, w), i;

	for (i = 0; i < n; i++)
		if (x >= item[i].x && x < item[i].x + item[i].w)
			return item[i].cmd;
	return UI_NONE;
}
