#!/usr/bin/env python3
"""A soak: monitor and recorder watch an anvil that mines a block a second, with a reorg and a restart in every minute.

Environment: CHAINTOP, ANVIL; SOAK_SECONDS (1800), SOAK_FILL blocks that are mined quickly before (10500), SOAK_SERIES a file for the
resident sizes (CSV), E2E_SANITIZED: sizes are the sanitizer's own and are only shown. Speaks TAP.

What must hold: both live and know the head in the end, after every restart it is shown again, nothing is said by a sanitizer, and the
resident size is flat within 5 %. Flat from when? The model keeps digests of the last 10,000 blocks and bodies in a budget of bytes,
and it is meant to fill both: so that many blocks are mined first, as fast as they can be followed, with as many transactions as those
that come after them. What the rewind keeps is bounded by time: half a minute of it, so that it is full, too. Then a minute passes, and
from there on the least and the most of the minutes' medians may be 5 % apart.
"""
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(ROOT, "tests", d) for d in ("data", "e2e")]
import traffic  # noqa: E402
from tap import Tap  # noqa: E402

CHAINTOP = os.path.abspath(os.environ.get("CHAINTOP", os.path.join(ROOT, "chaintop")))
ANVIL = os.environ.get("ANVIL", "")
SECONDS = int(os.environ.get("SOAK_SECONDS", "1800"))
FILL = int(os.environ.get("SOAK_FILL", "10500"))
SANITIZED = bool(os.environ.get("E2E_SANITIZED"))
PERIOD = 60 if SECONDS >= 120 else 20  # of a reorg and a restart
MIX = 7  # blocks have 0 … 6 transactions
BACK_WITHIN = 25  # seconds from a restart until the head is shown again


class Chain:
    """The anvil, and how it is driven."""

    def __init__(self, work):
        self.work, self.process, self.port = work, None, 0
        self.ipc = os.path.join(work, "anvil.ipc")
        self.rng = random.Random(1)

    def start(self):
        argv = [ANVIL, "--port", str(self.port), "--no-mining", "--max-persisted-states", "16", "--ipc", self.ipc,
                "--state", os.path.join(self.work, "state.json"), "--state-interval", "100000"]
        log = open(os.path.join(self.work, "anvil.log"), "ab")
        mark = log.tell()
        self.process = subprocess.Popen(argv, stdout=log, stderr=log)
        end = time.monotonic() + 60
        while True:
            text = open(log.name, "rb").read()[mark:].decode(errors="replace")
            found = re.search(r"Listening on 127\.0\.0\.1:(\d+)", text)
            if found:
                self.port = int(found.group(1))
                break
            if time.monotonic() > end or self.process.poll() is not None:
                raise RuntimeError("anvil does not start: " + text[-300:])
            time.sleep(0.05)
        self.rpc = traffic.Node(f"http://127.0.0.1:{self.port}")
        self.accounts = self.rpc.call("eth_accounts")

    def stop(self):
        if self.process:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait()
        self.process = None

    def head(self):
        return int(self.rpc.call("eth_blockNumber"), 16)

    def block(self, txs):
        for _ in range(txs):
            tx = {"from": self.rng.choice(self.accounts), "to": "0x" + "%040x" % self.rng.getrandbits(160), "value": "0x1",
                  "data": "0x" + "%064x" % self.rng.getrandbits(256)}
            self.rpc.call("eth_sendTransaction", tx)
        self.rpc.call("evm_mine")


def resident(pid):
    with open(f"/proc/{pid}/status") as f:
        return int(re.search(r"VmRSS:\s+(\d+)", f.read()).group(1))  # KiB


class Watchers:
    """The monitor in a terminal of 160x45, and a recorder, on three paths each."""

    def __init__(self, work, chain):
        self.work = work
        self.log = os.path.join(work, "asan")
        self.env = dict(os.environ, LC_ALL="C.UTF-8", HOME=work, XDG_STATE_HOME=work + "/state", XDG_CONFIG_HOME=work + "/config")
        for key in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
            self.env[key] = f"log_path={self.log}:exitcode=86:" + os.environ.get(key, "")
        urls = [f"one=ws://127.0.0.1:{chain.port}", f"one={chain.ipc}", f"two=http://127.0.0.1:{chain.port}"]
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", "160", "-y", "45",
                  f"{CHAINTOP} --rewind 30s {' '.join(urls)} 2>{work}/monitor.err; echo $? >{work}/monitor.exit")
        shell = int(self.tmux("list-panes", "-F", "#{pane_pid}"))
        end = time.monotonic() + 20
        self.monitor = 0
        while not self.monitor and time.monotonic() < end:
            got = subprocess.run(["pgrep", "-P", str(shell)], capture_output=True, text=True, check=False).stdout.split()
            self.monitor = int(got[0]) if got else 0
            time.sleep(0.05)
        self.recorder = subprocess.Popen([CHAINTOP, "record", "-o", os.path.join(work, "soak.ct"), "-G", "5m", *urls],
                                         stderr=open(os.path.join(work, "record.err"), "w"), env=self.env)
        self.pids = {"monitor": self.monitor, "recorder": self.recorder.pid}

    def tmux(self, *args):
        return subprocess.run(["tmux", "-S", self.work + "/tmux", *args], env=self.env, capture_output=True, text=True,
                              check=False).stdout

    def screen(self):
        return self.tmux("capture-pane", "-p")

    def shown(self):
        """Number of the newest block on the first line; −1 if there is none."""
        found = re.search(r"^ \S.*?  ([0-9,]+) ", self.screen())
        return int(found.group(1).replace(",", "")) if found else -1

    def sizes(self):
        out = {}
        for name, pid in self.pids.items():
            try:
                out[name] = resident(pid)
            except (OSError, AttributeError):
                out[name] = 0
        return out

    def stop(self):
        self.tmux("send-keys", "q")
        self.recorder.send_signal(signal.SIGINT)
        code = self.recorder.wait(60)
        end = time.monotonic() + 60
        path = os.path.join(self.work, "monitor.exit")
        while not os.path.exists(path) and time.monotonic() < end:
            time.sleep(0.05)
        monitor = int(open(path).read()) if os.path.exists(path) else None
        self.tmux("kill-server")
        return monitor, code

    def said(self):
        """Reports of sanitizers."""
        texts = [open(os.path.join(self.work, f), errors="replace").read() for f in os.listdir(self.work) if f.startswith("asan")]
        texts.append(open(os.path.join(self.work, "monitor.err"), errors="replace").read())
        return [t[:2000] for t in texts if "ERROR: " in t or "runtime error" in t]


