/*
 * Finds the secrets of an endpoint in what it sends back (nodes quote the key in their error texts) and blots them out, for
 * recordings. Lengths and all other bytes stay, so JSON stays JSON.
 *
 * A word of a URL's path is taken for a secret if it is long or does not look like a word of a language: blotting out "mainnet"
 * or "result" wherever it stands would spoil the recording. User, password and headers are always secret. Short secrets count
 * only where they stand as a word of their own.
 */
#ifndef FEED_SECRETS_H
#define FEED_SECRETS_H

#include "net/url.h"

struct secrets;

struct secrets *secrets_new(void); /* NULL without memory */
void secrets_free(struct secrets *s);
/* The secrets of feed's URL; NULL and socket paths have none. */
void secrets_url(struct secrets *s, unsigned feed, const struct url *u);
/* The value of a header, and each word of it. */
void secrets_add(struct secrets *s, unsigned feed, const char *value);
/* In place: every byte of a secret becomes '*'. Returns how many were found. */
unsigned secrets_blot(const struct secrets *s, unsigned feed, char *text, size_t n);
/* The same for JSON of our own, whose texts may be cut: four bytes and more of a secret at the end of a string go too. */
unsigned secrets_blot_cut(const struct secrets *s, unsigned feed, char *text, size_t n);

#endif
