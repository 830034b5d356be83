#!/usr/bin/env python3
"""What a flood costs: 50 paths, 10 blocks a second, more than 1,000 real transactions in each.

    load.py [--chaintop PATH] [--seconds N] [--paths N] [--rate N]     needs CHAINTOP_CORPUS, tmux, a Python for mkchain.py (KECCAK_PYTHON)

One `chaintop serve` announces the blocks over WebSocket to 50 connections, each a node of its own for the monitor, with the overview
open in a terminal of 160x45. Prints a Markdown table of what the monitor says of itself (view 8) and what /proc says of it: heads heard,
events dropped, frames a second, resident memory, CPU, verification.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from live import Terminal, cpu, rss

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TXS = 1000


def chain(tmp, corpus, blocks):
    """A chain of the corpus' blocks that have enough transactions."""
    src = tmp / "src"
    src.mkdir()
    for p in pathlib.Path(corpus, "mainnet").glob("*.json"):
        if len(json.loads(p.read_bytes())["transactions"]) >= TXS:
            (src / p.name).symlink_to(p)
    subprocess.run([*os.environ.get("KECCAK_PYTHON", sys.executable).split(), f"{corpus}/mkchain.py", tmp / "chain", "--src", src, "--slot", "1",
                    "--blocks", str(blocks)], check=True)
    return tmp / "chain"


def own(t):
    """Frames, dropped events, heads on the screen and the line of verification, with the time at which they were read."""
    t.tmux("send-keys", "8")
    end = time.monotonic() + 10
    while time.monotonic() < end:
        text = t.tmux("capture-pane", "-p")
        frames = re.search(r"frames\s+([\d,]+)\s", text)
        drops = re.search(r"drops\s+([\d,]+)\s", text)
        verify = re.search(r"verify\s+(p50 [^\u2502]*?)\s*\u2502", text)
        head = re.search(r"\s([\d,]+) [\u2713?]", text)
        if frames and drops and verify and head:
            now = time.monotonic()
            t.tmux("send-keys", "1")
            number = lambda m: int(m.group(1).replace(",", ""))
            return now, number(frames), number(drops), number(head), verify.group(1)
        time.sleep(0.05)
    sys.exit("load.py: view 8 does not say what it should:\n" + text)


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--chaintop", default=str(ROOT / "chaintop"))
    a.add_argument("--seconds", type=int, default=60)
    a.add_argument("--paths", type=int, default=50)
    a.add_argument("--rate", type=int, default=10)
    o = a.parse_args()
    corpus = os.environ.get("CHAINTOP_CORPUS")
    if not corpus or not shutil.which("tmux"):
        sys.exit("load.py: SKIP: needs CHAINTOP_CORPUS and tmux")
    tmp = pathlib.Path(tempfile.mkdtemp(prefix="chaintop-load."))
    serve = t = None
    try:
        folder = chain(tmp, corpus, (o.seconds + 30) * o.rate + 50)
        serve = subprocess.Popen([o.chaintop, "serve", folder, "--ws", ":0", "--interval", f"{1000 // o.rate}ms"], stdout=subprocess.PIPE)
        url = json.loads(serve.stdout.readline())["ws"]
        t = Terminal(tmp, o.chaintop, [f"n{i:02}={url}" for i in range(o.paths)])
        time.sleep(8)  # past the start
        at, frames, drops, head, _ = own(t)
        c0, s0 = cpu(t.pid), cpu(serve.pid)
        time.sleep(o.seconds)
        c1, s1 = cpu(t.pid), cpu(serve.pid)
        at2, frames2, drops2, head2, verify = own(t)
        took = at2 - at
        print(f"| {o.paths} paths, {o.rate} blocks/s, at least {TXS:,} transactions each, overview at 160x45 | {took:.0f} s |\n|---|---|")
        print(f"| heads shown | {head2 - head:,} ({(head2 - head) / took:.1f}/s) |")
        print(f"| events dropped, since the start | {drops2:,} |")
        print(f"| frames | {(frames2 - frames) / took:.1f}/s |")
        print(f"| peak RSS | {rss(t.pid):.0f} MB |")
        print(f"| CPU of the monitor, of the node | {(c1 - c0) / took * 100:.0f} %, {(s1 - s0) / took * 100:.0f} % of a core |")
        print(f"| verification of a block | {verify} |")
    finally:
        if t:
            t.tmux("kill-server")
        if serve:
            serve.terminate()
            serve.wait(10)
        shutil.rmtree(tmp, ignore_errors=True)


if __name__ == "__main__":
    main()
