/* ui/theme: the two built-in themes equal the files, the file format, coarser palettes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ui/canvas.h"

static void
same_faces(const struct theme *a, const struct theme *b)
{
	int r;

	for (r = 0; r < ROLE_N; r++)
		if (a->face[r].fg != b->face[r].fg || a->face[r].bg != b->face[r].bg || a->face[r].attr != b->face[r].attr)
			fail_msg("role %s: file %d,%d+%d, built in %d,%d+%d", role_name((enum role)r), a->face[r].fg,
				a->face[r].bg, a->face[r].attr, b->face[r].fg, b->face[r].bg, b->face[r].attr);
}

static void
test_files_are_built_in(void **state)
{
	static const char *const names[] = {"default", "mono"};
	const char *src = getenv("CHAINTOP_SRC");
	struct theme t;
	struct err e;
	char path[600];
	size_t i;

	(void)state;
	if (src == NULL)
		src = ".";
	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/themes/%s.theme", src, names[i]);
		assert_int_equal(theme_load(&t, path, &e), ST_OK);
		assert_string_equal(t.name, names[i]);
		same_faces(&t, theme_builtin(names[i]));
	}
	assert_null(theme_builtin("nord"));
}

static void
test_default_follows_the_terminal(void **state)
{
	const struct theme *t = theme_builtin("default");
	int r;

	(void)state;
	for (r = 0; r < ROLE_N; r++) {
		assert_in_range(t->face[r].fg + 1, 0, 16);
		assert_int_equal(t->face[r].bg, -1);
	}
}

/* Never colour alone: what warns has an attribute of its own without colour. */
static void
test_mono_tells_warnings(void **state)
{
	(void)state;
	assert_true(role_mono(ROLE_CRIT) != 0);
	assert_true(role_mono(ROLE_WARN) != 0);
	assert_true(role_mono(ROLE_SELECT) & CELL_REVERSE);
	assert_int_not_equal(role_mono(ROLE_CRIT), role_mono(ROLE_WARN));
	assert_true(theme_builtin("mono")->face[ROLE_CRIT].attr == role_mono(ROLE_CRIT));
	assert_int_equal(role_mono((enum role)9999), 0);
}

static enum status
parse(struct theme *t, const char *text, struct err *e)
{
	return theme_parse(t, "mine", text, strlen(text), e);
}

static void
test_format(void **state)
{
	struct theme t;
	struct err e = {.code = ST_OK};

	(void)state;
	assert_int_equal(parse(&t,
		"# a comment\n"
		"var frost = #8FBCBB   # behind a blank\n"
		"\n"
		"face text = #D8DEE9,default\r\n"
		"face title=$frost+b\n"
		"face frame = bright-blue,3\n"
		"  face crit = red,#000000+br # loud\n"
		"grad gas = #81A1C1 $frost 5\n"
		"face block.new = default,1+du", &e), ST_OK);
	assert_string_equal(t.name, "mine");
	assert_int_equal(t.face[ROLE_TEXT].fg, 0x1d8dee9);
	assert_int_equal(t.face[ROLE_TEXT].bg, -1);
	assert_int_equal(t.face[ROLE_TITLE].fg, 0x18fbcbb);
	assert_int_equal(t.face[ROLE_TITLE].attr, CELL_BOLD);
	assert_int_equal(t.face[ROLE_FRAME].fg, 12);
	assert_int_equal(t.face[ROLE_FRAME].bg, 3);
	assert_int_equal(t.face[ROLE_CRIT].bg, 0x1000000);
	assert_int_equal(t.face[ROLE_CRIT].attr, CELL_BOLD | CELL_REVERSE);
	assert_int_equal(t.face[ROLE_GAS1].fg, 0x181a1c1);
	assert_int_equal(t.face[ROLE_GAS2].fg, 0x18fbcbb);
	assert_int_equal(t.face[ROLE_GAS3].fg, 5);
	assert_int_equal(t.face[ROLE_NEW].attr, CELL_DIM | CELL_UNDERLINE);
	/* frame.focus is not named: it is as frame; graph.second as the default theme, for graph is not named either. */
	assert_memory_equal(&t.face[ROLE_FRAME_FOCUS], &t.face[ROLE_FRAME], sizeof(struct face));
	assert_int_equal(t.face[ROLE_GRAPH2].fg, theme_builtin("default")->face[ROLE_GRAPH2].fg);
}

