#!/usr/bin/env python3
"""The benchmark of the block path: see README.md beside this file. Standard library only."""
import argparse
import json
import os
import pathlib
import platform
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TRANSPORTS = ("http", "ws", "ipc")
JOB_SECONDS = 300


class Skip(Exception):
    pass


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def tool(name):
    path = shutil.which(name)
    if not path:
        raise Skip(f"{name} is not installed")
    return path


def run(words, seconds=1800, **more):
    """Runs a build step; its last line is the reason if it fails."""
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds, **more)
    except (OSError, subprocess.TimeoutExpired) as e:
        raise Skip(f"{words[0]}: {e}")
    if done.returncode:
        lines = [l for l in done.stdout.splitlines() if "error" in l.lower()] or done.stdout.splitlines() or ["no output"]
        raise Skip(f"{pathlib.Path(words[0]).name}: {lines[0].strip()[:160]}")
    return done.stdout


def first_line(words):
    try:
        return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=20).stdout.split("\n")[0]
    except (OSError, subprocess.TimeoutExpired):
        return ""


# The programs ------------------------------------------------------------------------------------


class Program:
    """name, and after prepare(): version and words to run it."""

    transports = TRANSPORTS
    formats = ("none", "pretty")
    checked = True  # reports blocks, transactions, gas

    def __init__(self, o):
        self.o, self.dir, self.version = o, o.build / self.name, ""

    def sources(self, *names):
        self.dir.mkdir(parents=True, exist_ok=True)
        for name in names:
            to = self.dir / name
            to.parent.mkdir(parents=True, exist_ok=True)
            text = (HERE / self.name / name).read_bytes()
            if not to.exists() or to.read_bytes() != text:
                to.write_bytes(text)

    def words(self, url, workers, form):
        return [*self.command, url, str(self.o.blocks), str(workers), form]

    def seconds(self, stderr):
        return json.loads(stderr.splitlines()[-1])


