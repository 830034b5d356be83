/* What is said about a path over devp2p in more than one place: the Peers pane and the path's page. */
#ifndef UI_PANES_PEER_PARTS_H
#define UI_PANES_PEER_PARTS_H

#include <stdbool.h>

#include "model/model.h"
#include "ui/theme.h"

/* "BPO2", "behind: Cancun; Prague was at …", "other chain", "0x07c9462e", "—". Returns how it is to be drawn. */
enum role peer_fork(char *out, size_t size, const struct model *m, const struct path *p);
/* "Ethereum", "network 4242", "Ethereum, network 12" where the two differ; "—". Returns out. */
char *peer_network(char *out, size_t size, const struct model *m, const struct path *p);
/*
 * Whether the node says the same on its RPC: "RLPx and ws say the same", "RLPx is 2 blocks, 15 s behind ws". False: there is
 * nothing to compare with.
 */
bool peer_beside_rpc(char *out, size_t size, enum role *role, const struct model *m, unsigned path);
/* "too many peers 3, useless peer 1"; "never" if the node did not disconnect. Returns out. */
char *peer_left(char *out, size_t size, const struct path *p);
uint64_t peer_left_sum(const struct path *p);
/* Frames per system call: "3.2", "—". */
char *peer_per_call(char *out, size_t size, uint64_t frames, uint64_t calls);
/* Round trip of devp2p's Ping in ns: the median of the last minutes, else the last one; UNKNOWN. */
uint64_t peer_ping_ns(const struct path *p);

#endif
