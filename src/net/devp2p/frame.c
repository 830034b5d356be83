#include "net/devp2p/frame.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "eth/rlp.h"

enum {
	BLOCK = 16,            /* of AES */
	RATE = 136,            /* of Keccak */
	CHUNK = 16 * 1024,     /* encrypted and authenticated at once: stays in the first cache */
	TAIL = 64 * 1024,      /* read beyond the end of a large frame at most */
	READ_MAX = 256 * 1024, /* at once: what is read stays in the second cache until it is decrypted */
};

/* Two AES contexts and a Keccak state are what a direction has. */
static EVP_CIPHER_CTX *cipher_new(const EVP_CIPHER *kind, const uint8_t key[32], const uint8_t *iv)
{
	EVP_CIPHER_CTX *const c = EVP_CIPHER_CTX_new();

	if (c != NULL && (EVP_EncryptInit_ex(c, kind, NULL, key, iv) != 1 || EVP_CIPHER_CTX_set_padding(c, 0) != 1)) {
		EVP_CIPHER_CTX_free(c);
		return NULL;
	}
	return c;
}

static enum status keys(
	struct frame_mac *m, void **ctr, const struct rlpx_secrets *s, const struct keccak *state, struct err *e)
{
	static const uint8_t zero[BLOCK];

	m->state = *state;
	m->known = m->header.open = false;
	m->pairs = keccak_pairs();
	m->aes = cipher_new(EVP_aes_256_ecb(), s->mac, NULL);
	/*
	 * The same key and counter in both directions is the protocol's known weakness: nothing
	 * secret is ever sent.
	 */
	*ctr = cipher_new(EVP_aes_256_ctr(), s->aes, zero);
	return m->aes != NULL && *ctr != NULL ? ST_OK : err_set(e, ST_NOMEM, "out of memory");
}

static void forget(struct frame_mac *m, void **ctr)
{
	EVP_CIPHER_CTX_free(m->aes);
	EVP_CIPHER_CTX_free(*ctr);
	m->aes = *ctr = NULL;
	OPENSSL_cleanse(&m->state, sizeof(m->state));
}

/* Decrypting is the same. */
static bool crypt_ctr(void *ctr, uint8_t *p, size_t n)
{
	int len;

	return n == 0 || EVP_EncryptUpdate(ctr, p, &len, p, (int)n) == 1;
}

/*
 * Counts as the processor does: a sum that was put off costs nothing if it was done beside another
 * one.
 */
static void mac_add(struct frame_mac *m, const uint8_t *p, size_t n)
{
	const bool open = m->header.open;

	m->permutations += (m->state.fill + n) / RATE;
	keccak_add_with(&m->state, p, n, &m->header);
	m->known = false;
	if (open && !m->header.open && !m->pairs)
		m->permutations++;
}

static void mac_sum(struct frame_mac *m)
{
	if (m->known)
		return;
	keccak_peek_with(&m->state, m->sum, &m->header);
	m->permutations++;
	m->known = true;
}

/* The common part of both MACs: the state takes AES(sum) ⊕ seed. */
static bool mac_mix(struct frame_mac *m, const uint8_t seed[BLOCK])
{
	uint8_t x[BLOCK];
	int len;

	mac_sum(m);
	if (EVP_EncryptUpdate(m->aes, x, &len, m->sum, BLOCK) != 1)
		return false;
	for (int i = 0; i < BLOCK; i++)
		x[i] ^= seed[i];
	mac_add(m, x, BLOCK);
	return true;
}

/* The MAC itself is put off: mac_header_end. */
static bool mac_header(struct frame_mac *m, const uint8_t ciphertext[BLOCK])
{
	if (!mac_mix(m, ciphertext))
		return false;
	keccak_sum_begin(&m->header, &m->state);
	return true;
}

static void mac_header_end(struct frame_mac *m, uint8_t out[32])
{
	m->permutations += m->header.open;
	keccak_sum_end(&m->header, out);
}

