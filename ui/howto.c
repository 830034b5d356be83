/* How to connect; see howto.h. */
#include "ui/howto.h"

#include <string.h>

enum { WIDTH = 76 };

/* keep: 0 always, higher leaves first where lines are few. */
static const struct {
	const char *left, *right; /* an example and what it does; right NULL: plain text over both */
	enum role role;
	int keep;
} lines[] = {
	{"chaintop has nothing to watch yet: no URL given, none in the environment,", NULL, ROLE_TITLE, 0},
	{"and no node answers on the usual sockets and ports of this machine.", NULL, ROLE_TITLE, 0},
	{"", NULL, ROLE_TEXT, 2},
	{"Say where a node is:", NULL, ROLE_TEXT, 1},
	{"chaintop ws://127.0.0.1:8546", "WebSocket: heads are pushed", ROLE_INFO, 0},
	{"chaintop http://127.0.0.1:8545", "HTTP: heads are asked for", ROLE_INFO, 0},
	{"chaintop /data/geth/geth.ipc", "the node's own socket", ROLE_INFO, 0},
	{"chaintop wss://host/v3/KEY", "a hosted one; keys are never shown", ROLE_INFO, 0},
	{"", NULL, ROLE_TEXT, 3},
	{"Several at once are compared; one name makes paths of one node:", NULL, ROLE_TEXT, 4},
	{"chaintop a=ws://127.0.0.1:8546 a=/data/geth.ipc b=wss://host/KEY", NULL, ROLE_INFO, 4},
	{"", NULL, ROLE_TEXT, 5},
	{"Or once for all:", NULL, ROLE_TEXT, 6},
	{"export ETH_RPC_URL=ws://127.0.0.1:8546", NULL, ROLE_INFO, 6},
	{"", NULL, ROLE_TEXT, 7},
	{"A node to try it on, from Foundry:", NULL, ROLE_TEXT, 8},
	{"anvil --block-time 2 &  chaintop localhost:8545", NULL, ROLE_INFO, 8},
	{"", NULL, ROLE_TEXT, 9},
	{"geth opens these with --ws, --http; its socket is there by itself.", NULL, ROLE_DIM, 9},
	{"More: chaintop --help", NULL, ROLE_DIM, 1},
};

enum { LINES = sizeof(lines) / sizeof(lines[0]) };

void
howto_draw(struct canvas *c)
{
	int keep = 9, n, i, x, y, indent;

	canvas_clear(c);
	for (;; keep--) {
		for (n = 0, i = 0; i < LINES; i++)
			n += lines[i].keep <= keep;
		if (n <= c->at.h || keep == 0)
			break;
	}
	x = c->at.w > WIDTH ? (c->at.w - WIDTH) / 2 : c->at.w > 40;
	y = n < c->at.h ? (c->at.h - n) / 3 : 0;
	for (i = 0; i < LINES; i++) {
		if (lines[i].keep > keep)
			continue;
		indent = lines[i].role == ROLE_INFO && c->at.w > 40 ? 4 : 0;
		canvas_text(c, x + indent, y, -1, lines[i].role, 0, lines[i].left);
		/* Half of an explanation explains nothing. */
		if (lines[i].right != NULL && x + 38 + (int)strlen(lines[i].right) <= c->at.w)
			canvas_text(c, x + 38, y, -1, ROLE_TEXT, 0, lines[i].right);
		y++;
	}
}
