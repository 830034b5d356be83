/* SHA-256 of a file, by which a report names the recording that it was made from. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include "base/err.h"

enum { SHA256_HEX = 65 /* with the 0 */ };

/* Lower-case hex of the file's bytes. ST_IO names the file and the reason; ST_NOMEM. */
enum status sha256_file(char out[SHA256_HEX], const char *path, struct err *e) MUST_CHECK;

#endif
