/* The demo's recording, tests/data/demo.ct, as build-aux/mkdemo puts it into the program. */
#ifndef CMD_DEMO_H
#define CMD_DEMO_H

#include <stddef.h>

extern const unsigned char demo_data[];
extern const size_t demo_size;

#endif
