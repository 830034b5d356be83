/*
 * The receive buffer under ws and ipc: bulk reads, messages handed out in place, and the stamps that tell when
 * a message began to come and how long it took. No socket in it.
 * Memory follows what really arrived: a peer that announces 128 MiB and sends nothing costs 2 MiB of address space.
 */
#ifndef NET_RX_H
#define NET_RX_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct net_meta;

enum {
	RX_READ = 128 * 1024, /* room offered for one read, at least */
	RX_KEEP = 2 * 1024 * 1024, /* memory kept between messages: the largest blocks of mainnet take half of it */
	RX_SMALL = 4 * 1024, /* a part of a message that is moved to the front without a second thought */
};

struct rx {
	char *p; /* cap + 1 bytes: the last one for the 0 behind a message */
	size_t begin, end, cap; /* bytes not yet done with: p[begin … end) */
	uint64_t offset; /* place of p[begin] in the stream */
	uint64_t read_ns, read_wall, reads; /* of the last read */
	size_t cut; /* place of the byte that a 0 stands for, or SIZE_MAX */
	char cut_byte;
};

/* Where and when a message began. */
struct rx_mark {
	uint64_t offset, first_end; /* stream places of its first byte and of the end of that read */
	uint64_t ns, wall, reads;
};

void rx_init(struct rx *r);
void rx_fini(struct rx *r);
/*
 * Room for the next read behind what is held: *n bytes (≥ RX_READ, or what is missing to hold `want` bytes in all if that is
 * more and enough has come to believe it). NULL without memory. Moves what is held: take pointers afresh.
 */
char *rx_space(struct rx *r, size_t want, size_t *n);
/* n bytes were read there. */
void rx_commit(struct rx *r, size_t n, uint64_t now_ns, uint64_t wall_ns);
/* Done with the first n bytes. */
void rx_drop(struct rx *r, size_t n);
/* Puts a 0 at p[at]; rx_uncut gives the byte back. */
void rx_cut(struct rx *r, size_t at);
void rx_uncut(struct rx *r);

/* A message begins at p[at], and that byte came with the last read. */
void rx_begin(const struct rx *r, size_t at, struct rx_mark *m);
/* It ends before p[at]: fills times, wire bytes and transfer figures of *meta, the rest is 0. */
void rx_meta(const struct rx *r, size_t at, const struct rx_mark *m, struct net_meta *meta);

#endif
