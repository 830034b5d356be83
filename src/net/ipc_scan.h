/*
 * Where one JSON text ends and the next begins in a byte stream without framing (a node's unix socket). Resumable
 * at any byte, each byte is looked at once (provider.md faults 41–43, 47). Only strings and the depth of brackets
 * count: what is inside is the decoder's matter. No newline is needed between two texts.
 */
#ifndef NET_IPC_SCAN_H
#define NET_IPC_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ipc_scan {
	uint64_t depth; /* open brackets; 0: between two texts */
	bool in_string, escape;
};

enum ipc_found {
	IPC_MORE, /* all of it belongs to a text that goes on */
	IPC_MESSAGE, /* a text ends with the last byte used; it began where depth was 0 */
	IPC_SPACE, /* between two texts: white space */
	IPC_JUNK, /* between two texts: what is neither space nor the begin of an object or array */
};

/* A struct ipc_scan begins as {0}. Looks at p[0 … n), n > 0; *used > 0 bytes are done with. */
enum ipc_found ipc_scan_next(struct ipc_scan *s, const char *p, size_t n, size_t *used);

#endif
