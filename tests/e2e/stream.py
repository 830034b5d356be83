"""chaintop --stream. Every line of every test here is checked against doc/STREAM.md (schema.py). What the lines say is compared with
what the fault node did, never with another output of chaintop. Environment: CHAINTOP, ANVIL or ANVIL_WHY."""
import datetime
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/faults"), str(ROOT / "tests/e2e")]
import node as faultnode  # noqa: E402
from schema import Schema  # noqa: E402

CHAINTOP = os.environ.get("CHAINTOP", str(ROOT / "chaintop"))
SCHEMA = Schema()
WAIT = 30
KEY = "pl4nted-KEY-9f3c71d2a8"
SANITIZED = bool(os.environ.get("E2E_SANITIZED"))


def rpc(port, method, *params):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    r = urllib.request.Request("http://127.0.0.1:%d" % port, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(r, timeout=10) as f:
        answer = json.load(f)
    if "error" in answer:
        raise RuntimeError(answer["error"])
    return answer["result"]


def instant(text):
    """ns since 1970 of a `time` field."""
    whole, _, fraction = text[:-1].partition(".")
    seconds = datetime.datetime.fromisoformat(whole + "+00:00").timestamp()
    return int(seconds) * 10 ** 9 + int(fraction)


class Stream:
    """chaintop --stream; its lines are collected by a thread."""

    def __init__(self, *args, read=True):
        self.p = subprocess.Popen([CHAINTOP, "--stream", "--clock-bound", "1ms", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.text, self.lock = "", threading.Condition()
        self.reader = threading.Thread(target=self.run, daemon=True)
        if read:
            self.reader.start()

    def run(self):
        for line in self.p.stdout:
            with self.lock:
                self.text += line.decode()
                self.lock.notify_all()

    def lines(self):
        with self.lock:
            text = self.text
        return [json.loads(line) for line in text.splitlines()]

    def wait(self, what, found, seconds=WAIT):
        """The first object for which found() is true."""
        end, at = time.monotonic() + seconds, 0
        while True:
            with self.lock:
                lines = self.text.splitlines()
                for line in lines[at:]:
                    o = json.loads(line)
                    if found(o):
                        return o
                at = len(lines)
                left = end - time.monotonic()
                if left <= 0 or (self.p.poll() is not None and not self.reader.is_alive()):
                    raise AssertionError("no line: %s; the last ones: %s" % (what, lines[-5:]))
                self.lock.wait(min(left, 1))

    def stop(self, sig=signal.SIGINT):
        """All objects, checked, after a signal; exit code 0 and nothing on stderr."""
        if self.p.poll() is None:
            self.p.send_signal(sig)
        code = self.p.wait(WAIT)
        self.reader.join(WAIT)
        error = self.p.stderr.read().decode()
        self.p.stdout.close()
        self.p.stderr.close()
        assert code == 0 and not error, (code, error)
        return SCHEMA.check(self.text)

    def kill(self):
        if self.p.poll() is None:
            self.p.kill()
        self.p.wait()
        for f in (self.p.stdout, self.p.stderr):
            f.close()


class Replays(unittest.TestCase):
    def run_replay(self, *args):
        p = subprocess.run([CHAINTOP, "replay", *args, "--stream"], capture_output=True, timeout=120)
        self.assertEqual((p.returncode, p.stderr), (0, b""))
        return p.stdout

    def test_demo(self):
        """The demo's recording: valid, whole, and the same bytes each time."""
        first = self.run_replay("--demo")
        lines = SCHEMA.check(first.decode())
        self.assertEqual(first, self.run_replay("--demo"))
        self.assertEqual([o["ev"] for o in lines[:5]], ["start"] + ["path"] * 4)
        self.assertEqual(lines[0]["paths"], 4)
        self.assertEqual(lines[-1]["ev"], "end")
        self.assertEqual((lines[-1]["why"], lines[-1]["lines"], lines[-1]["dropped"]), ("end", len(lines) - 1, 0))
        file = self.run_replay(str(ROOT / "tests/data/demo.ct"))
        self.assertEqual(first.split(b"\n")[1:], file.split(b"\n")[1:])  # all but its mode

    def test_place(self):
        """--at begins there; what follows is what the whole stream has too."""
        demo = str(ROOT / "tests/data/demo.ct")
        lines = SCHEMA.check(self.run_replay(demo, "--at", "+60s").decode())
        rest = [o for o in lines if o["ev"] not in ("start", "path", "end", "status", "check")]
        self.assertGreater(len(rest), 100)
        self.assertGreaterEqual(min(o["t"] for o in rest), 59)
        whole = {json.dumps(o) for o in SCHEMA.check(self.run_replay(demo).decode())}
        self.assertEqual([o for o in rest if json.dumps(o) not in whole], [])

    def test_recording(self):
        """A recording with a reorg and a lost connection: the same bytes each time, and the same events as live."""
        with faultnode.Process("--rate", "5") as n, tempfile.TemporaryDirectory() as folder:
            file = folder + "/a.ct"
            p = subprocess.Popen([CHAINTOP, "record", "-o", file, "n=ws://127.0.0.1:%d" % n.ws, "m=http://127.0.0.1:%d" % n.http,
                                  "m=" + n.ipc], stderr=subprocess.DEVNULL)
            first = n.test_block()["number"]

            def until_head(number):
                end = time.monotonic() + WAIT
                while n.test_block()["number"] < number and time.monotonic() < end:
                    time.sleep(0.05)
            until_head(first + 10)
            old = n.test_block(n.test_block()["number"] - 1)
            n.test_reorg(2, 1)
            until_head(first + 15)
            n.test_drop("reset", "ws")
            until_head(first + 25)
            hashes = [n.test_block(k)["hash"] for k in range(first + 5, first + 24)]
            p.send_signal(signal.SIGINT)
            self.assertEqual(p.wait(WAIT), 0)
            text = self.run_replay(file)
            self.assertEqual(text, self.run_replay(file))
            self.assertEqual(text, self.run_replay(file, "--speed", "max"))
        lines = SCHEMA.check(text.decode())
        self.assertEqual((lines[0]["mode"], lines[0]["paths"], lines[-1]["why"]), ("replay", 3, "end"))
        heads = {o["hash"] for o in lines if o["ev"] == "head"}
        self.assertEqual([h for h in hashes if h not in heads], [])
        self.assertIn(old["hash"], [o["from"] for o in lines if o["ev"] == "reorg"])
        self.assertIn("reset", [o["code"] for o in lines if o["ev"] == "link"])

    def test_slow_reader(self):
        """It waits for a reader that takes little at a time, and loses nothing."""
        whole = self.run_replay("--demo")
        p = subprocess.Popen([CHAINTOP, "replay", "--demo", "--stream"], stdout=subprocess.PIPE)
        got = b""
        while True:
            piece = os.read(p.stdout.fileno(), 20000)
            if not piece:
                break
            got += piece
            time.sleep(0.002)  # that is how slow it is
        p.stdout.close()
        self.assertEqual(p.wait(WAIT), 0)
        self.assertEqual(got, whole)


class Live(unittest.TestCase):
    def start(self, *args, read=True):
        s = Stream(*args, read=read)
        self.addCleanup(s.kill)
        return s

    def node(self, *args):
        n = faultnode.Process(*args)
        self.addCleanup(n.stop)
        return n

    def urls(self, n):
        return ["n=ws://127.0.0.1:%d" % n.ws, "n=http://127.0.0.1:%d" % n.http, "n=" + n.ipc]

    def test_story(self):
        """Heads, a reorg, a lost connection and a hole, as the node tells them itself."""
        log = tempfile.NamedTemporaryFile("r", suffix=".log")
        self.addCleanup(log.close)
        n = self.node("--log", log.name)
        s = self.start(*self.urls(n))
        for path in range(3):
            s.wait("link up", lambda o: o["ev"] == "link" and o["path"] == path and o["state"] in ("live", "polling"))
            s.wait("its chain", lambda o: o["ev"] == "chain" and o["path"] == path)
        told = []
        for _ in range(6):
            n.test_advance()
            block = n.test_block()
            for path in range(3):
                s.wait("head %d" % block["number"], lambda o: o["ev"] == "head" and o["path"] == path and o["hash"] == block["hash"])
            s.wait("its body", lambda o: o["ev"] == "block" and o.get("hash") == block["hash"])
            s.wait("its verdict", lambda o: o["ev"] == "verdict" and o["hash"] == block["hash"] and o["truth"] == "yes")
            told.append(block)
        old = [n.test_block(told[-1]["number"] - 1), n.test_block(told[-1]["number"])]
        n.test_reorg(2)
        new = [n.test_block(b["number"]) for b in old]
        n.test_advance()
        told.append(n.test_block())
        reorg = s.wait("the reorg", lambda o: o["ev"] == "reorg")
        self.assertEqual((reorg["number"], reorg["depth"], reorg["from"], reorg["to"]),
                         (old[0]["number"], 2, old[0]["hash"], new[0]["hash"]))
        n.test_drop("reset", "ws")
        s.wait("the loss", lambda o: o["ev"] == "link" and o["path"] == 0 and o["code"] == "reset")
        lines = s.stop()
        self.check_heads(n, lines, told)
        self.check_times(log, lines)
        end = lines[-1]
        self.assertEqual((end["ev"], end["why"], end["lines"], end["dropped"]), ("end", "signal", len(lines) - 1, 0))
        self.assertEqual([o["truth"] for o in lines if o["ev"] == "verdict" and o["truth"] != "yes"], [])

    def check_heads(self, n, lines, told):
        for block in told:
            real = rpc(n.http, "eth_getBlockByHash", block["hash"], True)
            heads = [o for o in lines if o["ev"] == "head" and o["hash"] == block["hash"]]
            for h in heads:
                self.assertEqual(h["number"], int(real["number"], 16))
                self.assertEqual(h["parent"], real["parentHash"])
                self.assertEqual(h["base_fee"], str(int(real["baseFeePerGas"], 16)))
                self.assertEqual((h["gas_used"], h["gas_limit"]), (int(real["gasUsed"], 16), int(real["gasLimit"], 16)))
                self.assertEqual(instant(h["block_time"]), int(real["timestamp"], 16) * 10 ** 9)
                self.assertEqual(h["miner"], real["miner"].lower())
            sources = {o["path"]: o["source"] for o in heads}
            self.assertEqual(sources[1], "poll")
            bodies = [o for o in lines if o["ev"] == "block" and o.get("hash") == block["hash"]]
            for b in bodies:
                self.assertEqual(b["txs"], len(real["transactions"]))
                kinds = [0] * 6
                for t in real["transactions"]:
                    kinds[min(int(t["type"], 16), 5)] += 1
                self.assertEqual(b["tx_types"], kinds)
                self.assertEqual(b["creates"], sum(t["to"] is None for t in real["transactions"]))

    def check_times(self, log, lines):
        """The stamp of a pushed head is between its being sent and, on a busy machine, a second later."""
        sent = {}
        for line in log:
            r = json.loads(line)
            if r["ev"] == "head":
                sent.setdefault((r["path"], r["hash"]), r["wall"])
        late = [instant(o["time"]) - sent[o["via"], o["hash"]] for o in lines
                if o["ev"] == "head" and o["source"] in ("push", "first") and (o["via"], o["hash"]) in sent]
        self.assertGreater(len(late), 10)
        self.assertGreater(min(late), 0)
        self.assertLess(sorted(late)[len(late) // 2], 10 ** 9)
        start = lines[0]
        for o in lines:  # both clocks tell the same
            if "time" in o:
                self.assertAlmostEqual((instant(o["time"]) - instant(start["time"])) / 1e9, o["t"], delta=0.2)

    def test_alerts(self):
        """All paths die: the status line says so, with its level; it comes back when they do."""
        n = self.node()
        s = self.start(*self.urls(n)[:1])
        s.wait("ok", lambda o: o["ev"] == "status" and o["level"] == "ok")
        n.test_down("ws", 3)
        n.test_drop("reset", "ws")
        s.wait("down", lambda o: o["ev"] == "status" and o["word"] == "DOWN")
        down = len(s.lines())
        s.wait("up", lambda o: o["ev"] == "status" and o["level"] == "ok" and o["t"] > s.lines()[down - 1]["t"])
        s.stop()

    def test_hostile(self):
        """A node with a large chain id, an ugly name, and the key of its URL in its texts."""
        n = self.node()
        n.test_set(syncing={"startingBlock": "0x1", "currentBlock": "0x2", "highestBlock": "0x63"})
        n.test_set(chainId=2 ** 63 + 5, clientVersion='Geth/"v1"\\\x1b[31m\u202e\r\n{"ev":"head"} ' + KEY, gasPrice=2 ** 200)
        s = self.start("ws://user:%s@127.0.0.1:%d/v3/%s?k=%s" % (KEY, n.ws, KEY, KEY), "-H", "X-Key: %s" % KEY)
        client = s.wait("client", lambda o: o["ev"] == "info" and o["info"] == "client")
        self.assertNotIn("\n", client["client"])
        chain = s.wait("chain", lambda o: o["ev"] == "chain")
        self.assertEqual(chain["id"], str(2 ** 63 + 5))
        price = s.wait("price", lambda o: o["ev"] == "info" and o["info"] == "gas_price")
        self.assertEqual(price["gas_price"], str(2 ** 200))
        sync = s.wait("sync", lambda o: o["ev"] == "info" and o["info"] == "sync")
        self.assertEqual((sync["syncing"], sync["current"], sync["highest"]), (True, 2, 99))
        lines = s.stop(signal.SIGTERM)
        self.assertEqual(lines[1]["node"], "127.0.0.1:%d" % n.ws)
        self.assertNotIn(KEY, s.text)

    def test_faults(self):
        """Errors of calls, missing bodies and strange messages are lines like the others."""
        n = self.node("--rate", "3", "--fault", "pruned")
        s = self.start(*self.urls(n))
        s.wait("a body", lambda o: o["ev"] == "block")
        s.wait("no body of an old one", lambda o: o["ev"] == "miss" and o["code"] == "null" and "text" in o)
        n.test_fault("wrongblock")
        s.wait("another block", lambda o: o["ev"] == "call" and o["code"] == "wrong block")
        n.test_fault("wrongblock", None, False)
        n.test_fault("broken")
        s.wait("a broken answer", lambda o: o["ev"] == "call" and o["via"] == "http" and o["code"] != "ok")
        n.test_fault("broken", None, False)
        n.test_fault("ratelimit")
        s.wait("come back later", lambda o: o["ev"] == "call" and o["code"] == "429" and o.get("wait", 0) > 0)
        n.test_fault("ratelimit", None, False)
        n.test_fault("junk")
        s.wait("odd messages", lambda o: o["ev"] == "traffic" and o["odd"] > 0)
        n.test_pause("announce")
        s.wait("silence", lambda o: o["ev"] == "link" and o["state"] == "silent", 60)
        n.test_resume()
        s.stop()

    def test_reader_leaves(self):
        """| head: the rest is not for anybody. Exit 0 at once, even if no line comes any more."""
        n = self.node()
        s = self.start(*self.urls(n), read=False)
        self.assertIn(b'"ev":"start"', s.p.stdout.readline())
        s.p.stdout.close()
        self.assertEqual(s.p.wait(5), 0)
        self.assertEqual(s.p.stderr.read(), b"")

    def test_reader_sleeps(self):
        """Nobody reads for a while: the feeds go on, and then every head is there. A signal ends it even if nobody reads at all."""
        n = self.node("--rate", "20")
        s = self.start(*self.urls(n), read=False)
        head = lambda: int(rpc(n.http, "eth_blockNumber"), 16)  # noqa: E731
        first = head() + 5
        while head() < first:
            time.sleep(0.05)
        last = head() + 100
        while head() < last:  # five seconds
            time.sleep(0.05)
        s.reader.start()
        s.wait("the head that came while nobody read", lambda o: o["ev"] == "head" and o["number"] >= last)
        lines = s.stop()
        heads = {o["number"] for o in lines if o["ev"] == "head" and o["path"] == 0}
        self.assertEqual([k for k in range(first, last) if k not in heads], [])
        self.assertEqual([o for o in lines if o["ev"] == "dropped"], [])
        s = self.start(*self.urls(n), read=False)
        last = head() + 150  # more than a pipe holds
        while head() < last:
            time.sleep(0.05)
        s.p.send_signal(signal.SIGINT)
        self.assertEqual(s.p.wait(10), 0)

    def test_usage(self):
        env = {k: v for k, v in os.environ.items() if k != "ETH_RPC_URL"}
        with tempfile.TemporaryDirectory() as home:
            env["HOME"] = home
            once = subprocess.run([CHAINTOP, "--stream", "--once", "ws://127.0.0.1:1"], capture_output=True, env=env, timeout=20)
            self.assertEqual((once.returncode, once.stdout), (64, b""))
            self.assertEqual(once.stderr.count(b"\n"), 1)
        with open("/dev/full", "wb") as no_room:
            full = subprocess.run([CHAINTOP, "replay", "--demo", "--stream"], stdout=no_room, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(full.returncode, 1)
        self.assertRegex(full.stderr.decode(), r"^chaintop: .*[Nn]o space left.*\n$")


@unittest.skipUnless(os.environ.get("ANVIL"), os.environ.get("ANVIL_WHY") or "ANVIL is not set")
class Anvil(unittest.TestCase):
    def test_anvil(self):
        """A real node: every line is valid, and its blocks and reorg are told."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        p = subprocess.Popen([os.environ["ANVIL"], "--host", "127.0.0.1", "--port", str(port), "--no-mining"],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(p.stdout.close)
        self.addCleanup(p.wait)
        self.addCleanup(p.kill)
        for line in p.stdout:
            if line.startswith(b"Listening on"):
                break
        threading.Thread(target=p.stdout.read, daemon=True).start()
        s = Stream("dev=ws://127.0.0.1:%d" % port, "dev=http://127.0.0.1:%d" % port)
        self.addCleanup(s.kill)
        s.wait("live", lambda o: o["ev"] == "link" and o["state"] == "live")
        for i in range(5):
            rpc(port, "eth_sendTransaction", {"from": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
                                              "to": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "value": "0x1"})
            rpc(port, "evm_mine")
            tip = rpc(port, "eth_getBlockByNumber", "latest", False)
            s.wait("block %d" % (i + 1), lambda o: o["ev"] == "block" and o.get("hash") == tip["hash"] and o["txs"] == 1)
            s.wait("its proof", lambda o: o["ev"] == "verdict" and o["hash"] == tip["hash"] and o["truth"] == "yes")
        old = rpc(port, "eth_getBlockByNumber", hex(4), False)["hash"]
        rpc(port, "anvil_reorg", 2, [[{"from": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
                                       "to": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "value": "0x2"}, 0]])
        rpc(port, "evm_mine")
        reorg = s.wait("the reorg", lambda o: o["ev"] == "reorg")
        self.assertEqual((reorg["number"], reorg["depth"], reorg["from"]), (4, 2, old))
        self.assertEqual(reorg["to"], rpc(port, "eth_getBlockByNumber", hex(4), False)["hash"])
        s.stop()


class Zz(unittest.TestCase):
    """Last: what the page promises and no test above has seen."""

    # What only some machines, chains and moments have. test_stream.c has all events, and the two that tell of losses.
    RARE = {("block", "builder"), ("link", "dns"), ("link", "tls"), ("chain", "network"),
            ("info", "next_fork_id"), ("info", "next_fork_time"), ("miss", "hash"), ("reorg", "deeper")}
    RARE_EVENTS = {"lost", "dropped", "peer", "peer_count", "peer_left"}

    def test_all_fields_were_there(self):
        if len({e for e, f in SCHEMA.seen}) < 15:
            self.skipTest("not all of the other tests ran")
        unseen = [u for u in SCHEMA.unseen() if u not in self.RARE and u[0] not in self.RARE_EVENTS]
        self.assertEqual(unseen, [], "documented, and in no line")


if __name__ == "__main__":
    unittest.main()
