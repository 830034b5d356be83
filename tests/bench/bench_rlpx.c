/* The RLPx benchmark by itself: bench_rlpx [--size N] [--batch N] [--seconds N] [--json] */
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "cmd/bench_rlpx.h"
#include "cmd/cmd.h"

/* The program's own one is in app.c, which needs everything else. */
int cmd_fail(const struct err *e)
{
	fprintf(stderr, "bench_rlpx: %s\n", e->text);
	return e->code == ST_USAGE ? EXIT_USAGE : EXIT_BAD;
}

int main(int argc, char **argv)
{
	struct bench_rlpx_opts o = { .json = false };

	for (int i = 1; i < argc; i++) {
		const bool more = i + 1 < argc;

		if (strcmp(argv[i], "--json") == 0) {
			o.json = true;
		} else if (more && strcmp(argv[i], "--size") == 0) {
			o.size = strtoull(argv[++i], NULL, 10);
		} else if (more && strcmp(argv[i], "--batch") == 0) {
			o.batch = strtoull(argv[++i], NULL, 10);
		} else if (more && strcmp(argv[i], "--seconds") == 0) {
			o.seconds_ns = (uint64_t)(strtod(argv[++i], NULL) * NS_S);
		} else {
			fprintf(stderr, "usage: bench_rlpx [--size N] [--batch N] [--seconds N] [--json]\n");
			return EXIT_USAGE;
		}
	}
	return bench_rlpx(&o, stdout);
}
