#!/usr/bin/env python3
"""`chaintop compare` and `chaintop report`: the verdict names the right path, and nobody learns a host or a key.

One node plays a plan (tests/faults/schedule.py): `quick` hears each head at once, `slow` 60 ms later, `other` is told of another
branch. What is expected comes from the stamps of the node at send. Environment: CHAINTOP. Speaks TAP.
"""
import copy
import hashlib
import html.parser
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CHAINTOP = os.environ.get("CHAINTOP", os.path.join(ROOT, "chaintop"))
sys.path.insert(0, os.path.join(ROOT, "tests", "faults"))
sys.dont_write_bytecode = True
import chain as chains  # noqa: E402
import node as nodes  # noqa: E402
import schedule  # noqa: E402
from tap import Tap  # noqa: E402

KEY = "pl4nted-KEY-9f3c71d2a8"
HEADER = "Bearer tok3n-51fe0aa7"
QUICK, SLOW, OTHER = range(3)
WARM = 2  # heads after a connect are no arrivals
LATE = 0.060
INTERVAL = 0.15


def make_plan(heads, paths):
    """quick and slow say the same, other has a branch of its own."""
    main = chains.SyntheticChain(70, 1, 1, chain_id=424242)
    plan = schedule.Plan(paths)
    plan.tip(0, main.canonical)
    branch = copy.deepcopy(main)
    branch.replace(1, 0)
    for k in range(WARM + heads):
        at = k * INTERVAL
        main.extend()
        branch.extend()
        plan.tip(at, main.canonical)
        plan.by_hash.update((b.hash, b) for b in branch.canonical)
        plan.send(at, QUICK, main.canonical[-1])
        plan.send(at + LATE, SLOW, main.canonical[-1])
        if paths > OTHER:
            plan.send(at, OTHER, branch.canonical[-1])
    return plan


def urls(node, paths, names=("quick=", "slow=", "other=")):
    return [f"{names[p]}ws://user:{KEY}@127.0.0.1:{node.port}/{p}" for p in range(paths)]


def start(*args):
    return subprocess.Popen([CHAINTOP, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(*args, timeout=120):
    return subprocess.run([CHAINTOP, *args], capture_output=True, text=True, timeout=timeout, check=False)


def behind(stamps, path, against):
    """ms of each head that `path` was sent later than `against`, without the first ones."""
    sent = {p: {} for p in (path, against)}
    for ns, p, _number, hash_, _waiting in stamps:
        if p in sent:
            sent[p].setdefault(hash_, ns)
    both = sorted(sent[path][h] for h in sent[path] if h in sent[against])
    order = {sent[path][h]: h for h in sent[path]}
    return [(ns - sent[against][order[ns]]) / 1e6 for ns in both][WARM:]


def secrets_in(text, port):
    return [s for s in (KEY, HEADER, HEADER.split()[1], "127.0.0.1", str(port), "user:") if s in text]


class Tags(html.parser.HTMLParser):
    VOID = {"meta", "line", "rect", "circle", "polyline"}

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.wrong, self.seen, self.text = [], [], set(), []

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        if tag not in ("meta",):
            self.open.append(tag)
        for name, value in attrs:
            if name in ("src", "href") or name.startswith("on") or (value and "://" in value):
                self.wrong.append(f"{tag} {name}={value}")

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append("</" + tag + ">")

    def handle_data(self, data):
        self.text.append(data)


def parse_html(text):
    tags = Tags()
    tags.feed(text)
    tags.close()
    return tags


def live(tap):
    """Three paths, one report as JSON."""
    node = schedule.Process(make_plan(40, 3))
    got = run("compare", "--for", "11s", "-f", "json", "--location", "fra1", "-H", "Authorization: " + HEADER,
              *urls(node, 3))
    node.wait(30)
    stamps = node.finish()[0]
    tap.check("compare: exit 0", got.returncode == 0, got.stderr)
    tap.check("compare: no key, no host", not secrets_in(got.stdout + got.stderr, node.port),
              secrets_in(got.stdout + got.stderr, node.port))
    try:
        report = json.loads(got.stdout)
    except ValueError as e:
        tap.check("compare: JSON", False, f"{e}\n{got.stdout[:2000]}")
        return
    path = {p["node"]: p for p in report["paths"]}
    tap.check("the verdict names the right one", report["verdict"].startswith("Best for a searcher: quick ws ("), report["verdict"])
    tap.check("quick is first, slow second, neither tied",
              path["quick"]["rank"] == 1 and path["slow"]["rank"] == 2 and not path["slow"]["tied"], report["paths"])
    tap.check("the other branch is kept out and said", path["other"]["gate"] == "other branch" and path["other"]["rank"] is None and
              path["other"]["hash_agrees"] is False and "other ws has another block" in report["sentence"], report["sentence"])
    late = behind(stamps, SLOW, QUICK)
    p50 = statistics.median_low(late)
    seen = path["slow"]["behind_ms"]
    tap.check("as many heads as were sent", seen["n"] == len(late) == 40, f"{seen} {len(late)}")
    tap.check("slow is behind by what the node says", abs(seen["p50"] - p50) < 3, f"{seen['p50']} ms, sent {p50} ms later")
    tap.check("quick won all races", path["quick"]["won"] == path["quick"]["races"] >= 40, path["quick"])
    pair = report["pairs"][0]
    tap.check("the pair, with its sign test", pair["a_first"] == 40 and pair["b_first"] == 0 and
              abs(pair["p"] / (2 * 0.5 ** 40) - 1) < 1e-6, pair)
    tap.check("where from, the command without addresses", report["location"] == "fra1" and
              report["command"].startswith("chaintop compare quick=ws://… slow=ws://… other=ws://… --for 11s"), report["command"])
    curve = {c["ms"]: c["share"] for c in path["slow"]["curve"]}
    tap.check("the curve", curve[10] == 0 and curve[100] >= 0.9 and curve[1000] == 1, curve)


def ends_early(tap, folder):
    """Ctrl-C: the report of what there is."""
    node = schedule.Process(make_plan(45, 2))
    file = os.path.join(folder, "x.md")
    compare = start("compare", "--for", "1h", "-f", "md", "-o", file, *urls(node, 2, ("", "slow=")))
    node.wait(60)
    compare.send_signal(signal.SIGINT)
    out, err = compare.communicate(timeout=20)
    node.finish()
    with open(file, encoding="utf-8") as f:
        text = f.read()
    tap.check("Ctrl-C: exit 0, and a report", compare.returncode == 0 and text.startswith("**Best for a searcher: node1 ws (") and
              "| TRUTH | head |" in text, f"{compare.returncode} {err}\n{text[:1500]}")
    tap.check("who has no name gets a number, and is told so alone", not secrets_in(text + out, node.port) and
              "node1 is 127.0.0.1" in err and KEY not in err, err + text[:800])


def call(port, method, *params):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)}).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)["result"]