class Chaintop(Program):
    name = "chaintop"
    checked = False

    def prepare(self):
        text = subprocess.run([self.o.chaintop, "fetch", "--help"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if "chaintop fetch" not in text.stdout:
            raise Skip("it has no `fetch` yet")
        self.version = first_line([self.o.chaintop, "--version"]).split(" (")[0]

    def words(self, url, workers, form):
        return [str(self.o.chaintop), "fetch", url, "--last", str(self.o.blocks), "--workers", str(workers), "--format", form]

    def seconds(self, stderr):
        return {"seconds": float(re.search(r"TIMING: ([0-9.]+)", stderr).group(1))}


class Alloy(Program):
    name = "alloy"

    def prepare(self):
        cargo = tool("cargo")
        self.sources("Cargo.toml", "src/main.rs")
        run([cargo, "build", "--release", "--quiet"], cwd=self.dir)
        self.command = [str(self.dir / "target/release/fetch-alloy")]
        lock = (self.dir / "Cargo.lock").read_text()
        version = re.search(r'name = "alloy"\nversion = "([^"]*)"', lock).group(1)
        self.version = f"alloy {version}, {first_line(['rustc', '--version'])}"


class Geth(Program):
    name = "geth"

    def prepare(self):
        go = tool("go")
        self.sources("main.go", "go.mod")
        run([go, "mod", "tidy"], cwd=self.dir)
        run([go, "build", "-o", "fetch-geth", "."], cwd=self.dir)
        self.command = [str(self.dir / "fetch-geth")]
        version = run([go, "list", "-m", "-f", "{{.Version}}", "github.com/ethereum/go-ethereum"], cwd=self.dir).strip()
        self.version = f"go-ethereum {version}, {first_line([go, 'version'])}"


class Viem(Program):
    name = "viem"

    def prepare(self):
        node, npm = tool("node"), tool("npm")
        self.sources("fetch.mjs", "package.json")
        if not (self.dir / "node_modules/viem").exists():
            run([npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=0"], cwd=self.dir, seconds=300)
        self.command = [node, str(self.dir / "fetch.mjs")]
        package = json.loads((self.dir / "node_modules/viem/package.json").read_text())
        self.version = f"viem {package['version']}, node {first_line([node, '--version'])}"


class Web3(Program):
    name = "web3.py"

    def prepare(self):
        python = self.dir / "bin/python"
        if not python.exists():
            run([sys.executable, "-m", "venv", str(self.dir)])
        if subprocess.run([python, "-c", "import web3"], stderr=subprocess.DEVNULL).returncode:
            run([python, "-m", "pip", "install", "--quiet", "web3>=8,<9"])
        self.command = [str(python), str(HERE / "fetch_web3.py")]
        version = run([python, "-c", "import importlib.metadata as m; print(m.version('web3'))"]).strip()
        self.version = f"web3.py {version}, Python {platform.python_version()}"


def own_program(o, name, library=""):
    """A C program of this folder; built by make, else by cc."""
    made = o.programs / name
    if made.exists():
        return str(made)
    o.build.mkdir(parents=True, exist_ok=True)
    made = str(o.build / name)
    flags = run([tool("pkg-config"), "--cflags", "--libs", library]).split() if library else []
    run([tool("cc"), "-O2", "-std=c11", "-D_GNU_SOURCE", str(HERE / f"{name}.c"), "-o", made, *flags, "-lpthread"])
    return made


class Own(Program):
    formats = ("none",)
    checked = False

    def prepare(self):
        self.command = [own_program(self.o, self.source, self.library)]
        self.version = f"{self.library} {first_line(['pkg-config', '--modversion', self.library])}"

    def words(self, url, workers, form):
        return [*self.command, url, str(self.o.blocks), str(workers)]


class Discard(Own):
    name, source, library = "discard", "discard", "libcurl"


class Lws(Own):
    name, source, library = "libwebsockets", "lws_client", "libwebsockets"
    transports = ("ws",)


PROGRAMS = (Chaintop, Alloy, Web3, Viem, Geth, Discard, Lws)


# The chain and the node --------------------------------------------------------------------------


def keccak_python():
    """A Python that can run the corpus' mkchain.py."""
    given = os.environ.get("KECCAK_PYTHON", "").split()
    for words in ([given] if given else []) + [[sys.executable], ["/usr/bin/python3"]]:
        if subprocess.run([*words, "-c", "from Crypto.Hash import keccak"], stderr=subprocess.DEVNULL).returncode == 0:
            return words
    raise Skip("no Python with pycryptodome, which mkchain.py needs (pip install pycryptodome)")


def call(url, method, *params):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["result"]


def fetch_chain(url, folder, blocks):
    """The last blocks of the user's own node."""
    head = int(call(url, "eth_blockNumber"), 16)
    for n in range(head - blocks + 1, head + 1):
        path = folder / f"{n}.json"
        if not path.exists():
            path.write_text(json.dumps(call(url, "eth_getBlockByNumber", hex(n), True), separators=(",", ":")))
    for path in folder.glob("*.json"):
        if not head - blocks < int(path.stem) <= head:
            path.unlink()


def make_chain(o):
    if o.chain:
        return o.chain
    folder = o.build / f"chain-{o.blocks}"
    if o.source:
        folder = o.build / f"chain-{o.blocks}-own"
        folder.mkdir(parents=True, exist_ok=True)
        say(f"fetching {o.blocks} blocks")
        fetch_chain(o.source, folder, o.blocks)
        return folder
    if len(list(folder.glob("*.json"))) != o.blocks:
        corpus = os.environ.get("CHAINTOP_CORPUS", "")
        if not os.path.isfile(corpus + "/mkchain.py"):
            raise Skip("CHAINTOP_CORPUS is not set to the corpus; or use --from URL, --chain DIR")
        say(f"making {o.blocks} blocks")
        run([*keccak_python(), corpus + "/mkchain.py", str(folder), "--blocks", str(o.blocks)])
    return folder


class Node:
    def __init__(self, o, chain, work):
        words = [o.chaintop, "serve", chain, "--http", ":0", "--ws", ":0", "--ipc", work + "/node.ipc"]
        self.process = subprocess.Popen([str(w) for w in words], stdout=subprocess.PIPE)
        line = self.process.stdout.readline()
        if not line:
            raise Skip("`chaintop serve` does not start")
        self.urls = json.loads(line)
        self.measure = own_program(o, "measure")

    def cpu(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)


# Measuring ---------------------------------------------------------------------------------------


class Case:
    """One program, transport, number of workers and output; its measurements."""

    def __init__(self, program, transport, workers, output):
        self.program, self.transport, self.workers, self.output = program, transport, workers, output
        self.seconds, self.cpu, self.rss, self.server = [], [], [], []
        self.calls = self.failed = self.seen = None

    def key(self):
        return f"{self.program.name} {self.transport} {self.workers} {self.output}"

    def words(self, node):
        return self.program.words(node.urls[self.transport], self.workers, "none" if self.output == "none" else "pretty")

    def open_output(self, work):
        return open(work + "/output" if self.output == "file" else os.devnull, "wb")

    def measure(self, node, work, keep):
        server, result = node.cpu(), work + "/measured"
        pathlib.Path(result).unlink(missing_ok=True)
        with self.open_output(work) as out, tempfile.TemporaryFile() as err:
            # A group of its own, so that a pool of processes ends with it.
            child = subprocess.Popen([node.measure, result, *self.words(node)], stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                     start_new_session=True)
            try:
                child.wait(JOB_SECONDS)
            except subprocess.TimeoutExpired:
                self.failed = f"took over {JOB_SECONDS} s"
                return
            finally:
                if child.returncode is None:
                    os.killpg(child.pid, signal.SIGKILL)
                    child.wait()
            err.seek(0)
            stderr = err.read().decode(errors="replace")
        took = json.loads(pathlib.Path(result).read_text())
        if took["exit"]:
            self.failed = f"exit {took['exit']}: {(stderr.strip().splitlines() or [''])[-1][:120]}"
            return
        try:
            report = self.program.seconds(stderr)
        except (ValueError, IndexError, AttributeError):
            self.failed = f"no time in {stderr[-120:]!r}"
            return
        self.seen = tuple(report.get(k) for k in ("blocks", "transactions", "gas"))
        self.last = report["seconds"]
        if keep:
            self.seconds.append(report["seconds"])
            self.cpu.append(took["cpu"])
            self.rss.append(took["peak"])
            self.server.append(node.cpu() - server)

    def count_calls(self, node, work):
        log = work + "/strace"
        with self.open_output(work) as out:
            subprocess.run(["strace", "-f", "-c", "-U", "calls,name", "-o", log, *self.words(node)], stdout=out,
                           stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, timeout=JOB_SECONDS)
        for line in pathlib.Path(log).read_text().splitlines():
            fields = line.split()
            if len(fields) == 2 and fields[1] == "total":
                self.calls = int(fields[0])


def measure_all(cases, node, o, work):
    for number in range(o.rounds + 1):
        order = [c for c in cases if not c.failed]
        random.shuffle(order)
        for c in order:
            slow = number > o.slow_rounds and statistics.median(c.seconds) > o.slow
            if slow:
                continue
            c.measure(node, work, keep=number > 0)
            say(f"round {number}/{o.rounds} {c.key()}: {c.failed or format(c.last, '.3f')}")
    if o.syscalls and shutil.which("strace"):
        for c in cases:
            if not c.failed and c.seconds and statistics.median(c.seconds) < o.slow:
                c.count_calls(node, work)


# The tables --------------------------------------------------------------------------------------


def table(head, rows):
    widths = [max(len(str(r[i])) for r in [head, *rows]) for i in range(len(head))]
    lines = ["| " + " | ".join(str(v).ljust(w) for v, w in zip(r, widths)) + " |" for r in [head, *rows]]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join(lines)


def number(v, digits=2):
    return "—" if v is None else f"{v:,.{digits}f}"


def rows_of(cases, o, chain_bytes):
    ours = {(c.transport, c.workers, c.output): c for c in cases if c.program.name == "chaintop" and c.seconds}
    for c in cases:
        if c.failed or not c.seconds:
            yield [c.program.name, c.transport, c.workers, c.failed or "not run", *[""] * 9]
            continue
        s = statistics.median(c.seconds)
        own = ours.get((c.transport, c.workers, c.output))
        ratio = s / statistics.median(own.seconds) if own else None
        yield [
            c.program.name, c.transport, c.workers, number(s, 3), f"{min(c.seconds):.3f}–{max(c.seconds):.3f}", len(c.seconds),
            f"{o.blocks / s:,.0f}", f"{chain_bytes / s / 1e6:,.0f}", number(statistics.median(c.cpu)),
            f"{statistics.median(c.rss) / 1e6:,.0f}", f"{c.calls:,}" if c.calls else "—", number(statistics.median(c.server)),
            number(ratio, 1),
        ]


HEAD = ["program", "via", "workers", "seconds", "spread", "n", "blocks/s", "MB/s", "CPU s", "peak MB", "syscalls", "node's CPU s",
        "× chaintop"]

# What must hold: workers, output, transports, against whom, of what, at least (or at most: negative).
GOALS = [
    (1, "none", ("http", "ws"), "alloy", "seconds", 5), (1, "none", ("ipc",), "alloy", "seconds", 4.5),
    (1, "none", TRANSPORTS, "web3.py", "seconds", 75), (1, "none", TRANSPORTS, "geth", "seconds", 25),
    (8, "none", TRANSPORTS, "alloy", "seconds", 4), (8, "none", TRANSPORTS, "alloy", "cpu", 5),
    (1, "null", TRANSPORTS, "alloy", "seconds", 15), (1, "file", TRANSPORTS, "alloy", "seconds", 15),
    (1, "null", TRANSPORTS, "web3.py", "seconds", 50), (1, "file", TRANSPORTS, "web3.py", "seconds", 50),
    (1, "none", TRANSPORTS, "discard", "seconds", -3), (8, "none", TRANSPORTS, "discard", "seconds", -3),
]
OUTPUTS = {"none": "decoded, not printed", "null": "every field printed to /dev/null", "file": "every field printed to a file"}


def goals(cases):
    """Each goal with what was measured."""
    found = {(c.program.name, c.transport, c.workers, c.output): c for c in cases if c.seconds}
    rows = []
    for workers, output, transports, whom, what, least in GOALS:
        for t in transports:
            ours, other = found.get(("chaintop", t, workers, output)), found.get((whom, t, workers, output))
            if not ours or not other:
                continue
            a, b = (statistics.median(getattr(c, what)) for c in (ours, other))
            ratio = a / b if least < 0 else b / a
            good = ratio <= -least if least < 0 else ratio >= least
            goal = f"≤ {-least}× {whom}" if least < 0 else f"≥ {least}× {whom}"
            rows.append([t, workers, OUTPUTS[output], f"{goal} ({what})", number(ratio, 1), "yes" if good else "no"])
    for (name, t, workers, output), c in found.items():
        if name == "chaintop" and workers == 8:
            peak = statistics.median(c.rss) / (1 << 20)
            rows.append([t, workers, OUTPUTS[output], "peak ≤ 64 MiB", number(peak, 0), "yes" if peak <= 64 else "no"])
    return rows


def machine():
    info = pathlib.Path("/proc/cpuinfo").read_text()
    cpu = re.search(r"model name\s*: (.*)", info)
    memory = re.search(r"MemTotal:\s*(\d+)", pathlib.Path("/proc/meminfo").read_text())
    return (f"{cpu.group(1) if cpu else platform.machine()}, {os.cpu_count()} CPUs, {int(memory.group(1)) / 2**20:.0f} GiB, "
            f"{platform.system()} {platform.release()}")


def report(o, cases, programs, skipped, chain, load):
    files = sorted((p for p in chain.glob("*.json") if p.stem.isdigit()), key=lambda p: int(p.stem))[-o.blocks:]
    chain_bytes = sum(p.stat().st_size for p in files)
    print(f"{o.blocks:,} blocks, {chain_bytes / 1e6:.1f} MB of JSON. {machine()}. Load before the start {load:.2f}.")
    print(f"Medians of {o.rounds} rounds in shuffled order after one that does not count ({o.slow_rounds} where a run takes over "
          f"{o.slow:g} s). CPU and memory are the whole process's; of a pool of processes the largest one's memory.")
    for p in programs:
        print(f"- {p.name}: {p.version}")
    for name, why in skipped:
        print(f"- {name}: SKIP {why}")
    for output, title in OUTPUTS.items():
        some = [c for c in cases if c.output == output]
        if some:
            some.sort(key=lambda c: (c.workers, TRANSPORTS.index(c.transport), programs.index(c.program)))
            print(f"\n### {title}\n\n{table(HEAD, list(rows_of(some, o, chain_bytes)))}")
    rows = goals(cases)
    if rows:
        print(f"\n### what must hold\n\n{table(['via', 'workers', 'output', 'goal', 'measured', 'holds'], rows)}")


def check_seen(cases):
    """All programs must have seen the same."""
    seen = {c.seen for c in cases if c.program.checked and c.seen}
    if len(seen) > 1:
        for c in cases:
            if c.program.checked:
                say(f"{c.key()}: saw {c.seen}")
        return False
    return True


def options():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--chaintop", type=pathlib.Path, default=ROOT / "chaintop")
    p.add_argument("--programs", type=pathlib.Path, default=ROOT / "build/default/tests/bench", help="discard and lws_client")
    p.add_argument("--build", type=pathlib.Path, default=ROOT / "build/bench", help="where the others are built")
    p.add_argument("--blocks", type=int, default=1000)
    p.add_argument("--chain", type=pathlib.Path, help="folder of blocks to use")
    p.add_argument("--from", dest="source", help="HTTP URL of your own node: use its last blocks")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--slow", type=float, default=8, help="seconds from which on a program runs in fewer rounds")
    p.add_argument("--slow-rounds", type=int, default=2)
    p.add_argument("--only", default="", help="programs: " + ",".join(c.name for c in PROGRAMS))
    p.add_argument("--transports", default=",".join(TRANSPORTS))
    p.add_argument("--workers", default="1,8")
    p.add_argument("--outputs", default="none,null,file", help="what to do with decoded blocks")
    p.add_argument("--no-syscalls", dest="syscalls", action="store_false", help="no extra run under strace")
    p.add_argument("--json", type=pathlib.Path, help="also write all measurements there")
    o = p.parse_args()
    if o.rounds < 1 or o.blocks < 1 or o.slow_rounds < 1:
        p.error("at least one")
    return o


def cases_of(programs, o):
    for p in programs:
        for t in o.transports.split(","):
            for w in map(int, o.workers.split(",")):
                for output in o.outputs.split(","):
                    # Printing is a matter of one worker.
                    if t in p.transports and (output == "none" or ("pretty" in p.formats and w == 1)):
                        yield Case(p, t, w, output)


def main():
    # So that the node and what runs end with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    o = options()
    o.chaintop, o.build = o.chaintop.resolve(), o.build.resolve()
    only = o.only.split(",") if o.only else [c.name for c in PROGRAMS]
    programs, skipped = [], []
    if not o.chaintop.exists():
        say(f"SKIP: {o.chaintop} is not built")
        return 77
    try:
        chain = make_chain(o)
    except Skip as why:
        say(f"SKIP: {why}")
        return 77
    for kind in PROGRAMS:
        if kind.name not in only:
            continue
        p = kind(o)
        say(f"preparing {p.name}")
        try:
            p.prepare()
            programs.append(p)
        except Skip as why:
            say(f"SKIP {p.name}: {why}")
            skipped.append((p.name, why))
    load = os.getloadavg()[0]
    cases = list(cases_of(programs, o))
    with tempfile.TemporaryDirectory(dir=o.build) as work, tempfile.TemporaryDirectory() as short:
        node = Node(o, chain, short)
        try:
            measure_all(cases, node, o, work)
        finally:
            node.stop()
    report(o, cases, programs, skipped, chain, load)
    if o.json:
        o.json.write_text(json.dumps([{
            "program": c.program.name, "version": c.program.version, "via": c.transport, "workers": c.workers, "output": c.output,
            "seconds": c.seconds, "cpu": c.cpu, "rss": c.rss, "node_cpu": c.server, "syscalls": c.calls, "failed": c.failed,
        } for c in cases], indent=1))
    return 0 if check_seen(cases) and not any(c.failed for c in cases) else 1


if __name__ == "__main__":
    sys.exit(main())
