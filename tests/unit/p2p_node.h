/*
 * A node's peer-to-peer port on the loopback, in a thread of its own: RLPx, Hello, Status, and a chain of empty blocks that
 * the test lets grow, branch and be announced. It can also misbehave.
 */
#ifndef TESTS_UNIT_P2P_NODE_H
#define TESTS_UNIT_P2P_NODE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/buf.h"
#include "eth/types.h"
#include "net/devp2p/curve.h"

enum { NODE_CHAIN = 100, NODE_FORK = 60 /* first block that differs in the other branch */ };

enum node_act {
	NODE_GOOD,
	NODE_CLOSES, /* takes the connection and closes it */
	NODE_FULL, /* Disconnect in place of Hello: too many peers */
	NODE_USELESS, /* Disconnect after our Status: useless peer */
	NODE_SILENT, /* reads, says nothing */
	NODE_GARBAGE, /* an ack that is none */
	NODE_MUTE, /* Status, then no answer to anything, Pongs apart */
	NODE_LIES, /* the header of another block */
	NODE_WRONG_BODY, /* a transaction in a block that has none */
	NODE_FORGETS, /* does not have the block that its Status names */
	NODE_FLOODS, /* messages of the largest size that is taken, one after the other, and answers to nothing */
};

struct p2p_node {
	enum node_act act;
	unsigned version; /* of eth */
	uint64_t network;
	_Atomic unsigned top; /* number of its head */
	_Atomic unsigned branch; /* 0 or 1 */
	_Atomic int announce; /* 1: NewBlockHashes, 2: NewBlock, 3: BlockRangeUpdate of its head, 4: NewPooledTransactionHashes;
				* back to 0 when it is out */
	_Atomic unsigned accepted; /* connections */
	_Atomic unsigned flooded, pieces; /* messages of NODE_FLOODS that are out; pieces of 256 KiB that any send has written */
	_Atomic uint64_t announced_ns; /* when the last announcement was handed to the socket */
	_Atomic bool stop, hang_up; /* hang_up: closes this connection */
	_Atomic bool leave; /* says Disconnect, too many peers, and closes */
	_Atomic unsigned answers; /* that went out */
	_Atomic unsigned leave_at; /* so many answers, then Disconnect (too many peers), once; 0: never */
	unsigned branch_at; /* so many answers, then it is on the other branch; 0: never */
	unsigned bodies_max; /* of one answer; 0: as many as were asked for */
	unsigned no_header, no_body; /* block that it does not have; 0: none */
	unsigned swap; /* this block's body is its neighbour's, `swaps` times */
	_Atomic unsigned swaps;
	void (*chain)(struct p2p_node *n); /* or NULL; puts other blocks in place of the empty ones before anybody connects */
	uint8_t key[CURVE_KEY];
	char url[256];
	int fd;
	pthread_t thread;
	struct buf header[2][NODE_CHAIN];
	struct hash hash[2][NODE_CHAIN];
	struct buf body[NODE_CHAIN]; /* empty: one of an empty block without withdrawals */
};

/* Fails the test if it cannot. Set act, version, network and top before. */
void p2p_node_start(struct p2p_node *n);
void p2p_node_stop(struct p2p_node *n);

#endif
