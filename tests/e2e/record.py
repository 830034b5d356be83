#!/usr/bin/env python3
"""Recordings that end badly: `chaintop record` is killed at random moments, and what it had written a second before is there.

Environment: CHAINTOP the binary, RECORD_KILLS how many times (40), RECORD_SEED. Speaks TAP.
"""
import http.server
import itertools
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CHAINTOP = os.environ.get("CHAINTOP", os.path.join(ROOT, "chaintop"))
sys.path.insert(0, os.path.join(ROOT, "tests", "faults"))
sys.dont_write_bytecode = True
import node as nodes  # noqa: E402
from tap import Tap  # noqa: E402

KEY = "pl4nted-KEY-9f3c71d2a8"
PASSWORD = "s3cret&pass"
HEADER = "Bearer tok3n-51fe0aa7"


def run(*args, timeout=60):
    return subprocess.run([CHAINTOP, *args], capture_output=True, text=True, timeout=timeout, check=False)


def urls(node):
    return [f"a=ws://127.0.0.1:{node.ws}", f"a=http://127.0.0.1:{node.http}", f"b={node.ipc}"]


def wait_until(cond, seconds):
    end = time.monotonic() + seconds
    while not cond():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def last_wall(path):
    """Wall time of the last frame, in seconds, as any SQLite tool sees it; of the start, if there is none yet."""
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        start = db.execute("select v from meta where k = 'start_wall'").fetchone()[0]
        return (db.execute("select max(wall) from frame where kind in (1, 2, 3, 4)").fetchone()[0] or start) / 1e9
    finally:
        db.close()


class Load:
    """Others that want the processors as much as we do: two for each."""

    def __enter__(self):
        self.work = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * (os.cpu_count() or 1))]

    def __exit__(self, *_):
        for p in self.work:
            p.kill()
            p.wait()


def killed(tap, node, work, times, seed):
    """Each time at another moment; the node talks all the while, and the machine is busy."""
    rnd = random.Random(seed)
    opened = whole = replayed = 0
    worst = 0.0
    bad = []
    for i in range(times):
        path = os.path.join(work, f"kill{i}.ct")
        p = subprocess.Popen([CHAINTOP, "record", "-o", path, *urls(node)], stderr=subprocess.DEVNULL)
        if not wait_until(lambda: os.path.exists(path), 10):
            bad.append(f"{i}: no file")
        time.sleep(rnd.uniform(0.0, 2.2))
        now = time.time()
        p.send_signal(signal.SIGKILL)
        p.wait()
        info = run("info", path)
        check = run("verify", path)
        opened += info.returncode == 0
        whole += check.returncode == 0 and "not ended in order" in check.stdout
        once = run("replay", path, "--once=80x24")
        replayed += once.returncode in (0, 69)
        if info.returncode or check.returncode:
            bad.append(f"{i}: {info.stderr}{check.stderr}")
            continue
        worst = max(worst, now - last_wall(path))
        for suffix in ("", "-wal", "-shm"):
            if os.path.exists(path + suffix):
                os.unlink(path + suffix)
    tap.check(f"killed {times} times: every file opens", opened == times, bad)
    tap.check("every file is whole as far as it goes", whole == times, bad)
    tap.check("every file can be replayed", replayed == times)
    tap.check("at most the last second is lost", worst <= 1.0, f"{worst:.2f} s")
    print(f"# most that was lost: {worst:.2f} s")


def secrets(tap, work):
    """A node that quotes the key in its errors, over every way in which a key can be given."""
    with nodes.Process("--rate", "5", "--fault", "25:status=400") as node:
        path = os.path.join(work, "key.ct")
        log = os.path.join(work, "log")
        words = [
            f"a=http://127.0.0.1:{node.http}/v3/{KEY}?apikey={KEY}2",
            f"b=http://user:{PASSWORD.replace('&', '%26')}@127.0.0.1:{node.http}/",
            f"c=ws://127.0.0.1:{node.ws}/ws/{KEY}",
        ]
        p = run("record", "-o", path, "--for", "3s", "--log", log, "-H", f"Authorization: {HEADER}", *words)
        tap.check("recorded with keys in the URLs", p.returncode == 0, p.stderr)
        data = open(path, "rb").read() + open(log, "rb").read() + p.stderr.encode() + p.stdout.encode()
        db = sqlite3.connect(path)
        texts = b"".join(bytes(r[0] or b"") for r in db.execute("select tail from frame"))
        show = run("replay", path, "--once=200x60").stdout + run("info", path).stdout
        for name, secret in (("key", KEY), ("password", PASSWORD), ("header", HEADER.split()[1])):
            found = [w for w, d in (("file", data), ("frames", texts), ("screen", show.encode())) if secret.encode() in d]
            tap.check(f"the {name} is nowhere", not found, found)


