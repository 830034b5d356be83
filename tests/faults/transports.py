"""HTTP, WebSocket and unix socket connections of the fault node.

A connection has a reader (this thread) and a writer (a second one with a queue), so that a client
that does not read never delays the others. What is sent is a list of items:

    bytes            one JSON message, framed as the transport wants it
    Raw(data)        wire bytes as they are; data may be an iterable of bytes made when needed
    Sleep(seconds)   the writer waits
    CLOSE            orderly end; RESET a broken one; MUTE nothing is sent any more, no FIN
    Ping(payload), Bye(code, reason)   WebSocket control frames (elsewhere: nothing, CLOSE)
"""
import collections
import json
import select
import socket
import ssl
import struct
import threading
import time

import wsproto

HEAD_LIMIT = 64 << 10
BODY_LIMIT = 16 << 20
QUEUE_LIMIT = 256 << 20
LINGER_S = 2


class Raw:
    def __init__(self, data):
        self.data = data


class Sleep:
    def __init__(self, seconds):
        self.seconds = seconds


class Ping:
    def __init__(self, payload=b""):
        self.payload = payload


class Bye:
    def __init__(self, code, reason=""):
        self.code, self.reason = code, reason


class End:
    def __init__(self, name):
        self.name = name


CLOSE, RESET, MUTE = End("close"), End("reset"), End("mute")


class Gone(Exception):
    """The peer went away, or the connection was ended from our side."""


class TlsSocket:
    """An SSLSocket that one thread may read while another writes: OpenSSL allows one at a time."""

    def __init__(self, sock, context):
        self.sock = context.wrap_socket(sock, server_side=True)
        self.sock.setblocking(False)
        self.lock = threading.Lock()

    def _retry(self, call):
        while True:
            try:
                with self.lock:
                    return call()
            except ssl.SSLWantReadError:
                select.select([self.sock], [], [])
            except ssl.SSLWantWriteError:
                select.select([], [self.sock], [])

    def recv(self, n):
        return self._retry(lambda: self.sock.recv(n))

    def sendall(self, data):
        view, off = memoryview(data), 0
        while off < len(view):
            chunk = view[off:off + (256 << 10)]
            off += self._retry(lambda: self.sock.send(chunk))

    def notify_close(self):
        try:
            with self.lock:
                self.sock.unwrap()
        except (OSError, ValueError):
            pass

    def close(self):
        self.sock.close()


class Request:
    """An HTTP request: of a call, or of a WebSocket upgrade."""

    def __init__(self, line, headers, body=b""):
        self.method, self.target = (line.split(" ") + ["", ""])[:2]
        self.headers, self.body = headers, body


