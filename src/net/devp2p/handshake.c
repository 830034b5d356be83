#include "net/devp2p/handshake.h"

#include <string.h>

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include "eth/rlp.h"
#include "net/devp2p/ecies.h"

enum {
	VERSION = 4,
	BODY_MAX = 3 + 2 + CURVE_SIG + 2 + CURVE_PUB + 1 + 32 + 1, /* auth, the larger one */
	/*
	 * EIP-8: a random amount of at least 100 bytes tells packets of all versions apart from
	 * older ones.
	 */
	PAD_MIN = 100,
	PAD_SPAN = 100,
};

static enum status failed(struct err *e)
{
	err_set(e, ST_MALFORMED, "RLPx handshake: the packet is not for our key, or damaged");
	err_cure(e, "check the node id in the enode URL");
	return ST_MALFORMED;
}

static enum status no_random(struct err *e)
{
	return err_set(e, ST_INTERNAL, "RLPx handshake: no random bytes");
}

/* be16(size) ‖ ecies(body ‖ zeros) into h->out. */
static bool seal(struct handshake *h, const uint8_t *body, size_t n)
{
	uint8_t plain[BODY_MAX + PAD_MIN + PAD_SPAN] = { 0 }, extra;
	size_t size;

	if (RAND_bytes(&extra, 1) != 1)
		return false;
	memcpy(plain, body, n);
	n += PAD_MIN + extra % PAD_SPAN;
	size = n + ECIES_OVERHEAD;
	h->out[0] = (uint8_t)(size >> 8);
	h->out[1] = (uint8_t)size;
	h->out_n = 2 + size;
	return ecies_encrypt(h->curve, h->remote, plain, n, h->out, 2, h->out + 2);
}

/* What the initiator signs: the static secret, hidden by its nonce. */
static bool challenge(struct handshake *h, const uint8_t nonce[32], uint8_t out[32])
{
	if (!curve_ecdh(h->curve, h->key, h->remote, out))
		return false;
	for (int i = 0; i < 32; i++)
		out[i] ^= nonce[i];
	return true;
}

/* [signature, static public key, nonce, version] */
static bool make_auth(struct handshake *h)
{
	uint8_t body[BODY_MAX], digest[32], sig[CURVE_SIG], pub[CURVE_PUB];
	uint8_t *const payload = body + 2, *end, *start;

	if (!challenge(h, h->nonce, digest) || !curve_sign(h->curve, h->ephemeral, digest, sig) ||
		!curve_pub(h->curve, h->key, pub))
		return false;
	OPENSSL_cleanse(digest, sizeof(digest));
	end = rlp_put_bytes(payload, sig, sizeof(sig));
	end = rlp_put_bytes(end, pub, sizeof(pub));
	end = rlp_put_bytes(end, h->nonce, sizeof(h->nonce));
	end = rlp_put_u64(end, VERSION);
	start = rlp_put_list(payload, (size_t)(end - payload));
	return seal(h, start, (size_t)(end - start));
}

/* [ephemeral public key, nonce, version] */
static bool make_ack(struct handshake *h)
{
	uint8_t body[BODY_MAX], pub[CURVE_PUB];
	uint8_t *const payload = body + 2, *end, *start;

	if (!curve_pub(h->curve, h->ephemeral, pub))
		return false;
	end = rlp_put_bytes(payload, pub, sizeof(pub));
	end = rlp_put_bytes(end, h->nonce, sizeof(h->nonce));
	end = rlp_put_u64(end, VERSION);
	start = rlp_put_list(payload, (size_t)(end - payload));
	return seal(h, start, (size_t)(end - start));
}

enum status handshake_init(struct handshake *h, enum rlpx_role role, struct curve *curve, const uint8_t key[CURVE_KEY],
	const uint8_t *remote, const struct handshake_fixed *fixed, struct err *e)
{
	uint8_t own[CURVE_PUB];

	memset(h, 0, sizeof(*h));
	h->role = role;
	h->curve = curve;
	if (!curve_pub(curve, key, own))
		return err_set(e, ST_USAGE, "the node key is not a key of secp256k1");
	memcpy(h->key, key, CURVE_KEY);
	if (fixed != NULL) {
		memcpy(h->ephemeral, fixed->ephemeral, CURVE_KEY);
		memcpy(h->nonce, fixed->nonce, sizeof(h->nonce));
	} else if (!curve_key(curve, h->ephemeral) || RAND_bytes(h->nonce, sizeof(h->nonce)) != 1) {
		return no_random(e);
	}
	if (role == RLPX_RECIPIENT)
		return ST_OK;
	if (remote == NULL || !curve_pub_ok(curve, remote)) {
		err_set(e, ST_USAGE, "the node id is not a public key: no such point on the curve");
		err_cure(e, "copy the enode URL again");
		return ST_USAGE;
	}
	memcpy(h->remote, remote, CURVE_PUB);
	return make_auth(h) ? ST_OK : no_random(e);
}

/* The next item if it is a string of n bytes. */
static bool fixed_item(struct rlp *r, void *out, size_t n)
{
	struct rlp_item i;

	if (!rlp_next(r, &i) || i.list || i.n != n)
		return false;
	memcpy(out, i.p, n);
	return true;
}

