"""The fault table: one row a kind. Numbers 1–60 are those of the project's list of faults.

Hooks, where a row may act (f is the active Fault; "items" are explained in transports.py):
    started(f)                             the fault was switched on
    accept(f, conn) → items or None        a connection was accepted; items end its service
    request(f, conn, request) → items      an HTTP request or WebSocket upgrade came in
    upgrade(f, conn, request) → lines      more header lines for the 101 reply
    opened(f, conn)                        a WebSocket or unix socket connection is ready
    control(f, conn, op, payload)          a control frame came; not None: it is dealt with
    call(f, conn, call) → items            a call, before it is carried out
    result(f, conn, call, raw) → raw       the result of a call, JSON; always returns one
    reply(f, conn, call, message) → items  the whole reply
    batch(f, conn, calls, replies) → items instead of the array of replies
    head(f, conn, sub, block, message) → items   instead of one newHeads notification
    wire(f, conn, message) → items without bytes  how one message goes over the wire
None always means "as usual", [] means "nothing is sent".

What the client must do is data too, `check` and `within` seconds:
    head    the newest head is shown again (or still)
    fails   one request fails with `word`; the link and everything else go on
    state   the path's state or last error says `word`; heads come again if the fault ends
    stats   a count in test_stats, or a fact that the test must look at, as `expect` says
`word` is one of STATUS_LIST in src/base/err.h. In every case: no crash, no hang, no unbounded
memory, no busy loop, and the fault was met at all (its hits or counts in test_stats).
"""
import collections
import json
import threading

import acts

HTTP, WS, IPC = ("http",), ("ws",), ("ipc",)
PUSH, ALL = ("ws", "ipc"), ("http", "ws", "ipc")
CHECKS = ("head", "fails", "state", "stats")


class Kind:
    def __init__(self, number, name, paths, does, check, expect, word="", within=5, args=None,
                 variants=({},), **hooks):
        """args: all that a caller may change, with defaults. variants: sets of args worth a test;
        in them the keys check, word, expect, within and paths replace those of the row."""
        self.number, self.name, self.paths, self.does = number, name, paths, does
        self.check, self.expect, self.word, self.within = check, expect, word, within
        self.args, self.variants, self.hooks = args or {}, variants, hooks

    def cases(self):
        """One dict per variant: everything a test loop needs."""
        for variant in self.variants:
            told = {k: variant.get(k, getattr(self, k)) for k in
                    ("paths", "check", "word", "expect", "within")}
            yield dict(number=self.number, name=self.name, does=self.does,
                       args={k: v for k, v in variant.items() if k not in told}, **told)


class Fault:
    """A kind that is switched on."""

    def __init__(self, kind, args, node):
        args = dict(args)
        via = args.pop("via", None)  # "ws": only there
        unknown = set(args) - set(kind.args)
        if unknown or via not in (None,) + kind.paths:
            raise ValueError("fault %d %s has no %s" % (
                kind.number, kind.name, ", ".join(sorted(unknown)) or "via=%s" % via))
        self.kind, self.node = kind, node
        self.paths = (via,) if via else kind.paths
        self.args = dict(kind.args, **args)
        self.hits, self.counts = collections.Counter(), collections.Counter()
        self.data = {}
        self.lock = threading.Lock()

    def take(self):
        """True for the first args["times"] calls."""
        with self.lock:
            if self.counts["taken"] >= self.args["times"]:
                return False
            self.counts["taken"] += 1
            return True

    def memo(self, conn):
        return conn.memo.setdefault(self, {})

    def later(self, seconds, call):
        timer = threading.Timer(seconds, call)
        timer.daemon = True
        timer.start()


def bodies(*sizes):
    return tuple({"bytes": n} for n in sizes)


def hows(*names):
    return tuple({"how": n} for n in names)


AUTH = {"check": "state", "word": "auth", "times": 10 ** 6, "heads": 10 ** 6,
        "expect": "the state says auth; it is not hammered"}
MIB = 1 << 20

