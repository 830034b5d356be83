"""What a healthy node is asked, counted by the node itself; and how soon the table is full."""
import os
import subprocess
import sys
import tempfile
import time

import chain as chains
import node as nodes
from case import FIRST_HEAD, SANITIZERS, is_sanitized
from watch import Probe

PATHS = ("ws", "http", "ipc")
RATE, SECONDS, SECONDS_ALONE = 3, 20, 10
FULL_TABLE = 32
FULL_S, FULL_SANITIZED_S = 1.0, 3.0
HTTP_CONNS = 8  # most connections that a polling path may open, whatever it asks
SAMPLE = 16  # a path that does not fetch a body fetches every sixteenth all the same


class Plain:
    """A node without faults and a probe on some of its paths."""

    def __init__(self, program, folder, paths, chain, interval, tls=None, options=()):
        """paths: of "ws" …, or whole URLs. options: of the probe; "CACERT" becomes the node's."""
        tempfile.tempdir = folder
        self.wrong, self.note = [], ""
        self.chain, self.first = chain, chain.first + FIRST_HEAD
        for number in range(max(chain.first, self.first - FULL_TABLE), self.first + 1):
            chain.block(number)  # reading files is the node's time, not chaintop's
        self.node = nodes.Node(chain, self.first, interval)
        at = self.node.start(tls_kind=tls)
        urls = {"ws": "ws://127.0.0.1:%d" % at["ws"], "http": "http://127.0.0.1:%d" % at["http"],
                "ipc": at["ipc"]}
        if tls:
            urls.update({p: "%s://localhost:%d" % (p, at[p]) for p in ("https", "wss")})
        options = [at["cacert"] if o == "CACERT" else o for o in options]
        self.probe = Probe(program, folder, [urls.get(p, p) for p in paths], options, SANITIZERS)

    def expect(self, good, what):
        if not good:
            self.wrong.append(what)

    def finish(self):
        with self.node.lock:
            self.stats = self.node.test_stats()
        self.wrong += self.probe.stop()
        self.node.stop()

    def answer(self):
        return {"wrong": self.wrong, "note": self.note, "last": []}


def requests(program, folder, paths, seconds):
    """Paths to one node: a subscription for each that can push, one body a block and samples."""
    run = Plain(program, folder, paths, chains.SyntheticChain(FIRST_HEAD, 1, 2), 1 / RATE)
    time.sleep(seconds)  # the span that is counted over
    run.finish()
    stats, expect = run.stats, run.expect
    for path in paths:
        heads = sum(c["methods"]["eth_subscribe"] for c in stats["conns"] if c["path"] == path)
        expect(heads == (path != "http"), "%s: %d eth_subscribe" % (path, heads))
        expect(stats["accepts"][path] <= (HTTP_CONNS if path == "http" else 1),
               "%s: %d connections" % (path, stats["accepts"][path]))
    blocks = {run.chain.by_hash(h).number: sum(c.values()) for h, c in stats["bodies"].items()}
    early = {n: times for n, times in blocks.items() if n <= run.first}
    expect(len(early) == FULL_TABLE and set(early.values()) == {1},
           "at the start: %d bodies, not %d once each" % (sum(early.values()), FULL_TABLE))
    live = stats["head"] - run.first
    never = [n for n in range(run.first + 1, stats["head"]) if n not in blocks]
    expect(not never, "bodies never asked for: %s" % never)
    twice = sum(times - 1 for n, times in blocks.items() if n > run.first)
    most = (len(paths) - 1) * (live // SAMPLE + 1)
    expect(twice <= most and bool(twice) == (len(paths) > 1), "%d blocks and %d bodies more, where samples may be %d"
           % (live, twice, most))
    samples = len(run.probe.find("block", sample=1))
    expect(samples == twice, "%d bodies more, %d called samples" % (twice, samples))
    expect(not any(stats["repeated_ids"].values()), "an id was used twice")
    usual = ("eth_getBlockByHash", "eth_getBlockByNumber", "eth_blockNumber", "eth_subscribe")
    rest = {p: sum(n for m, n in stats["requests"][p].items() if m not in usual) for p in paths}
    expect(max(rest.values()) <= 20, "calls for facts in %d s: %s" % (seconds, rest))
    run.note = "%d live blocks, %d samples; calls %s" % (
        live, samples, {p: dict(stats["requests"][p]) for p in paths})
    return run.answer()


def full_table(program, folder, paths, chain):
    """The last 32 blocks with their bodies are there a second after the start."""
    run = Plain(program, folder, paths, chain, 1)
    end = time.monotonic() + 10
    while len(run.probe.blocks) < FULL_TABLE and time.monotonic() < end and run.probe.running():
        time.sleep(0.005)
    run.finish()
    times = sorted(e["at"] for e in run.probe.blocks.values())
    took = times[FULL_TABLE - 1] - run.probe.started if len(times) >= FULL_TABLE else 99
    most = FULL_SANITIZED_S if is_sanitized(program) else FULL_S
    run.expect(took <= most, "%d bodies; %d of them after %.2f s" % (len(times), FULL_TABLE, took))
    numbers = {run.chain.by_hash(h).number for h in list(run.probe.blocks)}
    run.expect(set(range(run.first - FULL_TABLE + 1, run.first + 1)) <= numbers,
               "others than the last %d blocks: %s" % (FULL_TABLE, sorted(numbers)))
    run.note = "full after %.3f s, %.1f MB" % (
        took, sum(e["wire"] for e in run.probe.blocks.values()) / 1e6)
    return run.answer()


def made_up(program, paths):
    return lambda folder: full_table(program, folder, paths, chains.SyntheticChain(FIRST_HEAD, 1, 4))


def real(program, paths, corpus):
    def work(folder):
        out = os.path.join(folder, "chain")
        subprocess.run([sys.executable, "-B", os.path.join(corpus, "mkchain.py"), "--blocks", "60",
                        "--time", "now", "--slot", "1", "--after", "15537394", out],
                       check=True, stdout=subprocess.DEVNULL)
        return full_table(program, folder, paths, chains.FileChain(out))
    return work


def cases(program):
    """(name, seconds it takes, work, why it is skipped) for run.py."""
    corpus = os.environ.get("CHAINTOP_CORPUS", "")
    skip = "" if os.path.isdir(corpus) else "CHAINTOP_CORPUS is not set to a folder"
    found = [("requests of three paths", SECONDS,
              lambda folder: requests(program, folder, PATHS, SECONDS), ""),
             ("requests of http alone", SECONDS_ALONE,
              lambda folder: requests(program, folder, ("http",), SECONDS_ALONE), "")]
    for paths in [(p,) for p in PATHS] + [PATHS]:
        name = "start, full table %s" % "+".join(paths)
        found.append((name, 2, made_up(program, paths), ""))
        found.append((name + ", real blocks", 2, real(program, paths, corpus), skip))
    return found