def anvils(tap, folder):
    """Two real nodes with the same blocks, one 40 ms behind; for an app the one whose calls are as fast."""
    anvil = os.environ.get("ANVIL")
    if not anvil:
        print(f"ok {tap.n + 1} - two anvils # SKIP {os.environ.get('ANVIL_WHY', 'ANVIL is not set')}")
        tap.n += 1
        return
    genesis = 1700000000
    nodes, ports = [], []
    try:
        for name in ("ahead", "behind"):
            log = open(os.path.join(folder, name + ".log"), "w+", encoding="utf-8")
            nodes.append((subprocess.Popen([anvil, "--host", "127.0.0.1", "--port", "0", "--no-mining", "--timestamp", str(genesis)],
                                           stdout=log, stderr=subprocess.STDOUT), log))
        for process, log in nodes:
            end = time.monotonic() + 30
            port = None
            while port is None and time.monotonic() < end and process.poll() is None:
                log.seek(0)
                found = re.search(r"^Listening on .*:(\d+)$", log.read(), re.M)
                port = int(found.group(1)) if found else None
                time.sleep(0.02)
            ports.append(port)
        compare = start("compare", "--for", "1h", "-f", "json", f"ahead=ws://127.0.0.1:{ports[0]}",
                        f"behind=ws://127.0.0.1:{ports[1]}")
        hashes = []
        for n in range(1, 49):
            began = time.monotonic()
            for port, wait in zip(ports, (0, 0.04)):
                time.sleep(max(0, began + wait - time.monotonic()))  # the plan, not a wait for something
                call(port, "evm_setNextBlockTimestamp", genesis + n)
                call(port, "evm_mine")
            hashes.append([call(port, "eth_getBlockByNumber", "latest", False)["hash"] for port in ports])
            time.sleep(max(0, began + 0.2 - time.monotonic()))
        tap.check("two anvils make the same blocks", all(a == b for a, b in hashes), hashes[:3])
        compare.send_signal(signal.SIGINT)
        out, err = compare.communicate(timeout=20)
        report = json.loads(out)
        path = {p["node"]: p for p in report["paths"]}
        tap.check("two anvils: the verdict names the one ahead", report["verdict"].startswith("Best for a searcher: ahead ws (") and
                  path["behind"]["rank"] == 2 and 35 <= path["behind"]["behind_ms"]["p50"] <= 80 and
                  path["behind"]["hash_agrees"] is True, f"{report['verdict']} {report['sentence']} {err}")
    finally:
        for process, log in nodes:
            process.terminate()
            process.wait(10)
            log.close()


