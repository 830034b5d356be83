"""chaintop check, the monitoring plugin: exit codes, text, performance data by the guidelines' grammar, what is not evaluated."""
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/faults"))
import node as faultnode  # noqa: E402

CHAINTOP = os.environ.get("CHAINTOP", str(ROOT / "chaintop"))
KEY = "pl4nted-KEY-9f3c71d2a8"
WORDS = ["OK", "WARNING", "CRITICAL", "UNKNOWN"]
FIRST = re.compile(r"CHAINTOP (OK|WARNING|CRITICAL) - ([^|]+); (\d+)/(\d+) ok(?: \|((?: \S.*)?))?")
LINE = re.compile(r"(OK|WARNING|CRITICAL|not evaluated) +(\w+) +([^|]+)")
RANGE = r"(?:-?[0-9.]+:?)?"
FIGURE = re.compile(r" (?:'([^'=]+)'|([^' =]+))=(-?[0-9.]+)(s|%%|)?;(%s);(%s)(?= |$)" % (RANGE, RANGE))
# Scope of each check, from the table itself.
CHECKS = dict(re.findall(r'^CHECK\(\w+, "(\w+)", "[^"]*", SCOPE_(\w+)', (ROOT / "src/model/health.def").read_text(), re.M))
NODE_CHECKS = {c for c, scope in CHECKS.items() if scope == "NODE"}


class Result:
    def __init__(self, p):
        self.code, self.text = p.returncode, p.stdout
        lines = p.stdout.splitlines()
        assert p.stderr == "", p.stderr
        m = FIRST.fullmatch(lines[0])
        assert m, lines[0]
        self.word, self.finding = m.group(1), m.group(2)
        assert WORDS[self.code] == self.word, (self.code, self.word)
        self.ok, self.of = int(m.group(3)), int(m.group(4))
        self.figures, text = {}, m.group(5) or ""
        at = 0
        while at < len(text):
            f = FIGURE.match(text, at)
            assert f, text[at:]
            label = f.group(1) or f.group(2)
            assert label not in self.figures, label
            self.figures[label] = (float(f.group(3)), f.group(4) or "", f.group(5), f.group(6))
            at = f.end()
        self.lines = [LINE.fullmatch(line).groups() for line in lines[1:]]
        counted = [line for line in self.lines if line[0] != "not evaluated"]
        assert self.of == len(counted) and self.ok == sum(line[0] == "OK" for line in counted), lines
        worst = max((WORDS.index(line[0]) for line in counted), default=0)
        assert worst == self.code, lines
        if self.code:
            assert self.finding in [line[2] for line in counted], self.finding

    def state(self, check, start=""):
        found = [line[0] for line in self.lines if line[1] == check and line[2].startswith(start)]
        assert len(found) == 1, (check, self.text)
        return found[0]


