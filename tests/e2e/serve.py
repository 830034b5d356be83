"""chaintop serve: every method over HTTP, WebSocket and unix socket, and what clients do to a server.

Blocks are made here, and taken from CHAINTOP_CORPUS where there is one. Clients are plain sockets, so that requests can be split,
pipelined, fragmented and left unread. Environment: CHAINTOP, the binary.
"""
import base64
import functools
import json
import os
import pathlib
import resource
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHAINTOP = os.environ.get("CHAINTOP", str(ROOT / "chaintop"))
CORPUS = os.environ.get("CHAINTOP_CORPUS", "")
TIMEOUT = 20
FIRST, COUNT = 1000, 80


def sanitized():
    return b"__asan_init" in pathlib.Path(CHAINTOP).resolve().read_bytes()


def hash_of(number):
    return f"0x{number:064x}"


def block(number, transactions=3, bytes_each=200, timestamp=None):
    txs = [
        {"hash": hash_of(number << 32 | i), "input": "0x" + "ab" * bytes_each, "blockNumber": hex(number)}
        for i in range(transactions)
    ]
    return {
        "hash": hash_of(number), "parentHash": hash_of(number - 1), "number": hex(number),
        "timestamp": hex(timestamp if timestamp is not None else 1_600_000_000 + number), "gasUsed": "0x5208",
        "extraData": "0x7b", "uncles": [], "transactions": txs, "withdrawals": [], "size": "0x1",
    }


def text_of(value):
    return json.dumps(value, separators=(",", ":")).encode()


def request(id, method, *params):
    return text_of({"jsonrpc": "2.0", "id": id, "method": method, "params": list(params)})


def get_block(id, number):
    return request(id, "eth_getBlockByNumber", number if isinstance(number, str) else hex(number), True)


# Clients: send(request bytes), recv() -> answer bytes ---------------------------------------------


class Bytes:
    """A connected socket with a buffer."""

    def __init__(self, sock):
        self.sock, self.buffer = sock, b""
        sock.settimeout(TIMEOUT)

    def fill(self):
        more = self.sock.recv(1 << 20)
        if not more:
            raise EOFError
        self.buffer += more

    def exactly(self, n):
        parts, have = [self.buffer], len(self.buffer)
        while have < n:
            more = self.sock.recv(1 << 20)
            if not more:
                raise EOFError
            parts.append(more)
            have += len(more)
        whole = b"".join(parts)
        self.buffer = whole[n:]
        return whole[:n]

    def until(self, end):
        at = 0
        while (found := self.buffer.find(end, at)) < 0:
            at = max(0, len(self.buffer) - len(end))
            self.fill()
        found += len(end)
        line, self.buffer = self.buffer[:found], self.buffer[found:]
        return line

    def close(self):
        self.sock.close()


def address(url):
    host, port = url.split("//")[1].split(":")
    return host, int(port)


class Http(Bytes):
    def __init__(self, ready):
        super().__init__(socket.create_connection(address(ready["http"])))

    def head(self, length, extra=b""):
        return b"POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n" % (length, extra)

    def send(self, text):
        self.sock.sendall(self.head(len(text)) + text)

    def response(self):
        head = self.until(b"\r\n\r\n")
        status = int(head.split()[1])
        length = [int(l.split(b":")[1]) for l in head.lower().split(b"\r\n") if l.startswith(b"content-length:")]
        return status, self.exactly(length[0]) if length else b""

    def recv(self):
        status, body = self.response()
        assert status == 200, status
        return body


