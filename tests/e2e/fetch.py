"""chaintop fetch and bench: what is written equals what the node has, whatever goes wrong on the way, and nothing half-written passes as whole.

The node is tests/faults/node.py; where CHAINTOP_CORPUS and a Keccak for Python are there, also `chaintop serve` with real blocks.
Environment: CHAINTOP, the binary; KECCAK_PYTHON, a Python that runs the corpus' mkchain.py.
"""
import concurrent.futures
import csv
import functools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import unittest
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "faults"))
import node as nodes  # noqa: E402

CHAINTOP = os.environ.get("CHAINTOP", str(ROOT / "chaintop"))
CORPUS = os.environ.get("CHAINTOP_CORPUS", "")
LIMIT = 60
BLOCKS = 30
os.environ["LC_ALL"] = "C.UTF-8"
csv.field_size_limit(1 << 24)  # calldata


def run(*words, limit=LIMIT, **more):
    return subprocess.run([CHAINTOP, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=limit, **more)


def fetch(*words, **more):
    return run("fetch", *words, **more)


def without_nulls(value):
    """A field that is null and one that is absent mean the same."""
    if isinstance(value, dict):
        return {k: without_nulls(v) for k, v in value.items() if v is not None}
    return [without_nulls(v) for v in value] if isinstance(value, list) else value


def lower(value):
    """Nodes may write addresses in mixed case."""
    if isinstance(value, dict):
        return {k: lower(v) for k, v in value.items()}
    if isinstance(value, list):
        return [lower(v) for v in value]
    return value.lower() if isinstance(value, str) else value


def ask(port, number):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "eth_getBlockByNumber", "params": [hex(number), True]}).encode()
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", body, timeout=20) as answer:
        return json.load(answer)["result"]


def urls(n):
    return {"http": f"http://127.0.0.1:{n.http}", "ws": f"ws://127.0.0.1:{n.ws}", "ipc": n.ipc}


def at_once(case, jobs):
    """Runs all jobs, each in a thread; the test fails with all that failed."""
    with concurrent.futures.ThreadPoolExecutor() as pool:
        wrong = [job.exception() for job in [pool.submit(job) for job in jobs]]
    wrong = ["".join(traceback.format_exception(e)) for e in wrong if e]
    if wrong:
        case.fail("\n".join(wrong))


