/* ui/theme: the two built-in themes equal the files, the file format, coarser palettes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
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

/* ---- the themes that are shipped ---- */

struct rgb {
	double r, g, b; /* linear light, 0 … 1 */
};

static double
linear(int v)
{
	double x = v / 255.0;

	return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

static struct rgb
rgb_of(int32_t c)
{
	return (struct rgb){linear(c >> 16 & 0xff), linear(c >> 8 & 0xff), linear(c & 0xff)};
}

/* WCAG 2.1. */
static double
contrast(int32_t a, int32_t b)
{
	struct rgb x = rgb_of(a), y = rgb_of(b);
	double l = 0.2126 * x.r + 0.7152 * x.g + 0.0722 * x.b, m = 0.2126 * y.r + 0.7152 * y.g + 0.0722 * y.b;

	return (fmax(l, m) + 0.05) / (fmin(l, m) + 0.05);
}

static void
readable(const struct theme *t, enum role r, double least)
{
	const struct face *f = &t->face[r];
	double c;

	if (f->fg < 0x1000000 || f->bg < 0x1000000)
		fail_msg("%s: %s is not a true colour on a true colour", t->name, role_name(r));
	c = contrast(f->fg, f->bg);
	if (c < least)
		fail_msg("%s: %s has a contrast of %.2f, not %.1f", t->name, role_name(r), c, least);
}

/*
 * CIE 1976 distance of what an eye sees. Matrices: Viénot, Brettel, Mollon 1999, on linear light.
 * blind 0: none, 1: red, 2: green.
 */
static double
difference(int32_t a, int32_t b, int blind)
{
	static const double m[3][9] = {
		{1, 0, 0, 0, 1, 0, 0, 0, 1},
		{0.11238, 0.88762, 0, 0.11238, 0.88762, 0, 0.00401, -0.00401, 1},
		{0.29275, 0.70725, 0, 0.29275, 0.70725, 0, -0.02234, 0.02234, 1},
	};
	int32_t c[2] = {a, b};
	double lab[2][3], xyz[3], f[3];
	int i, k;

	for (i = 0; i < 2; i++) {
		struct rgb x = rgb_of(c[i]);
		double r = m[blind][0] * x.r + m[blind][1] * x.g + m[blind][2] * x.b;
		double g = m[blind][3] * x.r + m[blind][4] * x.g + m[blind][5] * x.b;
		double l = m[blind][6] * x.r + m[blind][7] * x.g + m[blind][8] * x.b;

		xyz[0] = (0.4124 * r + 0.3576 * g + 0.1805 * l) / 0.9505;
		xyz[1] = 0.2126 * r + 0.7152 * g + 0.0722 * l;
		xyz[2] = (0.0193 * r + 0.1192 * g + 0.9505 * l) / 1.089;
		for (k = 0; k < 3; k++)
			f[k] = xyz[k] > 0.008856 ? cbrt(xyz[k]) : 7.787 * fmax(xyz[k], 0) + 16.0 / 116;
		lab[i][0] = 116 * f[1] - 16;
		lab[i][1] = 500 * (f[0] - f[1]);
		lab[i][2] = 200 * (f[1] - f[2]);
	}
	return sqrt(pow(lab[0][0] - lab[1][0], 2) + pow(lab[0][1] - lab[1][1], 2) + pow(lab[0][2] - lab[1][2], 2));
}

/* In every palette, a terminal with 16 colours too, a warning looks unlike what is critical, and both unlike what is well. */
static void
test_shipped_themes_tell_warnings(void **state)
{
	static const enum role pair[][2] = {{ROLE_WARN, ROLE_CRIT}, {ROLE_OK, ROLE_WARN}, {ROLE_OK, ROLE_CRIT}};
	struct theme t;
	struct err e;
	size_t i, k;

	(void)state;
	assert_in_range(theme_files_n, 6, 100);
	for (i = 0; i < theme_files_n; i++) {
		assert_int_equal(theme_find(&t, theme_files[i].name, NULL, NULL, &e), ST_OK);
		assert_string_equal(t.name, theme_files[i].name);
		for (k = 0; k < 3; k++) {
			const struct face *a = &t.face[pair[k][0]], *b = &t.face[pair[k][1]];

			if (a->attr != b->attr)
				continue;
			if (theme_to_16(a->fg) == theme_to_16(b->fg) && theme_to_16(a->bg) == theme_to_16(b->bg))
				fail_msg("%s: %s and %s look the same with 16 colours", t.name, role_name(pair[k][0]),
					role_name(pair[k][1]));
			if (theme_to_256(a->fg) == theme_to_256(b->fg) && theme_to_256(a->bg) == theme_to_256(b->bg))
				fail_msg("%s: %s and %s look the same with 256 colours", t.name, role_name(pair[k][0]),
					role_name(pair[k][1]));
		}
	}
}

static void
test_shipped_files_are_embedded(void **state)
{
	const char *src = getenv("CHAINTOP_SRC");
	struct theme file, embedded;
	struct err e;
	char path[600];
	size_t i;

	(void)state;
	for (i = 0; i < theme_files_n; i++) {
		snprintf(path, sizeof(path), "%s/themes/%s.theme", src != NULL ? src : ".", theme_files[i].name);
		if (theme_load(&file, path, &e) != ST_OK)
			fail_msg("%s", e.text);
		assert_int_equal(theme_parse(&embedded, theme_files[i].name, theme_files[i].text,
			strlen(theme_files[i].text), &e), ST_OK);
		same_faces(&file, &embedded);
	}
}

static void
test_shipped_themes_are_readable(void **state)
{
	static const struct {
		const char *name;
		double text, second, frame;
	} want[] = {
		{"dark", 4.5, 4, 2},
		{"light", 4.5, 4, 2},
		{"blue-orange", 4.5, 4, 2},
		{"high-contrast", 7, 7, 7},
	};
	struct theme t;
	struct err e;
	size_t i;
	int r;

	(void)state;
	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		assert_int_equal(theme_find(&t, want[i].name, NULL, NULL, &e), ST_OK);
		for (r = 0; r < ROLE_N; r++)
			readable(&t, (enum role)r, r == ROLE_FRAME ? want[i].frame
				: r == ROLE_DIM || r == ROLE_LABEL ? want[i].second
				: want[i].text);
	}
}

