"""The two sources of blocks: a folder of <number>.json files, and a small chain made in memory.

Both give Block objects whose JSON is ready to be sent: nothing is encoded twice.
"""
import collections
import hashlib
import json
import pathlib
import re
import time

import eth
from rpc import dump

CACHE_BYTES = 64 << 20
EMPTY_LIST_HASH = "0x" + eth.keccak(eth.rlp([])).hex()
EMPTY_ROOT = "0x" + eth.list_root([]).hex()
EMPTY_REQUESTS = "0x" + hashlib.sha256(b"").hexdigest()
HASH_FIRST = re.compile(rb'\s*\{\s*"hash"\s*:\s*"(0x[0-9a-fA-F]{64})"')
HEADER_KEYS = [key for key, _ in eth.HEADER + eth.FORK_FIELDS]
EXTRA_KEYS = ["milliTimestamp"]  # told where a chain has them, not hashed


class Block:
    """One block: its place in the chain, and three encodings of it as `result` values."""

    def __init__(self, body, full=None):
        self.number = int(body["number"], 16)
        self.hash = body["hash"]
        self.parent = body["parentHash"]
        self.time = int(body["timestamp"], 16)
        self.base_fee = int(body.get("baseFeePerGas") or "0x0", 16)
        self.gas_used, self.gas_limit = int(body["gasUsed"], 16), int(body["gasLimit"], 16)
        self.full = full or dump(body)
        self.light = dump(dict(body, transactions=[t["hash"] for t in body["transactions"]]))
        # As geth announces it: absent fork fields are null; no uncles, size or transactions.
        header = {key: body.get(key) for key in HEADER_KEYS}
        header.update((key, body[key]) for key in EXTRA_KEYS if key in body)
        self.head = dump(dict(header, hash=self.hash))


class FileChain:
    """Blocks from DIR/<number>.json, one bare eth_getBlock result each, read when needed."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        numbers = sorted(int(p.stem) for p in self.folder.glob("*.json") if p.stem.isdigit())
        if not numbers or numbers != list(range(numbers[0], numbers[-1] + 1)):
            raise ValueError("%s: no files <number>.json, or a height is missing" % folder)
        self.first, self.last = numbers[0], numbers[-1]
        self.numbers = {}
        self.cache = collections.OrderedDict()
        self.cached = 0
        for n in numbers:
            with open(self._path(n), "rb") as f:
                found = HASH_FIRST.match(f.read(100))
            self.numbers[found[1].decode() if found else self.block(n).hash] = n

    def _path(self, number):
        return self.folder / ("%d.json" % number)

    def block(self, number):
        """The block at a height, or None. Called under the node's lock."""
        if not self.first <= number <= self.last:
            return None
        block = self.cache.get(number)
        if block is None:
            full = self._path(number).read_bytes().strip()
            block = self.cache[number] = Block(json.loads(full), full)
            self.cached += len(full)
            while self.cached > CACHE_BYTES and len(self.cache) > 2:
                self.cached -= len(self.cache.popitem(last=False)[1].full)
        self.cache.move_to_end(number)
        return block

    def by_hash(self, hash_):
        number = self.numbers.get(hash_)
        return None if number is None else self.block(number)

    def number_at(self, unix):
        """The height of the last block not newer than a wall time."""
        low, high = self.first, self.last
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.block(middle).time <= unix else (low, middle - 1)
        return low

    def extend(self):
        """Nothing can be added; the chain ends with its files."""
        return False

    def replace(self, depth, extra):
        raise ValueError("a chain of files has no other blocks to reorganise to")


