#!/usr/bin/env python3
"""A scripted JSON-RPC node for tests: HTTP, WebSocket and unix socket at once, with faults.

As a program it prints one JSON line with its addresses when it is ready, and serves for --for
seconds. As a library: Node(...).start(), or Process([...]) for a node in a process of its own.
README.md says how it is driven and how to add a fault.
"""
import argparse
import collections
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import chain as chains  # noqa: E402
import kinds  # noqa: E402
import pool as pools  # noqa: E402
import tls  # noqa: E402
from rpc import RpcError, dump, error_reply, notification, reply  # noqa: E402
from transports import CLOSE, MUTE, RESET, Listeners  # noqa: E402

SAFE_LAG, FINALIZED_LAG = 32, 64
REMEMBERED_CONNS, REMEMBERED_IDS, REMEMBERED_BODIES = 1000, 100_000, 100_000


class Subscription:
    def __init__(self, id_, what, whole=False):
        self.id, self.what = id_, what  # id: as it is written in notifications, JSON
        self.whole = whole  # newPendingTransactions: objects instead of hashes
        self.memo = {}


class Node:
    """The node. Everything that changes is under `lock`; connections have their own queues."""

    def __init__(self, chain, head=None, interval=None, chain_id=None, log=None):
        """interval: seconds between heads, None for a chain that only test_advance moves.
        log: a file object that gets one JSON line for each head and body sent."""
        self.chain, self.interval = chain, interval
        self.head = chain.last if head is None else head
        self.settings = {
            "chainId": chain_id if chain_id is not None else getattr(chain, "chain_id", 1),
            "clientVersion": "faultnode/v1.0.0/python", "syncing": False, "peerCount": 50,
            "gasPrice": 10 ** 9, "txpool": {"pending": 150, "queued": 20}, "config": None}
        self.logfile, self.log_lock = log, threading.Lock()
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)
        self.listeners = Listeners(self)
        self.conns, self.gone = {}, collections.deque(maxlen=REMEMBERED_CONNS)
        self.stats = collections.defaultdict(collections.Counter)
        self.bodies = collections.OrderedDict()
        self.next_conn, self.next_sub = 1, 1
        self.faults = []
        self.paused, self.due = None, None
        self.running = False
        self.folder = None
        self.pool = None  # pools.Pool: announces what is in blocks to come
        self.methods = {name: getattr(self, "do_" + name) for name in (
            "eth_chainId", "net_version", "eth_blockNumber", "eth_getBlockByNumber",
            "eth_getBlockByHash", "eth_syncing", "net_peerCount", "txpool_status",
            "web3_clientVersion", "eth_gasPrice", "eth_config", "eth_subscribe",
            "eth_unsubscribe")}

    # ---- life

    def start(self, http=0, ws=0, ipc="", tls_kind=None, first_at=None):
        """Listens and returns the addresses. None leaves a transport out; 0 is any port; "" is a
        socket in a temporary folder. first_at: monotonic time of the first live head."""
        self.folder = tempfile.mkdtemp(prefix="faultnode-")
        at = {"chainId": self.settings["chainId"], "head": self.head, "pid": os.getpid()}
        if http is not None:
            at["http"] = self.listeners.add("http", http)
        if ws is not None:
            at["ws"] = self.listeners.add("ws", ws)
        if ipc is not None:
            at["ipc"] = self.listeners.add("ipc", ipc or os.path.join(self.folder, "node.ipc"))
        if tls_kind:
            context, at["cacert"] = tls.context(self.folder, tls_kind)
            if http is not None:
                at["https"] = self.listeners.add("https", 0, context)
            if ws is not None:
                at["wss"] = self.listeners.add("wss", 0, context)
        at["control"] = self.listeners.add("control", 0)
        self.running = True
        if self.interval:
            self.due = first_at or time.monotonic() + self.interval
        self.listeners.start()
        threading.Thread(target=self._tick_loop, daemon=True).start()
        if self.pool:
            with self.lock:
                self.pool.plan()
        for fault in self.faults:
            self.start_fault(fault)
        return at

    def stop(self):
        with self.lock:
            for name in ("http", "ws", "ipc"):
                path = self.listeners.addresses.get(name)
                if isinstance(path, str) and os.path.exists(path):
                    os.unlink(path)
            self.running = False
            self.faults = []
            self.listeners.stop()
            self.changed.notify_all()
            conns = list(self.conns.values())
        for conn in conns:
            conn.kill()
        self.listeners.join(5)
        shutil.rmtree(self.folder, ignore_errors=True)

    def log(self, **record):
        if self.logfile:
            record.setdefault("ns", time.monotonic_ns())
            record.setdefault("wall", time.time_ns())
            with self.log_lock:
                self.logfile.write(json.dumps(record) + "\n")
                self.logfile.flush()

    def accepted(self, cls, sock, context):
        with self.lock:
            conn = cls(self, sock, self.next_conn, context)
            self.next_conn += 1
            self.conns[conn.number] = conn
            self.stats["accepts"][conn.path] += 1
        self.log(ev="accept", path=conn.path, conn=conn.number)
        conn.start()

    def forget(self, conn):
        with self.lock:
            self.conns.pop(conn.number, None)
            if conn.path != "control":
                self.gone.append(self._conn_stats(conn, False))
        self.log(ev="gone", path=conn.path, conn=conn.number)

    # ---- heads

    def _tick_loop(self):
        while True:
            with self.lock:
                if not self.running:
                    return
                if self.due is None:
                    self.changed.wait()
                    continue
                left = self.due - time.monotonic()
                if left > self.interval / 2:  # first half: bodies of the last head are asked for
                    self.changed.wait(left - self.interval / 2)
                elif left > 0:
                    self.chain.block(self.head + 1)  # a file is read and decoded before its time
                    self.changed.wait(max(self.due - time.monotonic(), 0))
                else:
                    # Kept to the schedule, except where it is hopelessly late.
                    self.due = max(self.due + self.interval, time.monotonic() - 1)
                    if self.paused != "all":
                        self.advance(1)
                        if self.pool:
                            self.pool.plan()

    def set_interval(self, seconds):
        with self.lock:
            self.interval = seconds or None
            self.due = time.monotonic() + seconds if seconds else None
            self.changed.notify_all()

    def advance(self, n=1, announce=True):
        """Moves the head by n blocks; false if the chain ends before."""
        with self.lock:
            for _ in range(n):
                if self.head >= self.chain.last and not self.chain.extend():
                    return False
                self.head += 1
                self.log(ev="tip", number=self.head, hash=self.chain.block(self.head).hash)
                if announce and not self.paused:
                    self.announce(self.chain.block(self.head))
            return True

    def reorg(self, depth, extra=0):
        """Replaces the last `depth` blocks and announces the new ones, oldest first."""
        with self.lock:
            if self.head != self.chain.last:
                raise ValueError("the head is not at the end of the chain")
            first = self.chain.replace(depth, extra)
            self.head = self.chain.last
            for number in range(first, self.head + 1):
                block = self.chain.block(number)
                self.log(ev="tip", number=number, hash=block.hash, reorg=depth)
                if not self.paused:
                    self.announce(block)
            return first

    def announce(self, block):
        """One newHeads notification on every subscription. Under the lock."""
        for conn in list(self.conns.values()):
            for sub in list(conn.subs.values()):
                if sub.what == "newHeads":
                    self.notify(conn, sub, block)

    def notify(self, conn, sub, block):
        message = notification(sub.id, block.head)
        items = [message]
        for f in self.hooks("head", conn):
            changed = f.kind.hooks["head"](f, conn, sub, block, message)
            if changed is not None:
                f.hits["head"] += 1
                items = changed
                break
        if items:
            self.stats["heads"][conn.path] += 1
            conn.send(items, dict(ev="head", number=block.number, hash=block.hash,
                                  path=conn.path, conn=conn.number))

    # ---- faults

    def hooks(self, name, conn):
        return [f for f in self.faults if name in f.kind.hooks and conn.path in f.paths]

    def first(self, hook, conn, *args):
        """The first answer of a fault that acts here, or None."""
        for f in self.hooks(hook, conn):
            answer = f.kind.hooks[hook](f, conn, *args)
            if answer is not None:
                f.hits[hook] += 1
                return answer
        return None

    def each(self, hook, conn, *args):
        for f in self.hooks(hook, conn):
            f.hits[hook] += 1
            f.kind.hooks[hook](f, conn, *args)

    def fault(self, kind, args=None, on=True):
        """Switches a fault on, by number or name, or off. Returns its full arguments."""
        with self.lock:
            found = kinds.find(kind)
            self.faults = [f for f in self.faults if f.kind is not found]
            if not on:
                return None
            fault = kinds.Fault(found, args or {}, self)
            self.faults = self.faults + [fault]
            self.log(ev="fault", number=found.number, name=found.name, args=fault.args)
            if self.running:
                self.start_fault(fault)
        return fault.args

    @staticmethod
    def start_fault(fault):
        if "started" in fault.kind.hooks:
            fault.kind.hooks["started"](fault)

    # ---- requests

    def handle(self, conn, data):
        """Answers one message: a call, a batch, or something else."""
        try:
            message = json.loads(data)
        except ValueError:
            conn.send([error_reply(None, -32700, "parse error")])
            return
        if conn.path == "control":
            conn.send([self.control(message)])
            return
        with self.lock:  # so that no head comes before the reply to its own subscription
            if not isinstance(message, list):
                conn.send(self.answer(conn, message) or [])
                return
            self.stats["batches"][conn.path] += 1
            if not message:
                conn.send([error_reply(None, -32600, "empty batch")])
                return
            answers = [self.answer(conn, m) for m in message]
            answers = [item for items in answers for item in items or [] if isinstance(item, bytes)]
            changed = self.first("batch", conn, message, answers)
            conn.send(changed if changed is not None else [b"[" + b",".join(answers) + b"]"])

    def answer(self, conn, request):
        """The items that answer one call; none for a notification."""
        if not isinstance(request, dict) or not isinstance(request.get("method"), str):
            return [error_reply(None, -32600, "invalid request")]
        params = request.get("params")
        request = dict(request, params=params if isinstance(params, list) else [])
        method, id_ = request["method"], request.get("id")
        self.count(conn, method, id_)
        script = self.first("call", conn, request)
        if script is None:
            try:
                result = self.result(conn, method, request["params"])
                for f in self.hooks("result", conn):
                    result = f.kind.hooks["result"](f, conn, request, result)
                message = reply(id_, result)
            except RpcError as e:
                message = error_reply(id_, e.code, e.message, e.data)
            script = self.first("reply", conn, request, message)
            script = [message] if script is None else script
        return script if "id" in request else []

    def count(self, conn, method, id_):
        self.stats[conn.path][method] += 1
        conn.methods[method] += 1
        if not isinstance(id_, (int, str)):
            return
        if id_ in conn.ids:
            self.stats["repeated_ids"][conn.path] += 1
        elif len(conn.ids) < REMEMBERED_IDS:
            conn.ids.add(id_)

    def result(self, conn, method, params):
        if method not in self.methods:
            raise RpcError(-32601, "the method %s does not exist/is not available" % method)
        try:
            return self.methods[method](conn, *params)
        except (TypeError, ValueError, AttributeError) as e:
            raise RpcError(-32602, "invalid params: %s" % e)

    def do_eth_chainId(self, conn):
        return b'"0x%x"' % self.settings["chainId"]

    def do_net_version(self, conn):
        return b'"%d"' % self.settings["chainId"]

    def do_eth_blockNumber(self, conn):
        return b'"0x%x"' % self.head

    def do_eth_syncing(self, conn):
        return dump(self.settings["syncing"])

    def do_net_peerCount(self, conn):
        return b'"0x%x"' % self.settings["peerCount"]

    def do_eth_gasPrice(self, conn):
        return b'"0x%x"' % self.settings["gasPrice"]

    def do_web3_clientVersion(self, conn):
        return dump(self.settings["clientVersion"])

    def do_txpool_status(self, conn):
        return dump({k: hex(v) for k, v in self.settings["txpool"].items()})

    def do_eth_config(self, conn):
        if self.settings["config"] is None:
            raise RpcError(-32601, "the method eth_config does not exist/is not available")
        return dump(self.settings["config"])

    def height(self, tag):
        heights = {"latest": self.head, "safe": self.head - SAFE_LAG,
                   "finalized": self.head - FINALIZED_LAG, "earliest": self.chain.first}
        if tag in heights:
            return max(heights[tag], self.chain.first)
        return -1 if tag == "pending" else int(tag, 16)

    def do_eth_getBlockByNumber(self, conn, tag, full=False):
        number = self.height(tag)
        return self.body(conn, self.chain.block(number) if number <= self.head else None, full)

    def do_eth_getBlockByHash(self, conn, hash_, full=False):
        block = self.chain.by_hash(hash_)
        return self.body(conn, block if block and block.number <= self.head else None, full)

    def body(self, conn, block, full):
        if block is None:
            return b"null"
        if not full:
            return block.light
        paths = self.bodies.setdefault(block.hash, collections.Counter())
        paths[conn.path] += 1
        if len(self.bodies) > REMEMBERED_BODIES:
            self.bodies.popitem(last=False)
        self.log(ev="body", number=block.number, hash=block.hash, path=conn.path, conn=conn.number)
        return block.full

    def do_eth_subscribe(self, conn, what, whole=False, *_):
        if conn.path == "http":
            raise RpcError(-32601, "notifications not supported")
        if what not in ("newHeads", "newPendingTransactions"):
            raise RpcError(-32602, "no %r subscription in eth namespace" % what)
        self.stats["subscriptions"][conn.path + " " + what] += 1
        sub = self.subscribe(conn, what, "0x%032x" % (0x9CE59A13 << 96 | self.next_sub))
        sub.whole = whole is True
        return sub.id

    def subscribe(self, conn, what, id_):
        self.next_sub += 1
        sub = conn.subs[id_] = Subscription(dump(id_), what)
        return sub

    def do_eth_unsubscribe(self, conn, id_):
        if conn.subs.pop(id_, None) is None:
            raise RpcError(-32000, "subscription not found")
        return b"true"

    # ---- control

    def control(self, message):
        try:
            call = getattr(self, message["method"])
            if not message["method"].startswith("test_"):
                raise ValueError("not a control method")
            params = message.get("params") or []
            with self.lock:
                result = call(**params) if isinstance(params, dict) else call(*params)
            return reply(message.get("id"), dump(result))
        except Exception as e:  # whatever a test got wrong, it is told
            return error_reply(None, -32000, "%s: %s" % (type(e).__name__, e))

    def test_advance(self, n=1):
        return {"moved": self.advance(n), "head": self.head}

    def test_skip(self, n=1):
        """Moves the head without announcing it."""
        return {"moved": self.advance(n, announce=False), "head": self.head}

    def test_reorg(self, depth, extra=0):
        first = self.reorg(depth, extra)
        return {"first": first, "head": self.head, "hash": self.chain.block(self.head).hash}

    def test_fault(self, kind, args=None, on=True):
        return self.fault(kind, args, on)

    def test_announce(self, count, fee, path=None):
        """Announces transactions that pay `fee` wei and never will be mined."""
        pools.announce(self, pools.made_up(count, fee), path)

    def test_flood(self, rate, seconds, whole=False):
        pools.flood(self, rate, seconds, whole)

    def test_drop(self, how="reset", path=None):
        """Ends all connections (of one path): "reset", "close", or "mute" (half-open)."""
        step = {"reset": RESET, "close": CLOSE, "mute": MUTE}[how]
        conns = [c for c in self.conns.values() if c.path != "control" and path in (None, c.path)]
        for conn in conns:
            conn.send([step])
        return len(conns)

    def test_down(self, path, seconds=None, unlink=True):
        """Stops listening on "http", "ws", "ipc", "https" or "wss", and starts again later."""
        address = self.listeners.addresses[path]
        context = self.listeners.close(path)
        if isinstance(address, str) and unlink:
            os.unlink(address)
        if seconds is not None:
            timer = threading.Timer(seconds, self._up, (path, address, context))
            timer.daemon = True
            timer.start()

    def _up(self, path, address, context):
        if self.running:
            if isinstance(address, str) and os.path.exists(address):
                os.unlink(address)
            self.listeners.add(path, address, context)

    def test_pause(self, what="all"):
        """"all": the chain stands still. "announce": it goes on, but nobody is told."""
        self.paused = what

    def test_resume(self):
        self.paused = None

    def test_set(self, **settings):
        """Any of self.settings, or interval=SECONDS (0 stops the live chain)."""
        if "interval" in settings:
            self.set_interval(settings.pop("interval"))
        unknown = set(settings) - set(self.settings)
        if unknown:
            raise ValueError("unknown settings: %s" % ", ".join(sorted(unknown)))
        self.settings.update(settings)
        return self.settings

    def test_block(self, number=None):
        block = self.chain.block(self.head if number is None else number)
        return block and {"number": block.number, "hash": block.hash, "parent": block.parent,
                          "time": block.time, "bytes": len(block.full)}

    def test_stats(self):
        """requests: path → method → count. bodies: hash → path → full bodies served."""
        now = [self._conn_stats(c, True) for c in self.conns.values() if c.path != "control"]
        return {"head": self.head, "hash": self.chain.block(self.head).hash,
                "requests": {p: self.stats[p] for p in ("http", "ws", "ipc")},
                "accepts": self.stats["accepts"], "heads": self.stats["heads"],
                "announced": self.stats["announced"],
                "subscriptions": self.stats["subscriptions"], "batches": self.stats["batches"],
                "repeated_ids": self.stats["repeated_ids"], "bodies": self.bodies,
                "conns": list(self.gone) + now,
                "faults": [{"number": f.kind.number, "name": f.kind.name, "args": f.args,
                            "hits": f.hits, "counts": f.counts} for f in self.faults]}

    def _conn_stats(self, conn, open_):
        return {"conn": conn.number, "path": conn.path, "open": open_, "methods": conn.methods,
                "subscriptions": collections.Counter(s.what for s in conn.subs.values()),
                "counts": conn.counts}


