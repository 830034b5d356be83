"""A node that plays a plan: heads on many WebSocket paths, each at its own time, each send stamped.

One asyncio loop in a process of its own. A stamp is CLOCK_MONOTONIC right before the bytes go to the
kernel, so it is the truth that race figures are held against (race.py). Beside it a control: a process
that does nothing but receive and stamp says how late this machine wakes anybody up.
"""
import asyncio
import json
import multiprocessing
import socket
import time
import traceback

import wsproto
from rpc import dump, error_reply, notification, reply

CONTROL_S = 0.012  # between two messages to the control
READY_S = 0.5  # from the last subscription to the first head


class Plan:
    """What is sent: (seconds after the start, path, block), and which chain is the node's then."""

    def __init__(self, paths):
        self.paths = paths
        self.sends = []
        self.tips = []  # (seconds, [blocks by number])
        self.answer_after = [0] * paths  # seconds
        self.by_hash = {}

    def send(self, at, path, block):
        self.sends.append((at, path, block))

    def tip(self, at, canonical):
        self.tips.append((at, list(canonical)))
        self.by_hash.update((b.hash, b) for b in canonical)


class Player:
    def __init__(self, plan):
        self.plan, self.canonical = plan, plan.tips[0][1]
        self.writers, self.subs = {}, {}
        self.stamps, self.answers = [], []
        self.control, self.control_stamps = None, []
        self.all_here = asyncio.Event()

    # ---- calls

    def result(self, method, params):
        head = self.canonical[-1].number
        if method == "eth_chainId":
            return b'"0x67932"'
        if method == "eth_blockNumber":
            return b'"0x%x"' % head
        if method == "eth_syncing":
            return b"false"
        if method == "eth_gasPrice":
            return b'"0x3b9aca00"'
        if method == "net_peerCount":
            return b'"0x32"'
        if method == "web3_clientVersion":
            return b'"schedule/v1"'
        if method == "eth_getBlockByNumber":
            tags = {"latest": head, "safe": max(head - 32, 0), "finalized": max(head - 64, 0), "earliest": 0}
            number = tags[params[0]] if params[0] in tags else int(params[0], 16)
            block = self.canonical[number] if number <= head else None
        elif method == "eth_getBlockByHash":
            block = self.plan.by_hash.get(params[0])
        else:
            return None
        if block is None:
            return b"null"
        return block.full if params[1] else block.light

    def answer(self, path, request):
        method, id_, params = request["method"], request["id"], request.get("params") or []
        if method == "eth_subscribe" and params and params[0] == "newHeads":
            self.subs[path] = b'"0x%x"' % (path + 1)
            if len(self.subs) == self.plan.paths:
                self.all_here.set()
            return reply(id_, self.subs[path])
        result = self.result(method, params)
        if result is None:
            return error_reply(id_, -32601, "the method %s does not exist/is not available" % method)
        return reply(id_, result)

    async def respond(self, path, payload, began):
        if self.plan.answer_after[path]:
            await asyncio.sleep(self.plan.answer_after[path])
        message = json.loads(payload)
        if isinstance(message, list):
            data = b"[" + b",".join(self.answer(path, m) for m in message) + b"]"
        else:
            data = self.answer(path, message)
        self.answers.append((path, time.monotonic_ns() - began))
        self.writers[path].write(wsproto.frame(wsproto.TEXT, data))

    # ---- connections

    async def read_frame(self, reader):
        first, second = await reader.readexactly(2)
        length = second & 0x7F
        if length == 126:
            length = int.from_bytes(await reader.readexactly(2), "big")
        elif length == 127:
            length = int.from_bytes(await reader.readexactly(8), "big")
        key = await reader.readexactly(4)
        return first & 0x0F, wsproto.apply_mask(await reader.readexactly(length), key)

    async def serve(self, reader, writer):
        """The path is the number in the request line: GET /7."""
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            if head.startswith("GET /control "):
                self.control = writer
                await reader.read()
                return
            path = int(head.split(" ", 2)[1].strip("/"))
            key = next(x.split(":", 1)[1].strip() for x in head.split("\r\n")
                       if x.lower().startswith("sec-websocket-key:"))
            writer.write(("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                          "Sec-WebSocket-Accept: %s\r\n\r\n" % wsproto.accept_key(key)).encode())
            self.writers[path] = writer
            while True:
                op, payload = await self.read_frame(reader)
                if op == wsproto.CLOSE:
                    break
                if op == wsproto.PING:
                    writer.write(wsproto.frame(wsproto.PONG, payload))
                elif op == wsproto.TEXT:
                    asyncio.ensure_future(self.respond(path, payload, time.monotonic_ns()))
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            pass
        finally:
            writer.close()

    # ---- the plan

    def push(self, path, block):
        writer = self.writers[path]
        data = wsproto.frame(wsproto.TEXT, notification(self.subs[path], block.head))
        waiting = writer.transport.get_write_buffer_size()
        ns = time.monotonic_ns()
        writer.write(data)  # with nothing waiting this is the send itself
        self.stamps.append((ns, path, block.number, block.hash, waiting))

    async def play(self):
        await self.all_here.wait()
        start = asyncio.get_running_loop().time() + READY_S
        todo = [(at, 1, path, block) for at, path, block in self.plan.sends]
        todo += [(at, 0, None, canonical) for at, canonical in self.plan.tips]
        for at, kind, path, what in sorted(todo, key=lambda x: (x[0], x[1], x[2] or 0)):
            left = start + at - asyncio.get_running_loop().time()
            if left > 0:
                await asyncio.sleep(left)
            if kind:
                self.push(path, what)
            else:
                self.canonical = what

    async def tell_control(self):
        await self.all_here.wait()
        while self.control:
            self.control_stamps.append(time.monotonic_ns())
            self.control.write(b"x")
            await asyncio.sleep(CONTROL_S)

    async def main(self, pipe):
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        pipe.send(server.sockets[0].getsockname()[1])
        control = asyncio.ensure_future(self.tell_control())
        await self.play()
        control.cancel()
        self.control.close()
        pipe.send("played")
        while not pipe.poll():  # calls are answered until the other side has seen enough
            await asyncio.sleep(0.05)
        pipe.send((self.stamps, self.answers, self.control_stamps))


def _run(plan, pipe):
    try:
        asyncio.run(Player(plan).main(pipe))
    except Exception:
        pipe.send(traceback.format_exc())


def _receive(port, pipe):
    """The control: one byte, one stamp."""
    stamps = []
    with socket.create_connection(("127.0.0.1", port)) as s:
        s.sendall(b"GET /control HTTP/1.1\r\n\r\n")
        pipe.send("ready")
        while s.recv(1):
            stamps.append(time.monotonic_ns())
    pipe.send(stamps)


class Process:
    """A player in a process of its own."""

    def __init__(self, plan):
        context = multiprocessing.get_context("fork")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=_run, args=(plan, other), daemon=True)
        self.process.start()
        self.port = self._get(10)
        self.heard, other = context.Pipe()
        self.control = context.Process(target=_receive, args=(self.port, other), daemon=True)
        self.control.start()
        self.heard.recv()

    def _get(self, timeout):
        if not self.pipe.poll(timeout):
            raise TimeoutError("the node says nothing for %d s" % timeout)
        got = self.pipe.recv()
        if isinstance(got, str) and got != "played":
            raise RuntimeError(got)
        return got

    def wait(self, timeout):
        return self._get(timeout)

    def finish(self):
        """(stamps, answers, control): (ns, path, number, hash, bytes that waited), (path, ns an answer took),
        and how many ns after each send the control had it, ascending."""
        self.pipe.send("end")
        stamps, answers, sent = self._get(10)
        self.process.join(5)
        if not self.heard.poll(10):
            raise TimeoutError("the control says nothing")
        late = sorted(b - a for a, b in zip(sent, self.heard.recv()))
        return stamps, answers, late
