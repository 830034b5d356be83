/* The event log: a ring of lines; a line about a lasting state is brought up to date instead of repeated. */
#ifndef MODEL_NOTE_H
#define MODEL_NOTE_H

#include "model/model_priv.h"

/* Returns its seq, for note_update. path, chain: −1 none. */
uint64_t note_add(struct model *m, enum note_kind kind, int path, int chain, uint64_t mono, uint64_t wall,
		  const char *fmt, ...) PRINTF_LIKE(7, 8);
/* False: it has left the ring. */
bool note_update(struct model *m, uint64_t seq, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* "25,490,410" into out[28]. Returns out. */
char *note_number(char out[28], uint64_t n);
/* "49 s", "3m07s" into out[24]: whole seconds. Returns out. */
char *note_span(char out[24], uint64_t ns);
/* First two bytes of a hash, "e01f", into out[5]. Returns out. */
char *note_hash(char out[5], const struct hash *h);
/* A decided event becomes a line, if it is one worth telling. */
void note_event(struct model *m, const struct event *e);

#endif