/* After the whole body was added; the MAC is then m->sum. */
static bool mac_body(struct frame_mac *m)
{
	uint8_t seed[BLOCK];

	mac_sum(m);
	memcpy(seed, m->sum, BLOCK);
	if (!mac_mix(m, seed))
		return false;
	mac_sum(m);
	return true;
}

/*
 * Writing ---------------------------------------------------------------------------------------
 */

enum status frame_tx_init(struct frame_tx *t, const struct rlpx_secrets *s, struct err *e)
{
	memset(t, 0, sizeof(*t));
	if (keys(&t->mac, &t->ctr, s, &s->egress, e) != ST_OK) {
		frame_tx_fini(t);
		return ST_NOMEM;
	}
	return ST_OK;
}

void frame_tx_fini(struct frame_tx *t)
{
	forget(&t->mac, &t->ctr);
	free(t->p);
	memset(t, 0, sizeof(*t));
}

static enum status tx_room(struct frame_tx *t, size_t need)
{
	const size_t held = t->end - t->begin;
	size_t cap = t->cap < FRAME_TX_KEEP / 2 ? FRAME_TX_KEEP / 2 : t->cap * 2;
	uint8_t *p;

	if (t->cap - t->end >= need)
		return ST_OK;
	if (t->begin > 0) {
		memmove(t->p, t->p + t->begin, held);
		t->begin = 0;
		t->end = held;
		if (t->cap - t->end >= need)
			return ST_OK;
	}
	if (cap < held + need)
		cap = held + need;
	p = realloc(t->p, cap);
	if (p == NULL)
		return ST_NOMEM;
	t->p = p;
	t->cap = cap;
	return ST_OK;
}

uint8_t *frame_tx_data(struct frame_tx *t, uint64_t code, size_t max, struct err *e)
{
	uint8_t head[FRAME_CODE_MAX];
	const size_t code_n = (size_t)(rlp_put_u64(head, code) - head);
	size_t need;

	t->data = 0;
	/* A bound of compressed data may be over FRAME_MAX and the data itself not. */
	if (max > 2 * FRAME_MAX) {
		err_set(e, ST_TOO_BIG, "RLPx: a message of %zu bytes does not fit a frame", max);
		return NULL;
	}
	need = FRAME_HEAD + code_n + max + BLOCK + FRAME_MAC;
	if (t->end - t->begin + need > FRAME_TX_LIMIT) {
		err_set(e, ST_TOO_BIG, "RLPx: %zu bytes wait to be sent, the peer does not read", t->end - t->begin);
		return NULL;
	}
	if (tx_room(t, need) != ST_OK) {
		err_set(e, ST_NOMEM, "out of memory");
		return NULL;
	}
	t->code = code;
	memcpy(t->p + t->end + FRAME_HEAD, head, code_n);
	t->data = t->end + FRAME_HEAD + code_n;
	return t->p + t->data;
}

enum status frame_tx_seal(struct frame_tx *t, size_t n, struct err *e)
{
	uint8_t *const p = t->p + t->end, *const body = p + FRAME_HEAD;
	const size_t size = t->data - t->end - FRAME_HEAD + n;
	const size_t padded = (size + BLOCK - 1) / BLOCK * BLOCK;
	size_t done = padded < CHUNK ? padded : CHUNK;
	uint8_t sum[32];
	bool ok;