class Conn(threading.Thread):
    """One accepted connection. `path` names the transport in statistics and faults."""

    path = None

    def __init__(self, node, sock, number, tls=None):
        super().__init__(daemon=True)
        self.node, self.sock, self.number, self.tls = node, sock, number, tls
        self.io = sock
        self.cv = threading.Condition()
        self.queue, self.queued = collections.deque(), 0
        self.writer = None
        self.muted = self.ended = self.over = False
        self.buffer = bytearray()
        self.subs = {}  # subscription id → Subscription, under the node's lock
        self.memo = {}  # what faults remember about this connection
        self.counts, self.methods = collections.Counter(), collections.Counter()
        self.ids = set()

    # ---- reading

    def run(self):
        try:
            script = self.node.first("accept", self)
            if script is None:
                if self.tls:
                    self.sock.settimeout(10)
                    self.io = TlsSocket(self.sock, self.tls)
                    self.sock = self.io.sock
                self.serve()
            else:
                self.send(script)
                self.drain()
        except (Gone, OSError):
            pass
        except wsproto.ProtocolError as e:
            self.node.log(ev="protocol", path=self.path, conn=self.number, why=str(e))
        finally:
            with self.cv:
                self.over = True
                self.cv.notify()
            self.node.forget(self)
            self.io.close()

    def serve(self):
        raise NotImplementedError

    def fill(self):
        data = self.io.recv(256 << 10)
        if not data:
            raise Gone
        self.counts["bytes_in"] += len(data)
        self.buffer += data

    def drain(self):
        while True:
            self.fill()
            self.buffer.clear()

    def read(self, n):
        while len(self.buffer) < n:
            self.fill()
        data = bytes(self.buffer[:n])
        del self.buffer[:n]
        return data

    def read_line(self):
        while True:
            end = self.buffer.find(b"\r\n")
            if end >= 0:
                return self.read(end + 2)[:-2].decode("latin-1")
            if len(self.buffer) > HEAD_LIMIT:
                raise wsproto.ProtocolError("header line too long")
            self.fill()

    def read_head(self):
        line, headers = self.read_line(), {}
        while True:
            field = self.read_line()
            if not field:
                return Request(line, headers)
            name, _, value = field.partition(":")
            headers[name.strip().lower()] = value.strip()

    # ---- writing

    def send(self, items, stamp=None):
        """Queues items in order. stamp: a record to be logged with the time of the first byte."""
        steps = []
        for item in items:
            if isinstance(item, bytes):
                changed = self.node.first("wire", self, item)
                steps += self.wire(item) if changed is None else changed
            else:
                steps.append(item)
        with self.cv:
            if self.over or self.ended:
                return
            for step in steps:
                data = getattr(step, "data", None)
                size = len(data) if isinstance(data, bytes) else 0  # 0: made when it is sent
                self.queued += size
                self.queue.append((step, size, stamp))
                stamp = None
            if self.queued > QUEUE_LIMIT:  # a client that never reads
                self.queue.clear()
                self.queue.append((RESET, 0, None))
            if not self.writer:
                self.writer = threading.Thread(target=self._write_loop, daemon=True)
                self.writer.start()
            self.cv.notify()

    def wire(self, message):
        """The steps that carry one message on this transport."""
        return [Raw(message)]

    def _write_loop(self):
        while True:
            with self.cv:
                while not self.queue and not self.over:
                    self.cv.wait()
                if self.over:
                    return
                step, size, stamp = self.queue.popleft()
                self.queued -= size
            try:
                self.ended = self._do(step, stamp)
            except OSError:
                self.ended = True
                self.kill()
            if self.ended:
                return

    def _do(self, step, stamp):
        """Carries out one step; true if it was the last one of this connection."""
        if isinstance(step, Sleep):
            with self.cv:
                self.cv.wait_for(lambda: self.over, step.seconds)
        elif step is MUTE:
            self.muted = True
        elif step is RESET:
            # The reader must be out of recv() before close() can send the RST.
            if self.path != "ipc":
                self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._shutdown(socket.SHUT_RD)
            return True
        elif step is CLOSE:
            if isinstance(self.io, TlsSocket):
                self.io.notify_close()
            self._shutdown(socket.SHUT_WR)
            timer = threading.Timer(LINGER_S, self.kill)
            timer.daemon = True
            timer.start()
            return True
        elif isinstance(step, Raw):
            for data in [step.data] if isinstance(step.data, bytes) else step.data:
                if self.over or self.muted:
                    break
                ns, wall = time.monotonic_ns(), time.time_ns()
                self.io.sendall(data)
                self.counts["bytes_out"] += len(data)
                if stamp:  # taken before, written after: the log delays nobody
                    self.node.log(ns=ns, wall=wall, **stamp)
                    stamp = None
        return False

    def _shutdown(self, how):
        try:
            socket.socket.shutdown(self.sock, how)  # not SSLSocket's, which forgets the session
        except OSError:
            pass

    def kill(self):
        self._shutdown(socket.SHUT_RDWR)


class HttpConn(Conn):
    """HTTP/1.1 with keep-alive, content-length and chunked requests, Expect and pipelining."""

    path = "http"
    request = None

    def serve(self):
        while True:
            request = self.read_head()
            if self.wants_upgrade(request):
                return
            if request.headers.get("expect", "").lower() == "100-continue":
                self.send([Raw(b"HTTP/1.1 100 Continue\r\n\r\n")])
            request.body = self.read_body(request)
            self.request = request
            script = self.node.first("request", self, request)
            if script is not None:
                self.send(script)
            elif request.method != "POST":
                self.send([Raw(response(200, b"fault node\n", ("Content-Type: text/plain",)))])
            else:
                self.node.handle(self, request.body)
            if request.headers.get("connection", "").lower() == "close":
                self.send([CLOSE])
                self.drain()

    def wants_upgrade(self, request):
        return False

    def read_body(self, request):
        if "chunked" in request.headers.get("transfer-encoding", "").lower():
            body = b""
            while True:
                size = number(self.read_line().split(";")[0], 16)
                if len(body) + size > BODY_LIMIT:
                    raise wsproto.ProtocolError("request too large")
                body += self.read(size)
                if size:
                    self.read(2)
                    continue
                while self.read_line():
                    pass
                return body
        length = number(request.headers.get("content-length", "0"), 10)
        if length > BODY_LIMIT:
            raise wsproto.ProtocolError("request too large")
        return self.read(length)

    def wire(self, message):
        return [Raw(response(200, message))]


class ControlConn(HttpConn):
    """The control port: never faulty, never counted."""

    path = "control"


