/* net/devp2p/enode and listen: URLs right and wrong, the key file and who may read it, the loopback. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net/devp2p/enode.h"
#include "net/devp2p/listen.h"

#define ID \
	"d860a01f9722d78051619d1e2351aba3f43f943f6f00718d1b9baa4101932a1f" \
	"5011f16bb2b1bb35db20d6fe28fa0bf09636d26a87d31de9ec6203eeedb1f666"

static void urls(void **state)
{
	static const struct {
		const char *text, *host, *again;
		unsigned port;
	} good[] = {
		{ "enode://" ID "@127.0.0.1:30303", "127.0.0.1", "enode://" ID "@127.0.0.1:30303", 30303 },
		{ "enode://" ID "@127.0.0.1:30303?discport=30301", "127.0.0.1", "enode://" ID "@127.0.0.1:30303",
			30303 },
		{ "enode://" ID "@[::1]:1", "::1", "enode://" ID "@[::1]:1", 1 },
		{ "enode://" ID "@node.example.org:65535", "node.example.org", "enode://" ID "@node.example.org:65535",
			65535 },
	};
	char text[ENODE_TEXT], brief[20];
	struct enode n;
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(enode_parse(&n, good[i].text, &e), ST_OK);
		assert_string_equal(n.host, good[i].host);
		assert_int_equal(n.port, good[i].port);
		assert_int_equal(n.id[0], 0xd8);
		assert_int_equal(n.id[63], 0x66);
		assert_string_equal(enode_print(text, &n), good[i].again);
	}
	assert_string_equal(enode_short(brief, n.id), "d860a01f…b1f666");
}

static void bad_urls(void **state)
{
	static const char *const bad[] = {
		"",
		"enode:",
		"http://x",
		"enode://",
		"enode://" ID,
		"enode://" ID "@",
		"enode://" ID "@host",
		"enode://" ID "@host:",
		"enode://" ID "@host:0",
		"enode://" ID "@host:65536",
		"enode://" ID "@host:99999999999",
		"enode://" ID "@host:30x",
		"enode://" ID "@:30303",
		"enode://" ID "0@host:30303",
		"enode://x" ID "@host:30303",
		"enode://12@host:30303",
		"enode://" ID "@[::1:30303",
		"enode://" ID "@[::1]",
		"enode://" ID "@a\nb:30303",
		"enode://" ID "@a@b:30303",
		"enr:-Iu4Q",
	};
	struct enode n;
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (enode_parse(&n, bad[i], &e) != ST_USAGE)
			fail_msg("taken: %s", bad[i]);
		assert_true(e.text[0] != '\0' && e.cure[0] != '\0');
	}
	assert_non_null(strstr(e.text, "enr:"));
}

static void write_file(const char *name, const char *text, mode_t mode)
{
	FILE *const f = fopen(name, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	assert_int_equal(chmod(name, mode), 0);
}

static void key_file(void **state)
{
	char dir[] = "/tmp/chaintop-test-XXXXXX", name[64];
	uint8_t key[32], again[32];
	struct stat s;
	struct err e;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(name, sizeof(name), "%s/key", dir);
	assert_int_equal(enode_key(key, name, &e), ST_OK); /* made */
	assert_int_equal(stat(name, &s), 0);
	assert_int_equal(s.st_mode & 0777, 0600);
	assert_int_equal(enode_key(again, name, &e), ST_OK);
	assert_memory_equal(key, again, 32);
	assert_int_equal(chmod(name, 0640), 0);
	assert_int_equal(enode_key(again, name, &e), ST_USAGE);
	assert_non_null(strstr(e.cure, "chmod 600"));
	write_file(name, "  49a7b37aa6f6645917e7b807e9d1c00d4fa71f18343b0d4122a4d2df64dd6fee \n", 0600);
	assert_int_equal(enode_key(key, name, &e), ST_OK);
	assert_int_equal(key[0], 0x49);
	write_file(name, "49a7", 0600);
	assert_int_equal(enode_key(key, name, &e), ST_USAGE);
	write_file(name, "zza7b37aa6f6645917e7b807e9d1c00d4fa71f18343b0d4122a4d2df64dd6fee", 0600);
	assert_int_equal(enode_key(key, name, &e), ST_USAGE);
	assert_null(strstr(e.text, "zza7")); /* never its content */
	unlink(name);
	rmdir(dir);
	assert_int_equal(enode_key(key, name, &e), ST_IO);
}

static void loopback(void **state)
{
	uint16_t port = 0, other;
	int l, l2, a, b;
	char byte = 'x';
	struct err e;

	(void)state;
	assert_int_equal(listen_open(&l, &port, &e), ST_OK);
	assert_true(port > 0);
	other = port;
	assert_int_equal(listen_open(&l2, &other, &e), ST_IO); /* taken */
	assert_int_equal(l2, -1);
	assert_int_equal(listen_accept(l, 1, &b, &e), ST_TIMEOUT);
	assert_int_equal(listen_connect(&a, port, &e), ST_OK);
	assert_int_equal(listen_accept(l, 5000, &b, &e), ST_OK);
	assert_int_equal(write(a, &byte, 1), 1);
	assert_int_equal(read(b, &byte, 1), 1);
	close(a);
	close(b);
	close(l);
	assert_int_equal(listen_connect(&a, port, &e), ST_IO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(urls),
		cmocka_unit_test(bad_urls),
		cmocka_unit_test(key_file),
		cmocka_unit_test(loopback),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