static void
test_errors_name_the_line(void **state)
{
	static const char *const bad[] = {
		"\nface text", "\nface nonsense = red", "\nface text = reddish", "\nface text = #12345",
		"\nface text = #1234567", "\nface text = $nope", "\nface text = red+x", "\nface text = 16",
		"\nface text = 1x", "\nface text = -1", "\nface text =", "\nface text = red green",
		"\nvar = red", "\nvar a b = red", "\nvar a/b = red", "\ngrad gas = red green",
		"\ngrad nope = red green blue", "\nfaces text = red", "\nface text = red,", "\n= red",
		"\nface text = $", "\nface text = ,red",
	};
	struct theme t;
	struct err e;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		e = (struct err){.code = ST_OK};
		if (parse(&t, bad[i], &e) != ST_USAGE)
			fail_msg("taken: %s", bad[i]);
		if (strstr(e.text, "theme mine, line 2: ") == NULL)
			fail_msg("%s: %s", bad[i], e.text);
		same_faces(&t, theme_builtin("default"));
	}
}

static void
test_limits(void **state)
{
	struct theme t;
	struct err e;
	char *big = malloc(70000), line[100];
	size_t n = 0;
	int i;

	(void)state;
	assert_non_null(big);
	memset(big, '\n', 70000);
	assert_int_equal(theme_parse(&t, "big", big, 70000, &e), ST_TOO_BIG);
	assert_int_equal(theme_parse(&t, "big", big, 60000, &e), ST_OK);
	memset(big, 'a', 60000);
	assert_int_equal(theme_parse(&t, "long", big, 60000, &e), ST_USAGE);
	assert_int_equal(theme_parse(&t, "nul", "face text\0= red", 15, &e), ST_USAGE);
	for (i = 0; i < 100; i++) {
		snprintf(line, sizeof(line), "var v%d = red\n", i);
		memcpy(big + n, line, strlen(line));
		n += strlen(line);
	}
	assert_int_equal(theme_parse(&t, "vars", big, n, &e), ST_USAGE);
	assert_int_equal(theme_parse(&t, "", "", 0, &e), ST_OK);
	assert_int_equal(theme_parse(&t, "a-name-that-is-much-longer-than-the-field-for-it", "", 0, &e), ST_OK);
	assert_int_equal(strlen(t.name), sizeof(t.name) - 1);
	free(big);
}

static void
test_find(void **state)
{
	char dir[] = "/tmp/chaintop-theme-XXXXXX", path[600];
	struct theme t;
	struct err e;
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(theme_find(&t, "sea", dir, NULL, &e), ST_USAGE);
	assert_true(e.cure[0] != '\0');
	assert_int_equal(theme_find(&t, "mono", NULL, NULL, &e), ST_OK);
	assert_string_equal(t.name, "mono");
	snprintf(path, sizeof(path), "%s/themes", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/themes/sea.theme", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("face text = blue\n", f);
	fclose(f);
	assert_int_equal(theme_find(&t, "sea", NULL, dir, &e), ST_OK);
	assert_string_equal(t.name, "sea");
	assert_int_equal(theme_find(&t, path, NULL, NULL, &e), ST_OK);
	assert_int_equal(t.face[ROLE_TEXT].fg, 4);
	unlink(path);
	assert_int_equal(theme_find(&t, path, NULL, NULL, &e), ST_IO);
	snprintf(path, sizeof(path), "%s/themes", dir);
	rmdir(path);
	rmdir(dir);
}

static void
test_palettes(void **state)
{
	int i;

	(void)state;
	for (i = -1; i < 16; i++) {
		assert_int_equal(theme_to_256(i), i);
		assert_int_equal(theme_to_16(i), i);
	}
	assert_int_equal(theme_to_256(0x1000000), 16);
	assert_int_equal(theme_to_256(0x1ffffff), 231);
	assert_int_equal(theme_to_256(0x1ff0000), 196);
	assert_int_equal(theme_to_256(0x15f87af), 67);
	assert_int_equal(theme_to_256(0x1080808), 232);
	assert_int_equal(theme_to_256(0x1767676), 243);
	assert_int_equal(theme_to_16(0x1ff0000), 9);
	assert_int_equal(theme_to_16(0x1cd0000), 1);
	assert_int_equal(theme_to_16(0x1000000), 0);
	assert_int_equal(theme_to_16(0x1fefefe), 15);
	/* Every colour has a place in each. */
	for (i = 0; i < 0x1000000; i += 4099) {
		assert_in_range(theme_to_256(0x1000000 | i), 16, 255);
		assert_in_range(theme_to_16(0x1000000 | i), 0, 15);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files_are_built_in),
		cmocka_unit_test(test_default_follows_the_terminal),
		cmocka_unit_test(test_mono_tells_warnings),
		cmocka_unit_test(test_format),
		cmocka_unit_test(test_errors_name_the_line),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_palettes),
	};

	return cmocka_run_group_tests_name("theme", tests, NULL, NULL);
}
