/* ui/command and ui/keyline: no key twice, every key name understood, every command reachable and explained. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "ui/command.h"
#include "ui/keyline.h"
#include "ui/text.h"

static void
test_keys_are_names_and_unique(void **state)
{
	unsigned seen[256], key;
	size_t i, n, k, count = 0;
	const char *s;

	(void)state;
	for (i = 0; i < command_table_n; i++) {
		assert_true(command_table[i].keys[0] != '\0');
		for (s = command_table[i].keys; *s != '\0'; s += n + (s[n] == ' ')) {
			n = strcspn(s, " ");
			key = key_parse(s, n);
			if (key == 0)
				fail_msg("%s: %.*s is not a key", command_table[i].name, (int)n, s);
			for (k = 0; k < count; k++)
				if (seen[k] == key)
					fail_msg("%s: %.*s is bound twice", command_table[i].name, (int)n, s);
			assert_true(count < 256);
			seen[count++] = key;
			assert_int_equal(command_for_key(key), command_table[i].id);
		}
	}
}

static void
test_every_command_is_in_the_table(void **state)
{
	size_t i, k;

	(void)state;
	assert_int_equal(command_table_n, UI_CMD_N - 1);
	for (i = 0; i < command_table_n; i++) {
		assert_int_equal(command_table[i].id, i + 1);
		assert_true(command_table[i].help[0] != '\0');
		assert_int_equal(strspn(command_table[i].name, "abcdefghijklmnopqrstuvwxyz-0123456789"),
			strlen(command_table[i].name));
		for (k = 0; k < i; k++)
			assert_string_not_equal(command_table[i].name, command_table[k].name);
	}
}

static void
test_key_names(void **state)
{
	(void)state;
	assert_int_equal(key_parse("q", 1), 'q');
	assert_int_equal(key_parse("Space", 5), ' ');
	assert_int_equal(key_parse("^L", 2), KEY_CTRL_ + 'L');
	assert_int_equal(key_parse("^", 1), '^');
	assert_int_equal(key_parse("F1", 2), KEY_F1_);
	assert_int_equal(key_parse("F12", 3), KEY_F1_ + 11);
	assert_int_equal(key_parse("F", 1), 'F');
	assert_int_equal(key_parse("F13", 3), 0);
	assert_int_equal(key_parse("F0", 2), 0);
	assert_int_equal(key_parse("PgDn", 4), KEY_PGDN_);
	assert_int_equal(key_parse("S-Tab", 5), KEY_STAB_);
	assert_int_equal(key_parse("\xc3\xa9", 2), 0xe9);
	assert_int_equal(key_parse("qq", 2), 0);
	assert_int_equal(key_parse("", 0), 0);
	assert_int_equal(key_parse("\033", 1), 0);
	assert_int_equal(key_parse(" ", 1), 0);
	assert_int_equal(key_parse("\xff", 1), 0);
	assert_int_equal(command_for_key(0), UI_NONE);
	assert_int_equal(command_for_key(0x1f600), UI_NONE);
}

static void
draw(struct buf *b, int w)
{
	struct canvas c;

	assert_int_equal(canvas_init(&c, w, 1, GLYPHS_ASCII), ST_OK);
	keyline_draw(&c, 0);
	buf_clear(b);
	assert_int_equal(text_write(b, &c, NULL, COLOR_NEVER), ST_OK);
	canvas_fini(&c);
}

static void
test_key_line(void **state)
{
	struct buf b;
	size_t i;
	int x;

	(void)state;
	buf_init(&b, 1 << 16);
	draw(&b, 160);
	for (i = 0; i < command_table_n; i++)
		if (command_table[i].line[0] != '\0')
			assert_non_null(strstr(b.p, command_table[i].line));
	assert_memory_equal(b.p, " F1 Help  ", 10);
	/* Where there is no room, help and quit stay; nothing is cut in the middle. */
	draw(&b, 20);
	assert_string_equal(b.p, " F1 Help  q Quit\n");
	draw(&b, 1);
	for (x = 0; x < 160; x++)
		if (keyline_at(160, x) == UI_HELP)
			break;
	assert_int_equal(x, 1);
	assert_int_equal(keyline_at(160, 0), UI_NONE);
	assert_int_equal(keyline_at(20, 10), UI_QUIT);
	assert_int_equal(keyline_at(20, 19), UI_NONE);
	buf_fini(&b);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys_are_names_and_unique),
		cmocka_unit_test(test_every_command_is_in_the_table),
		cmocka_unit_test(test_key_names),
		cmocka_unit_test(test_key_line),
	};

	return cmocka_run_group_tests_name("command", tests, NULL, NULL);
}
