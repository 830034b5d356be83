"""chaintop --metrics. Figures are compared with what the fault node counted itself. Environment: CHAINTOP."""
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/faults"), str(ROOT / "tests/e2e")]
import node as faultnode  # noqa: E402
import promtext  # noqa: E402

CHAINTOP = os.environ.get("CHAINTOP", str(ROOT / "chaintop"))
KEY = "pl4nted-KEY-9f3c71d2a8"
WAIT = 30
DOC = promtext.documented()
SEEN = {}  # family: label names, over all tests


class Program:
    """chaintop with --metrics on a free port, without a terminal."""

    def __init__(self, *args, address="127.0.0.1:0", stdout=subprocess.DEVNULL):
        self.p = subprocess.Popen([CHAINTOP, *args, "--metrics", address], stdout=stdout, stderr=subprocess.PIPE)
        self.said = self.p.stderr.readline().decode()
        m = re.fullmatch(r"chaintop: metrics at (http://(.*):(\d+))/metrics\n", self.said)
        assert m, self.said
        self.base, self.host, self.port = m.group(1), m.group(2), int(m.group(3))

    def fetch(self, path="/metrics"):
        with urllib.request.urlopen(self.base + path, timeout=20) as r:
            return r.headers, r.read().decode()

    def page(self):
        headers, text = self.fetch()
        assert headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
        page = promtext.Text(text)
        page.text = text
        for family, labels in page.families().items():
            kind, may = DOC[family]
            assert page.types[family] == kind, family
            assert labels <= may, (family, labels, may)
            SEEN.setdefault(family, set()).update(labels)
        return page

    def until(self, what, found, seconds=WAIT):
        end = time.monotonic() + seconds
        while True:
            page = self.page()
            if found(page):
                return page
            assert time.monotonic() < end, what + "\n" + page.text[:3000]
            time.sleep(0.1)

    def stop(self, sig=signal.SIGTERM):
        self.p.send_signal(sig)
        code = self.p.wait(WAIT)
        rest = self.p.stderr.read().decode()
        self.p.stderr.close()
        return code, rest

    def kill(self):
        if self.p.poll() is None:
            self.p.kill()
        self.p.wait()
        self.p.stderr.close()