/* blue-orange: well, warning and critical stay apart for eyes without red or green cones. 20 is far: 2.3 is just noticeable. */
static void
test_blue_orange_for_all_eyes(void **state)
{
	static const enum role pair[][2] = {
		{ROLE_WARN, ROLE_CRIT}, {ROLE_OK, ROLE_WARN}, {ROLE_OK, ROLE_CRIT},
		{ROLE_GAS1, ROLE_GAS2}, {ROLE_GAS2, ROLE_GAS3}, {ROLE_GRAPH, ROLE_GRAPH2},
	};
	struct theme t, usual;
	struct err e;
	double d;
	size_t i;
	int blind;

	(void)state;
	assert_int_equal(theme_find(&t, "blue-orange", NULL, NULL, &e), ST_OK);
	assert_int_equal(theme_find(&usual, "dark", NULL, NULL, &e), ST_OK);
	for (blind = 0; blind < 3; blind++)
		for (i = 0; i < sizeof(pair) / sizeof(pair[0]); i++) {
			d = difference(t.face[pair[i][0]].fg, t.face[pair[i][1]].fg, blind);
			if (d < 20)
				fail_msg("%s and %s are only %.1f apart for eye %d", role_name(pair[i][0]),
					role_name(pair[i][1]), d, blind);
		}
	/* The measure means something: red and green of the usual theme do fall together. */
	d = difference(usual.face[ROLE_OK].fg, usual.face[ROLE_CRIT].fg, 0);
	if (d < 2 * difference(usual.face[ROLE_OK].fg, usual.face[ROLE_CRIT].fg, 2))
		fail_msg("%.1f, %.1f", d, difference(usual.face[ROLE_OK].fg, usual.face[ROLE_CRIT].fg, 2));
}

static void
test_ground_of_text(void **state)
{
	struct theme t;
	struct err e;

	(void)state;
	assert_int_equal(parse(&t, "face text = #ffffff,#000080\nface crit = red,blue\nface ok = green\nface frame = 3,default\n",
		&e), ST_OK);
	assert_int_equal(t.face[ROLE_OK].bg, 0x1000080);
	assert_int_equal(t.face[ROLE_WARN].bg, 0x1000080);
	assert_int_equal(t.face[ROLE_CRIT].bg, 4);
	assert_int_equal(t.face[ROLE_FRAME].bg, -1);
	assert_int_equal(t.face[ROLE_FRAME_FOCUS].bg, -1);
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
		cmocka_unit_test(test_shipped_files_are_embedded),
		cmocka_unit_test(test_shipped_themes_tell_warnings),
		cmocka_unit_test(test_shipped_themes_are_readable),
		cmocka_unit_test(test_blue_orange_for_all_eyes),
		cmocka_unit_test(test_ground_of_text),
	};

	return cmocka_run_group_tests_name("theme", tests, NULL, NULL);
}