	t->data = 0;
	if (size > FRAME_MAX)
		return err_set(e, ST_TOO_BIG, "RLPx: a message of %zu bytes does not fit a frame", n);
	memset(body + size, 0, padded - size);
	/*
	 * The header stands in front of the body, where its MAC will be: so both are encrypted in
	 * one go, and then the ciphertext moves to its place.
	 */
	memset(p + BLOCK, 0, BLOCK);
	p[BLOCK] = (uint8_t)(size >> 16);
	p[BLOCK + 1] = (uint8_t)(size >> 8);
	p[BLOCK + 2] = (uint8_t)size;
	p[BLOCK + 3] = 0xc2;
	p[BLOCK + 4] = p[BLOCK + 5] = 0x80;
	ok = crypt_ctr(t->ctr, p + BLOCK, BLOCK + done);
	memcpy(p, p + BLOCK, BLOCK);
	ok = ok && mac_header(&t->mac, p);
	mac_add(&t->mac, body, done);
	while (ok && done < padded) {
		const size_t chunk = padded - done < CHUNK ? padded - done : CHUNK;

		ok = crypt_ctr(t->ctr, body + done, chunk);
		mac_add(&t->mac, body + done, chunk);
		done += chunk;
	}
	if (!ok || !mac_body(&t->mac))
		return err_set(e, ST_INTERNAL, "RLPx: encryption failed");
	memcpy(body + padded, t->mac.sum, FRAME_MAC);
	mac_header_end(&t->mac, sum);
	memcpy(p + BLOCK, sum, FRAME_MAC);
	t->end += FRAME_HEAD + padded + FRAME_MAC;
	t->frames++;
	t->bytes += FRAME_HEAD + padded + FRAME_MAC;
	return ST_OK;
}

const uint8_t *frame_tx_out(const struct frame_tx *t, size_t *n)
{
	*n = t->end - t->begin;
	return *n > 0 ? t->p + t->begin : NULL;
}

void frame_tx_trim(struct frame_tx *t)
{
	if (t->begin < t->end || t->cap <= FRAME_TX_KEEP)
		return;
	free(t->p);
	t->p = NULL;
	t->begin = t->end = t->cap = 0;
	t->calm = 0;
}

void frame_tx_sent(struct frame_tx *t, size_t n)
{
	t->begin += n;
	if (t->begin < t->end)
		return;
	/*
	 * A run of large messages keeps its memory: fresh pages for each of them cost more than
	 * their copy.
	 */
	t->calm = t->end <= FRAME_TX_KEEP ? t->calm + 1 : 0;
	t->begin = t->end = 0;
	if (t->calm >= FRAME_CALM)
		frame_tx_trim(t);
}

/*
 * Reading ---------------------------------------------------------------------------------------
 */

void frame_rx_init(struct frame_rx *r, size_t max)
{
	memset(r, 0, sizeof(*r));
	rx_init(&r->rx);
	r->max = max;
}

enum status frame_rx_keys(struct frame_rx *r, const struct rlpx_secrets *s, struct err *e)
{
	return keys(&r->mac, &r->ctr, s, &s->ingress, e);
}

void frame_rx_fini(struct frame_rx *r)
{
	forget(&r->mac, &r->ctr);
	rx_fini(&r->rx);
}

/* The frame handed out last is no longer needed. */
static void release(struct frame_rx *r)
{
	rx_drop(&r->rx, r->out);
	r->out = 0;
}

uint8_t *frame_rx_space(struct frame_rx *r, size_t *n)
{
	size_t want = 0, left;
	uint8_t *p;

	release(r);
	if (r->body)
		want = r->padded + FRAME_MAC;
	p = (uint8_t *)rx_space(&r->rx, want, n);
	if (p == NULL)
		return NULL;
	if (r->body && want > TAIL) {
		/* Ends a bit behind this frame: what has then to be moved to the front is small. */
		left = want - frame_rx_held(r) + TAIL;
		if (*n > left)
			*n = left;
	}
	if (*n > READ_MAX)
		*n = READ_MAX;
	return p;
}

void frame_rx_commit(struct frame_rx *r, size_t n, uint64_t now_ns, uint64_t wall_ns)
{
	rx_commit(&r->rx, n, now_ns, wall_ns);
}

size_t frame_rx_held(const struct frame_rx *r)
{
	return r->rx.end - r->rx.begin - r->out;
}

static enum status broken(struct frame_rx *r, struct err *e, enum status code, const char *why)
{
	r->dead = true;
	return err_set(e, code, "RLPx: %s", why);
}

