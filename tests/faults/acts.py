"""What the faults do: hooks, called by the node at the places that kinds.py describes."""
import base64
import email.utils
import gzip
import hashlib
import hmac
import json
import os
import random
import time
import zlib

import wsproto
from rpc import dump, error_reply, notification, reply
from transports import CLOSE, MUTE, RESET, Bye, Ping, Raw, Sleep, response

GET_BLOCK = ("eth_getBlockByHash", "eth_getBlockByNumber")
CHUNK = b" " * (1 << 20)


def wants_block(call):
    return call["method"] in GET_BLOCK


def wants_body(call):
    return wants_block(call) and call.get("params", [None])[1:] == [True]


def subscribes(call):
    return call["method"] == "eth_subscribe" and call.get("params", [None])[0] == "newHeads"


def nth_head(f, conn):
    """True at the head number args["heads"] of this connection, args["times"] times in all."""
    memo = f.memo(conn)
    memo["heads"] = memo.get("heads", 0) + 1
    return memo["heads"] == f.args["heads"] and f.take()


def errors_for(body, code, message):
    """A reply to a request body in which every call fails alike."""
    try:
        calls = json.loads(body)
    except ValueError:
        calls = {}
    if isinstance(calls, list):
        return b"[" + b",".join(error_reply(c.get("id"), code, message) for c in calls) + b"]"
    return error_reply(calls.get("id"), code, message)


def padded(raw, size):
    """The same JSON value, white space added up to size bytes: truth is not harmed."""
    return raw[:1] + b" " * max(size - len(raw), 0) + raw[1:]


# ---- ends of a connection

def reset_after_heads(f, conn, sub, block, message):
    return [message, RESET] if nth_head(f, conn) else None


def reset_and_skip(f, conn, sub, block, message):
    if not nth_head(f, conn):
        return None
    f.later(0, lambda: f.node.advance(f.args["skip"], announce=False))
    return [message, RESET]


def mute_after_heads(f, conn, sub, block, message):
    return [message, MUTE] if nth_head(f, conn) else None


def bye_after_heads(f, conn, sub, block, message):
    if f.args["status"] or not nth_head(f, conn):
        return None
    code = f.args["code"]
    return [message, CLOSE if code == 1006 else Bye(code, f.args.get("reason", ""))]


