"""Keccak-256, RLP, tries and header hashes in plain Python: enough to make blocks that verify."""

MASK = (1 << 64) - 1
RATE = 136  # bytes absorbed per permutation, Keccak-256


def _round_constants():
    """The 24 iota constants, from the LFSR of the Keccak reference (x^8+x^6+x^5+x^4+1)."""
    out, lfsr = [], 1
    for _ in range(24):
        word = 0
        for j in range(7):
            if lfsr & 1:
                word |= 1 << ((1 << j) - 1)
            lfsr = (lfsr << 1) ^ (0x171 if lfsr & 0x80 else 0)
        out.append(word)
    return out


def _rho_pi():
    """(destination lane, source lane, rotation) of the combined rho and pi steps."""
    steps, x, y = [(0, 0, 0)], 1, 0
    for t in range(24):
        steps.append((y + 5 * ((2 * x + 3 * y) % 5), x + 5 * y, (t + 1) * (t + 2) // 2 % 64))
        x, y = y, (2 * x + 3 * y) % 5
    return sorted(steps)


ROUND_CONSTANTS = _round_constants()
RHO_PI = [(src, rot) for _, src, rot in _rho_pi()]
CHI = [(i, i - i % 5 + (i + 1) % 5, i - i % 5 + (i + 2) % 5) for i in range(25)]


def _permute(a):
    for rc in ROUND_CONSTANTS:
        c = [a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20] for x in range(5)]
        d = [c[x - 1] ^ (c[(x + 1) % 5] << 1 & MASK) ^ (c[(x + 1) % 5] >> 63) for x in range(5)]
        a = [v ^ w for v, w in zip(a, d * 5)]
        b = [(a[s] << r | a[s] >> (64 - r)) & MASK for s, r in RHO_PI]
        a = [b[i] ^ (~b[j] & b[k]) for i, j, k in CHI]
        a[0] ^= rc
    return a


def keccak(data):
    pad = RATE - len(data) % RATE
    data += b"\x81" if pad == 1 else b"\x01" + bytes(pad - 2) + b"\x80"
    a = [0] * 25
    for off in range(0, len(data), RATE):
        for i in range(RATE // 8):
            a[i] ^= int.from_bytes(data[off + 8 * i:off + 8 * i + 8], "little")
        a = _permute(a)
    return b"".join(v.to_bytes(8, "little") for v in a[:4])


hash256 = keccak  # of tries, headers and transactions


def num(n):
    """An integer as RLP wants it: big endian, no leading zero."""
    return n.to_bytes((n.bit_length() + 7) // 8, "big")


def _prefix(off, n):
    if n < 56:
        return bytes([off + n])
    length = num(n)
    return bytes([off + 55 + len(length)]) + length


def rlp(x):
    if isinstance(x, (list, tuple)):
        payload = b"".join(map(rlp, x))
        return _prefix(0xC0, len(payload)) + payload
    if len(x) == 1 and x[0] < 0x80:
        return x
    return _prefix(0x80, len(x)) + x


def _hex_prefix(nibbles, leaf):
    flag = 2 * leaf + len(nibbles) % 2
    nibbles = [flag] + ([] if len(nibbles) % 2 else [0]) + list(nibbles)
    return bytes(16 * a + b for a, b in zip(nibbles[::2], nibbles[1::2]))


def _node(pairs):
    """The trie node over [(nibbles, value)], as an RLP structure; no key is a prefix of another."""
    if not pairs:
        return b""
    if len(pairs) == 1:
        return [_hex_prefix(pairs[0][0], True), pairs[0][1]]
    first, last, same = pairs[0][0], pairs[-1][0], 0
    while first[same] == last[same]:
        same += 1
    if same:
        return [_hex_prefix(first[:same], False), _ref([(k[same:], v) for k, v in pairs])]
    return [_ref([(k[1:], v) for k, v in pairs if k[0] == i]) for i in range(16)] + [b""]


def _ref(pairs):
    node = _node(pairs)
    if not node:
        return b""
    enc = rlp(node)
    return hash256(enc) if len(enc) >= 32 else node


def list_root(items):
    """The root of a trie that maps rlp(index) to each item (transactions, withdrawals)."""
    pairs = []
    for i, item in enumerate(items):
        key = rlp(num(i))
        pairs.append(([n for b in key for n in (b >> 4, b & 15)], item))
    return hash256(rlp(_node(sorted(pairs))))


def _data(s):
    return bytes.fromhex(s[2:])


def _quantity(s):
    return num(int(s, 16))


HEADER = (
    ("parentHash", _data), ("sha3Uncles", _data), ("miner", _data), ("stateRoot", _data),
    ("transactionsRoot", _data), ("receiptsRoot", _data), ("logsBloom", _data),
    ("difficulty", _quantity), ("number", _quantity), ("gasLimit", _quantity),
    ("gasUsed", _quantity), ("timestamp", _quantity), ("extraData", _data), ("mixHash", _data),
    ("nonce", _data))
FORK_FIELDS = (  # each fork adds at the end; the first one absent ends the header
    ("baseFeePerGas", _quantity), ("withdrawalsRoot", _data), ("blobGasUsed", _quantity),
    ("excessBlobGas", _quantity), ("parentBeaconBlockRoot", _data), ("requestsHash", _data))


def header_hash(block):
    fields = [enc(block[key]) for key, enc in HEADER]
    for key, enc in FORK_FIELDS:
        if block.get(key) is None:
            break
        fields.append(enc(block[key]))
    return "0x" + hash256(rlp(fields)).hex()


def legacy_tx(tx):
    """The signed encoding of a type 0x0 transaction as eth_getBlock shows it."""
    to = _data(tx["to"]) if tx["to"] else b""
    return rlp([_quantity(tx["nonce"]), _quantity(tx["gasPrice"]), _quantity(tx["gas"]), to,
                _quantity(tx["value"]), _data(tx["input"]), _quantity(tx["v"]),
                _quantity(tx["r"]), _quantity(tx["s"])])


def dynamic_fee_tx(tx):
    """The signed encoding of a type 0x2 transaction with an empty access list."""
    to = _data(tx["to"]) if tx["to"] else b""
    return b"\x02" + rlp([_quantity(tx["chainId"]), _quantity(tx["nonce"]),
                          _quantity(tx["maxPriorityFeePerGas"]), _quantity(tx["maxFeePerGas"]),
                          _quantity(tx["gas"]), to, _quantity(tx["value"]), _data(tx["input"]),
                          [], _quantity(tx["v"]), _quantity(tx["r"]), _quantity(tx["s"])])