class Check(unittest.TestCase):
    def setUp(self):
        home = tempfile.TemporaryDirectory()
        self.addCleanup(home.cleanup)
        self.env = {k: v for k, v in os.environ.items() if k not in ("ETH_RPC_URL", "XDG_CONFIG_HOME")}
        self.env["HOME"] = home.name
        self.home = pathlib.Path(home.name)

    def node(self, *args):
        n = faultnode.Process("--chain-id", "1", *args)
        self.addCleanup(n.stop)
        return n

    def run_check(self, *args, timeout=60):
        return subprocess.run([CHAINTOP, "check", *args], capture_output=True, text=True, env=self.env, timeout=timeout)

    def check(self, *args):
        # The clock of a machine that runs tests may be anybody's.
        return Result(self.run_check("--clock-bound", "1ms", *args))

    def config(self, text):
        path = self.home / "config"
        path.write_text(text)
        path.chmod(0o600)
        return ["--config", str(path)]

    def test_all_is_well(self):
        n = self.node("--rate", "1")
        r = self.check("geth=ws://127.0.0.1:%d" % n.ws)
        self.assertEqual(r.code, 0, r.text)
        self.assertRegex(r.finding, r"Ethereum: block \d+")
        # Each check of the table has one line; of a single node without labels of nodes.
        self.assertEqual(sorted(line[1] for line in r.lines), sorted(CHECKS))
        self.assertEqual(r.figures["peers"], (50, "", "5:", "1:"))
        self.assertEqual(r.figures["age"][1:], ("s", "48", "120"))
        self.assertEqual(r.figures["errors"], (0, "%", "1", "10"))
        for check in ("link", "age", "sync", "peers", "verify", "chain"):
            self.assertEqual(r.state(check), "OK")
        # Nobody can have watched these in five seconds.
        for check in ("reorg", "final_changed", "head_back", "client", "behind", "hash", "fork", "p2p"):
            self.assertEqual(r.state(check), "not evaluated")

    def test_two_nodes(self):
        n = self.node("--rate", "1")
        r = self.check("a=ws://127.0.0.1:%d" % n.ws, "b=http://127.0.0.1:%d" % n.http)
        self.assertEqual(r.code, 0, r.text)
        self.assertEqual(sorted(line[1] for line in r.lines), sorted(list(CHECKS) + list(NODE_CHECKS)))
        self.assertEqual(r.state("behind", "a: "), "OK")
        self.assertEqual(r.state("hash", "b: "), "OK")
        self.assertEqual(r.figures["a_peers"][0], 50)
        self.assertEqual(r.figures["b_lag"][2:], ("12", "36"))
        self.assertIn("Ethereum_final", r.figures)

    def test_findings(self):
        """Facts of the node, and limits of the configuration."""
        n = self.node("--rate", "1")
        url = "n=ws://127.0.0.1:%d" % n.ws
        n.test_set(peerCount=3)
        r = self.check(url)
        self.assertEqual((r.code, r.finding), (1, "n: 3 peers (limit 5)"))
        n.test_set(peerCount=0)
        r = self.check(url)
        self.assertEqual((r.code, r.finding), (2, "n: 0 peers (limit 5)"))
        r = self.check(*self.config('check peers { warn = 0 crit = 0 }\n'), url)
        self.assertEqual(r.code, 0, r.text)
        n.test_set(peerCount=50, syncing={"startingBlock": "0x0", "currentBlock": "0x32", "highestBlock": "0x64"})
        r = self.check(url)
        self.assertEqual((r.code, r.finding), (1, "n: syncing 50 %"))

    def test_old_head(self):
        """A chain that stands still: below the limit, above it, far above it."""
        n = self.node()
        time.sleep(3)  # that is how old the block has to be
        url = "n=ws://127.0.0.1:%d" % n.ws
        for limits, code in (("warn = 60s crit = 120s", 0), ("warn = 2s crit = 120s", 1), ("warn = 1s crit = 2s", 2)):
            r = self.check(*self.config("check age { %s }\n" % limits), url)
            self.assertEqual(r.code, code, r.text)
            if code:
                self.assertRegex(r.finding, r"^n: newest block is \d+ s old \(limit 2 s\)$")
            self.assertGreater(r.figures["age"][0], 2)

    def test_no_answer(self):
        """Refused, silent, half: critical, in time. One dead path of two is a warning."""
        n = self.node("--rate", "1")
        r = self.check("n=ws://127.0.0.1:1")
        self.assertEqual(r.code, 2)
        self.assertRegex(r.finding, r"^n: no answer in \d+ s \(connection refused\)$")
        self.assertEqual([line[1] for line in r.lines if line[0] != "not evaluated" and line[1] != "clock"], ["link"])
        r = self.check("n=ws://127.0.0.1:%d" % n.ws, "n=http://127.0.0.1:1")
        self.assertEqual(r.code, 1)
        self.assertRegex(r.finding, "^n/http: no answer")
        r = self.check("a=ws://127.0.0.1:%d" % n.ws, "b=http://127.0.0.1:1")
        self.assertEqual(r.code, 2)
        with socket.socket() as deaf:
            deaf.bind(("127.0.0.1", 0))
            deaf.listen()
            start = time.monotonic()
            r = self.check("--for", "2s", "--timeout", "4s", "n=http://127.0.0.1:%d" % deaf.getsockname()[1])
            self.assertEqual(r.code, 2)
            self.assertLess(time.monotonic() - start, 10)

    def test_hostile(self):
        """A server whose words hold a bar, lines and the key."""
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            s.listen()
            port = s.getsockname()[1]

            def serve():
                while True:
                    try:
                        c, _ = s.accept()
                    except OSError:
                        return
                    c.recv(4096)
                    c.sendall(("HTTP/1.1 200 x|y\r\nContent-Length: 90\r\nConnection: close\r\n\r\n"
                               '{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"a|b\\nc %s"}}' % KEY).ljust(160).encode())
                    c.close()
            t = threading.Thread(target=serve, daemon=True)
            t.start()
            p = self.run_check("--for", "2s", "--timeout", "4s", "http://127.0.0.1:%d/%s" % (port, KEY), "-H", "X-Key: " + KEY)
            s.shutdown(socket.SHUT_RDWR)
        r = Result(p)
        self.assertEqual(r.code, 2, r.text)
        self.assertNotIn(KEY, p.stdout)

    def test_usage(self):
        for args in ([], ["--bogus"], ["--for", "x", "ws://127.0.0.1:1"], ["--for", "1s", "ws://127.0.0.1:1"],
                     ["--for", "9s", "--timeout", "5s", "ws://127.0.0.1:1"], ["--once", "ws://127.0.0.1:1"], ["ftp://x"],
                     ["--config", "/nothing/there", "ws://127.0.0.1:1"], ["--jwt", "/nothing/there", "ws://127.0.0.1:1"]):
            p = self.run_check(*args, timeout=20)
            self.assertEqual((p.returncode, p.stderr), (3, ""), (args, p.stdout, p.stderr))
            self.assertRegex(p.stdout, r"\ACHAINTOP UNKNOWN - [^|\n]+\n\Z", args)
        p = self.run_check("--for", "15s", "ws://127.0.0.1:1")
        self.assertIn("--timeout: 15 s in all is too short for --for 15 s, ", p.stdout)
        self.assertIn("try: --timeout 25s", p.stdout)

    def test_interrupted(self):
        n = self.node()
        p = subprocess.Popen([CHAINTOP, "check", "--for", "30s", "--timeout", "60s", "ws://127.0.0.1:%d" % n.ws],
                             stdout=subprocess.PIPE, text=True, env=self.env)
        end = time.monotonic() + 20
        while not n.test_stats()["requests"].get("ws") and time.monotonic() < end:
            time.sleep(0.05)
        p.send_signal(signal.SIGTERM)
        self.assertEqual(p.communicate(timeout=20)[0], "CHAINTOP UNKNOWN - interrupted\n")
        self.assertEqual(p.returncode, 3)


if __name__ == "__main__":
    unittest.main()