def control(port, method, *params, **named):
    """Calls a control method of a running node: control(port, "test_reorg", 2)."""
    body = json.dumps({"id": 1, "method": method, "params": named or list(params)}).encode()
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
            "http://127.0.0.1:%d" % port, body, timeout=30) as f:
        answer = json.load(f)
    if "error" in answer:
        raise ValueError(answer["error"]["message"])
    return answer["result"]


class Process:
    """A node in a process of its own: `with Process("--rate", "2") as node: use(node.http)`."""

    def __init__(self, *args):
        self.process = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), "--stdin-guard"] + list(args),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the fault node did not start")
        self.at = json.loads(line)

    def __getattr__(self, name):
        """node.http, node.ws, node.ipc; node.test_advance(3)."""
        if name.startswith("test_"):
            return lambda *a, **k: control(self.at["control"], name, *a, **k)
        try:
            return self.at[name]
        except KeyError:
            raise AttributeError(name)

    def stop(self):
        self.process.stdin.close()
        self.process.stdout.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


# ---- the program

def parse(argv):
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--http", nargs="?", type=int, const=0, metavar="PORT", help="serve HTTP")
    p.add_argument("--ws", nargs="?", type=int, const=0, metavar="PORT", help="serve WebSocket")
    p.add_argument("--ipc", nargs="?", const="", metavar="PATH", help="serve a unix socket "
                   "(without --http, --ws, --ipc: all three)")
    p.add_argument("--tls", choices=tls.KINDS, help="https and wss too, with such a certificate")
    p.add_argument("--dir", help="blocks from DIR/<number>.json (default: a small made-up chain)")
    p.add_argument("--head", help="where the head stands first: HEIGHT, +N above the first block, "
                   "or now (the newest block not in the future; the next comes at its time)")
    p.add_argument("--rate", type=float, help="heads per second")
    p.add_argument("--interval", type=float, help="seconds between heads")
    p.add_argument("--chain-id", type=int)
    p.add_argument("--txs", type=int, default=4, help="transactions per made-up block")
    p.add_argument("--genesis", type=int, metavar="UNIX", help="fixes the times of a made-up chain")
    p.add_argument("--fake", action="store_true", help="fast made-up chain whose hashes are no "
                   "Keccak")
    p.add_argument("--ahead", type=int, default=0, metavar="N", help="makes N more blocks in advance")
    p.add_argument("--pool", metavar="JSON", help="announces what is in them before: for each transport how many "
                   "seconds before its block each transaction is announced, {\"ws\":[0.5,null,2]}; see pool.py")
    p.add_argument("--fault", default="", metavar="KIND[:ARG=VALUE]...,...",
                   help="by number or name")
    p.add_argument("--list", action="store_true", help="print the fault table as JSON and exit")
    p.add_argument("--log", metavar="FILE", help="a JSON line for each head and body sent")
    p.add_argument("--for", type=float, default=3600, dest="seconds", metavar="SECONDS")
    p.add_argument("--stdin-guard", action="store_true", help="exit when stdin closes")
    return p.parse_args(argv)


