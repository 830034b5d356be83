/* The command table and key names; see command.h. */
#include "ui/command.h"

#include <string.h>

#include "base/utf8.h"

const struct command command_table[] = {
#define X(i, n, k, l, h) {.id = i, .name = n, .keys = k, .line = l, .help = h},
	COMMAND_LIST(X)
#undef X
};

const size_t command_table_n = sizeof(command_table) / sizeof(command_table[0]);

static const struct {
	const char *name;
	unsigned key;
} names[] = {
	{"Up", KEY_UP_}, {"Down", KEY_DOWN_}, {"Left", KEY_LEFT_}, {"Right", KEY_RIGHT_},
	{"Home", KEY_HOME_}, {"End", KEY_END_}, {"PgUp", KEY_PGUP_}, {"PgDn", KEY_PGDN_},
	{"Tab", KEY_TAB_}, {"S-Tab", KEY_STAB_}, {"Enter", KEY_ENTER_}, {"Esc", KEY_ESC_},
	{"Bksp", KEY_BACKSPACE_}, {"Del", KEY_DELETE_}, {"Space", ' '},
	{"Alt-Left", KEY_ALT_LEFT_}, {"Alt-Right", KEY_ALT_RIGHT_},
};

unsigned
key_parse(const char *name, size_t n)
{
	size_t i;
	uint32_t cp;
	int len;

	if (n == 0)
		return 0;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i].name) == n && memcmp(names[i].name, name, n) == 0)
			return names[i].key;
	if (n == 2 && name[0] == '^' && name[1] >= '@' && name[1] <= '_')
		return KEY_CTRL_ + (unsigned)name[1];
	if (n == 2 && name[0] == 'F' && name[1] >= '1' && name[1] <= '9')
		return KEY_F1_ + (unsigned)(name[1] - '1');
	if (n == 3 && name[0] == 'F' && name[1] == '1' && name[2] >= '0' && name[2] <= '2')
		return KEY_F1_ + 9 + (unsigned)(name[2] - '0');
	cp = utf8_decode(name, n, &len);
	if ((size_t)len != n || cp <= ' ' || cp == 0xfffd || utf8_width(cp) == 0)
		return 0;
	return cp;
}

enum ui_cmd
command_for_key(unsigned key)
{
	const char *s;
	size_t i, n;

	if (key == 0)
		return UI_NONE;
	for (i = 0; i < command_table_n; i++)
		for (s = command_table[i].keys; *s != '\0'; s += n + (s[n] == ' ')) {
			n = strcspn(s, " ");
			if (key_parse(s, n) == key)
				return command_table[i].id;
		}
	return UI_NONE;
}
