/* Writing Prometheus' text format: families, samples, labels, histograms. Used by metrics.c alone. */
#ifndef OUT_PAGE_H
#define OUT_PAGE_H

#include "base/buf.h"
#include "model/model.h"

enum { LABELS_MAX = 400 };

struct page {
	struct buf *out;
	enum status status; /* the first thing that went wrong; nothing is written then */
	const char *family, *type, *help;
	bool said; /* HELP and TYPE stand there: only before a family's first sample */
	/* Ready to be written between braces, escaped; no two the same. Of a node by its first path. */
	char path[PATHS_MAX][LABELS_MAX], node[PATHS_MAX][LABELS_MAX], chain[CHAINS_MAX][LABELS_MAX];
};

enum page_scale { PAGE_SECONDS /* samples are ns */, PAGE_BYTES };

void page_begin(struct page *g, const struct model *m, struct buf *out);
/* What follows belongs to it. name, type, help stay the caller's. */
void page_family(struct page *g, const char *name, const char *type, const char *help);
/* A sample. labels: as in the struct, or "". key, value: one label more, escaped here; NULL. UINT64_MAX is left out. */
void page_u64(struct page *g, const char *labels, const char *key, const char *value, uint64_t v);
void page_seconds(struct page *g, const char *labels, const char *key, const char *value, uint64_t ns);
void page_u256(struct page *g, const char *labels, const char *key, const char *value, const struct u256 *v);
/* What is not finite is left out. */
void page_double(struct page *g, const char *labels, double v);
/* NULL and an empty one are left out. */
void page_hist(struct page *g, const char *labels, const char *key, const char *value, const struct hist *h,
	       enum page_scale scale);
/*
 * The value of a label: cleaned of what no terminal should see, backslash and quote escaped. Always ends, never within an
 * escape or a character. Returns out.
 */
char *page_escape(char *out, size_t size, const char *s);

#endif
