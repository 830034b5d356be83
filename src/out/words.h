/* Words for enums in outputs for machines: doc/STREAM.md and doc/METRICS.md list them, so none of them may change. */
#ifndef OUT_WORDS_H
#define OUT_WORDS_H

#include "model/model.h"

/* NULL: there is no such. */
const char *link_word(unsigned state); /* enum link_state: "live" */
const char *source_word(unsigned source); /* enum head_source: "push" */
const char *truth_word(unsigned truth); /* enum truth: "yes" */
const char *info_word(unsigned info); /* enum info_kind: "client" */
const char *line_word(unsigned level); /* enum level: "ok" */
const char *scope_word(unsigned scope); /* enum check_scope: "node" */
const char *unit_word(unsigned unit); /* enum check_unit: "percent" */
/* Never NULL: an unknown code is "internal". */
const char *code_word(unsigned code); /* enum status */

#endif
