/*
 * No allocation per block: malloc and its like are counted on the threads of a pull while blocks 100 … 189 pass, by who calls
 * them. Ours must be none per block; libcurl's own for each HTTP transfer are printed. Needs glibc, and no sanitizer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pull_rig.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

#if defined(__GLIBC__) && !defined(SANITIZED)

static _Thread_local volatile bool armed; /* this thread counts; volatile: compilers think that malloc does not look */
static _Atomic unsigned ours, others;

/* Set by the linker: the code of this program, with all libraries of ours, but none of the system's. */
extern const char __executable_start, etext;

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t k, size_t n);
void *__libc_realloc(void *p, size_t n);
/* Inlined into a caller of this file they would see the caller's caller. */

static void note(const void *caller)
{
	const char *p = caller;

	if (!armed)
		return;
	if (p >= &__executable_start && p < &etext)
		atomic_fetch_add(&ours, 1);
	else
		atomic_fetch_add(&others, 1);
}

__attribute__((noinline)) void *malloc(size_t n)
{
	note(__builtin_return_address(0));
	return __libc_malloc(n);
}

__attribute__((noinline)) void *calloc(size_t k, size_t n)
{
	note(__builtin_return_address(0));
	return __libc_calloc(k, n);
}

__attribute__((noinline)) void *realloc(void *p, size_t n)
{
	note(__builtin_return_address(0));
	return __libc_realloc(p, n);
}

static enum status format_and_count(void *ctx, struct buf *out, const struct block *b)
{
	(void)ctx;
	armed = b->h.number >= 100 && b->h.number < 190;
	/* As much as a real writer makes. */
	return buf_reserve(out, 200000) == ST_OK ? buf_add(out, "x", 1) : ST_NOMEM;
}

static enum status forget(void *ctx, const char *text, size_t n, struct err *e)
{
	(void)ctx;
	(void)text;
	(void)n;
	(void)e;
	return ST_OK;
}

static void check(enum url_scheme scheme, unsigned workers, unsigned threads)
{
	struct pull_stats s;
	struct rig_out out = { .fail_at = 0 };
	struct pull_opts o;
	struct rig rig;
	struct err e;

	rig_init(&rig, scheme);
	rig.padding = 300000;
	rig.even = true;
	rig_start(&rig);
	o = rig_opts(&rig, &out, 0, 200, workers);
	o.threads = threads;
	o.verify = true;
	o.hooks = (struct pull_hooks){ .format = format_and_count, .write = forget };
	ours = others = 0;
	if (rig_pull(&o, &s, &e) != ST_OK)
		fail_msg("%s", e.text);
	print_message("# %s, %u in flight, %u threads: %u of ours, %.1f of libraries per block\n",
		url_via(scheme), workers, threads,
		ours, others / 90.0);
	if (ours > 0)
		fail_msg("%u allocations of ours for 90 blocks", ours);
	if (scheme != URL_HTTP && others > 0)
		fail_msg("%u allocations of libraries for 90 blocks", others);
	buf_fini(&out.text);
	rig_stop(&rig);
}

/* The check must be able to fail. */
static void test_counting(void **state)
{
	void *volatile p;

	(void)state;
	ours = 0;
	armed = true;
	p = malloc(100);
	armed = false;
	free(p);
	assert_int_equal(ours, 1);
}

static void test_one_worker(void **state)
{
	(void)state;
	check(URL_WS, 1, 1);
	check(URL_IPC, 1, 1);
	check(URL_HTTP, 1, 1);
}

static void test_workers(void **state)
{
	(void)state;
	check(URL_WS, 4, 1);
	check(URL_WS, 4, 2);
	check(URL_IPC, 4, 2);
	check(URL_HTTP, 4, 2);
}

static int setup(void **state)
{
	(void)state;
	return net_global_init(NULL) == ST_OK ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	net_global_fini();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counting),
		cmocka_unit_test(test_one_worker),
		cmocka_unit_test(test_workers),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}

#else

static void test_nothing(void **state)
{
	(void)state;
	print_message("SKIP: needs glibc's malloc without a sanitizer\n");
	skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
