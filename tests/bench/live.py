#!/usr/bin/env python3
"""What the live monitor costs, on real blocks: the figures of README's "What it costs".

    live.py [--chaintop PATH] [--seconds N] [--idle N]      needs CHAINTOP_CORPUS, tmux, a Python for mkchain.py (KECCAK_PYTHON)

Three paths (ws, ipc, http) to one scripted node (tests/faults/node.py) that serves real mainnet blocks at one a second, the
overview open in a terminal of 160x45. Prints a Markdown table: CPU, resident memory, socket to screen, first frame, full table, and
CPU while no block comes. CPU is the process's own user + system time from /proc.
"""
import argparse, json, os, pathlib, pty, re, select, shutil, struct, subprocess, sys, tempfile, termios, time, fcntl, urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TICK = os.sysconf("SC_CLK_TCK")

def cpu(pid):
    f = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(f[11]) + int(f[12])) / TICK

def rss(pid):
    m = re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())
    return int(m.group(1)) / 1024

class Node:
    def __init__(self, chain):
        self.p = subprocess.Popen([sys.executable, "-B", ROOT / "tests/faults/node.py", "--dir", chain, "--rate", "1", "--head", "now",
                                   "--for", "3000", "--stdin-guard"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.at = json.loads(self.p.stdout.readline())
    def paths(self):
        return [f"node=ws://127.0.0.1:{self.at['ws']}", f"node={self.at['ipc']}", f"other=http://127.0.0.1:{self.at['http']}"]
    def control(self, method):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": []}).encode()
        with urllib.request.urlopen(f"http://127.0.0.1:{self.at['control']}", body, timeout=10) as r:
            return json.load(r)
    def stop(self):
        self.p.stdin.close()
        self.p.wait(20)

def first_frame(chaintop, paths):
    """Milliseconds from exec to the first frame, as a terminal of 160x45 receives it."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8")
        time.sleep(0.2)  # until the parent has set the size
        os.execv(chaintop, [chaintop, *paths])
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 45, 160, 0, 0))
    start, text = time.monotonic() + 0.2, ""
    while "Blocks" not in text and time.monotonic() < start + 5:
        if select.select([fd], [], [], 0.05)[0]:
            text += os.read(fd, 65536).decode("utf-8", "replace")
    first = (time.monotonic() - start) * 1000
    os.write(fd, b"q")
    while select.select([fd], [], [], 5)[0]:
        try:
            if not os.read(fd, 65536):
                break
        except OSError:  # the other side is closed
            break
    os.close(fd)
    os.waitpid(pid, 0)
    return first

def full_table(tmp, chaintop, paths):
    """Milliseconds from the start of the terminal to 23 rows that are whole: number, transactions, tip and the verified mark."""
    start = time.monotonic()
    t = Terminal(tmp, chaintop, paths)
    full = None
    while full is None and time.monotonic() < start + 10:
        rows = re.findall(r"\d\d,\d{3},\d{3} .*\u2713", t.tmux("capture-pane", "-p"))
        if len(rows) >= 23:
            full = (time.monotonic() - start) * 1000
    t.tmux("kill-server")
    return full

class Terminal:
    made = 0
    def __init__(self, tmp, chaintop, paths):
        # tmux does not always start again on a socket whose server was just ended.
        Terminal.made += 1
        self.sock = str(tmp / f"tmux{Terminal.made}")
        self.tmux("new-session", "-d", "-x", "160", "-y", "45", f"exec {chaintop} {' '.join(paths)}")
        self.pid = int(self.tmux("list-panes", "-F", "#{pane_pid}"))
    def tmux(self, *words):
        return subprocess.run(["tmux", "-S", self.sock, "-f", "/dev/null", *words], capture_output=True, text=True,
                              env=dict(os.environ, LC_ALL="C.UTF-8"), check=True).stdout
    def glass(self):
        self.tmux("send-keys", "8")
        end = time.monotonic() + 5
        while time.monotonic() < end:
            m = re.search(r"glass\s+p50 ([\d.]+ \S+)\s+p99 ([\d.]+ \S+)", self.tmux("capture-pane", "-p"))
            if m:
                self.tmux("send-keys", "1")
                return m.groups()
            time.sleep(0.05)
        return "\u2014", "\u2014"

def main():
    a = argparse.ArgumentParser()
    a.add_argument("--chaintop", default=str(ROOT / "chaintop"))
    a.add_argument("--seconds", type=int, default=120)
    a.add_argument("--idle", type=int, default=30)
    o = a.parse_args()
    corpus = os.environ.get("CHAINTOP_CORPUS")
    if not corpus or not shutil.which("tmux"):
        sys.exit("live.py: SKIP: needs CHAINTOP_CORPUS and tmux")
    tmp = pathlib.Path(tempfile.mkdtemp(prefix="chaintop-live."))
    node = None
    try:
        subprocess.run([os.environ.get("KECCAK_PYTHON", sys.executable), f"{corpus}/mkchain.py", tmp / "chain", "--time", "now", "--slot", "1",
                        "--after", "15537394", "--blocks", str(300 + o.seconds * 2 + o.idle)], check=True)
        node = Node(tmp / "chain")
        firsts = [first_frame(o.chaintop, node.paths()) for _ in range(5)]
        fulls = [full_table(tmp, o.chaintop, node.paths()) for _ in range(5)]
        t = Terminal(tmp, o.chaintop, node.paths())
        time.sleep(5)  # past the start
        c0, t0 = cpu(t.pid), time.monotonic()
        time.sleep(o.seconds)
        live = (cpu(t.pid) - c0) / (time.monotonic() - t0)
        p50, p99 = t.glass()
        node.control("test_pause")
        time.sleep(3)
        c0, t0 = cpu(t.pid), time.monotonic()
        time.sleep(o.idle)
        idle = (cpu(t.pid) - c0) / (time.monotonic() - t0)
        peak = rss(t.pid)
        t.tmux("kill-server")
        show = lambda v: "%.0f ms (of 5: %s)" % (sorted(v)[2], ", ".join("%.0f" % x for x in v)) if None not in v else "more than 10 s"
        print(f"| three paths, real blocks at 1/s, overview at 160x45 | {o.seconds} s |\n|---|---|")
        print(f"| CPU | {live * 100:.2f} % of a core |\n| peak RSS | {peak:.1f} MB |")
        print(f"| socket to screen | p50 {p50}, p99 {p99} |")
        print(f"| first frame | {show(firsts)} |\n| all rows of the blocks table whole | {show(fulls)} |")
        print(f"| CPU, no new heads for {o.idle} s | {idle * 100:.2f} % of a core |")
    finally:
        if node:
            node.stop()
        shutil.rmtree(tmp, ignore_errors=True)

if __name__ == "__main__":
    main()
