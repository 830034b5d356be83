/* Clocks and how times are written. All times are nanoseconds unless the name says otherwise. */
#ifndef BASE_TIME_H
#define BASE_TIME_H

#include <stddef.h>
#include <stdint.h>

#define NS_US UINT64_C(1000)
#define NS_MS UINT64_C(1000000)
#define NS_S UINT64_C(1000000000)

uint64_t time_mono(void); /* CLOCK_MONOTONIC */
uint64_t time_wall(void); /* CLOCK_REALTIME, since 1970 */
uint64_t time_cpu(void); /* CPU time of this process, all threads */
uint64_t time_thread_cpu(void); /* CPU time of the calling thread */
/*
 * How far this machine's clock may be off, from read-only adjtimex maxerror.
 * 16 s: not synchronised, as the kernel says it. UINT64_MAX: unknown (no such call).
 */
uint64_t time_clock_bound(void);

/* All write into out and return it. size ≥ 24 is always enough. */
/* An age: "4.2s" below 10 s, "42s", "1m04s", "3h07m", "2d04h", "365d"; "−0.3s" when negative (U+2212). */
char *time_age(char *out, size_t size, int64_t ns);
/*
 * A latency with up to three digits: "0.4 ms", "41 ms", "1.74 s", "12.0 s". 0 is "0.0 ms",
 * UINT64_MAX (unknown) is "—".
 */
char *time_latency(char *out, size_t size, uint64_t ns);
/* Wall time as "16:02:11" in UTC. */
char *time_clock_utc(char *out, size_t size, uint64_t wall_ns);

#endif