KINDS = (
    # ---- WebSocket, and what unix sockets share with it
    Kind(1, "drop", PUSH, "after 2 heads the connection is reset; the next one is served", "head",
         "a new eth_subscribe within the backoff; the same feed goes on",
         args={"heads": 2, "times": 2}, head=acts.reset_after_heads),
    Kind(2, "gap", PUSH, "after 2 heads a reset, and 3 blocks pass that nobody is told of", "head",
         "the missed blocks are fetched, in bounds and in order, and the gap is marked as filled",
         args={"heads": 2, "times": 1, "skip": 3}, head=acts.reset_and_skip),
    Kind(3, "refuse", ALL, "11 connections in a row are refused, then all is well", "head",
         "it never gives up: unlimited tries, with a capped backoff", within=60,
         args={"times": 11, "down": 0}, variants=({}, {"down": 8, "within": 30}),
         started=acts.refuse, accept=acts.reset_at_accept),
    Kind(4, "oversize", ALL, "the reply with one certain body is 130 MiB long", "fails",
         "only that request fails and it is not sent again and again (counts.asked is small); "
         "the connection may start anew", word="too big", within=20,
         args={"bytes": 130 * MIB}, call=acts.oversize),
    Kind(5, "bigbody", ALL, "bodies beyond 1 MiB, and beyond 16 MiB in one frame", "head",
         "decoded and shown", within=15, args={"bytes": 17 * MIB, "times": 3},
         variants=bodies(1153758, 17 * MIB), result=acts.pad_body),
    Kind(6, "fragments", WS, "messages in 3 frames of 1, n and the other bytes, a ping and a pong "
         "between; or in thousands of frames and an empty last one", "head",
         "put together; the ping answered", args={"pieces": 3}, variants=({}, {"pieces": 4000}),
         wire=acts.fragments),
    Kind(7, "deflate", WS, "a frame with the reserved bit of permessage-deflate, or an upgrade "
         "reply that grants it unasked", "head", "a protocol error, then a new connection",
         word="malformed", args={"how": "bit", "heads": 2, "times": 1},
         variants=hows("bit", "extension"), head=acts.reserved_bit, upgrade=acts.unasked_extension),
    Kind(8, "halfopen", PUSH, "after 2 heads nothing is sent any more, not even a pong; no FIN",
         "head", "declared dead within two pings, then a new connection", word="silent", within=30,
         args={"heads": 2, "times": 1}, head=acts.mute_after_heads),
    Kind(9, "pings", WS, "a ping with 125 bytes each second; a wrong pong ends the connection",
         "stats", "counts.pongs follows counts.pings, counts.wrong_pongs is 0",
         args={"interval": 1.0, "strict": 1}, opened=acts.ping_often, control=acts.check_pong),
    Kind(10, "stall", PUSH, "pings are answered, but a subscription gets no head after its second; "
         "or the chain stands still for 20 s", "head",
         "after some block times the state says silent; it subscribes again", word="silent",
         within=60, args={"heads": 2, "times": 1, "whole": 0, "after": 3},
         variants=({}, {"whole": 20, "expect": "the age alarms; heads go on afterwards"}),
         head=acts.stall, started=acts.stall_whole),
    Kind(11, "early", PUSH, "the first notification comes before the reply to its eth_subscribe",
         "head", "kept and delivered", call=acts.early),
    Kind(12, "flood", PUSH, "a burst of 10 000 heads (use --fake --txs 0)", "head",
         "bounded memory; what was dropped is counted; the newest is shown", within=60,
         args={"count": 10_000, "times": 1, "after": 1}, call=acts.flood),
    Kind(13, "held", PUSH, "the first body is held back for 3 s while others are answered", "stats",
         "repeated_ids is 0; the late reply still finds its request",
         args={"seconds": 3}, reply=acts.hold_first_body),
    Kind(14, "onesub", PUSH, "a second newHeads subscription on a connection is an error", "stats",
         "counts.refused is 0: one subscription on the wire", call=acts.one_subscription),
    Kind(15, "subid", PUSH, "other forms of subscription ids; reply and notification may differ",
         "head", "compared as text or number", args={"form": "mixed"},
         variants=tuple({"form": form} for form in acts.SUB_IDS), call=acts.subscription_id),
    Kind(16, "nullid", PUSH, "a body is answered by an error with id null", "fails",
         "the request ends by its deadline or by that error; the next body comes", word="timeout",
         within=40, args={"times": 1}, call=acts.null_id),
    Kind(17, "binary", WS, "JSON in binary frames", "head", "taken as text", wire=acts.binary),
    Kind(18, "junk", WS, "before each head: broken JSON, [], null, an empty frame, numbers, "
         "objects that mean nothing", "head", "counted and skipped on the same connection",
         head=acts.junk),
    Kind(19, "strays", ALL[1:], "each reply comes twice, and one for an id never sent", "head",
         "ignored and counted", reply=acts.strays),
    Kind(20, "close", WS, "close codes after 2 heads (1006: end without a close frame), or an HTTP "
         "status instead of 101", "head", "the code is told; a new connection", word="closed",
         within=15, args={"code": 1001, "status": 0, "heads": 2, "times": 2, "reason": ""},
         variants=tuple({"code": c} for c in (1000, 1001, 1006, 1013))
         + ({"code": 1008, "word": "429", "within": 30}, {"code": 1009, "word": "too big"})
         + (dict(AUTH, status=401), dict(AUTH, status=403), {"status": 429, "word": "429"},
            {"status": 502, "word": "http"}, {"status": 200, "word": "http"},
            {"status": 301, "word": "http"}),
         head=acts.bye_after_heads, request=acts.refuse_upgrade),
    Kind(21, "storm", PUSH, "20 connections end as soon as they are open", "stats",
         "accepts stays below 12 in 10 s: connects that do not live long back off too", within=10,
         args={"times": 20, "at": "open"}, variants=({"at": "open"}, {"at": "accept"}),
         accept=acts.end_at_accept, opened=acts.end_when_open),
    Kind(22, "reverse", PUSH, "replies are collected for 50 ms and sent in reverse order", "head",
         "all find their requests", args={"window": 0.05}, reply=acts.reverse),

    # ---- HTTP
    Kind(23, "ratelimit", HTTP, "429 with Retry-After in both forms, with a JSON-RPC error, or 200 "
         "with code 429 or a hint in the text; 3 times", "head",
         "one backoff policy for all; Retry-After is kept", word="429", within=20,
         args={"how": "seconds", "times": 3},
         variants=hows("seconds", "date", "status", "code", "text"), request=acts.rate_limit),
    Kind(24, "broken", HTTP, "500, 502 with HTML, 200 with HTML or nothing, cut JSON, a short "
         "body, chunks without an end; 3 times", "head",
         "a transport error and a retry, never a null block",
         within=15, args={"how": "502", "times": 3},
         variants=({"how": "500", "word": "http"}, {"how": "502", "word": "http"},
                   {"how": "html", "word": "malformed"}, {"how": "empty", "word": "malformed"},
                   {"how": "truncated", "word": "malformed"}, {"how": "early", "word": "reset"},
                   {"how": "chunked", "word": "reset"}), request=acts.broken_http),
    Kind(25, "statuserror", HTTP, "a JSON-RPC error in the body of a 4xx or 5xx; 3 times", "head",
         "the JSON-RPC error wins over the status: this one means that the block is not there yet",
         word="null", within=15,
         args={"status": 500, "times": 3}, variants=({"status": 400}, {"status": 500}),
         request=acts.error_with_status),
    Kind(26, "stalekeepalive", HTTP, "each idle connection is closed after 50 ms without a word, "
         "or its second request is reset", "head", "one silent retry; no error is shown",
         args={"how": "close", "idle": 0.05}, variants=hows("close", "reset"),
         wire=acts.close_when_idle, request=acts.reset_second_request),
    Kind(27, "slowbody", ALL, "half a block, then one byte a second, then a reset", "fails",
         "the request ends by its deadline; others are not held up longer", word="timeout",
         within=60, args={"seconds": 60, "times": 1}, wire=acts.slow_bytes),
    Kind(28, "encodings", HTTP, "gzip, deflate, gzip with garbage behind it, an encoding that is "
         "not true, a bomb of 200 MiB", "head", "decoded, or a clean error; a cap after inflation",
         within=15, args={"how": "gzip", "times": 2, "bytes": 200 * MIB},
         variants=hows("gzip", "deflate", "garbage", "wrong", "bomb"), wire=acts.encodings),
    Kind(30, "redirect", HTTP, "301, 307 or 308 to another path or to another host name", "stats",
         "307 and 308 keep the POST, or the redirect is reported; counts.leaks is 0",
         args={"status": 307, "to": "path"},
         variants=({"status": 301}, {"status": 307}, {"status": 308},
                   {"status": 307, "to": "host"}), request=acts.redirect),
    Kind(33, "auth", ("http", "ws"), "401 without the right credentials: userinfo with %40, bearer "
         "token, key in the path, JWT with a fresh iat", "stats",
         "counts.denied is 0 with credentials, the state says auth without; they are never printed",
         word="auth", args={"how": "basic", "user": "us@r", "password": "p:w%", "token": "k3y",
                            "secret": "11" * 32},
         variants=hows("basic", "bearer", "path", "jwt"), request=acts.authorize),

    # ---- batches
    Kind(35, "batcherror", ALL, "one error object for a batch, or an array with only one error",
         "head", "every call of the batch fails, or is asked again singly",
         args={"how": "object", "times": 10 ** 6}, variants=hows("object", "firstonly"),
         batch=acts.batch_shape),
    Kind(36, "batchmess", ALL, "batch replies shuffled, one missing, one twice, one unknown, one "
         "with id null, or ids as strings", "head", "matched by id; what is missing fails alone",
         args={"how": "mess", "times": 10 ** 6}, variants=hows("mess", "strings"),
         batch=acts.batch_shape),
    Kind(37, "batchtail", ALL, "the second half of a batch is answered with -32003", "head",
         "only these calls fail", args={"how": "tail", "times": 10 ** 6}, batch=acts.batch_shape),
    Kind(38, "batchshort", ALL, "a batch reply without its second half, or an empty one", "head",
         "what is missing fails alone", args={"how": "short", "times": 10 ** 6},
         variants=hows("short", "empty"), batch=acts.batch_shape),
    Kind(40, "batchlimited", ALL, "the first item of a batch is rate limited", "head",
         "only that item is asked again", args={"how": "limited", "times": 3},
         batch=acts.batch_shape),

    # ---- unix socket
    Kind(41, "bytewise", IPC, "messages in writes of one byte, also inside an escape", "head",
         "put together", args={"bytes": 2048}, wire=acts.bytewise),
    Kind(42, "joined", IPC, "several messages in one write, with or without a newline between",
         "head", "taken apart", args={"between": "", "window": 0.03},
         variants=({"between": ""}, {"between": "\n"}, {"between": " \r\n\t"}), wire=acts.joined),
    Kind(43, "braces", IPC, "pieces that end in } inside a longer message", "head",
         "scanned once, without trying to parse each piece", args={"pieces": 200},
         wire=acts.braces),
    Kind(44, "cut", PUSH, "the end in the middle of a message", "head",
         "an error, the half message is thrown away, a new connection", word="reset",
         args={"heads": 2, "times": 1}, head=acts.cut_after_heads),
    Kind(45, "longline", IPC, "one message of 21 MiB", "head", "taken", within=15,
         args={"bytes": 21 * MIB, "times": 2}, result=acts.pad_body),
    Kind(46, "socketgone", IPC, "the end while it is written to; no socket file, one without a "
         "listener, one without permission (not as root), for 5 s", "head",
         "distinct words; it tries again", within=20, args={"how": "stale", "down": 5, "times": 5},
         variants=({"how": "stale", "word": "refused"}, {"how": "missing", "word": "refused"},
                   {"how": "permission", "word": "refused"}, {"how": "epipe", "word": "closed"}),
         started=acts.break_socket, accept=acts.epipe_at_accept),
    Kind(47, "chunks", IPC, "bodies of 4 MiB in pieces of 4 KiB", "head", "each byte scanned once",
         within=15, args={"bytes": 4 * MIB, "times": 8, "chunk": 4096},
         result=acts.pad_body, wire=acts.small_chunks),
    Kind(48, "garbage", IPC, "garbage before each message", "head",
         "skipped and counted, or a new connection with a word about it; no hang",
         args={"garbage": "\x00garbage ] "}, wire=acts.garbage_before),

    # ---- JSON-RPC and chain
    Kind(49, "envelope", ALL, "replies with odd envelopes, 3 times: id as string, float or 2^70, "
         "another version, both or neither of result and error, an error without message or with "
         "a text as code", "head", "the call fails or is understood; nothing else suffers",
         within=40, args={"how": "string", "times": 3},
         variants=hows("string", "float", "huge", "version", "both", "neither", "nomessage",
                       "textcode"), reply=acts.envelope),
    Kind(50, "nullblock", ALL, "a head just announced is null, twice, then there", "head",
         "a short retry, then the block; or 'not available'", word="null", within=10,
         args={"times": 2, "every": 1},
         variants=({}, {"times": 10 ** 6, "every": 2, "check": "fails",
                        "expect": "every second block stays without a body, told as null"}),
         result=acts.null_block),
    Kind(51, "order", ALL, "the head goes back by 3, two of three heads are not announced, or the "
         "last blocks are replaced (made-up chain only)", "head",
         "parents are walked; gaps filled; the reorg shown with its depth", within=10,
         args={"how": "skip", "depth": 2, "every": 4},
         variants=({"how": "skip", "paths": PUSH},) + hows("back", "reorg")
         + ({"how": "reorg", "depth": 1},),
         head=acts.head_order, result=acts.number_order, started=acts.reorg_often),
    Kind(52, "lostfilter", ALL, "every filter is unknown", "head", "made again, or never used",
         call=acts.lost_filter),
    Kind(53, "nosubscribe", PUSH, "eth_subscribe does not exist", "head", "it polls instead",
         within=10, args={"code": -32601}, variants=({"code": -32601}, {"code": -32001}),
         call=acts.no_subscriptions),
    Kind(54, "pendingnulls", ALL, "the pending block (or latest, 3 times) has null hash, nonce, "
         "miner and bloom", "head", "not taken for a head",
         args={"tag": "pending", "times": 3}, variants=({"tag": "pending"}, {"tag": "latest"}),
         result=acts.pending_nulls),
    Kind(55, "headshape", PUSH, "heads with four fields only, with nulls for what is missing, or "
         "with everything", "head", "taken; unknown stays unknown", args={"how": "bare"},
         variants=hows("bare", "nulls", "full"), head=acts.head_shape),
    Kind(56, "oddtx", ALL, "the first transaction of each body is of an unknown type, has no type, "
         "no signature or one of zeros", "head", "kept and counted; the mark is ? or a cross",
         args={"how": "unknown"}, variants=hows("unknown", "notype", "nosig", "zero"),
         result=acts.odd_transactions),
    Kind(57, "pruned", ALL, "blocks more than 4 below the head are answered with error 4444",
         "head", "told once, as null; not asked for ever", word="null", args={"keep": 4},
         call=acts.pruned),
    Kind(58, "wrongblock", ALL, "another block than the one asked for, or one whose hash does not "
         "hold; 2 times", "fails", "never shown as that block; asked again", word="wrong block",
         within=10, args={"how": "other", "times": 2},
         variants=({"how": "other"}, {"how": "hash", "word": "",
                                      "expect": "marked by the field, or asked again"}),
         result=acts.wrong_block),
    Kind(59, "fullness", ALL, "hashes although bodies were asked for, or the other way round; "
         "3 times", "head", "known by the shape; not counted as a body", within=10,
         args={"how": "hashes", "times": 3}, variants=hows("hashes", "bodies"),
         result=acts.wrong_fullness),
    Kind(60, "otherchain", ALL, "after 4 s all connections end and the chain id is another",
         "state", "shown as another chain, its data kept apart; a path that polls asks for the chain "
         "every 15 s", word="", within=25, args={"after": 4},
         started=acts.other_chain),
)


def find(kind):
    """A row by number or name."""
    for row in KINDS:
        if str(kind) in (str(row.number), row.name):
            return row
    raise ValueError("no fault %r; --list shows them" % (kind,))


def parse(text):
    """"20:code=1008" → (row number or name, args)."""
    kind, *pairs = text.split(":")
    args = {}
    for pair in pairs:
        key, _, value = pair.partition("=")
        try:
            args[key] = json.loads(value)
        except ValueError:
            args[key] = value
    return kind, args


def as_data():
    """The table for a test loop in any language."""
    return [case for row in KINDS for case in row.cases()]
