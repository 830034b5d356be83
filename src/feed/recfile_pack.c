#include "feed/recfile_pack.h"

#include <stdlib.h>

#include <zstd.h>

#include "base/buf.h"
#include "feed/recfile.h"

enum { KEEP = 4 << 20 }; /* of the scratch memory, after a message that was larger */

struct recpack {
	ZSTD_CCtx *in;
	ZSTD_DCtx *out;
	struct buf scratch;
};

struct recpack *recpack_new(void)
{
	struct recpack *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->in = ZSTD_createCCtx();
	p->out = ZSTD_createDCtx();
	buf_init(&p->scratch, ZSTD_COMPRESSBOUND(REC_TEXT_MAX));
	if (!p->in || !p->out) {
		recpack_free(p);
		return NULL;
	}
	ZSTD_CCtx_setParameter(p->in, ZSTD_c_compressionLevel, 1);
	return p;
}

void recpack_free(struct recpack *p)
{
	if (!p)
		return;
	ZSTD_freeCCtx(p->in);
	ZSTD_freeDCtx(p->out);
	buf_fini(&p->scratch);
	free(p);
}

size_t recpack_in(struct recpack *p, const char *text, size_t n, const char **out)
{
	size_t z;

	buf_clear(&p->scratch);
	buf_shrink(&p->scratch, KEEP);
	if (buf_reserve(&p->scratch, ZSTD_compressBound(n)) != ST_OK)
		return 0;
	z = ZSTD_compress2(p->in, p->scratch.p, p->scratch.cap, text, n);
	*out = p->scratch.p;
	return ZSTD_isError(z) || z >= n ? 0 : z;
}

bool recpack_out(struct recpack *p, const char *packed, size_t n, char *to, size_t raw)
{
	return ZSTD_decompressDCtx(p->out, to, raw, packed, n) == raw;
}