def cut_after_heads(f, conn, sub, block, message):
    if not nth_head(f, conn):
        return None
    data = b"".join(step.data for step in conn.wire(message))
    return [message, Raw(data[:len(data) // 2]), CLOSE]


def refuse_upgrade(f, conn, request):
    status = f.args["status"]
    if not status or not f.take():
        return None
    extra = {401: ("WWW-Authenticate: Basic realm=\"node\"",), 429: ("Retry-After: 1",),
             301: ("Location: /elsewhere",)}.get(status, ())
    return [Raw(response(status, b"<html>no</html>\n", ("Connection: close",) + extra)), CLOSE]


def refuse(f):
    if not f.args["down"]:
        return
    for path in f.paths:
        for name in {"http": ("http", "https"), "ws": ("ws", "wss")}.get(path, (path,)):
            if name in f.node.listeners.open:
                f.node.test_down(name, f.args["down"], f.args.get("unlink", True))
        f.node.test_drop("reset", path)


def reset_at_accept(f, conn):
    return [RESET] if not f.args["down"] and f.take() else None


def end_at_accept(f, conn):
    return [CLOSE] if f.args["at"] == "accept" and f.take() else None


def end_when_open(f, conn):
    if f.args["at"] == "open" and f.take():
        conn.send([Bye(1001)])


def break_socket(f):
    """The socket file of a node that is gone (stale), no file, or one we may not use."""
    how = f.args["how"]
    path = f.node.listeners.addresses["ipc"]
    if how == "permission":
        os.chmod(path, 0)
        f.later(f.args["down"], lambda: os.chmod(path, 0o600))
    elif how in ("stale", "missing"):
        f.node.test_down("ipc", f.args["down"], unlink=how == "missing")
    f.node.test_drop("close", "ipc")


def epipe_at_accept(f, conn):
    return [CLOSE] if f.args["how"] == "epipe" and f.take() else None


# ---- WebSocket framing

def fragments(f, conn, message):
    if f.args["pieces"] == 3:
        half = max(len(message) // 2, 1)
        parts = [message[:1], message[1:half], message[half:]]
    else:
        size = len(message) // f.args["pieces"] + 1
        parts = [message[i:i + size] for i in range(0, len(message), size)] + [b""]
    steps = []
    for i, part in enumerate(parts):
        op = wsproto.CONTINUATION if i else wsproto.TEXT
        steps.append(Raw(wsproto.frame(op, part, fin=i == len(parts) - 1)))
        if i == 0:
            steps += [Ping(b"between"), Raw(wsproto.frame(wsproto.PONG, b"unasked"))]
    return steps


def binary(f, conn, message):
    return [Raw(wsproto.frame(wsproto.BINARY, message))]


def reserved_bit(f, conn, sub, block, message):
    if f.args["how"] != "bit" or not nth_head(f, conn):
        return None
    return [Raw(wsproto.frame(wsproto.TEXT, message, rsv=4))]


def unasked_extension(f, conn, request):
    if f.args["how"] != "extension" or not f.take():
        return None
    return ["Sec-WebSocket-Extensions: permessage-deflate"]


def ping_often(f, conn):
    waiting = f.memo(conn)["pings"] = set()

    def ping():
        if conn.over or f not in f.node.faults:
            return
        payload = os.urandom(125)
        waiting.add(payload)
        f.counts["pings"] += 1
        conn.send([Ping(payload)])
        f.later(f.args["interval"], ping)
    ping()


def check_pong(f, conn, op, payload):
    if op != wsproto.PONG:
        return
    waiting = f.memo(conn).get("pings", set())
    f.counts["pongs" if payload in waiting else "wrong_pongs"] += 1
    if payload not in waiting and f.args["strict"]:
        conn.send([Bye(1002, "wrong pong")])
    waiting.discard(payload)


def junk(f, conn, sub, block, message):
    return [b"{bad json", b"[]", b"null", b"", b"17", b'"text"', b"[1,2", b"{}", b"[[]]",
            b'{"jsonrpc":"2.0"}', b'{"method":"eth_subscription","params":{}}', message]


# ---- heads

def stall(f, conn, sub, block, message):
    if f.args["whole"]:
        return None
    sub.memo["heads"] = sub.memo.get("heads", 0) + 1
    if sub.memo["heads"] == f.args["heads"] + 1 and f.take():
        sub.memo["silent"] = True
    return [] if sub.memo.get("silent") else None


def stall_whole(f):
    if f.args["whole"]:
        f.later(f.args["after"], f.node.test_pause)
        f.later(f.args["after"] + f.args["whole"], f.node.test_resume)


def early(f, conn, call):
    if not subscribes(call):
        return None
    result = f.node.result(conn, call["method"], call["params"])
    head = f.node.chain.block(f.node.head)
    return [notification(result, head.head), reply(call.get("id"), result)]


def flood(f, conn, call):
    """The burst comes once, some time after the first subscription."""
    if not subscribes(call) or not f.take():
        return None

    def burst():
        while f in f.node.faults and f.counts["sent"] < f.args["count"]:
            f.node.advance(1)
            f.counts["sent"] += 1
    f.later(f.args["after"], burst)
    return None


SUB_IDS = {  # form → (in the reply, in notifications)
    "long": (b'"0x9ce59a13059e417087c02d3236a0b1cc"',) * 2, "short": (b'"0x1"',) * 2,
    "number": (b"7", b"7"), "opaque": (b'"bS!x-1/\\u00e9"',) * 2, "mixed": (b'"0x7"', b"7"),
    "text": (b"7", b'"7"')}


def subscription_id(f, conn, call):
    if not subscribes(call):
        return None
    told, used = SUB_IDS[f.args["form"]]
    f.node.stats["subscriptions"][conn.path + " newHeads"] += 1
    f.node.subscribe(conn, "newHeads", json.loads(told)).id = used
    return [reply(call.get("id"), told)]


def one_subscription(f, conn, call):
    if not subscribes(call):
        return None
    if any(s.what == "newHeads" for s in conn.subs.values()):
        f.counts["refused"] += 1
        return [error_reply(call.get("id"), -32000, "too many subscriptions")]
    return None


def no_subscriptions(f, conn, call):
    if call["method"] != "eth_subscribe":
        return None
    return [error_reply(call.get("id"), f.args["code"], "notifications not supported")]


def head_shape(f, conn, sub, block, message):
    header, how = json.loads(block.head), f.args["how"]
    if how == "bare":
        header = {k: header[k] for k in ("number", "hash", "parentHash", "timestamp")}
    elif how == "nulls":
        header.update(uncles=None, size=None, transactions=None, totalDifficulty=None)
    else:
        header = json.loads(block.light)
    return [notification(sub.id, dump(header))]


def head_order(f, conn, sub, block, message):
    how, memo = f.args["how"], f.memo(conn)
    memo["heads"] = memo.get("heads", 0) + 1
    if how == "skip" and memo["heads"] % 3:
        return []
    if how == "back" and memo["heads"] % 5 == 0:
        return [message, notification(sub.id, f.node.chain.block(block.number - 3).head)]
    return None


def number_order(f, conn, call, raw):
    if f.args["how"] == "back" and call["method"] == "eth_blockNumber":
        f.counts["asked"] += 1
        if f.counts["asked"] % 4 == 0:
            return b'"0x%x"' % (f.node.head - 3)
    return raw


def reorg_often(f):
    if f.args["how"] != "reorg":
        return

    def again():
        if f in f.node.faults and f.node.running:
            f.node.reorg(f.args["depth"])
            f.counts["reorgs"] += 1
            f.later(f.args["every"], again)
    f.later(f.args["every"], again)


# ---- replies

def oversize(f, conn, call):
    """The first body asked for is always too large; the others are as usual."""
    if not wants_body(call) or f.data.setdefault("block", call["params"][0]) != call["params"][0]:
        return None
    f.counts["asked"] += 1
    start, end = b'{"jsonrpc":"2.0","id":' + dump(call.get("id")) + b',"result":{', b"}}"
    size = f.args["bytes"]

    def pieces():
        if conn.path == "ws":
            yield wsproto.header(wsproto.TEXT, size)
        elif conn.path == "http":
            yield response(200, b"", length=size)
        yield start
        left = size - len(start) - len(end)
        while left:
            yield CHUNK[:left]
            left -= len(CHUNK[:left])
        yield end
    return [Raw(pieces())]


def pad_body(f, conn, call, raw):
    return padded(raw, f.args["bytes"]) if wants_body(call) and f.take() else raw


def hold_first_body(f, conn, call, message):
    if not wants_body(call) or f.memo(conn).get("held"):
        return None
    f.memo(conn)["held"] = True
    f.later(f.args["seconds"], lambda: conn.send([message]))
    return []


def null_id(f, conn, call):
    if not wants_body(call) or not f.take():
        return None
    return [error_reply(None, -32000, "internal error")]


def strays(f, conn, call, message):
    return [reply(999999999, b'"0x1"'), message, message]


def reverse(f, conn, call, message):
    held = f.memo(conn).setdefault("held", [])
    held.append(message)
    if len(held) == 1:
        def flush():
            with f.node.lock:
                messages = held[::-1]
                held.clear()
                conn.send(messages)
        f.later(f.args["window"], flush)
    return []


def envelope(f, conn, call, message):
    if not wants_block(call) or not f.take():
        return None
    how, id_, changed = f.args["how"], call.get("id"), json.loads(message)
    if how in ("string", "float", "huge"):
        changed["id"] = {"string": str(id_), "float": float(id_), "huge": 2 ** 70}[how]
    elif how == "version":
        changed["jsonrpc"] = "1.0"
    elif how == "neither":
        del changed["result"]
    elif how == "both":
        changed["error"] = {"code": -32000, "message": "both"}
    else:
        changed["error"] = {"nomessage": {"code": -32000},
                            "textcode": {"code": "-32000", "message": "x"}}[how]
        del changed["result"]
    return [dump(changed)]


def slow_bytes(f, conn, message):
    """Half a reply at once, then one byte a second."""
    if b'"transactions"' not in message[:100_000] or not f.take():
        return None
    data = b"".join(step.data for step in conn.wire(message))
    half = len(data) // 2
    steps = [Raw(data[:half])]
    for i in range(half, half + f.args["seconds"]):
        steps += [Sleep(1), Raw(data[i:i + 1])]
    return steps + [RESET]


# ---- HTTP

def rate_limit(f, conn, request):
    if request.method != "POST" or not f.take():
        return None
    how, status, extra = f.args["how"], 200, ()
    body = errors_for(request.body, -32005, "limit exceeded")
    if how in ("seconds", "date"):
        after = "2" if how == "seconds" else email.utils.formatdate(time.time() + 2, usegmt=True)
        status, body, extra = 429, b"slow down\n", ("Retry-After: " + after,)
    elif how == "status":
        status = 429
    elif how == "code":
        body = errors_for(request.body, 429, "too many requests")
    elif how == "text":
        body = errors_for(request.body, -32000, "rate limit reached, try again in 4ms")
    return [Raw(response(status, body, ("Content-Type: application/json",) + extra))]


def broken_http(f, conn, request):
    if request.method != "POST" or not f.take():
        return None
    html, cut = b"<html><h1>Bad Gateway</h1></html>\n", b'{"jsonrpc":"2.0","id":1,"res'
    typed = ("Content-Type: text/html",)
    return {
        "500": [Raw(response(500, b"internal error\n", typed))],
        "502": [Raw(response(502, html, typed))],
        "html": [Raw(response(200, html, typed))],
        "empty": [Raw(response(200, b""))],
        "truncated": [Raw(response(200, cut))],
        "early": [Raw(response(200, cut, length=100_000)), CLOSE],
        "chunked": [Raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1c\r\n" + cut
                        + b"\r\n"), CLOSE],
    }[f.args["how"]]


def error_with_status(f, conn, request):
    if request.method != "POST" or not f.take():
        return None
    body = errors_for(request.body, -32000, "header not found")
    return [Raw(response(f.args["status"], body))]


def close_when_idle(f, conn, message):
    if f.args["how"] != "close":
        return None
    return conn.wire(message) + [Sleep(f.args["idle"]), CLOSE]


def reset_second_request(f, conn, request):
    memo = f.memo(conn)
    memo["requests"] = memo.get("requests", 0) + 1
    return [RESET] if f.args["how"] == "reset" and memo["requests"] == 2 else None


def encodings(f, conn, message):
    how = f.args["how"]
    accepted = conn.request.headers.get("accept-encoding", "")
    name = "deflate" if how == "deflate" else "gzip"
    if name not in accepted:
        return None
    if how in ("gzip", "deflate"):
        body = gzip.compress(message, 1) if how == "gzip" else zlib.compress(message, 1)
    elif not f.take():
        return None
    elif how == "bomb":
        body = f.data.get("bomb") or f.data.setdefault("bomb", bomb(f.args["bytes"]))
    else:
        body = message if how == "wrong" else gzip.compress(message, 1) + b"trailing garbage"
    return [Raw(response(200, body, ("Content-Type: application/json",
                                     "Content-Encoding: " + name)))]


def bomb(size):
    pack = zlib.compressobj(9, zlib.DEFLATED, 31)
    out = [pack.compress(CHUNK) for _ in range(size // len(CHUNK))]
    return b"".join(out) + pack.flush()


def redirect(f, conn, request):
    if request.target == "/moved":
        f.counts["moved"] += 1
        f.counts["leaks"] += f.args["to"] == "host" and "authorization" in request.headers
        return None
    where = "http://localhost:%d" % f.node.listeners.addresses["http"]
    location = (where if f.args["to"] == "host" else "") + "/moved"
    return [Raw(response(f.args["status"], b"", ("Location: " + location,)))]


def authorize(f, conn, request):
    given, how = request.headers.get("authorization", ""), f.args["how"]
    if how == "basic":
        pair = "%s:%s" % (f.args["user"], f.args["password"])
        fine = given == "Basic " + base64.b64encode(pair.encode()).decode()
    elif how == "bearer":
        fine = given == "Bearer " + f.args["token"]
    elif how == "path":
        fine = f.args["token"] in request.target
    else:
        fine = given.startswith("Bearer ") and jwt_holds(given[7:], bytes.fromhex(f.args["secret"]))
    f.counts["allowed" if fine else "denied"] += 1
    if fine:
        return None
    headers = ('WWW-Authenticate: Basic realm="node"', "Connection: close")
    return [Raw(response(401, b"unauthorized\n", headers)), CLOSE]


def jwt_holds(token, secret):
    """HS256 and an iat within 60 s, as the engine API wants it."""
    def part(text):
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    try:
        head, claims, signature = token.split(".")
        mac = hmac.new(secret, (head + "." + claims).encode(), hashlib.sha256).digest()
        return (json.loads(part(head))["alg"] == "HS256"
                and hmac.compare_digest(mac, part(signature))
                and abs(json.loads(part(claims))["iat"] - time.time()) <= 60)
    except (ValueError, KeyError, TypeError):
        return False


# ---- batches

def batch_shape(f, conn, calls, answers):
    if not f.take():
        return None
    how, first = f.args["how"], calls[0].get("id")
    if how == "object":
        return [error_reply(None, -32600, "batch too large")]
    if how == "firstonly":
        return [b"[" + error_reply(first, -32600, "batch too large") + b"]"]
    if how == "empty":
        return [b"[]"]
    if how == "short":
        answers = answers[:len(answers) // 2]
    elif how == "tail":
        half = len(answers) // 2
        answers = answers[:half] + [error_reply(c.get("id"), -32003, "response too large")
                                    for c in calls[half:]]
    elif how == "limited":
        answers = [error_reply(first, -32005, "limit exceeded")] + answers[1:]
    elif how == "strings":
        answers = [dump(dict(json.loads(a), id=str(json.loads(a)["id"]))) for a in answers]
    else:
        answers = answers[1:] + answers[-1:] + [reply(999999999, b"true"),
                                                error_reply(None, -32000, "whose?")]
        random.Random(1).shuffle(answers)
    return [b"[" + b",".join(answers) + b"]"]


# ---- unix socket

def bytewise(f, conn, message):
    note = b'"note":"a\\"b\\u00e9}{\\\\",'  # so that a piece ends inside an escape
    data = message[:1] + note + message[1:] if message[:1] == b"{" else message
    steps = []
    for i in range(min(f.args["bytes"], len(data))):
        steps.append(Raw(data[i:i + 1]))
        if i < 64:
            steps.append(Sleep(0.0005))  # or the kernel joins them again
    return steps + [Raw(data[f.args["bytes"]:] + b"\n")]


def joined(f, conn, message):
    """What is sent within the window goes out in one piece."""
    held = f.memo(conn).setdefault("held", [])
    held.append(message)
    if len(held) == 1:
        def flush():
            with f.node.lock:
                data = f.args["between"].encode().join(held)
                held.clear()
                conn.send([Raw(data + f.args["between"].encode())])
        f.later(f.args["window"], flush)
    return []


def braces(f, conn, message):
    """Pieces that end in "}" inside a longer message."""
    steps, start = [], 0
    for _ in range(f.args["pieces"]):
        end = message.find(b"}", start) + 1
        if not end:
            break
        steps += [Raw(message[start:end]), Sleep(0.0005)]
        start = end
    return steps + [Raw(message[start:] + b"\n")]


def small_chunks(f, conn, message):
    data, size = message + b"\n", f.args["chunk"]
    return [Raw(data[i:i + size]) for i in range(0, len(data), size)]


def garbage_before(f, conn, message):
    return [Raw(f.args["garbage"].encode("latin-1") + message + b"\n")]


# ---- blocks

def null_block(f, conn, call, raw):
    """The newest blocks are not there yet, the first few times somebody asks."""
    if not wants_block(call) or raw == b"null":
        return raw
    what, number = call["params"][0], f.node.head
    if call["method"] == "eth_getBlockByHash":
        number = f.node.chain.by_hash(what).number
    elif what not in ("latest", hex(f.node.head)):
        return raw
    if number < f.node.head - 1 or number % f.args["every"]:
        return raw
    asked = f.data.setdefault("asked", {})
    asked[what] = asked.get(what, 0) + 1
    if asked[what] > f.args["times"]:
        return raw
    f.hits["result"] += 1
    return b"null"


def pending_nulls(f, conn, call, raw):
    if call["method"] != "eth_getBlockByNumber" or call["params"][0] != f.args["tag"]:
        return raw
    if not f.take():
        return raw
    body = json.loads(f.node.chain.block(f.node.head).full)
    return dump(dict(body, hash=None, nonce=None, miner=None, logsBloom=None))


def odd_transactions(f, conn, call, raw):
    if not wants_body(call) or raw == b"null":
        return raw
    body, how = json.loads(raw), f.args["how"]
    for tx in body["transactions"][:1]:
        f.hits["result"] += 1
        if how == "unknown":
            tx.update(type="0x6a", surprise={"a": [1, None]})
        elif how == "notype":
            tx.pop("type", None)
        elif how == "zero":
            tx.update(v="0x0", r="0x0", s="0x0")
        else:
            for key in ("v", "r", "s", "yParity"):
                tx.pop(key, None)
    return dump(body)


def pruned(f, conn, call):
    if not wants_block(call):
        return None
    what = call["params"][0]
    if call["method"] == "eth_getBlockByHash":
        block = f.node.chain.by_hash(what)
        number = block.number if block else f.node.head
    else:
        number = f.node.height(what)
    if number >= f.node.head - f.args["keep"]:
        return None
    return [error_reply(call.get("id"), 4444, "pruned history unavailable")]


def wrong_block(f, conn, call, raw):
    if not wants_body(call) or raw == b"null" or not f.take():
        return raw
    body = json.loads(raw)
    if f.args["how"] == "other":
        return f.node.chain.block(int(body["number"], 16) - 1).full
    root = body["stateRoot"]
    return dump(dict(body, stateRoot=root[:-1] + ("0" if root[-1] != "0" else "1")))


def wrong_fullness(f, conn, call, raw):
    if not wants_block(call) or raw == b"null":
        return raw
    if wants_body(call) != (f.args["how"] == "hashes") or not f.take():
        return raw
    block = f.node.chain.by_hash(json.loads(raw)["hash"])
    return block.light if f.args["how"] == "hashes" else block.full


def lost_filter(f, conn, call):
    if call["method"] == "eth_newBlockFilter":
        return [reply(call.get("id"), b'"0x1"')]
    if call["method"] in ("eth_getFilterChanges", "eth_uninstallFilter"):
        return [error_reply(call.get("id"), -32000, "filter not found")]
    return None


def other_chain(f):
    def change():
        f.node.settings["chainId"] += 1
        f.counts["changed"] += 1
        f.node.test_drop()
    f.later(f.args["after"], change)