class Refuser(http.server.ThreadingHTTPServer):
    """A JSON-RPC node that answers every call with an error: text(handler) says which."""

    daemon_threads = True

    def __init__(self, text):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                out = [{"jsonrpc": "2.0", "id": c["id"], "error": {"code": -32000, "message": text(self)}}
                       for c in (body if isinstance(body, list) else [body])]
                data = json.dumps(out if isinstance(body, list) else out[0]).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                try:
                    self.wfile.write(data)
                except OSError:
                    pass

            def log_message(self, *args):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


def pieces(key):
    """What is left of a key that is cut: its first eight bytes are enough to look for."""
    return key[:8].encode()


def cut_key(tap, work):
    """The key at every distance from the end of every buffer that an error text goes through: no beginning of it is left."""
    pads = itertools.count(40)
    server = Refuser(lambda h: "x" * (next(pads) % 180) + f" {KEY} {h.headers.get('Authorization')}")
    url = f"http://127.0.0.1:{server.server_port}/v2/{KEY}"
    path, log, header = os.path.join(work, "cut.ct"), os.path.join(work, "cut.log"), f"Authorization: {HEADER}"
    seen = run("record", "-o", path, "--for", "6s", "--log", log, "-H", header, url).stderr.encode()
    for view in ("1", "5", "8"):
        seen += run("replay", path, "--view", view, "--once=200x60").stdout.encode()
    seen += run("--once=200x60", "--timeout", "2s", "-H", header, url).stdout.encode()
    for _ in range(6):
        p = run("fetch", url, "--last", "3", "-H", header)
        q = run("rpc", url, "eth_chainId", "-H", header)
        seen += (p.stdout + p.stderr + q.stderr).encode()
    server.shutdown()
    db = sqlite3.connect(path)
    texts = b"".join(bytes(r[0] or b"") for r in db.execute("select tail from frame"))
    tap.check("long error texts were met", next(pads) > 100 and b"xxxx" in texts)
    for name, secret in (("key", KEY), ("header", HEADER.split()[1])):
        found = [w for w, d in (("frames", texts), ("file", open(path, "rb").read()), ("log", open(log, "rb").read()), ("output", seen))
                 if pieces(secret) in d]
        tap.check(f"no beginning of the {name} either", not found, found)


def quotes_key(tap, work):
    """The blotting itself: a JSON-RPC node that answers with the URL it was asked by."""
    server = Refuser(lambda h: f"no such project: {h.path} {h.headers.get('Authorization')} {KEY}")
    path = os.path.join(work, "echo.ct")
    run("record", "-o", path, "--for", "2s", "-H", f"Authorization: {HEADER}",
        f"http://127.0.0.1:{server.server_port}/v2/{KEY}")
    server.shutdown()
    db = sqlite3.connect(path)
    texts = b"".join(bytes(r[0] or b"") for r in db.execute("select tail from frame"))
    data = open(path, "rb").read()
    tap.check("what the node says is recorded", b"no such project: /v2/***" in texts, texts[:500])
    tap.check("the key that it quotes is not", KEY.encode() not in data and HEADER.encode() not in data)


def options(tap, node, work):
    """Ends, names, errors."""
    path = os.path.join(work, "five.ct")
    p = run("record", "-o", path, "-c", "5", *urls(node))
    heads = sqlite3.connect(path).execute("select count(*) from mark where kind = 0").fetchone()[0]
    tap.check("--heads ends it", p.returncode == 0 and heads >= 5, p.stderr)
    tap.check("a clean end leaves one file", not [f for f in os.listdir(work) if f.startswith("five.ct-")])
    tap.check("mode 0600", os.stat(path).st_mode & 0o777 == 0o600)
    p = run("record", "-o", path, "--for", "1s", *urls(node))
    tap.check("a file that is there is not overwritten", p.returncode == 64 and "there already" in p.stderr, p.stderr)
    p = run("record", "-o", os.path.join(work, "no", "dir.ct"), *urls(node))
    tap.check("no such folder", p.returncode == 69 and "No such file" in p.stderr, p.stderr)
    tap.check("no file named", run("record", *urls(node)).returncode == 64)
    tap.check("stdout is refused", run("record", "-o", "-", *urls(node)).returncode == 64)
    p = run("record", "-o", os.path.join(work, "turn.ct"), "-G", "1s", "--for", "3500ms", *urls(node))
    turned = sorted(f for f in os.listdir(work) if f.startswith("turn-"))
    tap.check("--rotate makes a file a second", len(turned) in (3, 4), turned)
    ok = [run("replay", os.path.join(work, f), "--once=80x24").returncode for f in turned]
    # On a busy machine the first may end before a block was heard: 69.
    tap.check("each of them stands by itself", ok and ok[-1] == 0 and not set(ok) - {0, 69}, ok)
    p = run("record", "-o", os.path.join(work, "none.ct"), "--for", "500ms", "http://127.0.0.1:1")
    tap.check("nothing answered: 69", p.returncode == 69, p.stderr)
    # In a folder where nothing can be written.
    closed = os.path.join(work, "closed")
    os.mkdir(closed)
    os.rename(path, os.path.join(closed, "five.ct"))
    os.chmod(closed, 0o555)
    p = run("replay", os.path.join(closed, "five.ct"), "--once=80x24")
    tap.check("plays from a read-only folder", p.returncode == 0, p.stderr)
    os.chmod(closed, 0o755)