static bool read_auth(struct handshake *h, struct rlp *r)
{
	uint8_t sig[CURVE_SIG], digest[32];
	bool ok;

	if (!fixed_item(r, sig, sizeof(sig)) || !fixed_item(r, h->remote, CURVE_PUB) ||
		!fixed_item(r, h->remote_nonce, 32))
		return false;
	/* The signature proves that the sender has the static key: its secret is in the digest. */
	ok = challenge(h, h->remote_nonce, digest) && curve_recover(h->curve, sig, digest, h->remote_ephemeral);
	OPENSSL_cleanse(digest, sizeof(digest));
	return ok;
}

static bool read_ack(struct handshake *h, struct rlp *r)
{
	return fixed_item(r, h->remote_ephemeral, CURVE_PUB) && fixed_item(r, h->remote_nonce, 32) &&
		curve_pub_ok(h->curve, h->remote_ephemeral);
}

/* The whole packet is in h->in. */
static bool open_packet(struct handshake *h)
{
	uint8_t plain[HANDSHAKE_MAX];
	const size_t n = h->in_n - 2 - ECIES_OVERHEAD;
	struct rlp_item list, version;
	struct rlp r;
	bool ok = false;

	if (ecies_decrypt(h->curve, h->key, h->in + 2, h->in_n - 2, h->in, 2, plain)) {
		rlp_init(&r, plain, n);
		if (rlp_next(&r, &list) && list.list) {
			rlp_init(&r, list.p, list.n);
			ok = (h->role == RLPX_RECIPIENT ? read_auth(h, &r) : read_ack(h, &r)) &&
				rlp_next(&r, &version) && !version.list;
		}
	}
	OPENSSL_cleanse(plain, sizeof(plain));
	return ok;
}

enum status handshake_take(struct handshake *h, const uint8_t *p, size_t n, size_t *used, struct err *e)
{
	size_t want;

	*used = 0;
	while (h->in_n < 2 && n > 0) {
		h->in[h->in_n++] = *p++;
		n--;
		++*used;
	}
	if (h->in_n < 2)
		return ST_AGAIN;
	want = (size_t)h->in[0] << 8 | h->in[1];
	/*
	 * The first two bytes of what is no handshake are mostly out of bounds: no waiting for
	 * more.
	 */
	if (want <= ECIES_OVERHEAD || want > HANDSHAKE_MAX)
		return failed(e);
	want = 2 + want - h->in_n;
	if (want > n)
		want = n;
	if (want > 0)
		memcpy(h->in + h->in_n, p, want);
	h->in_n += want;
	*used += want;
	if (h->in_n < 2 + ((size_t)h->in[0] << 8 | h->in[1]))
		return ST_AGAIN;
	if (!open_packet(h))
		return failed(e);
	if (h->role == RLPX_RECIPIENT && !make_ack(h))
		return no_random(e);
	h->done = true;
	return ST_OK;
}

static void keccak_two(uint8_t out[32], const void *a, size_t a_n, const void *b, size_t b_n)
{
	struct keccak k;

	keccak_init(&k);
	keccak_add(&k, a, a_n);
	keccak_add(&k, b, b_n);
	keccak_end(&k, out);
}

/* keccak state over (mac ⊕ nonce) ‖ packet */
static void mac_start(struct keccak *k, const uint8_t mac[32], const uint8_t nonce[32], const uint8_t *packet, size_t n)
{
	uint8_t seed[32];

	for (int i = 0; i < 32; i++)
		seed[i] = mac[i] ^ nonce[i];
	keccak_init(k);
	keccak_add(k, seed, sizeof(seed));
	keccak_add(k, packet, n);
	OPENSSL_cleanse(seed, sizeof(seed));
}

enum status handshake_secrets(const struct handshake *h, struct rlpx_secrets *s, struct err *e)
{
	const bool initiator = h->role == RLPX_INITIATOR;
	const uint8_t *const nonce_r = initiator ? h->remote_nonce : h->nonce;
	const uint8_t *const nonce_i = initiator ? h->nonce : h->remote_nonce;
	uint8_t x[32], shared[32], nonces[32];

	if (!h->done || !curve_ecdh(h->curve, h->ephemeral, h->remote_ephemeral, x))
		return err_set(e, ST_INTERNAL, "RLPx handshake: no shared secret");
	keccak_two(nonces, nonce_r, 32, nonce_i, 32);
	keccak_two(shared, x, 32, nonces, 32);
	keccak_two(s->aes, x, 32, shared, 32);
	keccak_two(s->mac, x, 32, s->aes, 32);
	/* Each side's egress begins with what it sent and the other side's nonce. */
	mac_start(&s->egress, s->mac, h->remote_nonce, h->out, h->out_n);
	mac_start(&s->ingress, s->mac, h->nonce, h->in, h->in_n);
	OPENSSL_cleanse(x, sizeof(x));
	OPENSSL_cleanse(shared, sizeof(shared));
	return ST_OK;
}

void handshake_fini(struct handshake *h)
{
	OPENSSL_cleanse(h, sizeof(*h));
}