class SyntheticChain:
    """Small post-Prague blocks made on demand. Hashes, roots and base fees hold; signatures do not."""

    def __init__(self, head=64, slot=1, txs=4, chain_id=424242, genesis=None, fake=False):
        """genesis: wall time of block 0; then block n is at genesis + n * slot whenever it is
        made, so that two nodes make the same chain. Otherwise new blocks take the time of day.
        fake: hashes that are no Keccak, thirty times as fast to make, for floods of heads."""
        if fake:
            eth.hash256 = lambda data: hashlib.sha3_256(data).digest()
        self.first, self.slot, self.txs, self.chain_id = 0, slot, txs, chain_id
        self.canonical, self.side, self.forks = [], {}, 0
        self.fixed = genesis is not None
        self.start = genesis if self.fixed else int(time.time()) - head * slot
        while len(self.canonical) <= head:
            self._append(self.start + len(self.canonical) * slot)

    @property
    def last(self):
        return len(self.canonical) - 1

    def block(self, number):
        return self.canonical[number] if 0 <= number < len(self.canonical) else None

    def by_hash(self, hash_):
        return self.side.get(hash_)

    def number_at(self, unix):
        return self.last

    def make_ahead(self, n):
        """Blocks to come, at their times: what is in them may be told of before."""
        for _ in range(n):
            self._append(self.canonical[-1].time + self.slot)

    def extend(self):
        parent = self.canonical[-1]
        self._append(parent.time + self.slot if self.fixed else max(int(time.time()), parent.time))
        return True

    def replace(self, depth, extra):
        """Puts others in the place of the last `depth` blocks and `extra` behind; returns the first."""
        if not 0 < depth < len(self.canonical):
            raise ValueError("depth must be 1…%d" % (len(self.canonical) - 1))
        times = [b.time for b in self.canonical[-depth:]]
        del self.canonical[-depth:]
        self.forks += 1
        first = len(self.canonical)
        for when in times + [times[-1] + self.slot] * extra:
            self._append(when)
        return first

    def _append(self, when):
        block = self._make(self.canonical[-1] if self.canonical else None, when)
        self.canonical.append(block)
        self.side[block.hash] = block

    def _make(self, parent, when):
        number = parent.number + 1 if parent else self.first
        seed = hashlib.sha256(b"%d %d" % (number, self.forks)).digest()
        base_fee = _next_base_fee(parent) if parent else 10 ** 9
        txs, encodings = [], []
        for i in range(self.txs if parent else 0):
            tx = self._tx(seed, number, i, base_fee)
            encoding = eth.dynamic_fee_tx(tx) if tx["type"] == "0x2" else eth.legacy_tx(tx)
            tx["hash"] = "0x" + eth.hash256(encoding).hex()
            txs.append(tx)
            encodings.append(encoding)
        used = 21000 * len(txs) + (5_000_000 + seed[0] * 80_000 if txs else 0)
        body = {
            "parentHash": parent.hash if parent else "0x" + "00" * 32,
            "sha3Uncles": EMPTY_LIST_HASH, "miner": "0x" + seed[:20].hex(),
            "stateRoot": "0x" + hashlib.sha256(b"state" + seed).hexdigest(),
            "transactionsRoot": "0x" + eth.list_root(encodings).hex(),
            "receiptsRoot": "0x" + hashlib.sha256(b"receipts" + seed).hexdigest() if txs
            else EMPTY_ROOT,
            "logsBloom": "0x" + "00" * 256, "difficulty": "0x0", "number": hex(number),
            "gasLimit": hex(30_000_000), "gasUsed": hex(used), "timestamp": hex(when),
            "extraData": "0x" + b"fault node".hex(), "mixHash": "0x" + seed.hex(),
            "nonce": "0x" + "00" * 8, "baseFeePerGas": hex(base_fee),
            "withdrawalsRoot": EMPTY_ROOT, "blobGasUsed": "0x0", "excessBlobGas": "0x0",
            "parentBeaconBlockRoot": "0x" + hashlib.sha256(b"beacon" + seed).hexdigest(),
            "requestsHash": EMPTY_REQUESTS}
        self._dress(body)
        body["hash"] = eth.header_hash(body)
        for tx in txs:
            tx["blockHash"], tx["blockTimestamp"] = body["hash"], body["timestamp"]
        if "withdrawalsRoot" in body:
            body["withdrawals"] = []
        body.update(uncles=[], transactions=txs, size=hex(640 + sum(map(len, encodings))))
        return Block(body)

    def _dress(self, body):
        """Where a subclass makes the header another chain's, before its hash is taken."""

    def _tx(self, seed, number, i, base_fee):
        salt = hashlib.sha256(seed + bytes([i])).digest()
        tip = 10 ** 8 * (1 + salt[0] % 30)
        tx = {"blockNumber": hex(number), "transactionIndex": hex(i), "type": "0x2",
              "from": "0x" + salt[:20].hex(), "to": "0x" + salt[12:].hex(),
              "nonce": hex(number), "gas": hex(21000 + 1000 * salt[1]),
              "value": hex(10 ** 15 * (1 + salt[2])), "input": "0x" + salt[:4].hex() * (i % 2),
              "chainId": hex(self.chain_id), "gasPrice": hex(base_fee + tip),
              "r": hex(int.from_bytes(salt, "big") | 1), "s": hex(1 + salt[3])}
        if i % 2:
            return dict(tx, accessList=[], maxPriorityFeePerGas=hex(tip), v="0x1", yParity="0x1",
                        maxFeePerGas=hex(2 * base_fee + tip))
        return dict(tx, type="0x0", v=hex(self.chain_id * 2 + 35))


def _next_base_fee(parent):
    """EIP-1559 with elasticity 2 and denominator 8."""
    target = parent.gas_limit // 2
    delta = parent.base_fee * abs(parent.gas_used - target) // target // 8
    if parent.gas_used > target:
        return parent.base_fee + max(delta, 1)
    return parent.base_fee - delta if parent.gas_used < target else parent.base_fee