@functools.lru_cache(None)
def real_blocks():
    """A folder with a chain of real blocks, or the reason why there is none."""
    if not os.path.isdir(CORPUS):
        return None, "CHAINTOP_CORPUS is not set to a folder"
    folder = tempfile.mkdtemp(prefix="chaintop-fetch-")
    words = os.environ.get("KECCAK_PYTHON", sys.executable).split()
    done = subprocess.run([*words, os.path.join(CORPUS, "mkchain.py"), folder, "--blocks", "60"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        return None, "mkchain.py: " + (done.stdout.splitlines() or ["no output"])[-1]
    return pathlib.Path(folder), ""


class Serve:
    def __init__(self, folder):
        self.socket = tempfile.mktemp(prefix="chaintop-fetch-", suffix=".ipc")
        self.process = subprocess.Popen([CHAINTOP, "serve", str(folder), "--http", ":0", "--ws", ":0", "--ipc", self.socket],
                                        stdout=subprocess.PIPE)
        self.at = json.loads(self.process.stdout.readline())
        self.urls = {k: self.at[k] for k in ("http", "ws", "ipc")}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(10)
        self.process.stdout.close()


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext_(tempfile.TemporaryDirectory(prefix="chaintop-fetch-")))

    def enterContext_(self, context):
        value = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        return value

    def node(self, *words):
        return self.enterContext_(nodes.Process("--head", f"+{BLOCKS}", *words))

    def fine(self, done):
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertRegex(done.stderr.decode(), r"\ATIMING: \d+\.\d{3} s\n")
        return done

    def left(self):
        return sorted(p.name for p in self.folder.iterdir())


class RealBlocks(Case):
    """Against chaintop serve."""

    ALL = ("--last", 60)

    @classmethod
    def setUpClass(cls):
        cls.blocks, why = real_blocks()
        if not cls.blocks:
            raise unittest.SkipTest(why)
        cls.server = Serve(cls.blocks)
        cls.numbers = sorted(int(p.stem) for p in cls.blocks.glob("*.json"))
        cls.want = [json.loads((cls.blocks / f"{n}.json").read_bytes()) for n in cls.numbers]

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()
        shutil.rmtree(cls.blocks)

    def test_ndjson_equals_the_node(self):
        want = [lower(without_nulls(b)) for b in self.want]
        for via, url in self.server.urls.items():
            for workers in (1, 8):
                with self.subTest(via=via, workers=workers):
                    done = self.fine(fetch(url, *self.ALL, "--workers", workers, "--format", "ndjson", "--verify"))
                    lines = done.stdout.splitlines()
                    self.assertEqual([without_nulls(json.loads(line)) for line in lines], want)
                    self.assertIn(b"verified 60 of 60", done.stderr)
                    self.assertIn(b"60 blocks, %d transactions" % sum(len(b["transactions"]) for b in want), done.stderr)

    def test_json_is_one_array(self):
        done = self.fine(fetch(self.server.urls["ws"], "--last", 7, "--workers", 4, "--format", "json"))
        self.assertEqual([int(b["number"], 16) for b in json.loads(done.stdout)], self.numbers[-7:])

    def test_csv(self):
        url = self.server.urls["ipc"]
        rows = list(csv.DictReader(self.fine(fetch(url, *self.ALL, "--workers", 3, "--format", "csv")).stdout.decode().splitlines()))
        self.assertEqual([int(r["number"]) for r in rows], self.numbers)
        for row, block in zip(rows, self.want):
            self.assertEqual(row["hash"], block["hash"])
            self.assertEqual(int(row["gasUsed"]), int(block["gasUsed"], 16))
            self.assertEqual(int(row["transactions"]), len(block["transactions"]))
            self.assertEqual(row["baseFeePerGas"], str(int(block["baseFeePerGas"], 16)) if "baseFeePerGas" in block else "")
        done = self.fine(fetch(url, *self.ALL, "--workers", 3, "--format", "csv", "--transactions"))
        rows = list(csv.DictReader(done.stdout.decode().splitlines()))
        txs = [t for b in self.want for t in b["transactions"]]
        self.assertEqual([r["hash"] for r in rows], [t["hash"] for t in txs])
        for row, tx in zip(rows, txs):
            self.assertEqual(int(row["value"]), int(tx["value"], 16))
            self.assertEqual(row["to"], (tx["to"] or "").lower())
            self.assertEqual(row["input"], tx["input"].lower())

    def test_pretty(self):
        text = self.fine(fetch(self.server.urls["http"], *self.ALL, "--workers", 2, "--format", "pretty")).stdout.decode()
        self.assertEqual(text.count("\nBlock {") + 1, 60)
        self.assertEqual(text.count("        Transaction {\n"), sum(len(b["transactions"]) for b in self.want))
        for block in self.want:
            for tx in block["transactions"][:3]:
                self.assertIn(f"            hash: {tx['hash']}\n", text)
                self.assertIn(f"            value: {int(tx['value'], 16)}\n", text)

    def test_a_block_that_does_not_hold(self):
        bad = self.folder / "bad"
        bad.mkdir()
        for n in self.numbers:
            (bad / f"{n}.json").write_bytes((self.blocks / f"{n}.json").read_bytes())
        culprit = self.numbers[30]
        block = dict(self.want[30], gasUsed="0x1")
        (bad / f"{culprit}.json").write_text(json.dumps(block))
        out = self.folder / "out.ndjson"
        with Serve(bad) as server:
            self.fine(fetch(server.urls["ws"], *self.ALL, "--format", "ndjson", "-o", out))
            out.write_text("as it was")
            done = fetch(server.urls["ws"], *self.ALL, "--workers", 4, "--format", "ndjson", "-o", out, "--verify")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"block {culprit}: hash does not hold".encode(), done.stderr)
        self.assertEqual(out.read_text(), "as it was")
        lines = (self.folder / "out.ndjson.part").read_bytes().splitlines()
        self.assertEqual([int(json.loads(line)["number"], 16) for line in lines], self.numbers[:30])
        self.assertEqual(self.left(), ["bad", "out.ndjson", "out.ndjson.part"])

    def test_bench(self):
        words = ["bench", *(f"{k}={u}" for k, u in self.server.urls.items()), "--last", 20, "--workers", "1,3", "--rounds", 2]
        done = run(*words, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual((found["from"], found["to"], found["rounds"]), (self.numbers[-20], self.numbers[-1], 2))
        self.assertEqual(sorted(e["node"] for e in found["endpoints"]), ["http", "ipc", "ws"])
        for end in found["endpoints"]:
            self.assertEqual(end["node"], end["via"])
            self.assertEqual(end["verified"], 20)
            self.assertEqual([r["workers"] for r in end["results"]], [1, 3])
            for r in end["results"]:
                self.assertEqual(len(r["seconds"]), 2)
                self.assertGreater(min(r["seconds"]), 0)
                self.assertLessEqual(r["latency_ms"]["p50"], r["latency_ms"]["p99"])
                self.assertAlmostEqual(sum(r["share"].values()), 1, delta=0.01)
                self.assertGreater(r["rss_bytes"], 1 << 20)
        done = run(*words)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout.decode(), r"\n 1  (http|ws|ipc) +(http|ws|ipc)  +│ +\d+\.\d{3}")
        done = run("bench", "decode", self.blocks, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual(found["blocks"], 60)
        self.assertIn("scalar", [v["name"] for v in found["variants"]])

    def test_bench_with_a_dead_endpoint(self):
        done = run("bench", self.server.urls["ws"], "dead=http://127.0.0.1:1", "--last", 5, "--rounds", 1, "--workers", 1)
        self.assertEqual(done.returncode, 1)
        self.assertIn("failed: connection refused", done.stdout.decode())


class Faults(Case):
    """The scripted node, with a made-up chain whose hashes hold."""

    # What it must get through: fault, transports. `times` of the table is 3 or less, or the fault is no error.
    HEALS = (
        ("6", "ws"), ("6:pieces=4000", "ws"), ("17", "ws"), ("9:interval=0.05", "ws"),
        ("19", "ws ipc"), ("22", "ws ipc"), ("41", "ipc"), ("42", "ipc"), ("42:between=\n", "ipc"), ("43", "ipc"), ("48", "ipc"),
        ("23:how=status", "http"), ("23:how=text:times=1", "http"), ("23:how=seconds:times=1", "http"),
        ("24:how=500", "http"), ("24:how=502", "http"), ("24:how=html", "http"), ("24:how=empty", "http"),
        ("24:how=truncated", "http"), ("24:how=early", "http"), ("24:how=chunked", "http"), ("25", "http"),
        ("26", "http"), ("26:how=reset", "http"), ("28:how=gzip", "http"), ("28:how=deflate", "http"),
        ("30:status=307", "http"), ("30:status=308", "http"),
        ("49:how=string", "http ws ipc"), ("49:how=float", "http ws ipc"), ("49:how=version", "http ws ipc"),
        ("49:how=both", "http"), ("49:how=neither", "http"), ("49:how=nomessage", "http"), ("49:how=textcode", "http"),
        ("50", "http ws ipc"), ("58", "http ws ipc"), ("58:how=hash", "http ws ipc"), ("59", "http ws ipc"),
        ("16", "ws ipc"), ("3:times=2", "ws"),
    )

    def test_heals(self):
        """Most of it is waiting, so each transport has a node of its own and all go on at once."""
        at_once(self, (lambda via=via: self.heals(self.node(), via) for via in ("http", "ws", "ipc")))

    def heals(self, n, via):
        for fault, paths in self.HEALS:
            # What hits the first requests does so with one worker or many.
            for workers in (1, 6) if fault.split(":")[0] in ("6", "19", "42", "49", "50", "58", "59") else (6,):
                if via in paths.split():
                    self.heal(n, fault, via, workers)

    def heal(self, n, fault, via, workers):
        kind, *words = fault.split(":")
        args = dict(w.split("=") for w in words)
        args = {k: v if k == "how" or k == "between" else json.loads(v) for k, v in args.items()}
        n.test_fault(kind, args, True)
        started = time.monotonic()
        done = fetch(urls(n)[via], "--last", 25, "--workers", workers, "--format", "ndjson", "--verify", "--request-timeout", "1s")
        took = time.monotonic() - started
        n.test_fault(kind, args, False)
        self.assertEqual(done.returncode, 0, f"{fault} {via} {workers}: {done.stderr.decode()}")
        head = n.test_block()["number"]
        got = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([int(b["number"], 16) for b in got], list(range(head - 24, head + 1)))
        self.assertIn(b"verified 25 of 25", done.stderr)
        self.assertLess(took, 20)

    def test_equals_the_node(self):
        n = self.node("--txs", "20")
        head = n.test_block()["number"]
        want = [without_nulls(ask(n.http, k)) for k in range(head - 9, head + 1)]
        for via, url in urls(n).items():
            done = self.fine(fetch(url, "--last", 10, "--workers", 3, "--format", "ndjson"))
            self.assertEqual([without_nulls(json.loads(line)) for line in done.stdout.splitlines()], lower(want), via)

    def fails(self, fault, words, via="http", code=1):
        folder = self.folder / via
        folder.mkdir()
        out = folder / "out"
        with nodes.Process("--head", f"+{BLOCKS}", "--fault", fault) as n:
            done = fetch(urls(n)[via], "--last", 25, "--workers", 4, "--format", "json", "-o", out, "--request-timeout", "2s")
        self.assertEqual(done.returncode, code, done.stderr.decode())
        self.assertRegex(done.stderr.decode(), words)
        self.assertNotIn("TIMING", done.stderr.decode())
        self.assertFalse(out.exists())
        part = folder / "out.part"
        if part.exists():
            # Whole blocks, but no whole array.
            with self.assertRaises(ValueError):
                json.loads(part.read_text())
            json.loads(part.read_text() + "]")
            part.unlink()
        self.assertEqual(list(folder.iterdir()), [])

    def fails_everywhere(self, fault, words):
        at_once(self, (lambda via=via: self.fails(fault, words, via) for via in ("http", "ws", "ipc")))

    def test_null_for_ever(self):
        self.fails_everywhere("50:times=1000000", r"chaintop: block \d+: null instead of a block \(7 tries\)")

    def test_wrong_for_ever(self):
        self.fails_everywhere("58:times=1000000", r"chaintop: block \d+: answered with block \d+ \(5 tries\)")

    def test_pruned(self):
        self.fails("57", r"chaintop: block \d+: error 4444.* \(7 tries\)")

    def test_reset_in_the_middle_for_ever(self):
        self.fails("24:how=early:times=1000000", r"chaintop: .*(ended in the middle|reset|closed)", code=69)

    def test_hashes_for_ever(self):
        self.fails("59:times=1000000", r"chaintop: block \d+: .*hashes", "ws")

    def test_cut_connections(self):
        """Connections end while it fetches: it goes on where it was."""
        n = self.node()
        for via in ("ws", "ipc"):
            process = subprocess.Popen([CHAINTOP, "fetch", urls(n)[via], "--last", "25", "--workers", "2", "--format", "ndjson"],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for _ in range(3):
                n.test_drop("reset", via)
                time.sleep(0.02)
            out, err = process.communicate(timeout=LIMIT)
            self.assertEqual(process.returncode, 0, err.decode())
            self.assertEqual(len(out.splitlines()), 25)

    def test_nobody_there(self):
        for url in ("http://127.0.0.1:1", "ws://127.0.0.1:1", "/tmp/chaintop-no-such-socket.ipc"):
            done = fetch(url)
            self.assertEqual(done.returncode, 69)
            self.assertRegex(done.stderr.decode(), r"\Achaintop: [^\n]*; try: [^\n]*\n\Z")

    def test_above_the_head(self):
        n = self.node()
        done = fetch(urls(n)["http"], "--from", 1, "--to", 10 ** 9)
        self.assertEqual(done.returncode, 64)
        self.assertIn(b"block 1000000000 is not there yet", done.stderr)

    def test_more_than_there_are(self):
        n = self.node()
        self.assertIn(b"blocks", self.fine(fetch(urls(n)["ws"], "--last", 10 ** 6, "--workers", 64)).stderr)

    def test_usage(self):
        for words in ([], ["http://a", "http://b"], ["x://y"], ["http://a", "--workers", "0"], ["http://a", "--workers", "65"],
                      ["http://a", "--workers", "1x"], ["http://a", "--from", "5"], ["http://a", "--from", "5", "--to", "4"],
                      ["http://a", "--last", "5", "--from", "1", "--to", "2"], ["http://a", "-o", "x"], ["a.ct"],
                      ["http://a", "--transactions"], ["http://a", "--format", "xml"], ["http://a", "--once"]):
            done = fetch(*words)
            self.assertEqual(done.returncode, 64, words)
            self.assertRegex(done.stderr.decode(), r"\Achaintop: [^\n]+\n\Z")
            self.assertEqual(done.stdout, b"")
        self.assertEqual(run("bench").returncode, 64)
        self.assertEqual(run("bench", "decode").returncode, 64)
        self.assertEqual(run("bench", "decode", self.folder).returncode, 64)
        self.assertEqual(run("bench", "http://a", "--workers", "1,x").returncode, 64)
        self.assertEqual(run("bench", "http://a", "--rounds", "0").returncode, 64)


class Output(Case):
    """Where it goes, and what is left when it ends early."""

    LAST = 200

    @classmethod
    def setUpClass(cls):
        cls.server = nodes.Process("--head", f"+{cls.LAST + 10}", "--fake", "--txs", "40")

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def slow(self, *words, seconds=0.05):
        """A fetch that takes long enough to be interrupted: the node takes its time."""
        self.server.test_fault("reverse", {"window": seconds}, seconds > 0)
        process = subprocess.Popen([CHAINTOP, "fetch", urls(self.server)["ws"], "--last", str(self.LAST), *map(str, words)],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        return process

    def grown(self, process):
        """Waits until something is written into the file that has no name yet."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            sizes = [p.stat().st_size for p in self.folder.iterdir() if p.name.startswith("out.") and p.name != "out.part"]
            if sizes and sizes[0] > 20000:
                return
            if process.poll() is not None:
                self.fail(process.stderr.read().decode())
            time.sleep(0.01)
        self.fail("nothing was written")

    def test_interrupt(self):
        for form in ("ndjson", "json", "csv"):
            for sig in (signal.SIGINT, signal.SIGTERM):
                with self.subTest(form=form, sig=sig):
                    out = self.folder / "out"
                    process = self.slow("--workers", 4, "--format", form, "-o", out, *["--transactions"] * (form == "csv"))
                    self.grown(process)
                    process.send_signal(sig)
                    _, err = process.communicate(timeout=LIMIT)
                    self.assertEqual(process.returncode, 128 + sig, err.decode())
                    said = re.search(r"stopped: (\d+) of 200 blocks were done in .* they are in (.*)\n", err.decode())
                    self.assertIsNotNone(said, err.decode())
                    self.assertEqual(self.left(), ["out.part"])
                    text = (self.folder / "out.part").read_text()
                    if form == "json":
                        got = [int(b["number"], 16) for b in json.loads(text)]
                    elif form == "ndjson":
                        got = [int(json.loads(line)["number"], 16) for line in text.splitlines()]
                    else:
                        got = sorted({int(r["blockNumber"]) for r in csv.DictReader(text.splitlines())})
                    self.assertEqual(len(got), int(said.group(1)))
                    self.assertEqual(got, list(range(got[0], got[0] + len(got))))
                    (self.folder / "out.part").unlink()

    def test_killed(self):
        """Not even then is there a file under the final name."""
        out = self.folder / "out"
        process = self.slow("--format", "ndjson", "-o", out)
        self.grown(process)
        process.kill()
        process.communicate(timeout=LIMIT)
        self.assertNotIn("out", self.left())

    def test_reader_goes_away(self):
        process = self.slow("--format", "ndjson")
        process.stdout.read(1000)
        process.stdout.close()
        self.assertEqual(process.wait(LIMIT), 1)
        self.assertIn(b"nobody reads it any more", process.stderr.read())

    def test_slow_reader(self):
        """It waits for who reads, and nothing is lost."""
        process = self.slow("--workers", 8, "--format", "ndjson", seconds=0)
        got = b""
        while chunk := os.read(process.stdout.fileno(), 65536):
            got += chunk
            time.sleep(0.005)
        _, err = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 0, err.decode())
        self.assertEqual(len(got.splitlines()), self.LAST)

    def test_replaces_a_file(self):
        n = self.node()
        out = self.folder / "out"
        out.write_text("old")
        out.chmod(0o640)
        link = self.folder / "link"
        link.symlink_to("out")
        self.fine(fetch(urls(n)["http"], "--last", 3, "--format", "ndjson", "-o", link))
        self.assertEqual(len(out.read_text().splitlines()), 3)
        self.assertEqual(out.stat().st_mode & 0o777, 0o640)
        self.assertTrue(link.is_symlink())
        self.assertEqual(self.left(), ["link", "out"])

    def test_devices_and_pipes(self):
        n = self.node()
        self.fine(fetch(urls(n)["http"], "--last", 3, "--format", "pretty", "-o", "/dev/null"))
        done = self.fine(fetch(urls(n)["http"], "--last", 3, "--format", "ndjson", "-o", "-"))
        self.assertEqual(len(done.stdout.splitlines()), 3)
        done = fetch(urls(n)["http"], "--last", 3, "--format", "pretty", "-o", "/dev/full")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"No space left", done.stderr)
        done = fetch(urls(n)["http"], "--last", 3, "--format", "pretty", "-o", self.folder / "no" / "out")
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    unittest.main()
