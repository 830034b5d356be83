#!/usr/bin/env python3
"""Records the states of the screen: one small recording for each, of which tests/golden/states.sh makes frames.

usage: states.py DIR [NAME...] [--chaintop PATH] [--list]

Each state is a made-up chain on scripted nodes (tests/faults/node.py), in the trouble that its name says. All are recorded at
once, a process each: as long as the longest takes, three and a half minutes. Blocks come from seeds; what differs from one run
to the next are the times. Only the standard library.
"""
import argparse
import multiprocessing
import os
import socket
import sqlite3
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests", "faults"))
import chain as chains  # noqa: E402
import eth  # noqa: E402
import node as nodes  # noqa: E402

HISTORY = 36  # blocks before the recording
GWEI = 10 ** 9


# ---- chains

class Chain(chains.SyntheticChain):
    """Block n has its time on a grid of `period` seconds; the newest is the last whose time has come."""

    def __init__(self, chain_id, newest, period, txs=2, phase=0.0, shift=0):
        now = time.time() + shift
        self.period, self.chain_id, self.txs = period, chain_id, txs
        self.first = newest - HISTORY
        self.zero_at = now - (now - phase) % period - HISTORY * period
        self.slot, self.fixed, self.forks = period, True, 0
        self.canonical, self.side = [], {}
        height, self.first = self.first, 0
        self.genesis = self._make(None, 1600000000)
        self.first = height
        while len(self.canonical) <= HISTORY:
            self._append(None)

    @property
    def last(self):
        return self.first + len(self.canonical) - 1

    def block(self, number):
        if number == 0:
            return self.genesis
        return self.canonical[number - self.first] if self.first <= number <= self.last else None

    def extend(self):
        self._append(None)
        return True

    def at(self, number):
        return self.zero_at + (number - self.first) * self.period

    def _append(self, when):
        block = self._make(self.canonical[-1] if self.canonical else None, int(self.at(self.last + 1) + 1e-6))
        self.canonical.append(block)
        self.side[block.hash] = block


class Ethereum(Chain):
    SLOT_GENESIS = 1606824023

    def __init__(self, newest=25490375, chain_id=1, **more):
        super().__init__(chain_id, newest, 12, phase=self.SLOT_GENESIS % 12, **more)


class Old(Chain):
    """A chain that never had a base fee."""

    def _dress(self, body):
        for key, _ in eth.FORK_FIELDS:
            body.pop(key)
        body["difficulty"] = hex(17 * 10 ** 12)

    def _tx(self, seed, number, i, base_fee):
        return super()._tx(seed, number, 2 * i, 12 * GWEI)


