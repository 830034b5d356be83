/* Room on the disk of a node whose socket is on this machine. Runs on the feed's thread: it may wait for the disk. */
#ifndef FEED_DISK_H
#define FEED_DISK_H

#include <stdbool.h>
#include <stdint.h>

#define DISK_NS UINT64_C(30000000000) /* between two looks */

struct disk {
	uint64_t free, total; /* bytes; free: for a user that is not root */
	char mount[96]; /* where the file system begins: "/data" */
};

/* The file system that holds this path. False: it cannot be told (no such path, no such call). */
bool disk_look(const char *path, struct disk *out);

#endif