/* What has come of the body goes into the MAC and is decrypted in place, in whole blocks. */
static bool take_body(struct frame_rx *r)
{
	uint8_t *const p = (uint8_t *)r->rx.p + r->rx.begin;
	const size_t held = frame_rx_held(r);
	const size_t have = (held < r->padded ? held : r->padded) / BLOCK * BLOCK;

	while (r->done < have) {
		const size_t chunk = have - r->done < CHUNK ? have - r->done : CHUNK;

		mac_add(&r->mac, p + r->done, chunk);
		if (!crypt_ctr(r->ctr, p + r->done, chunk))
			return false;
		r->done += chunk;
	}
	return true;
}

/*
 * A whole header is there: decrypts and verifies it. What has come of the body goes into the MAC
 * before the header's is known, for then its last permutation costs nothing; nothing is believed,
 * and no memory taken, before it is right.
 */
static enum status take_header(struct frame_rx *r, struct err *e)
{
	uint8_t *const p = (uint8_t *)r->rx.p + r->rx.begin;
	uint8_t sum[32];
	bool ok = mac_header(&r->mac, p) && crypt_ctr(r->ctr, p, BLOCK);

	memcpy(r->want, p + BLOCK, FRAME_MAC);
	/* The rest of the header (once protocol and context id) is ignored by everybody. */
	r->size = (size_t)p[0] << 16 | (size_t)p[1] << 8 | p[2];
	r->padded = (r->size + BLOCK - 1) / BLOCK * BLOCK;
	r->done = 0;
	rx_drop(&r->rx, FRAME_HEAD);
	ok = ok && take_body(r);
	/* A short body that is there as a whole: beside its own sum. */
	if (r->done == r->padded)
		mac_sum(&r->mac);
	mac_header_end(&r->mac, sum);
	if (!ok)
		return broken(r, e, ST_INTERNAL, "decryption failed");
	if (CRYPTO_memcmp(sum, r->want, FRAME_MAC) != 0)
		return broken(r, e, ST_MALFORMED, "wrong MAC of a frame's header");
	if (r->size == 0)
		return broken(r, e, ST_MALFORMED, "an empty frame");
	if (r->size > r->max) {
		r->dead = true;
		return err_set_detail(
			e, ST_TOO_BIG, (int)r->size, "RLPx: a frame of %zu bytes, the limit is %zu", r->size, r->max);
	}
	r->body = true;
	return ST_OK;
}

static enum status give(struct frame_rx *r, struct frame *f, struct err *e)
{
	uint8_t *const p = (uint8_t *)r->rx.p + r->rx.begin;
	struct rlp_item code;
	struct rlp rlp;

	if (!mac_body(&r->mac))
		return broken(r, e, ST_INTERNAL, "decryption failed");
	if (CRYPTO_memcmp(r->mac.sum, p + r->padded, FRAME_MAC) != 0)
		return broken(r, e, ST_MALFORMED, "wrong MAC of a frame's body");
	rlp_init(&rlp, p, r->size);
	if (!rlp_next(&rlp, &code) || !rlp_item_u64(&code, &f->code))
		return broken(r, e, ST_MALFORMED, "a message without a code");
	f->data = p + (rlp.p - p);
	f->n = (size_t)(rlp.end - rlp.p);
	f->wire = FRAME_HEAD + r->padded + FRAME_MAC;
	f->mark = r->mark;
	r->out = r->padded + FRAME_MAC;
	r->body = r->marked = false;
	r->frames++;
	r->bytes += f->wire;
	return ST_OK;
}

enum status frame_rx_next(struct frame_rx *r, struct frame *f, struct err *e)
{
	enum status st;

	if (r->dead)
		return err_set(e, ST_CLOSED, "RLPx: the connection failed before");
	release(r);
	if (!r->marked && frame_rx_held(r) > 0) {
		rx_begin(&r->rx, r->rx.begin, &r->mark);
		r->marked = true;
	}
	if (!r->body) {
		if (frame_rx_held(r) < FRAME_HEAD)
			return ST_AGAIN;
		st = take_header(r, e);
		if (st != ST_OK)
			return st;
	}
	if (!take_body(r))
		return broken(r, e, ST_INTERNAL, "decryption failed");
	if (frame_rx_held(r) < r->padded + FRAME_MAC)
		return ST_AGAIN;
	return give(r, f, e);
}
