#!/usr/bin/env python3
"""What recording costs and how fast a replay is, with real blocks: record.py [--chaintop PATH] [--corpus DIR] [--json]

`chaintop serve` announces blocks of the corpus at 10 a second; `chaintop record` records them for 20 s, and the CPU time of its
threads is read from /proc. Then 500 MB are recorded as fast as they come, and replayed at --speed max.
"""
import argparse
import json
import os
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERTZ = os.sysconf("SC_CLK_TCK")


def threads(pid):
    """{thread: (name, CPU seconds)}"""
    out = {}
    for t in os.listdir(f"/proc/{pid}/task"):
        try:
            stat = open(f"/proc/{pid}/task/{t}/stat").read()
        except OSError:
            continue
        name = stat[stat.index("(") + 1:stat.rindex(")")]
        words = stat[stat.rindex(")") + 2:].split()
        out[t] = (name, (int(words[11]) + int(words[12])) / HERTZ)
    return out


def serve(chaintop, folder, interval):
    p = subprocess.Popen([chaintop, "serve", folder, "--ws", "127.0.0.1:0", "--interval", interval], stdout=subprocess.PIPE, text=True)
    return p, json.loads(p.stdout.readline())["ws"]


def end(p):
    p.send_signal(signal.SIGTERM)
    p.wait()


def info(chaintop, path):
    """Bytes of the file and of its messages."""
    import sqlite3
    db = sqlite3.connect(path)
    raw = db.execute("select sum(bytes) from seg").fetchone()[0]
    return os.path.getsize(path), raw


def recording(o, work, folder, seconds=20):
    node, ws = serve(o.chaintop, folder, "100ms")
    path = os.path.join(work, "ten.ct")
    p = subprocess.Popen([o.chaintop, "record", "-o", path, "--for", f"{seconds + 6}s", ws], stderr=subprocess.DEVNULL)
    time.sleep(4)  # the backfill of the start is over
    before, t0 = threads(p.pid), time.monotonic()
    time.sleep(seconds)
    after, t1 = threads(p.pid), time.monotonic()
    p.wait()
    end(node)
    used = {}
    for t, (name, cpu) in after.items():
        used[name] = used.get(name, 0) + cpu - before.get(t, (name, 0))[1]
    size, raw = info(o.chaintop, path)
    return {
        "recorder_percent": round(100 * used.get("recorder", 0) / (t1 - t0), 2),
        "process_percent": round(100 * sum(used.values()) / (t1 - t0), 2),
        "file_percent_of_raw": round(100 * size / raw, 2),
        "raw_bytes": raw,
    }


def replaying(o, work, folder):
    node, ws = serve(o.chaintop, folder, "15ms")
    path = os.path.join(work, "big.ct")
    subprocess.run([o.chaintop, "record", "-o", path, "--for", "34s", ws], stderr=subprocess.DEVNULL, check=False)
    end(node)
    _, raw = info(o.chaintop, path)
    best = None
    for _ in range(5):
        u0, t0 = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        subprocess.run([o.chaintop, "replay", path, "--once", "--speed", "max"], stdout=subprocess.DEVNULL, check=True)
        wall, u1 = time.monotonic() - t0, resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = u1.ru_utime + u1.ru_stime - u0.ru_utime - u0.ru_stime
        if best is None or wall < best[0]:
            best = (wall, cpu)
    return {
        "raw_bytes": raw,
        "seconds": round(best[0], 3),
        "cpu_seconds": round(best[1], 3),
        "mb_per_s": round(raw / 1e6 / best[0]),
        "mb_per_cpu_s": round(raw / 1e6 / best[1]),
    }


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--chaintop", default=os.path.join(ROOT, "chaintop"))
    p.add_argument("--corpus", default=os.environ.get("CHAINTOP_CORPUS"))
    p.add_argument("--python", default=os.environ.get("KECCAK_PYTHON", "python3"), help="one that can run the corpus' mkchain.py")
    p.add_argument("--json", action="store_true")
    o = p.parse_args()
    if not o.corpus:
        print("record.py: no corpus: set CHAINTOP_CORPUS", file=sys.stderr)
        return 69
    with tempfile.TemporaryDirectory(prefix="chaintop-bench.") as work:
        folder = os.path.join(work, "chain")
        os.mkdir(folder)
        subprocess.run([*shlex.split(o.python), os.path.join(o.corpus, "mkchain.py"), "--blocks", "2000", "--time", "now", "--slot", "1",
                        folder], check=True, stdout=subprocess.DEVNULL)
        result = {"record": recording(o, work, folder), "replay": replaying(o, work, folder)}
    if o.json:
        print(json.dumps(result))
        return 0
    a, b = result["record"], result["replay"]
    print(f"recording 10 blocks/s   {a['recorder_percent']:.1f} % of a core for the recorder, {a['process_percent']:.1f} % for all of chaintop record")
    print(f"file                    {a['file_percent_of_raw']:.1f} % of {a['raw_bytes'] / 1e6:.0f} MB of messages")
    print(f"replay --speed max      {b['mb_per_s']} MB/s: {b['raw_bytes'] / 1e6:.0f} MB in {b['seconds']:.2f} s, {b['cpu_seconds']:.2f} s of CPU")
    return 0


if __name__ == "__main__":
    sys.exit(main())