class Arbitrum(Chain):
    def _dress(self, body):
        body.update(gasLimit=hex(1 << 50), difficulty="0x1", baseFeePerGas=hex(GWEI // 100))
        for key in ("withdrawalsRoot", "blobGasUsed", "excessBlobGas", "parentBeaconBlockRoot", "requestsHash"):
            body.pop(key)


class Bsc(Chain):
    """Five validators, eight blocks each; every ninth turn is taken by another one."""

    def _dress(self, body):
        number = int(body["number"], 16)
        turn = number // 8
        out = turn % 9 == 0
        millis = round(self.at(number) * 1000)
        body.update(miner="0x" + "%02x" % (0x11 * ((turn + out) % 5 + 1)) * 20, difficulty="0x1" if out else "0x2",
                    baseFeePerGas="0x0", mixHash="0x%064x" % (millis % 1000), milliTimestamp=hex(millis))

    def _tx(self, seed, number, i, base_fee):
        return super()._tx(seed, number, 2 * i, GWEI // 20)


class Clique(Chain):
    """Three signers by turns (EIP-225); what they sign is made here, so that who signed can be recovered."""

    KEYS = [int.from_bytes(eth.keccak(b"signer %d" % i), "big") for i in range(3)]

    def _dress(self, body):
        for key in ("withdrawalsRoot", "blobGasUsed", "excessBlobGas", "parentBeaconBlockRoot", "requestsHash"):
            body.pop(key)
        number = int(body["number"], 16)
        late = number % 11 == 0
        vanity = b"made for a test".ljust(32, b"\0")
        body.update(miner="0x" + "00" * 20, difficulty="0x1" if late else "0x2", nonce="0x" + "00" * 8,
                    mixHash="0x" + "00" * 32, extraData="0x" + vanity.hex())
        signature = sign(bytes.fromhex(eth.header_hash(body)[2:]), self.KEYS[(number + late) % 3])
        body["extraData"] = "0x" + (vanity + signature).hex()


# ---- secp256k1, enough to sign

P = 2 ** 256 - 2 ** 32 - 977
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G = (0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
     0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8)


def add(a, b):
    if a is None or b is None:
        return a or b
    if a[0] == b[0]:
        if a[1] != b[1]:
            return None
        slope = 3 * a[0] * a[0] * pow(2 * a[1], -1, P) % P
    else:
        slope = (b[1] - a[1]) * pow(b[0] - a[0], -1, P) % P
    x = (slope * slope - a[0] - b[0]) % P
    return x, (slope * (a[0] - x) - a[1]) % P


def times(k, point=G):
    out = None
    while k:
        out = add(out, point) if k & 1 else out
        point, k = add(point, point), k >> 1
    return out


def sign(digest, key):
    """r, s, v in 65 bytes, s in the lower half."""
    k = int.from_bytes(eth.keccak(digest + key.to_bytes(32, "big")), "big") % N
    x, y = times(k)
    r, v = x % N, y & 1
    s = pow(k, -1, N) * (int.from_bytes(digest, "big") + r * key) % N
    if s > N // 2:
        s, v = N - s, v ^ 1
    return r.to_bytes(32, "big") + s.to_bytes(32, "big") + bytes([v])


# ---- nodes

class Node(nodes.Node):
    """Announces each block a little after its time, on the chain's own grid."""

    def __init__(self, chain, heard=0.2, safe=32, final=64, live=True):
        super().__init__(chain, None, chain.period, chain.chain_id)
        self.lags = {"safe": safe, "finalized": final}
        self.settings["clientVersion"] = "Geth/v1.16.7-stable/linux-amd64/go1.25.1"
        self.deaf = set()  # methods that are not answered
        self.quiet = ""  # a transport that is told of no head
        due = chain.at(chain.last + 1) + heard
        self.at = self.start(first_at=time.monotonic() + due - time.time())
        if not live:
            self.paused = "all"

    def height(self, tag):
        if tag in self.lags:
            return max(self.head - self.lags[tag], self.chain.first)
        return super().height(tag)

    def answer(self, conn, request):
        if isinstance(request, dict) and ("all" in self.deaf or request.get("method") in self.deaf):
            return []
        return super().answer(conn, request)

    def notify(self, conn, sub, block):
        if conn.path != self.quiet:
            super().notify(conn, sub, block)

    def lacks(self, *methods):
        for m in methods:
            del self.methods[m]
        return self

    def url(self, via):
        return self.at["ipc"] if via == "ipc" else f"{via}://127.0.0.1:{self.at[via]}"


class Deaf:
    """Takes connections and says nothing."""

    def __init__(self):
        self.sock = socket.create_server(("127.0.0.1", 0))
        self.port = self.sock.getsockname()[1]

    def stop(self):
        self.sock.close()


# ---- states

STATES = {}


def state(f):
    STATES[f.__name__] = f
    return f


class Run:
    """One recording under way."""

    def __init__(self, name, o):
        self.path = os.path.join(o.dir, name + ".ct")
        self.chaintop, self.process, self.ends = o.chaintop, None, []

    def node(self, *args, **more):
        self.ends.append(Node(*args, **more))
        return self.ends[-1]

    def deaf(self):
        self.ends.append(Deaf())
        return self.ends[-1].port

    def record(self, seconds, *words):
        argv = [self.chaintop, "record", "-o", self.path, "--for", f"{seconds}s", *words]
        self.begun = time.monotonic()
        self.process = subprocess.Popen(argv, stderr=subprocess.DEVNULL)

    def until(self, second):
        """Of the recording. The script of a state runs by the clock, as its blocks do."""
        time.sleep(max(0, self.begun + second - time.monotonic()))

    def stop(self):
        if self.process:
            self.process.wait()
            db = sqlite3.connect(self.path)
            db.execute("pragma page_size=512")  # half as large as with pages of 4 KiB
            db.execute("vacuum")
            db.close()
        for e in self.ends:
            e.stop()


@state
def first_second(r):
    n = r.node(Ethereum())
    n.deaf.add("all")
    r.record(2, f"geth=ws://127.0.0.1:{r.deaf()}", f"geth={n.url('ipc')}", f"infura=wss://127.0.0.1:{r.deaf()}")


@state
def none_answers(r):
    n = r.node(Ethereum())
    refuses = r.node(Ethereum())
    refuses.fault("auth", {"via": "http"})
    r.record(76, f"geth={n.url('ws')}", f"geth={n.url('ipc')}", f"infura={refuses.url('http')}")
    r.until(20)
    n.stop()


@state
def syncing(r):
    n = r.node(Ethereum(18204113, shift=-86400 * 365), live=False)

    def tell(at):
        n.settings["syncing"] = {"startingBlock": "0x0", "currentBlock": hex(at), "highestBlock": hex(25490415)}
    tell(18199433)
    r.record(22, f"geth={n.url('ws')}")
    for second in range(20):
        tell(18199433 + 312 * second)
        r.until(second + 1)


@state
def silent(r):
    n = r.node(Ethereum())
    r.record(100, f"geth={n.url('ws')}", f"geth={n.url('ipc')}")
    r.until(14)
    n.quiet = "ws"


@state
def no_txpool(r):
    n = r.node(Ethereum()).lacks("txpool_status")
    r.record(14, f"geth={n.url('ws')}", f"geth={n.url('ipc')}")


@state
def no_base_fee(r):
    n = r.node(Old(61, 23104460, 13, txs=4))
    r.record(30, f"etc={n.url('ws')}")


@state
def fast_blocks(r):
    n = r.node(Arbitrum(42161, 506697430, 0.25, txs=1), heard=0.06)
    r.record(6, f"arb={n.url('ws')}", f"arb={n.url('ipc')}")


@state
def bsc(r):
    n = r.node(Bsc(56, 70000010, 0.45, txs=1), heard=0.08, safe=1, final=2)
    r.record(8, f"bsc={n.url('ws')}")


@state
def clique(r):
    n = r.node(Clique(4242, 1200000, 3))
    r.record(16, f"poa={n.url('ws')}")


@state
def stale(r):
    n = r.node(Ethereum())
    r.record(206, "--bodies", "off", f"geth={n.url('ws')}")
    r.until(3)
    n.deaf.update(["net_peerCount", "txpool_status"])


@state
def several_chains(r):
    one, two, three = r.node(Ethereum(txs=1)), r.node(Bsc(56, 70000010, 3, txs=0)), r.node(Chain(8453, 40000000, 2, txs=0))
    r.record(16, f"geth={one.url('ws')}", f"geth={two.url('ipc')}", f"base={three.url('ws')}")


def run(name, o):
    r = Run(name, o)
    try:
        STATES[name](r)
    finally:
        r.stop()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("dir", nargs="?")
    p.add_argument("names", nargs="*", metavar="NAME")
    p.add_argument("--chaintop", default="./chaintop")
    p.add_argument("--list", action="store_true")
    o = p.parse_args()
    if o.list or not o.dir:
        print("\n".join(STATES))
        return 0 if o.list else 64
    os.makedirs(o.dir, exist_ok=True)
    work = [multiprocessing.Process(target=run, args=(name, o)) for name in o.names or STATES]
    for w in work:
        w.start()
    for w in work:
        w.join()
    return int(any(w.exitcode for w in work))


if __name__ == "__main__":
    sys.exit(main())