class WsConn(HttpConn):
    """A WebSocket after its upgrade; any other request gets 400."""

    path = "ws"

    def wants_upgrade(self, request):
        self.request = request
        script = self.node.first("request", self, request)
        key = request.headers.get("sec-websocket-key")
        if script is None and request.headers.get("upgrade", "").lower() != "websocket":
            script = [Raw(response(400, b"only WebSocket here\n", ("Connection: close",))), CLOSE]
        if script is not None:
            self.send(script)
            self.drain()
        extra = "".join(x + "\r\n" for x in self.node.first("upgrade", self, request) or [])
        self.send([Raw(("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                        "Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n%s\r\n"
                        % (wsproto.accept_key(key or ""), extra)).encode())])
        self.node.each("opened", self)
        self.read_frames()
        return True

    def read_frames(self):
        message = b""
        while True:
            fin, op, payload, _ = wsproto.read_frame(self.read)
            if op >= wsproto.CLOSE:
                self.control_frame(op, payload)
                continue
            message += payload
            if fin:
                self.node.handle(self, message)
                message = b""

    def control_frame(self, op, payload):
        self.counts[{wsproto.CLOSE: "closes", wsproto.PING: "pings"}.get(op, "pongs")] += 1
        if self.node.first("control", self, op, payload) is not None:
            return
        if op == wsproto.PING:
            self.send([Raw(wsproto.frame(wsproto.PONG, payload))])
        elif op == wsproto.CLOSE:
            self.send([Raw(wsproto.frame(wsproto.CLOSE, payload[:2])), CLOSE])
            self.drain()

    def wire(self, message):
        return [Raw(wsproto.frame(wsproto.TEXT, message))]

    def _do(self, step, stamp):
        if isinstance(step, Ping):
            step = Raw(wsproto.frame(wsproto.PING, step.payload))
        elif isinstance(step, Bye):
            payload = wsproto.close_payload(step.code, step.reason)
            super()._do(Raw(wsproto.frame(wsproto.CLOSE, payload)), stamp)
            step = CLOSE
        return super()._do(step, stamp)


class IpcConn(Conn):
    """JSON texts one after another, with or without white space between them."""

    path = "ipc"

    def serve(self):
        self.node.each("opened", self)
        decoder = json.JSONDecoder()
        while True:
            self.fill()
            while True:
                text = self.buffer.decode("utf-8", "surrogateescape").lstrip()
                if not text:
                    self.buffer.clear()
                    break
                try:
                    _, end = decoder.raw_decode(text)
                except ValueError:
                    if len(self.buffer) > BODY_LIMIT:
                        raise wsproto.ProtocolError("request too large")
                    break
                message = text[:end].encode("utf-8", "surrogateescape")
                self.buffer = bytearray(text[end:].encode("utf-8", "surrogateescape"))
                self.node.handle(self, message)

    def wire(self, message):
        return [Raw(message + b"\n")]

    def _do(self, step, stamp):
        return super()._do(CLOSE if isinstance(step, Bye) else step, stamp)


CONNS = {"http": HttpConn, "ws": WsConn, "ipc": IpcConn, "control": ControlConn}
REASONS = {200: "OK", 301: "Moved Permanently", 307: "Temporary Redirect",
           308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden",
           404: "Not Found", 429: "Too Many Requests", 500: "Internal Server Error",
           502: "Bad Gateway", 503: "Service Unavailable"}


def number(text, base):
    try:
        return int(text, base)
    except ValueError:
        raise wsproto.ProtocolError("bad length %r" % text[:40])


def response(status, body, headers=("Content-Type: application/json",), length=None):
    """A whole HTTP response. length: what Content-Length says, if not the truth."""
    lines = ["HTTP/1.1 %d %s" % (status, REASONS.get(status, "Status")),
             "Content-Length: %d" % (len(body) if length is None else length)] + list(headers)
    return "\r\n".join(lines + ["", ""]).encode() + body


class Listeners(threading.Thread):
    """Accepts on every listening socket, in one thread."""

    def __init__(self, node):
        super().__init__(daemon=True)
        self.node = node
        self.open = {}  # name → (socket, connection class, TLS context)
        self.addresses = {}
        self.lock = threading.Lock()
        self.wake_r, self.wake_w = socket.socketpair()
        self.running = True

    def add(self, name, address, tls=None):
        """Listens; address is a port on 127.0.0.1 (0: any) or the path of a unix socket."""
        if isinstance(address, str):
            sock = socket.socket(socket.AF_UNIX)
            sock.bind(address)
        else:
            sock = socket.socket()
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind(("127.0.0.1", address))
        sock.listen(128)
        sock.setblocking(False)
        path = {"https": "http", "wss": "ws"}.get(name, name)
        with self.lock:
            self.addresses[name] = address or sock.getsockname()[1]
            self.open[name] = (sock, CONNS[path], tls)
        self.wake_w.send(b"x")
        return self.addresses[name]

    def close(self, name):
        """Stops listening; a unix socket's file stays. Returns the TLS context, for add()."""
        with self.lock:
            sock, _, tls = self.open.pop(name)
            sock.close()
        self.wake_w.send(b"x")
        return tls

    def stop(self):
        self.running = False
        try:
            self.wake_w.send(b"x")
        except OSError:
            pass  # the listener has ended by itself and closed it

    def run(self):
        try:
            self._accept_loop()
        finally:
            for sock in [entry[0] for entry in self.open.values()] + [self.wake_r, self.wake_w]:
                sock.close()

    def _accept_loop(self):
        while self.running:
            with self.lock:
                socks = {entry[0]: entry for entry in self.open.values()}
            try:
                ready = select.select([self.wake_r] + list(socks), [], [])[0]
            except (OSError, ValueError):
                continue  # one was closed meanwhile
            for sock in ready:
                if sock is self.wake_r:
                    sock.recv(64)
                    continue
                try:
                    with self.lock:
                        peer = sock.accept()[0]
                except OSError:
                    continue
                peer.setblocking(True)
                if peer.family != socket.AF_UNIX:
                    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.node.accepted(socks[sock][1], peer, socks[sock][2])

