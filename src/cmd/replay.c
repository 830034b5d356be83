/* chaintop replay FILE: a recording in the monitor's screen. It opens no socket. */
#include <stdlib.h>

#include "cmd/cmd.h"
#include "cmd/monitor.h"
#include "cmd/netopts.h"
#include "cmd/demo.h"

static int replay_run(const struct conf *c)
{
	struct app *a;
	struct err e = { .code = ST_OK };
	int code;

	if (c->n_args != !c->demo) {
		err_set(&e, ST_USAGE, "replay wants one recording");
		(void)err_cure(&e, "chaintop replay FILE.ct");
		return cmd_fail(&e);
	}
	netopts_bulk_memory();
	a = malloc(sizeof(*a));
	if (!a)
		return EXIT_OURS;
	if ((c->demo ? app_init_demo(a, c, demo_data, demo_size, &e) : app_init_replay(a, c, c->args[0], &e)) != ST_OK) {
		free(a);
		return cmd_fail(&e);
	}
	code = monitor_show(a);
	app_fini(a, code);
	free(a);
	return code;
}

const struct cmd_class cmd_replay = {
	.name = "replay",
	.args = "FILE",
	.help = "play a recording: nothing on the screen is live",
	.about = "FILE is what `chaintop record` wrote. The clock is the recording's; nothing is asked and no socket opened.\n"
		 "With --once, or if stdout is no terminal, the last screen of the recording, or the one at --at, as text.\n"
		 "\nKeys besides the monitor's: Space pauses, Left and Right 10 s, [ ] events, , . blocks,\n"
		 "{ } half and twice the pace, Backspace the recorded one.\n"
		 "\nExamples:\n  chaintop replay incident.ct --at 15:57\n  chaintop replay incident.ct --at reorg:1 --speed 0.5\n"
		 "  chaintop replay incident.ct --once=120x36\n",
	.run = replay_run,
};