def make_node(o):
    """The node of the options, and the monotonic time of its first live head (None: as usual)."""
    interval = o.interval or (1 / o.rate if o.rate else None)
    first_at = None
    if o.dir:
        chain = chains.FileChain(o.dir)
        head = chain.first if o.head is None else 0
    else:
        head = int(o.head or 64) if o.head != "now" else 64
        chain = chains.SyntheticChain(head, max(1, round(interval or 1)), o.txs,
                                      o.chain_id or 424242, o.genesis, o.fake)
        chain.make_ahead(o.ahead)
    if o.head == "now":
        head = chain.number_at(time.time())
        following = chain.block(head + 1)
        if following:
            first_at = time.monotonic() + max(following.time - time.time(), 0)
    elif o.head is not None:
        head = int(o.head) + (chain.first if o.head.startswith("+") else 0)
    if not chain.first <= head <= chain.last:
        raise ValueError("--head %s: the chain has %d to %d" % (o.head, chain.first, chain.last))
    log = open(o.log, "w") if o.log else None
    node = Node(chain, head, interval, o.chain_id, log)
    if o.pool:
        node.pool = pools.Pool(node, json.loads(o.pool))
    return node, first_at


def main(argv):
    o = parse(argv)
    if o.list:
        json.dump(kinds.as_data(), sys.stdout, indent=1)
        return 0
    try:
        node, first_at = make_node(o)
        for word in filter(None, o.fault.split(",")):
            node.fault(*kinds.parse(word))
    except (ValueError, OSError) as e:
        print("node.py: %s" % e, file=sys.stderr)
        return 64
    if o.http is None and o.ws is None and o.ipc is None:
        o.http, o.ws, o.ipc = 0, 0, ""
    over = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: over.set())
    print(json.dumps(node.start(o.http, o.ws, o.ipc, o.tls, first_at)), flush=True)
    if o.stdin_guard:
        def guard():
            while os.read(0, 4096):
                pass
            over.set()
        threading.Thread(target=guard, daemon=True).start()
    over.wait(o.seconds)
    node.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
