#!/usr/bin/env python3
"""Records the demo: two anvil nodes in lock-step, over three transports, with what a watcher wants to see.

usage: demo.py FILE.ct [--chaintop PATH] [--seed N]

The anvil to use is named by ANVIL, or found in PATH. Both nodes get the same transactions and mine at the same timestamps, so that
their blocks have the same hashes. What happens when is the table `ACTS`; the recording takes about two minutes.
Only the standard library.
"""
import argparse
import concurrent.futures
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import traffic

HISTORY = 40  # blocks that are there when the recording begins
BLOCKS = 112  # seconds of recording, a block in each but where a lull is
PORTS = {"east": 8545, "west": 8546}
GAS_LIMIT = 600_000  # small, so that few transactions fill a block

KILL = 16
# Second of the recording → what happens; a second may have several.
ACTS = {
    5: ["reorg 2"],
    9: ["pause west"],
    13: ["resume west"],
    KILL: ["kill west"],
    26: ["start west"],
    48: ["pause east"],
    51: ["resume east"],
    63: ["reorg 3"],
    78: ["kill west"],
    84: ["start west"],
    97: ["reorg 1"],
}
BURSTS = [(6, 9), (20, 24), (40, 45), (68, 74), (90, 94)]
LULLS = [(34, 38), (56, 61)]
BUSY, QUIET = 30, 7


class Anvil:
    """One node; dies and comes back with its blocks."""

    def __init__(self, name, program, work, genesis):
        self.name, self.work, self.process = name, work, None
        self.paused, self.behind, self.pool = False, [], []
        self.rpc = traffic.Node(f"http://127.0.0.1:{PORTS[name]}")
        self.argv = [program, "--quiet", "--port", str(PORTS[name]), "--timestamp", str(genesis), "--no-mining",
                     "--gas-limit", str(GAS_LIMIT), "--ipc", os.path.join(work, name + ".ipc"),
                     "--state", os.path.join(work, name + ".json"), "--state-interval", "100000"]

    def start(self):
        self.process = subprocess.Popen(self.argv, stdout=subprocess.DEVNULL)
        end = time.monotonic() + 20
        while True:
            try:
                return self.rpc.call("eth_blockNumber")
            except OSError:
                if time.monotonic() > end or self.process.poll() is not None:
                    raise
                time.sleep(0.02)

    def stop(self):
        if self.process:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait()
        self.process = None
        self.behind, self.pool = self.pool + self.behind, []  # what waits in a pool dies with it

    def pause(self):
        self.paused = True

    def resume(self):
        self.paused = False

    def step(self, act):
        """Does it, or keeps it for later."""
        self.behind.append(act)
        while self.behind and self.process and not self.paused:
            kind, arg = self.behind.pop(0)
            self.pool = self.pool + [(kind, arg)] if kind == "send" else []
            if kind == "send":
                for tx in arg:
                    try:
                        self.rpc.call("eth_sendTransaction", tx)
                    except RuntimeError as e:
                        print(f"{self.name}: {e}", file=sys.stderr)
            elif kind == "mine":
                self.rpc.call("evm_setNextBlockTimestamp", arg)
                self.rpc.call("evm_mine")
            elif kind == "reorg":
                self.rpc.call("anvil_reorg", arg, [])


class Show:
    def __init__(self, nodes, seed):
        self.nodes, self.rng = nodes, random.Random(seed)
        # A thread for each node: one that has to catch up does not hold up the other.
        self.workers = {n: concurrent.futures.ThreadPoolExecutor(1) for n in nodes}
        self.work = []
        self.accounts = nodes[0].rpc.call("eth_accounts")

    def all(self, kind, arg):
        """West is a little later, as nodes that are further away are."""
        def later(node, delay):
            time.sleep(delay)
            node.step((kind, arg))
        for i, node in enumerate(self.nodes):
            delay = self.rng.uniform(0.008, 0.06) if i else 0
            self.work.append(self.workers[node].submit(later, node, delay))

    def wait(self):
        for w in self.work:
            w.result()
        self.work = []

    def transactions(self, n, blobs):
        """They wait in the pools for the next block."""
        base, txs = 10**9, []
        # A node takes seconds to prepare for its first blob: not while it has to catch up.
        blobs = blobs and self.rng.random() < 0.2
        alive = [node for node in self.nodes if node.process and not node.paused]
        if alive:
            base = int(alive[0].rpc.call("eth_getBlockByNumber", "latest", False)["baseFeePerGas"], 16)
        while len(txs) < n:
            kind, tx = traffic.mix(self.rng, self.accounts, base)
            if (kind == 3) == blobs:
                txs.append(tx)
                blobs = False
        self.all("send", txs)

    def act(self, words):
        verb, arg = words.split()
        if verb == "reorg":
            return self.all("reorg", int(arg))
        node = next(n for n in self.nodes if n.name == arg)
        do = {"pause": node.pause, "resume": node.resume, "kill": node.stop, "start": node.start}[verb]
        self.work.append(self.workers[node].submit(do))

    def same(self):
        self.wait()
        heads = [n.rpc.call("eth_getBlockByNumber", "latest", False)["hash"] for n in self.nodes]
        return len(set(heads)) == 1

    def size(self, second):
        if any(a <= second < b for a, b in BURSTS):
            return BUSY + self.rng.randrange(16)
        return QUIET + self.rng.randrange(9)

    def play(self, first):
        start = max(int(time.time()) + 1, first)
        for second in range(BLOCKS):
            time.sleep(max(0, start + second - time.time()))
            for words in ACTS.get(second, []):
                self.act(words)
            if not any(a <= second < b for a, b in LULLS):
                self.all("mine", start + second)
                self.transactions(self.size(second + 1), second < KILL - 1)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("file")
    p.add_argument("--chaintop", default="./chaintop")
    p.add_argument("--seed", type=int, default=1)
    o = p.parse_args()
    anvil = os.environ.get("ANVIL") or shutil.which("anvil")
    if not anvil:
        sys.exit("no anvil: name one in ANVIL")
    genesis = int(time.time()) - HISTORY + 20  # making the history takes a while
    with tempfile.TemporaryDirectory() as work:
        nodes = [Anvil(name, anvil, work, genesis) for name in PORTS]
        recorder = None
        try:
            for n in nodes:
                n.start()
            show = Show(nodes, o.seed)
            for i in range(HISTORY):
                show.transactions(6 + i % 11, True)
                show.all("mine", genesis + 1 + i)
                show.wait()
            if not show.same():
                sys.exit("the nodes' hashes differ")
            time.sleep(max(0, genesis + HISTORY + 1 - time.time()))
            recorder = subprocess.Popen([o.chaintop, "record", "-o", o.file, "east=ws://127.0.0.1:8545",
                                         "east=" + os.path.join(work, "east.ipc"), "west=ws://127.0.0.1:8546",
                                         "west=http://127.0.0.1:8546"])
            show.play(genesis + HISTORY + 2)
            if not show.same():
                print("at the end the nodes' hashes differ", file=sys.stderr)
        finally:
            if recorder:
                recorder.send_signal(signal.SIGINT)
                recorder.wait()
            for n in nodes:
                n.stop()
    print(json.dumps({"file": o.file, "bytes": os.path.getsize(o.file)}))


if __name__ == "__main__":
    main()