def bench_takes_turns(tap, folder):
    """Rounds in shuffled order, each endpoint once in each, and the first does not count."""
    log = os.path.join(folder, "log")
    with nodes.Process("--rate", "0.05", "--log", log) as node:
        got = run("bench", f"a=http://127.0.0.1:{node.http}", f"b=ws://127.0.0.1:{node.ws}", f"c={node.ipc}", "--last", "5",
                  "--rounds", "5", "--workers", "1", "--json")
    with open(log, encoding="utf-8") as f:
        asked = [line["path"] for line in map(json.loads, f) if line["ev"] == "body"]
    turns = [asked[i:i + 15] for i in range(0, len(asked), 15)]
    orders = {tuple(dict.fromkeys(turn)) for turn in turns}
    tap.check("bench: six rounds for five, each endpoint once in each", got.returncode == 0 and len(turns) == 6 and
              all(sorted(turn) == sorted(["http", "ws", "ipc"] * 5) for turn in turns), f"{got.stderr} {turns}")
    tap.check("bench: not always in the same order", len(orders) > 1, orders)
    seconds = [r["seconds"] for e in json.loads(got.stdout)["endpoints"] for r in e["results"]]
    tap.check("bench: the first round does not count", [len(s) for s in seconds] == [5, 5, 5], seconds)


def nobody(tap):
    got = run("compare", "--for", "1s", "a=ws://127.0.0.1:9", "b=http://127.0.0.1:9")
    tap.check("nobody answers: exit 69, a reason each, no report",
              got.returncode == 69 and got.stdout == "" and "a ws: " in got.stderr and "b http: " in got.stderr, got)
    got = run("compare", "--format", "pdf", "a=ws://127.0.0.1:9")
    tap.check("a format that is none: exit 64, what there is", got.returncode == 64 and "text|md|html|json" in got.stderr, got)


def recorded(tap, folder):
    node = schedule.Process(make_plan(70, 2))
    file = os.path.join(folder, "x.ct")
    record = start("record", "-o", file, "--bodies", "all", "-H", "Authorization: " + HEADER, *urls(node, 2))
    node.wait(60)
    record.send_signal(signal.SIGINT)
    record.communicate(timeout=20)
    stamps = node.finish()[0]
    with open(file, "rb") as f:
        sha = hashlib.sha256(f.read()).hexdigest()
    text = {}
    for fmt in ("text", "md", "html", "json"):
        a, b = run("report", file, "-f", fmt), run("report", file, "-f", fmt)
        text[fmt] = a.stdout
        tap.check(f"report as {fmt}: the same twice", a.returncode == 0 and a.stdout == b.stdout and len(a.stdout) > 1000, a.stderr)
        tap.check(f"report as {fmt}: the verdict, the SHA-256, no key, no host", "Best for a searcher: quick ws (" in a.stdout and
                  sha in a.stdout and not secrets_in(a.stdout, node.port), a.stdout[:800])
    tap.check("md is what one gets unasked", run("report", file).stdout == text["md"])
    with open(file, "rb") as f:
        tap.check("the recording is as it was", hashlib.sha256(f.read()).hexdigest() == sha)
    tags = parse_html(text["html"])
    tap.check("html: every tag ends, no script, nothing is loaded", not tags.wrong and not tags.open and "script" not in tags.seen and
              {"table", "svg", "polyline", "circle"} <= tags.seen, f"{tags.wrong[:5]} {tags.open[:5]}")
    report = json.loads(text["json"])
    late = behind(stamps, SLOW, QUICK)
    slow = [p for p in report["paths"] if p["node"] == "slow"][0]
    # Of the last second nothing is settled: who was first may still be revised.
    tap.check("replayed figures are the node's", len(late) == 70 and 60 <= slow["behind_ms"]["n"] <= 70 and
              abs(slow["behind_ms"]["p50"] - statistics.median_low(late)) < 3, slow["behind_ms"])
    part(tap, file, report)


def part(tap, file, whole):
    first = whole["compared_at"] + 3 - 35  # 36 of the 70 heads
    got = run("report", file, "-f", "json", "--from", str(first))
    report = json.loads(got.stdout)
    tap.check("--from a block: only what came after", got.returncode == 0 and 33 <= report["heads"] <= 37 and
              report["seconds"] < whole["seconds"] - 4 and report["to"] == whole["to"],
              f"{report['heads']} heads in {report['seconds']} s of {whole['seconds']}")
    got = run("report", file, "-f", "json", "--from", "+1s", "--to", str(first))
    report = json.loads(got.stdout)
    # Up to a quarter of a second more: the clock of a recording ticks so.
    tap.check("--to a block: only what came before", got.returncode == 0 and report["heads"] < whole["heads"] - 30 and
              report["paths"][0]["head"] <= first + 2, f"{report['heads']} {report['paths'][0]['head']} {first}")
    got = run("report", file, "--from", "+5s", "--to", "+2s")
    tap.check("--to before --from: exit 64", got.returncode == 64 and "--to" in got.stderr and not got.stdout, got)
    got = run("report", "/dev/null")
    tap.check("no recording: exit 1, said why", got.returncode == 1 and got.stderr.startswith("chaintop: ") and not got.stdout, got)
    got = run("report")
    tap.check("no file: exit 64", got.returncode == 64 and "FILE.ct" in got.stderr, got)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="chaintop-compare.") as folder:
        began = time.monotonic()
        live(tap)
        ends_early(tap, folder)
        anvils(tap, folder)
        bench_takes_turns(tap, folder)
        nobody(tap)
        recorded(tap, folder)
        print(f"# {time.monotonic() - began:.1f} s")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
