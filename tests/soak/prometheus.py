"""A real Prometheus and chaintop --metrics: it is up, its series are the page's, dashboard and rules parse and mean something."""
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/faults"), str(ROOT / "tests/e2e")]
import node as faultnode  # noqa: E402
from metrics import Program  # noqa: E402

WAIT = 60


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Prometheus(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = faultnode.Process("--rate", "2")
        cls.addClassCleanup(cls.node.stop)
        n = cls.node
        cls.program = Program("n=ws://127.0.0.1:%d" % n.ws, "n=http://127.0.0.1:%d" % n.http, "m=" + n.ipc)
        cls.addClassCleanup(cls.program.kill)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        rules = ROOT / "doc/prometheus-alerts.yml"
        config = pathlib.Path(folder.name, "prometheus.yml")
        config.write_text("global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [%s]\n"
                          "scrape_configs:\n  - job_name: chaintop\n    static_configs: [{targets: ['127.0.0.1:%d']}]\n"
                          % (json.dumps(str(rules)), cls.program.port))
        port = free_port()
        cls.base = "http://127.0.0.1:%d/api/v1/" % port
        log = open(os.path.join(folder.name, "log"), "wb")
        cls.addClassCleanup(log.close)
        p = subprocess.Popen(["prometheus", "--config.file", str(config), "--storage.tsdb.path", folder.name + "/data",
                              "--web.listen-address", "127.0.0.1:%d" % port], stdout=log, stderr=log)
        cls.addClassCleanup(p.wait)
        cls.addClassCleanup(p.kill)
        cls.until("it is up", lambda: cls.value('up{job="chaintop"}') == 1)

    @classmethod
    def ask(cls, path, **query):
        with urllib.request.urlopen(cls.base + path + "?" + urllib.parse.urlencode(query), timeout=10) as r:
            return json.load(r)["data"]

    @classmethod
    def vector(cls, expr):
        return cls.ask("query", query=expr)["result"]

    @classmethod
    def value(cls, expr):
        try:
            found = cls.vector(expr)
        except (OSError, urllib.error.URLError):  # not listening yet
            return None
        return float(found[0]["value"][1]) if len(found) == 1 else None

    @classmethod
    def until(cls, what, found):
        end = time.monotonic() + WAIT
        while not found():
            if time.monotonic() > end:
                raise AssertionError(what + "\n" + pathlib.Path(cls.folder, "log").read_text()[-2000:])
            time.sleep(0.2)

    def test_promtool_metrics(self):
        page = self.program.page()
        p = subprocess.run(["promtool", "check", "metrics"], input=page.text.encode(), capture_output=True, timeout=60)
        self.assertEqual((p.returncode, p.stdout, p.stderr), (0, b"", b""))

    def test_promtool_rules(self):
        p = subprocess.run(["promtool", "check", "rules", str(ROOT / "doc/prometheus-alerts.yml")], capture_output=True, timeout=60)
        self.assertEqual(p.returncode, 0, p.stdout + p.stderr)
        self.assertRegex(p.stdout.decode(), "SUCCESS: [1-9][0-9]* rules found")

    def test_series_are_the_page(self):
        """What does not move has the page's value; all families of the page are there, each with as many series."""
        page = self.program.until("a call of each kind", lambda g: g.sum("chaintop_path_calls_total", method="net_peerCount") >= 3)
        n = self.node
        for expr, want in (('chaintop_path_up{node="n",via="ws"}', 1), ('chaintop_path_peers{via="ipc"}', 50),
                           ('chaintop_path_txpool_pending{via="ws"}', 150), ("sum(chaintop_path_connects_total)", 3),
                           ('chaintop_path_client_info{via="ws",client="faultnode/v1.0.0/python"}', 1),
                           ("count(chaintop_path_state)", 3), ("chaintop_chain_reorgs_total", 0)):
            self.until(expr, lambda: self.value(expr) == want)
        # The head that Prometheus has is one that the node had within the last seconds.
        head = self.value("chaintop_chain_head_number")
        now = n.test_block()["number"]
        self.assertTrue(now - 20 <= head <= now, (head, now))
        for family in page.families():
            name = family + "_count" if page.types[family] == "histogram" else family
            self.until(family, lambda: (self.value("count(%s)" % name) or 0) >= sum(1 for k in page.samples if k[0] == name))

    def test_rates(self):
        """Two heads a second, as the node makes them."""
        self.until("a minute's rate", lambda: abs((self.value('rate(chaintop_path_heads_total{via="ws"}[15s])') or 0) - 2) < 0.3)

    def test_reload_of_types(self):
        found = self.ask("metadata")
        self.assertEqual(found["chaintop_path_call_duration_seconds"][0]["type"], "histogram")
        self.assertEqual(found["chaintop_path_heads_total"][0]["type"], "counter")

    def test_dashboard(self):
        """Every expression of the dashboard parses, and most have an answer here."""
        board = json.loads((ROOT / "doc/grafana/chaintop.json").read_text())
        exprs = [t["expr"] for p in board["panels"] for t in p["targets"]] + [a["expr"] for a in board["annotations"]["list"] if "expr" in a]
        self.assertGreater(len(exprs), 25)
        self.until("fifteen seconds of data", lambda: (self.value('count_over_time(chaintop_path_up{via="ws"}[1m])') or 0) >= 15)
        empty = []
        for e in exprs:
            for name, value in (("$node", ".*"), ("$chain", ".*"), ("$job", ".*"), ("$__rate_interval", "10s")):
                e = e.replace(name, value)
            self.assertNotIn("$", e)
            try:
                found = self.vector(e)
            except urllib.error.HTTPError as error:
                self.fail("%s: %s" % (e, error.read()))
            if not found:
                empty.append(e)
        print("# no answer here: %s" % [re.findall("chaintop_[a-z_]+", e)[0] for e in empty], file=sys.stderr)
        self.assertLess(len(empty), 8)

    def test_zz_alerts(self):
        """Nothing is wrong: nothing fires. A path dies: it does, and ends when it is back."""
        def firing():
            return {a["labels"]["alertname"] for a in self.ask("alerts")["alerts"] if a["state"] in ("firing", "pending")}
        self.until("the rules are evaluated", lambda: self.ask("rules")["groups"][0]["rules"][0].get("lastEvaluation", "0001")[:4] != "0001")
        self.assertEqual(firing() - {"ChaintopCheckWarning", "ChaintopCheckCritical"}, set())
        self.node.test_down("ipc", 8)
        self.node.test_drop("reset", "ipc")
        self.until("the node's alert", lambda: "ChaintopNodeDown" in firing())
        self.until("its end", lambda: "ChaintopNodeDown" not in firing())


if __name__ == "__main__":
    unittest.main()