def wait_shown(w, chain, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if w.shown() >= chain.head():
            return True
        time.sleep(0.1)
    return False


def fill(chain, w):
    """As many blocks as the model keeps, no faster than they can be followed."""
    for i in range(FILL):
        chain.block(i % MIX)
        while i % 50 == 49 and w.shown() < chain.head() - 100:
            time.sleep(0.02)


def run(tap, chain, w, series):
    start = next_at = time.monotonic()
    n, restarts, late = 0, 0, []
    while time.monotonic() - start < SECONDS:
        n += 1
        chain.block(n % MIX)
        if n % PERIOD == PERIOD // 3:
            chain.rpc.call("anvil_reorg", 1 + n // PERIOD % 5, [])
        if n % PERIOD == 2 * PERIOD // 3:
            chain.stop()
            chain.start()
            chain.block(1)
            restarts += 1
            if not wait_shown(w, chain, BACK_WITHIN):
                late.append(f"after restart {restarts}: {w.shown()} of {chain.head()}")
        if n % 5 == 0:
            at, sizes = time.monotonic() - start, w.sizes()
            series.append((at, sizes))
            if os.environ.get("SOAK_SERIES"):
                with open(os.environ["SOAK_SERIES"], "a") as f:
                    f.write(f"{at:.0f},{sizes['monitor']},{sizes['recorder']}\n")
        next_at = max(next_at + 1, time.monotonic())  # the time of a restart is not made up for
        time.sleep(next_at - time.monotonic() if next_at > time.monotonic() else 0)
    tap.check(f"{n} blocks, {restarts} restarts: the head is shown again within {BACK_WITHIN} s", restarts and not late, late)


def flat(tap, series, name):
    minutes = {}
    for at, sizes in series:
        minutes.setdefault(int(at // 60), []).append(sizes[name])
    medians = [statistics.median(v) for k, v in sorted(minutes.items()) if k >= 1 or SECONDS < 180]
    print(f"# {name}, KiB, median of each minute: {' '.join(f'{m:.0f}' for m in medians)}")
    if SANITIZED or SECONDS < 300:
        return
    spread = max(medians) / min(medians) - 1
    tap.check(f"{name}: resident size flat within 5 %", spread <= 0.05, f"{100 * spread:.1f} %")


def main():
    tap = Tap()
    if not ANVIL:
        print("1..0 # SKIP no anvil: " + (os.environ.get("ANVIL_WHY") or "name one in ANVIL"))
        return 77
    with tempfile.TemporaryDirectory(prefix="chaintop-soak.") as work:
        chain = Chain(work)
        w = None
        try:
            chain.start()
            w = Watchers(work, chain)
            tap.check("the monitor shows the chain", wait_shown(w, chain, 20), w.screen())
            begin = time.monotonic()
            fill(chain, w)
            tap.check(f"{FILL} blocks, quickly", wait_shown(w, chain, 60), f"{w.shown()} of {chain.head()}")
            print(f"# {FILL} blocks in {time.monotonic() - begin:.0f} s, then {w.sizes()}")
            series = []
            run(tap, chain, w, series)
            tap.check("the head is shown in the end", wait_shown(w, chain, BACK_WITHIN), f"{w.shown()} of {chain.head()}")
            alive = os.path.exists(f"/proc/{w.monitor}") and w.recorder.poll() is None
            tap.check("both live", alive, w.screen())
            for name in w.pids:
                flat(tap, series, name)
            screen = w.screen()
            codes = w.stop()
            tap.check("both end in order", codes == (0, 0), f"{codes}\n{open(work + '/monitor.err').read()[-1000:]}\n{screen}")
            tap.check("nothing from a sanitizer", not w.said(), w.said())
            files = sorted(f for f in os.listdir(work) if f.endswith(".ct"))
            whole = [subprocess.run([CHAINTOP, "verify", os.path.join(work, f)], capture_output=True, check=False).returncode
                     for f in files]
            tap.check(f"{len(files)} recordings are whole", files and not any(whole), whole)
            w = None
        finally:
            if w:
                w.stop()
            chain.stop()
    print(f"1..{tap.n}")
    return tap.bad != 0


if __name__ == "__main__":
    sys.exit(main())