class Metrics(unittest.TestCase):
    def node(self, *args):
        n = faultnode.Process(*args)
        self.addCleanup(n.stop)
        return n

    def program(self, *args, **k):
        p = Program(*args, **k)
        self.addCleanup(p.kill)
        return p

    def urls(self, n):
        return ["n=ws://127.0.0.1:%d" % n.ws, "n=http://127.0.0.1:%d" % n.http, "m=" + n.ipc]

    def test_story(self):
        n = self.node()
        p = self.program(*self.urls(n))
        p.until("all up", lambda g: g.sum("chaintop_path_up") == 3)
        for _ in range(5):
            n.test_advance()
            number = n.test_block()["number"]
            p.until("head %d on all" % number, lambda g: all(
                g.get("chaintop_path_head_number", via=v) == number for v in ("ws", "http", "ipc")))
        n.test_reorg(2)
        n.test_advance()
        p.until("the reorg", lambda g: g.sum("chaintop_chain_reorgs_total") == 1)
        g = p.until("facts", lambda g: g.get("chaintop_path_peers", via="ws") is not None)
        block = n.test_block()
        self.assertEqual(g.get("chaintop_chain_last_reorg_depth_blocks"), 2)
        self.assertEqual(g.get("chaintop_chain_head_number"), block["number"])
        self.assertEqual(g.get("chaintop_path_peers", via="ws"), 50)
        self.assertEqual(g.get("chaintop_path_txpool_pending", via="ipc"), 150)
        self.assertEqual(g.get("chaintop_path_txpool_queued", via="ipc"), 20)
        self.assertEqual(g.get("chaintop_path_syncing", via="ws"), 0)
        self.assertEqual(g.get("chaintop_path_client_info", via="ws", client="faultnode/v1.0.0/python"), 1)
        self.assertIsNone(g.get("chaintop_path_won_heads_total", via="http"))
        self.assertEqual(g.sum("chaintop_path_raced_heads_total", via="ws"), g.sum("chaintop_path_raced_heads_total", via="ipc"))
        self.calls(p, n)
        now = time.time()
        for via in ("ws", "http", "ipc"):
            heard = g.get("chaintop_path_head_received_timestamp_seconds", via=via)
            self.assertTrue(now - 60 < heard <= now, (heard, now))
        n.test_down("ws", 60)
        n.test_drop("reset", "ws")
        g = p.until("down", lambda g: g.get("chaintop_path_up", via="ws") == 0 and g.sum("chaintop_path_errors_total", kind="refused") > 0)
        self.assertEqual(g.get("chaintop_path_errors_total", via="ws", kind="reset"), 1)
        self.assertEqual(g.get("chaintop_path_up", via="ipc"), 1)
        self.assertEqual(p.stop(), (0, ""))

    def calls(self, p, n):
        """chaintop's counts of calls lie between what the node counted before and after the page was made."""
        def counted():
            return {via: dict(n.test_stats()["requests"][via]) for via in ("ws", "http", "ipc")}
        before = counted()
        g = p.page()
        after = counted()
        checked = 0
        for via in before:
            for method in ("eth_getBlockByHash", "eth_getBlockByNumber", "eth_chainId", "eth_blockNumber", "net_peerCount"):
                if method not in before[via]:
                    continue
                got = g.sum("chaintop_path_calls_total", via=via, method=method)
                self.assertTrue(before[via][method] - 2 <= got <= after[via][method], (via, method, before, got, after))
                checked += 1
        self.assertGreater(checked, 8)

    def test_only_grows(self):
        n = self.node("--rate", "10")
        p = self.program(*self.urls(n))
        old = p.until("heads", lambda g: g.get("chaintop_path_heads_total", via="ws"))
        new = p.until("more heads", lambda g: g.get("chaintop_path_heads_total", via="ws") > 15)
        grown = 0
        for key, value in old.samples.items():
            family = promtext.SUFFIX.sub("", key[0])
            if key[0].endswith("_total") or old.types.get(family) == "histogram":
                self.assertGreaterEqual(new.samples.get(key, value), value, key)
                grown += new.samples.get(key, value) > value
        self.assertGreater(grown, 20)

    def test_replay(self):
        """The demo's recording, which has all of a chain's life in it."""
        p = self.program("replay", "--demo", "--speed", "max")
        g = p.until("its end", lambda g: g.sum("chaintop_chain_reorgs_total") == 3)
        self.assertEqual(g.get("chaintop_build_info", mode="demo"), 1)
        self.assertEqual(g.sum("chaintop_path_up"), 4)
        self.assertEqual(p.stop(), (0, ""))

    def test_with_stream(self):
        n = self.node("--rate", "5")
        p = self.program("--stream", *self.urls(n), stdout=subprocess.PIPE)
        lines = [p.p.stdout.readline() for _ in range(100)]
        self.assertEqual(json.loads(lines[0])["ev"], "start")
        p.until("its count", lambda g: g.get("chaintop_stream_lines_total") >= 100)
        p.p.stdout.close()
        self.assertEqual(p.p.wait(WAIT), 0)  # the stream's reader is gone

    def test_with_record(self):
        n = self.node("--rate", "5")
        with tempfile.TemporaryDirectory() as folder:
            p = self.program("record", "-o", folder + "/a.ct", *self.urls(n))
            p.until("heads", lambda g: g.get("chaintop_path_heads_total", via="ws"))
            self.assertEqual(p.stop(signal.SIGINT)[0], 0)
            self.assertTrue(os.path.exists(folder + "/a.ct"))

    def test_hostile(self):
        """Texts of a node and keys of URLs."""
        n = self.node()
        n.test_set(clientVersion='Geth/"v1"\\\n# HELP chaintop_x y\nchaintop_x 1 \x1b[31m\u202e ' + KEY, chainId=2 ** 63 + 5)
        p = self.program("ws://user:%s@127.0.0.1:%d/v3/%s?k=%s" % (KEY, n.ws, KEY, KEY), "a=ws://127.0.0.1:%d" % n.ws,
                         "a=ws://127.0.0.1:%d/%s" % (n.ws, KEY), "-H", "X-Key: " + KEY)
        g = p.until("clients", lambda g: g.sum("chaintop_path_client_info") == 3)
        self.assertEqual(g.get("chaintop_path_up", node="127.0.0.1:%d" % n.ws), 1)
        self.assertEqual(g.get("chaintop_path_up", node="a", via="ws"), 1)
        self.assertEqual(g.get("chaintop_path_up", node="a", via="ws#2"), 1)
        self.assertNotIn(KEY, g.text)
        self.assertNotIn("\x1b", g.text)

    def test_address(self):
        """A port alone is one of 127.0.0.1, an address is that address, and one that is taken is one clear line."""
        n = self.node()
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            free = s.getsockname()[1]
        p = self.program(*self.urls(n), address=str(free))
        self.assertEqual((p.host, p.port), ("127.0.0.1", free))
        sockets = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
        listening = [s[1] for s in sockets if s[3] == "0A"]
        self.assertIn("0100007F:%04X" % free, listening)
        self.assertNotIn("00000000:%04X" % free, listening)
        second = subprocess.run([CHAINTOP, *self.urls(n), "--metrics", str(free)], capture_output=True, timeout=20)
        self.assertNotEqual(second.returncode, 0)
        self.assertRegex(second.stderr.decode(), r"\Achaintop: .*%d: cannot listen: .*in use; try: .*\n\Z" % free)
        for word in ("9464x", "[::1", "example.org:9464", "127.0.0.1:99999", ""):
            bad = subprocess.run([CHAINTOP, *self.urls(n), "--metrics", word], capture_output=True, timeout=20)
            self.assertEqual((bad.returncode, bad.stderr.count(b"\n")), (64, 1), bad.stderr)
        p6 = self.program(*self.urls(n), address="[::1]:0")
        self.assertEqual(p6.host, "[::1]")
        p6.page()

    def test_rules(self):
        n = self.node()
        once = subprocess.run([CHAINTOP, "--once", "--metrics", "0", *self.urls(n)], capture_output=True, timeout=20)
        self.assertEqual((once.returncode, once.stdout, once.stderr.count(b"\n")), (64, b"", 1))
        p = self.program(*self.urls(n))
        self.assertIn("/metrics", p.fetch("/")[1])
        with self.assertRaises(urllib.error.HTTPError) as e:
            p.fetch("/nothing")
        self.assertEqual(e.exception.code, 404)
        e.exception.close()
        self.assertEqual(p.stop(signal.SIGINT), (0, ""))

    def test_zz_names(self):
        """Dashboard and rules use what exists; the page of families lists what is there."""
        board = (ROOT / "doc/grafana/chaintop.json").read_text()
        rules = (ROOT / "doc/prometheus-alerts.yml").read_text()
        self.assertEqual((promtext.used(board) | promtext.used(rules)) - set(DOC), set())
        self.assertGreater(len(promtext.used(board)), 25)
        panels = json.loads(board)["panels"]
        self.assertEqual(len({p["id"] for p in panels}), len(panels))
        cells = [(x, y) for p in panels for g in [p["gridPos"]] for x in range(g["x"], g["x"] + g["w"]) for y in range(g["y"], g["y"] + g["h"])]
        self.assertEqual(len(set(cells)), len(cells), "panels lie on each other")
        self.assertTrue(all(0 <= x < 24 for x, y in cells))
        if len(SEEN) < 40:
            self.skipTest("not all of the other tests ran")
        rare = {"chaintop_clock_error_bound_seconds", "chaintop_glass_seconds", "chaintop_chain_blob_base_fee_wei"}
        self.assertEqual(set(DOC) - set(SEEN) - rare, set())
        for family, labels in SEEN.items():
            self.assertEqual(DOC[family][1] - labels, set(), family)


if __name__ == "__main__":
    unittest.main()
