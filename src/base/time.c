/* Clocks and how times are written; see time.h. */
#include "base/time.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#ifdef __linux__
#include <sys/timex.h>
#endif

/* The kernel lets maxerror grow to 16 s and then calls the clock unsynchronised. */
#define MAXERROR_LIMIT_US 16000000

static uint64_t
read_clock(clockid_t id)
{
	struct timespec ts;

	if (clock_gettime(id, &ts) != 0)
		return 0;
	return (uint64_t)ts.tv_sec * NS_S + (uint64_t)ts.tv_nsec;
}

uint64_t
time_mono(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t
time_wall(void)
{
	return read_clock(CLOCK_REALTIME);
}

uint64_t
time_cpu(void)
{
	return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t
time_thread_cpu(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t
time_clock_bound(void)
{
#ifdef __linux__
	struct timex tx = {.modes = 0};
	int state = adjtimex(&tx);

	if (state < 0 || tx.maxerror < 0)
		return UINT64_MAX;
	if (state == TIME_ERROR || tx.maxerror >= MAXERROR_LIMIT_US)
		return MAXERROR_LIMIT_US * NS_US;
	return (uint64_t)tx.maxerror * NS_US;
#else
	return UINT64_MAX;
#endif
}

/* Truncated, not rounded: an age that is shown has passed. */
char *
time_age(char *out, size_t size, int64_t ns)
{
	uint64_t mag = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	uint64_t tenth = mag / (NS_S / 10), s = mag / NS_S;
	const char *sign = ns < 0 && tenth > 0 ? "\xe2\x88\x92" : "";

	if (s < 10)
		snprintf(out, size, "%s%" PRIu64 ".%" PRIu64 "s", sign, s, tenth % 10);
	else if (s < 60)
		snprintf(out, size, "%s%" PRIu64 "s", sign, s);
	else if (s < 3600)
		snprintf(out, size, "%s%" PRIu64 "m%02us", sign, s / 60, (unsigned)(s % 60));
	else if (s < 86400)
		snprintf(out, size, "%s%" PRIu64 "h%02um", sign, s / 3600,
			(unsigned)(s / 60 % 60));
	else if (s < 100 * 86400)
		snprintf(out, size, "%s%" PRIu64 "d%02uh", sign, s / 86400,
			(unsigned)(s / 3600 % 24));
	else
		snprintf(out, size, "%s%" PRIu64 "d", sign, s / 86400);
	return out;
}

/* ns in units of `unit`, rounded half up, without overflow. */
static uint64_t
in_units(uint64_t ns, uint64_t unit)
{
	return ns / unit + (ns % unit >= unit / 2);
}

/* Each step asks after rounding, so that 9.96 ms is "10 ms" and 999.7 ms is "1.00 s". */
char *
time_latency(char *out, size_t size, uint64_t ns)
{
	uint64_t v;

	if (ns == UINT64_MAX)
		snprintf(out, size, "\xe2\x80\x94");
	else if ((v = in_units(ns, NS_MS / 10)) < 100)
		snprintf(out, size, "%" PRIu64 ".%" PRIu64 " ms", v / 10, v % 10);
	else if ((v = in_units(ns, NS_MS)) < 1000)
		snprintf(out, size, "%" PRIu64 " ms", v);
	else if ((v = in_units(ns, NS_S / 100)) < 1000)
		snprintf(out, size, "%" PRIu64 ".%02u s", v / 100, (unsigned)(v % 100));
	else if ((v = in_units(ns, NS_S / 10)) < 1000)
		snprintf(out, size, "%" PRIu64 ".%" PRIu64 " s", v / 10, v % 10);
	else
		snprintf(out, size, "%" PRIu64 " s", in_units(ns, NS_S));
	return out;
}

char *
time_clock_utc(char *out, size_t size, uint64_t wall_ns)
{
	unsigned s = (unsigned)(wall_ns / NS_S % 86400);

	snprintf(out, size, "%02u:%02u:%02u", s / 3600, s / 60 % 60, s % 60);
	return out;
}