class Ws(Bytes):
    def __init__(self, ready):
        super().__init__(socket.create_connection(address(ready["ws"])))
        key = base64.b64encode(os.urandom(16))
        self.sock.sendall(
            b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            b"Sec-WebSocket-Key: " + key + b"\r\n\r\n"
        )
        head = self.until(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 101"), head

    def frame(self, payload, opcode=1, fin=True):
        n, mask = len(payload), os.urandom(4)
        head = bytes([opcode | (0x80 if fin else 0)])
        if n < 126:
            head += bytes([0x80 | n])
        elif n < 65536:
            head += struct.pack(">BH", 0x80 | 126, n)
        else:
            head += struct.pack(">BQ", 0x80 | 127, n)
        masked = (int.from_bytes(payload, "big") ^ int.from_bytes((mask * (n // 4 + 1))[:n], "big")).to_bytes(n, "big")
        return head + mask + masked

    def send(self, text):
        self.sock.sendall(self.frame(text))

    def read_frame(self):
        a, b = self.exactly(2)
        n = b & 127
        if n == 126:
            n = struct.unpack(">H", self.exactly(2))[0]
        elif n == 127:
            n = struct.unpack(">Q", self.exactly(8))[0]
        assert not b & 128 and not a & 0x70
        return a & 15, bool(a & 0x80), self.exactly(n)

    def recv(self):
        parts = []
        while True:
            opcode, fin, payload = self.read_frame()
            if opcode >= 8:
                raise EOFError(opcode, payload)
            parts.append(payload)
            if fin:
                return b"".join(parts)


class Ipc(Bytes):
    def __init__(self, ready):
        sock = socket.socket(socket.AF_UNIX)
        sock.connect(ready["ipc"])
        super().__init__(sock)

    def send(self, text):
        self.sock.sendall(text)

    def recv(self):
        return self.until(b"\n")[:-1]


CLIENTS = (Http, Ws, Ipc)


# The server --------------------------------------------------------------------------------------


class Server:
    def __init__(self, folder, *options, ipc=None, files=None):
        self.work = tempfile.TemporaryDirectory()
        self.ipc = ipc or self.work.name + "/s.ipc"
        limit = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))) if files else None
        self.log = self.work.name + "/log"
        self.process = subprocess.Popen(
            [CHAINTOP, "serve", str(folder), "--http", ":0", "--ws", ":0", "--ipc", self.ipc, "--log", self.log, *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit,
        )
        line = self.process.stdout.readline()
        self.ready = json.loads(line) if line else None

    def stop(self, sig=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(sig)
        try:
            self.out, self.err = self.process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.out, self.err = self.process.communicate()
        self.work.cleanup()
        return self.process.returncode

    def cpu(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) * 1024

    def rss(self):
        return int(pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def write_chain(folder, blocks):
    for b in blocks:
        (folder / f"{int(b['number'], 16)}.json").write_bytes(text_of(b))


class Case(unittest.TestCase):
    def serve(self, folder, *options, **more):
        server = Server(folder, *options, **more)
        self.addCleanup(server.process.stderr.close)
        self.addCleanup(server.stop)
        self.assertIsNotNone(server.ready, "it did not start")
        return server

    def folder(self, blocks=()):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        path = pathlib.Path(work.name)
        write_chain(path, blocks)
        return path

    def connect(self, client, server):
        c = client(server.ready)
        self.addCleanup(c.close)
        return c

    def ask(self, c, text):
        c.send(text)
        return c.recv()

    def error(self, answer, code, id=1):
        answer = json.loads(answer)
        self.assertEqual((answer["jsonrpc"], answer["id"], answer["error"]["code"]), ("2.0", id, code))
        self.assertTrue(answer["error"]["message"])
        self.assertNotIn("result", answer)

    def same(self, got, want):
        # assertEqual would print a megabyte.
        if got != want:
            at = next((i for i, (a, b) in enumerate(zip(got, want)) if a != b), min(len(got), len(want)))
            self.fail(f"{len(got)} bytes, not {len(want)}; first difference at {at}: {got[at - 20:at + 20]}")

    def wait(self, condition, seconds=TIMEOUT):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, "it did not happen")
            time.sleep(0.01)


def each_transport(test):
    @functools.wraps(test)
    def run(self):
        for client in CLIENTS:
            with self.subTest(client.__name__):
                test(self, self.connect(client, self.server))

    return run


class Methods(Case):
    """One server for all of them; a chain of 80 blocks, the last of 12 MB."""

    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.work.name)
        chain = [block(n, n % 5) for n in range(FIRST, FIRST + COUNT - 1)]
        write_chain(cls.path, chain + [block(FIRST + COUNT - 1, 6000, 1000)])
        (cls.path / "notes.txt").write_text("no block")
        cls.server = Server(cls.path, "--chain-id", "17000")
        assert cls.server.ready, cls.server.process.stderr.read()

    @classmethod
    def tearDownClass(cls):
        code = cls.server.stop()
        cls.work.cleanup()
        assert code == 0, (code, cls.server.err)
        assert not cls.server.err, cls.server.err

    def file(self, number):
        return (self.path / f"{number}.json").read_bytes()

    def result(self, c, method, *params):
        answer = json.loads(self.ask(c, request(1, method, *params)))
        self.assertEqual((answer["jsonrpc"], answer["id"]), ("2.0", 1))
        return answer["result"]

    def test_ready_line(self):
        ready = self.server.ready
        self.assertEqual(ready["chainId"], 17000)
        self.assertEqual((ready["blocks"], ready["first"], ready["last"]), (COUNT, FIRST, FIRST + COUNT - 1))
        for scheme in ("http", "ws"):
            self.assertRegex(ready[scheme], rf"^{scheme}://127\.0\.0\.1:[1-9][0-9]*$")

    @each_transport
    def test_small_methods(self, c):
        self.assertEqual(self.result(c, "eth_chainId"), "0x4268")
        self.assertEqual(self.result(c, "net_version"), "17000")
        self.assertEqual(self.result(c, "eth_blockNumber"), hex(FIRST + COUNT - 1))
        self.assertIs(self.result(c, "eth_syncing"), False)
        self.assertRegex(self.result(c, "web3_clientVersion"), "^chaintop/")

    @each_transport
    def test_blocks_are_their_files(self, c):
        for n in range(FIRST, FIRST + COUNT):
            self.same(self.ask(c, get_block(n, n)), b'{"jsonrpc":"2.0","id":%d,"result":' % n + self.file(n) + b"}")

    @each_transport
    def test_by_hash(self, c):
        for n in (FIRST, FIRST + 7, FIRST + COUNT - 1):
            answer = self.ask(c, request(1, "eth_getBlockByHash", hash_of(n), True))
            self.same(answer, b'{"jsonrpc":"2.0","id":1,"result":' + self.file(n) + b"}")
        self.assertIsNone(self.result(c, "eth_getBlockByHash", hash_of(5), True))

    @each_transport
    def test_hashes_only(self, c):
        for n in (FIRST, FIRST + 4, FIRST + COUNT - 1):
            want = json.loads(self.file(n))
            want["transactions"] = [t["hash"] for t in want["transactions"]]
            self.assertEqual(self.result(c, "eth_getBlockByNumber", hex(n), False), want)

    @each_transport
    def test_tags(self, c):
        last = FIRST + COUNT - 1
        tags = {"earliest": FIRST, "latest": last, "pending": last, "safe": last - 32, "finalized": last - 64}
        for tag, n in tags.items():
            self.assertEqual(self.result(c, "eth_getBlockByNumber", tag, False)["number"], hex(n))
        for n in (FIRST - 1, last + 1, 0, 2**64 - 1):
            self.assertIsNone(self.result(c, "eth_getBlockByNumber", hex(n), True))

    @each_transport
    def test_wrong_requests(self, c):
        wrong = {
            -32601: [request(1, "eth_getLogs"), request(1, "eth_"), request(1, ""), request(1, "eth_chainId\n")],
            -32602: [
                request(1, "eth_getBlockByNumber"), request(1, "eth_getBlockByNumber", 5, True),
                request(1, "eth_getBlockByNumber", "newest", True), request(1, "eth_getBlockByNumber", "0xg", True),
                request(1, "eth_getBlockByNumber", "0x1", 1), request(1, "eth_getBlockByNumber", "0x1", True, True),
                request(1, "eth_getBlockByNumber", "0x10000000000000000", True), request(1, "eth_getBlockByHash", "0x12", True),
                request(1, "eth_chainId", 1, 2, 3, 4, 5), b'{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":{"a":1}}',
            ],
            -32600: [b'{"id":1}', b'{"id":1,"method":7}', b'{"id":1,"params":[]}'],
        }
        for code, requests in wrong.items():
            for text in requests:
                self.error(self.ask(c, text), code)
        for id in (b"{}", b"[1]", b"true", b'"' + b"x" * 5000 + b'"'):
            self.error(self.ask(c, b'{"id":' + id + b',"method":"eth_chainId"}'), -32600, None)

    def test_no_json(self):
        for client in (Http, Ws):
            with self.subTest(client.__name__):
                c = self.connect(client, self.server)
                for text in (b"x", b"{", b"{]", b"[1,", b'{"id":1,"method":"eth_chainId"}}', b'[{"id":1,"method":"eth_chainId"},]'):
                    self.error(self.ask(c, text), -32700, None)
                self.error(self.ask(c, b'"eth_chainId"'), -32600, None)
                # The connection goes on.
                self.assertEqual(self.result(c, "net_version"), "17000")
        self.error(self.ask(self.connect(Http, self.server), b""), -32700, None)

    @each_transport
    def test_ids_come_back_as_they_are(self, c):
        for id in (b"0", b"-1", b"1.50", b"1e3", b'""', b'"a\\u0041\\n\\"\xc3\xa9"', b"null", b'"' + b"i" * 900 + b'"'):
            answer = self.ask(c, b'{"method":"eth_getBlockByNumber","params":["earliest",true],"id":' + id + b"}")
            self.same(answer, b'{"jsonrpc":"2.0","id":' + id + b',"result":' + self.file(FIRST) + b"}")

    @each_transport
    def test_notifications_have_no_answer(self, c):
        note = b'{"jsonrpc":"2.0","method":"eth_getBlockByNumber","params":["latest",true]}'
        c.send(note)
        if isinstance(c, Http):
            self.assertEqual(c.response(), (200, b""))
        c.send(b"[" + note + b"," + note + b"]")
        if isinstance(c, Http):
            self.assertEqual(c.response(), (200, b""))
        self.assertEqual(self.result(c, "net_version"), "17000")

    @each_transport
    def test_batch(self, c):
        items = [request(1, "eth_chainId"), get_block("b", FIRST), b'{"method":"eth_chainId"}', b"7", request(2, "nope"),
                 get_block(3, FIRST + 1), get_block(4, 1), get_block(5, FIRST + 2)]
        answer = self.ask(c, b"[" + b" ,\n".join(items) + b"]")
        got = json.loads(answer)
        self.assertEqual([g["id"] for g in got], [1, "b", None, 2, 3, 4, 5])
        self.assertEqual(got[2]["error"]["code"], -32600)
        self.assertEqual(got[3]["error"]["code"], -32601)
        self.assertIsNone(got[5]["result"])
        for i, n in ((1, FIRST), (4, FIRST + 1), (6, FIRST + 2)):
            self.assertIn(b'"result":' + self.file(n) + b"}", answer)
        self.error(self.ask(c, b"[]"), -32600, None)
        self.error(self.ask(c, b"[" + b",".join([request(1, "eth_chainId")] * 1001) + b"]"), -32600, None)
        self.assertEqual(len(json.loads(self.ask(c, b"[" + b",".join([request(1, "eth_chainId")] * 1000) + b"]"))), 1000)

    @each_transport
    def test_batch_has_a_limit(self, c):
        """What fits in 128 MiB comes, the rest says that it does not."""
        fit = (128 << 20) // (len(self.file(FIRST + COUNT - 1)) + 100)
        answer = json.loads(self.ask(c, b"[" + b",".join(get_block(i, "latest") for i in range(12)) + b"]"))
        codes = [a.get("error", {}).get("code") for a in answer]
        self.assertEqual(codes, [None] * fit + [-32003] * (12 - fit))

    @each_transport
    def test_pipelined(self, c):
        """Hundreds of requests at once are answered in order."""
        numbers = [FIRST + i * 7 % (COUNT - 1) for i in range(400)]

        def send():
            if isinstance(c, Http):
                texts = [get_block(n, n) for n in numbers]
                c.sock.sendall(b"".join(c.head(len(t)) + t for t in texts))
            elif isinstance(c, Ws):
                c.sock.sendall(b"".join(c.frame(get_block(n, n)) for n in numbers))
            else:
                c.sock.sendall(b"".join(get_block(n, n) for n in numbers))

        sender = threading.Thread(target=send)
        sender.start()
        for n in numbers:
            self.same(c.recv(), b'{"jsonrpc":"2.0","id":%d,"result":' % n + self.file(n) + b"}")
        sender.join()

    def test_http(self):
        c = self.connect(Http, self.server)
        text = request(1, "net_version")
        want = b'{"jsonrpc":"2.0","id":1,"result":"17000"}'
        chunks = b"".join(b"%x\r\n" % len(t) + t + b"\r\n" for t in (text[:1], text[1:20], text[20:])) + b"0\r\n\r\n"
        head = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        for _ in range(2):
            c.sock.sendall(head + chunks)
            self.assertEqual(c.recv(), want)
        # Byte by byte, head and all.
        for byte in c.head(len(text)) + text:
            c.sock.sendall(bytes([byte]))
        self.assertEqual(c.recv(), want)
        c.sock.sendall(c.head(len(text), b"Expect: 100-continue\r\n"))
        self.assertIn(b" 100 ", c.until(b"\r\n\r\n"))
        c.sock.sendall(text)
        self.assertEqual(c.recv(), want)
        c.sock.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        self.assertEqual(c.response()[0], 405)
        c = self.connect(Http, self.server)
        c.sock.sendall(c.head(6 << 20))
        with self.assertRaises((ConnectionError, EOFError, AssertionError)):
            for _ in range(6):
                c.sock.sendall(b" " * (1 << 20))
            self.assertEqual(c.response()[0], 200)
        c = self.connect(Http, self.server)
        c.sock.sendall(c.head(5 << 20) + b" " * ((5 << 20) - len(text)) + text)
        self.assertEqual(c.recv(), want)

    def test_websocket(self):
        c = self.connect(Ws, self.server)
        text = request(1, "net_version")
        want = b'{"jsonrpc":"2.0","id":1,"result":"17000"}'
        # In three frames with a ping between them, and byte by byte.
        c.sock.sendall(c.frame(text[:3], fin=False) + c.frame(b"are you there", 9) + c.frame(text[3:10], 0, False)
                       + c.frame(text[10:], 0))
        self.assertEqual(c.read_frame(), (10, True, b"are you there"))
        self.assertEqual(c.recv(), want)
        for byte in c.frame(text):
            c.sock.sendall(bytes([byte]))
        self.assertEqual(c.recv(), want)
        c.sock.sendall(c.frame(text, 2))
        self.assertEqual(c.recv(), want)
        c.send(b" " * ((5 << 20) - len(text)) + text)
        self.assertEqual(c.recv(), want)
        c.sock.sendall(c.frame(struct.pack(">H", 1000), 8))
        opcode, _, payload = c.read_frame()
        self.assertEqual((opcode, payload[:2]), (8, struct.pack(">H", 1000)))
        c = self.connect(Ws, self.server)
        with self.assertRaises((ConnectionError, EOFError)):
            for _ in range(20):
                c.sock.sendall(c.frame(b" " * (1 << 20), 1 if _ == 0 else 0, False))
            c.recv()
        # Not an upgrade.
        c = Bytes(socket.create_connection(address(self.server.ready["ws"])))
        self.addCleanup(c.close)
        c.sock.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        self.assertIn(b" 426 ", c.until(b"\r\n"))

    def test_unix_socket(self):
        c = self.connect(Ipc, self.server)
        text = request(1, "net_version")
        want = b'{"jsonrpc":"2.0","id":1,"result":"17000"}'
        for byte in text + b"\n":
            c.sock.sendall(bytes([byte]))
        self.assertEqual(c.recv(), want)
        c.sock.sendall(text + text + b" \r\n\t" + text)
        self.assertEqual([c.recv() for _ in range(3)], [want] * 3)
        tricky = b'{"id":1,"method":"net_version","x":"}]\\"{\\\\"}'
        c.sock.sendall(tricky + text)
        self.assertEqual([c.recv() for _ in range(2)], [want] * 2)
        c.send(b" " * (6 << 20) + text)
        self.assertEqual(c.recv(), want)
        # Where the next request begins is not known: an error, then the end.
        c.sock.sendall(b"hello" + text)
        self.error(c.recv(), -32700, None)
        with self.assertRaises(EOFError):
            c.recv()
        c = self.connect(Ipc, self.server)
        with self.assertRaises((ConnectionError, EOFError)):
            c.sock.sendall(b"[" + b" " * (6 << 20))
            c.recv()

    def test_who_goes_away_disturbs_nobody(self):
        for client in CLIENTS:
            for _ in range(10):
                c = client(self.server.ready)
                for _ in range(5):
                    c.send(get_block(1, "latest"))
                c.sock.recv(1000)
                c.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                c.close()
        for client in CLIENTS:
            self.assertEqual(self.result(self.connect(client, self.server), "net_version"), "17000")

    def test_slow_clients(self):
        """Who does not read gets what the kernel holds; others are served meanwhile, and nothing spins."""
        slow = [self.connect(client, self.server) for client in CLIENTS for _ in range(4)]
        before = self.server.rss()
        for c in slow:
            for i in range(20):
                c.send(get_block(i, "latest"))
        for client in CLIENTS:
            self.assertEqual(self.result(self.connect(client, self.server), "net_version"), "17000")
        # Behind an answer that does not go out there are requests to be read.
        for c in slow:
            for i in range(20, 30):
                c.send(get_block(i, "latest"))
        start, cpu = time.monotonic(), self.server.cpu()
        time.sleep(1.0)  # not a wait for something: the time over which the CPU is taken
        used = (self.server.cpu() - cpu) / (time.monotonic() - start)
        if not sanitized():
            self.assertLess(used, 0.3, "CPU while nobody reads")
            # A message each is copied, not thirty.
            self.assertLess(self.server.rss() - before, 12 * 40e6)
        want = self.file(FIRST + COUNT - 1)
        for c in slow[::4]:
            for i in range(30):
                self.same(c.recv(), b'{"jsonrpc":"2.0","id":%d,"result":' % i + want + b"}")

    def test_a_hundred_connections(self):
        clients = [self.connect(CLIENTS[i % 3], self.server) for i in range(100)]
        for round in range(3):
            for i, c in enumerate(clients):
                c.send(get_block(i, FIRST + (i + round) % (COUNT - 1)))
            for i, c in enumerate(clients):
                n = FIRST + (i + round) % (COUNT - 1)
                self.same(c.recv(), b'{"jsonrpc":"2.0","id":%d,"result":' % i + self.file(n) + b"}")

    @each_transport
    def test_subscriptions_need_a_connection(self, c):
        if isinstance(c, Http):
            self.error(self.ask(c, request(1, "eth_subscribe", "newHeads")), -32601)
            return
        ids = [self.result(c, "eth_subscribe", "newHeads") for _ in range(16)]
        self.assertEqual(len(set(ids)), 16)
        self.error(self.ask(c, request(1, "eth_subscribe", "newHeads")), -32000)
        self.error(self.ask(c, request(1, "eth_subscribe", "logs")), -32601)
        self.error(self.ask(c, request(1, "eth_subscribe")), -32602)
        self.assertIs(self.result(c, "eth_unsubscribe", ids[3]), True)
        self.error(self.ask(c, request(1, "eth_unsubscribe", ids[3])), -32000)
        self.error(self.ask(c, request(1, "eth_unsubscribe", 3)), -32602)


class Heads(Case):
    def test_new_heads(self):
        path = self.folder(block(n, 2) for n in range(FIRST, FIRST + 40))
        server = self.serve(path, "--interval", "40ms")
        self.assertEqual(server.ready["head"], FIRST)
        for client in (Ws, Ipc):
            with self.subTest(client.__name__):
                c = self.connect(client, server)
                sub = json.loads(self.ask(c, request(1, "eth_subscribe", "newHeads")))["result"]
                heads = [json.loads(c.recv()) for _ in range(5)]
                for h in heads:
                    self.assertEqual((h["method"], h["params"]["subscription"]), ("eth_subscription", sub))
                heads = [h["params"]["result"] for h in heads]
                first = int(heads[0]["number"], 16)
                self.assertGreater(first, FIRST)
                for i, h in enumerate(heads):
                    want = block(first + i)
                    for key in ("transactions", "uncles", "withdrawals", "size"):
                        del want[key]
                    self.assertEqual(h, want)
                # It is there to be asked for, and the one after it is not yet.
                got = json.loads(self.ask(c, request(2, "eth_getBlockByHash", heads[-1]["hash"], True)))
                while "method" in got:
                    got = json.loads(c.recv())
                self.assertEqual(got["result"]["number"], heads[-1]["number"])
        h = self.connect(Http, server)
        number = lambda: int(json.loads(self.ask(h, request(1, "eth_blockNumber")))["result"], 16)
        if number() < FIRST + 39:
            self.assertIsNone(json.loads(self.ask(h, get_block(1, FIRST + 39)))["result"])
        # It ends with the last block and stays there.
        self.wait(lambda: number() == FIRST + 39)
        self.assertEqual(json.loads(self.ask(h, get_block(1, FIRST + 39)))["result"]["number"], hex(FIRST + 39))

    def test_chain_into_the_future(self):
        now = int(time.time())
        path = self.folder(block(n, 1, timestamp=now + (n - FIRST - 20) * 600) for n in range(FIRST, FIRST + 40))
        self.assertEqual(self.serve(path, "--interval", "1h").ready["head"], FIRST + 20)

    def test_gaps(self):
        path = self.folder(block(n) for n in (3, 7, 1000000))
        server = self.serve(path)
        for client in CLIENTS:
            c = self.connect(client, server)
            for tag, n in (("earliest", 3), ("latest", 1000000), ("safe", 7), ("0x7", 7)):
                self.assertEqual(json.loads(self.ask(c, request(1, "eth_getBlockByNumber", tag, True)))["result"]["number"], hex(n))
            self.assertIsNone(json.loads(self.ask(c, get_block(1, 8)))["result"])

    def test_a_client_that_takes_no_news(self):
        path = self.folder(block(n, 0) for n in range(FIRST, FIRST + 6000))
        server = self.serve(path, "--interval", "1ms")
        c = self.connect(Ws, server)
        for i in range(16):
            self.ask(c, request(i, "eth_subscribe", "newHeads"))
        h = self.connect(Http, server)
        self.wait(lambda: json.loads(self.ask(h, request(1, "eth_blockNumber")))["result"] == hex(FIRST + 5999), 60)
        self.assertEqual(server.stop(), 0)


class Life(Case):
    def test_signals(self):
        path = self.folder([block(1)])
        for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            server = self.serve(path)
            clients = [self.connect(client, server) for client in CLIENTS]
            self.assertTrue(os.path.exists(server.ipc))
            self.assertEqual(os.stat(server.ipc).st_mode & 0o777, 0o600)
            self.assertEqual(server.stop(sig), 0)
            self.assertFalse(os.path.exists(server.ipc))
            self.assertEqual(server.err, b"")
            for c in clients:
                with self.assertRaises((ConnectionError, EOFError)):
                    c.send(request(1, "eth_chainId"))
                    c.recv()

    def refused(self, folder, *options):
        done = subprocess.run([CHAINTOP, "serve", str(folder), *options], capture_output=True, timeout=TIMEOUT)
        self.assertEqual(done.stdout, b"")
        self.assertRegex(done.stderr.decode().splitlines()[-1], "^chaintop: ")
        return done.returncode

    def test_addresses_in_use(self):
        path = self.folder([block(1)])
        server = self.serve(path)
        self.assertEqual(self.refused(path, "--ipc", server.ipc), 64)
        self.assertEqual(self.refused(path, "--http", server.ready["http"].split("//")[1]), 69)
        self.assertEqual(self.refused(path, "--ws", server.ready["ws"].split("//")[1]), 69)
        # It was not disturbed.
        self.assertIn(b"0x1", self.ask(self.connect(Ipc, server), request(1, "eth_chainId")))

    def test_socket_files(self):
        path = self.folder([block(1)])
        stale = str(path / "stale.ipc")
        left = socket.socket(socket.AF_UNIX)
        left.bind(stale)
        left.close()
        server = self.serve(path, ipc=stale)
        self.assertIn(b"0x1", self.ask(self.connect(Ipc, server), request(1, "eth_chainId")))
        mine = path / "mine"
        mine.write_text("keep")
        self.assertEqual(self.refused(path, "--ipc", str(mine)), 64)
        self.assertEqual(mine.read_text(), "keep")
        self.assertEqual(self.refused(path, "--ipc", str(path / ("x" * 120))), 64)
        self.assertEqual(self.refused(path, "--ipc", str(path / "no" / "such")), 69)

    def test_words(self):
        path = self.folder([block(1)])
        for word in ("", "x", "1.2.3.4", "127.0.0.1:", "127.0.0.1:99999", "::1:80", "127.0.0.1:-1", "example.org:80"):
            self.assertEqual(self.refused(path, "--http", word), 64, word)
        self.assertEqual(self.refused(path, str(path)), 64)
        self.assertEqual(self.refused(path / "nothing"), 69)
        self.assertEqual(self.refused(self.folder()), 69)
        self.assertEqual(self.refused(path, "--chain-id", "0x1"), 64)

    def test_files_that_are_no_blocks(self):
        path = self.folder([block(1), block(2), block(3)])
        (path / "4.json").write_bytes(text_of(block(5)))
        (path / "6.json").write_bytes(text_of(block(6))[:100])
        (path / "7.json").write_bytes(b"[]")
        (path / "8.json").mkdir()
        (path / "009.json").write_bytes(text_of(block(9)))
        (path / "10.json").write_bytes(b"")
        os.mkfifo(path / "11.json")
        (path / "12.json").write_bytes(b"\n" + json.dumps(block(12), indent=1).encode() + b"\n")
        # The header stands behind the transactions.
        late = block(13, 300)
        (path / "13.json").write_bytes(text_of(dict(sorted(late.items(), key=lambda kv: kv[0] in ("number", "hash", "timestamp")))))
        server = self.serve(path)
        self.assertEqual((server.ready["blocks"], server.ready["last"]), (5, 13))
        for client in CLIENTS:
            c = self.connect(client, server)
            if client is not Ipc:
                self.assertEqual(json.loads(self.ask(c, get_block(1, 12)))["result"], block(12))
            self.assertEqual(json.loads(self.ask(c, get_block(1, 13)))["result"], late)
        server.stop()
        self.assertEqual(len(server.err.splitlines()), 6)
        self.assertIn(b"4.json: holds block 5", server.err)

    def test_files_that_change(self):
        path = self.folder(block(n) for n in range(1, 6))
        server = self.serve(path)
        (path / "1.json").unlink()
        (path / "2.json").write_bytes(b"{")
        (path / "3.json").write_bytes(b"")
        (path / "4.json").write_bytes(b"[1,2]")
        (path / "5.json").write_bytes(text_of({"number": "0x5", "transactions": 7}))
        for client in CLIENTS:
            c = self.connect(client, server)
            for n in (1, 2, 3, 4):
                self.error(self.ask(c, get_block(1, n)), -32000)
            self.error(self.ask(c, request(1, "eth_getBlockByNumber", "0x5", False)), -32000)
        self.assertEqual(server.stop(), 0)

    def test_a_flood_of_small_requests(self):
        """More come than go out: they are left in the socket, not queued."""
        server = self.serve(self.folder([block(1)]))
        before = server.peak()
        for client in (Ws, Ipc):
            with self.subTest(client.__name__):
                c = self.connect(client, server)
                text = request(1, "eth_chainId")
                flood = (c.frame(text) if client is Ws else text) * 40000
                sender = threading.Thread(target=c.sock.sendall, args=(flood,))
                sender.start()
                for _ in range(40000):
                    self.assertEqual(c.recv(), b'{"jsonrpc":"2.0","id":1,"result":"0x1"}')
                sender.join()
        if not sanitized():
            self.assertLess(server.peak() - before, 8 << 20)

    def test_no_descriptors_left(self):
        path = self.folder([block(1)])
        server = self.serve(path, files=64)
        for client in (Ws, Ipc):
            with self.subTest(client.__name__):
                kept, waiting = [], []
                host = server.ipc if client is Ipc else address(server.ready["ws"])
                for _ in range(80):
                    s = socket.socket(socket.AF_UNIX if client is Ipc else socket.AF_INET)
                    s.connect(host)
                    kept.append(s)
                time.sleep(0.3)  # it has met the limit by then
                start, cpu = time.monotonic(), server.cpu()
                time.sleep(0.5)
                used = (server.cpu() - cpu) / (time.monotonic() - start)
                for s in kept:
                    s.close()
                self.assertLess(used, 0.3, "CPU while it cannot accept")
                c = self.connect(client, server)
                self.assertIn(b"0x1", self.ask(c, request(1, "eth_chainId")))
                c.close()
        self.assertEqual(server.stop(), 0)


@unittest.skipUnless(os.path.isdir(CORPUS), "CHAINTOP_CORPUS is not set to a folder")
class RealBlocks(Case):
    def test_every_block_every_transport(self):
        for name in ("mainnet",):
            path = pathlib.Path(CORPUS) / name
            server = self.serve(path)
            files = sorted(path.glob("[0-9]*.json"), key=lambda p: int(p.stem))
            self.assertEqual(server.ready["blocks"], len(files))
            for client in CLIENTS:
                c = self.connect(client, server)
                for f in files:
                    text = f.read_bytes()
                    self.same(self.ask(c, get_block(7, int(f.stem))), b'{"jsonrpc":"2.0","id":7,"result":' + text.strip() + b"}")
                    b = json.loads(text)
                    self.same(self.ask(c, request(7, "eth_getBlockByHash", b["hash"], True)),
                              b'{"jsonrpc":"2.0","id":7,"result":' + text.strip() + b"}")
                    b["transactions"] = [t["hash"] for t in b["transactions"]]
                    got = json.loads(self.ask(c, request(7, "eth_getBlockByNumber", b["number"], False)))["result"]
                    self.assertEqual(got, b)
            self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    unittest.main()
