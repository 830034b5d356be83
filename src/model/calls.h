/* What the calls of a path did, by window: counts, latencies, failures by kind, rates. */
#ifndef MODEL_CALLS_H
#define MODEL_CALLS_H

#include "model/model_priv.h"

/*
 * A call that ended at mono. latency_ns UNKNOWN: no sample.
 * ST_UNSUPPORTED counts neither as ended nor as failed: a method that a node does not have is no fault of the node.
 */
void calls_ended(struct path *p, uint64_t mono, enum status code, uint64_t latency_ns);
/* The latency of a batch that was answered, whose items end by themselves. */
void calls_batch(struct path *p, uint64_t mono, enum status code, uint64_t latency_ns);
/* A body that was decoded so long after the first head; mono: then. */
void calls_usable(struct path *p, uint64_t mono, uint64_t ns);
/* A failure by itself: a lost connection. */
void calls_lost(struct path *p, uint64_t mono, enum status code);
/* A body of at least two reads. */
void calls_xfer(struct path *p, uint64_t mono, uint64_t bytes, uint64_t ns);
/* A head that came twice. */
void calls_dup(struct path *p, uint64_t mono);
/* All calls and bytes (both ways) of the path so far. */
void calls_traffic(struct path *p, uint64_t mono, uint64_t calls, uint64_t bytes);
/* path.span[s], as it is now. */
void calls_figures(struct path *p, enum race_window s, uint64_t now);
/* All windows begin at now. */
void calls_restart(struct path *p, uint64_t now);
void calls_fini(struct path *p);

#endif