def foreign(tap, work):
    def wrong(name, data, word):
        path = os.path.join(work, name)
        with open(path, "wb") as f:
            f.write(data)
        for command in ("info", "verify", "replay"):
            p = run(command, path)
            tap.check(f"{command} {name}: an error that says why", p.returncode in (1, 69) and word in p.stderr and
                      p.stderr.count("\n") == 1, p.stderr)

    wrong("empty.ct", b"", "empty")
    wrong("text.ct", b"hello, world\n" * 100, "not a recording")
    db = sqlite3.connect(os.path.join(work, "other.db"))
    db.executescript("create table frame(x); insert into frame values(1);")
    db.close()
    wrong("other.ct", open(os.path.join(work, "other.db"), "rb").read(), "not a recording")


def damaged(tap, work):
    """A recording of the repository with bits changed, and cut: never a crash, always a line that says what."""
    with open(os.path.join(ROOT, "tests", "data", "states", "silent.ct"), "rb") as f:
        data = f.read()
    rnd = random.Random(7)
    path = os.path.join(work, "damaged.ct")
    bad, dumb = [], []
    for i in range(24):
        if i % 2:
            d = data[:rnd.randrange(1, len(data))]
        else:
            d = bytearray(data)
            for _ in range(rnd.choice((1, 4, 40))):
                d[rnd.randrange(len(d))] ^= 1 << rnd.randrange(8)
        with open(path, "wb") as f:
            f.write(d)
        for args in (["info"], ["verify"], ["replay", "--once=80x24"]):
            p = run(args[0], path, *args[1:])
            if p.returncode not in (0, 1, 69):
                bad.append(f"{i} {args[0]}: {p.returncode} {p.stderr[:200]}")
            if p.returncode and not all(re.match("chaintop: (.*damaged|.*not a recording|frame [0-9]+: |and more)", line)
                                        for line in p.stderr.splitlines()):
                dumb.append(f"{i} {args[0]}: {p.stderr[:300]}")
    tap.check("24 damaged files: no crash", not bad, bad)
    tap.check("each error says what is damaged", not dumb, dumb)


def full_disk(tap, node, work):
    """A limit on the file's size stands for a full disk."""
    path = os.path.join(work, "full.ct")
    p = subprocess.run(["bash", "-c", f"ulimit -f 120; exec {CHAINTOP} record -o {path} --for 6s " + " ".join(urls(node))],
                       capture_output=True, text=True, timeout=60, check=False)
    tap.check("a full disk does not end it", p.returncode == 1 and "00:00:06" in p.stderr and
              "messages not recorded" in p.stderr, p.stderr)
    v = run("verify", path)
    tap.check("what was written before is whole", v.returncode == 0, v.stdout + v.stderr)


def main():
    tap = Tap()
    kills = int(os.environ.get("RECORD_KILLS") or (10 if os.environ.get("E2E_SANITIZED") else 40))
    seed = int(os.environ.get("RECORD_SEED", str(int(time.time()))))
    print(f"# seed {seed}")
    if not os.access(CHAINTOP, os.X_OK):
        print(f"1..0 # SKIP {CHAINTOP} is not built")
        return 77
    os.environ["TZ"] = "UTC"
    time.tzset()
    with tempfile.TemporaryDirectory(prefix="chaintop-record.") as work:
        with nodes.Process("--rate", "10") as node:
            with Load():
                killed(tap, node, work, kills, seed)
            options(tap, node, work)
            full_disk(tap, node, work)
        secrets(tap, work)
        quotes_key(tap, work)
        cut_key(tap, work)
        foreign(tap, work)
        damaged(tap, work)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
