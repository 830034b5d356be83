/* Unit tests of net/jwt; the tokens were made with Python's hmac and base64. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net/jwt.h"

static void
test_token(void **state)
{
	uint8_t secret[JWT_SECRET];
	char out[JWT_SIZE];
	struct err e;

	(void)state;
	for (int i = 0; i < JWT_SECRET; i++)
		secret[i] = (uint8_t)i;
	assert_int_equal(jwt_make(out, secret, 1700000000, &e), ST_OK);
	assert_string_equal(out, "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpYXQiOjE3MDAwMDAwMDB9."
				 "uAxdaUtr1_HpYPtNDLNlQ_sHMiP5eBV-ra8EjL3ScS8");
	assert_int_equal(jwt_make(out, secret, 0, &e), ST_OK);
	assert_string_equal(out, "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpYXQiOjB9."
				 "EOp_CqLEmwdr3t5CFW_alucgMpie_ViZSQo8NwVsfss");
	assert_int_equal(jwt_make(out, secret, UINT64_MAX, &e), ST_OK);
	assert_string_equal(out, "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
				 "eyJpYXQiOjE4NDQ2NzQ0MDczNzA5NTUxNjE1fQ."
				 "AT2QBAQD7fMXew6Sry6n4a9gRMNa5_QD6aZ8XGIAX9Q");
}

static enum status
read_text(const char *text, uint8_t secret[JWT_SECRET], struct err *e)
{
	char name[] = "/tmp/chaintop-jwt-XXXXXX";
	int fd = mkstemp(name);
	enum status st;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	st = jwt_read(secret, name, e);
	unlink(name);
	return st;
}

#define HEX "00112233445566778899aAbBcCdDeEfF00112233445566778899aabbccddeeff"

static void
test_file(void **state)
{
	static const char *const good[] = {HEX, "0x" HEX "\n", " \t0X" HEX "\r\n\n"};
	static const char *const bad[] = {"", "\n", "0x", HEX "0", HEX HEX HEX HEX HEX,
		"0x" HEX " x", "zz112233445566778899aabbccddeeff00112233445566778899aabbccddeeff",
		"0x0x112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"};
	uint8_t secret[JWT_SECRET];
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		memset(secret, 0, sizeof(secret));
		assert_int_equal(read_text(good[i], secret, &e), ST_OK);
		assert_int_equal(secret[1], 0x11);
		assert_int_equal(secret[31], 0xff);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(read_text(bad[i], secret, &e), ST_USAGE);
		assert_null(strstr(e.text, "112233"));
		assert_string_not_equal(e.cure, "");
	}
	assert_int_equal(jwt_read(secret, "/nonexistent/jwt", &e), ST_USAGE);
	assert_non_null(strstr(e.text, "/nonexistent/jwt"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_token),
		cmocka_unit_test(test_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
