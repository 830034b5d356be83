#!/usr/bin/env python3
"""Tests of the fault node itself, with a client of its own. Run: python3 test_node.py"""
import http.client
import json
import os
import pathlib
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import chain as chains  # noqa: E402
import eth  # noqa: E402
import kinds  # noqa: E402
import node as nodes  # noqa: E402
import wsproto  # noqa: E402

TIMEOUT = 10
# Less patience than real tests have: the same faults on a shorter scale.
SHORT = {3: {"times": 2}, 4: {"bytes": 3 << 20}, 9: {"interval": 0.05},
         12: {"count": 50, "after": 0.1}, 10: {"after": 0.1}, 13: {"seconds": 0.2}, 21: {"times": 2}, 27: {"seconds": 1},
         46: {"down": 0.5}, 51: {"every": 0.1}, 60: {"after": 0.1}}


class Client:
    """A small client for ws and ipc: send() a call, recv() the next message."""

    def __init__(self, at, path, headers=(), tls=None):
        self.path, self.pongs, self.frames, self.buffer = path, 0, [], b""
        self.sock = socket.socket(socket.AF_UNIX if path == "ipc" else socket.AF_INET)
        self.sock.settimeout(TIMEOUT)
        try:
            if path == "ipc":
                self.sock.connect(at["ipc"])
                return
            self.sock.connect(("127.0.0.1", at["wss" if tls else "ws"]))
            if tls:
                self.sock = tls.wrap_socket(self.sock, server_hostname="localhost")
            self.upgrade(headers)
        except (OSError, ssl.SSLError):
            self.sock.close()
            raise

    def upgrade(self, headers):
        key = "dGhlIHNhbXBsZSBub25jZQ=="
        lines = ["GET / HTTP/1.1", "Host: localhost", "Upgrade: websocket", "Connection: Upgrade",
                 "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: " + key] + list(headers)
        self.sock.sendall("\r\n".join(lines + ["", ""]).encode())
        while b"\r\n\r\n" not in self.buffer:
            self.more()
        self.head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        if b"101" not in self.head.split(b"\r\n")[0]:
            raise ConnectionError(self.head.split(b"\r\n")[0].decode())
        assert b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" in self.head  # RFC 6455, section 1.3

    def more(self):
        data = self.sock.recv(1 << 18)
        if not data:
            raise ConnectionError("end")
        self.buffer += data

    def read(self, n):
        while len(self.buffer) < n:
            self.more()
        data, self.buffer = self.buffer[:n], self.buffer[n:]
        return data

    def send(self, method, *params, id_=1):
        self.send_raw(nodes.dump({"jsonrpc": "2.0", "id": id_, "method": method, "params": params}))

    def send_raw(self, data):
        if self.path == "ws":
            data = wsproto.frame(wsproto.TEXT, data, mask=True)
        self.sock.sendall(data)

    def recv_raw(self, timeout=TIMEOUT):
        self.sock.settimeout(timeout)
        if self.path == "ipc":
            while b"\n" not in self.buffer:
                self.more()
            line, self.buffer = self.buffer.split(b"\n", 1)
            return line
        message = b""
        while True:
            fin, op, payload, rsv = wsproto.read_frame(self.read)
            self.frames.append((op, fin, rsv, len(payload)))
            if op == wsproto.PING:
                self.sock.sendall(wsproto.frame(wsproto.PONG, payload, mask=True))
                self.pongs += 1
            elif op == wsproto.CLOSE:
                raise ConnectionError("close %d" % int.from_bytes(payload[:2], "big"))
            elif op != wsproto.PONG:
                message += payload
                if fin:
                    return message

    def recv(self, timeout=TIMEOUT):
        return json.loads(self.recv_raw(timeout))

    def call(self, method, *params):
        self.send(method, *params)
        return self.recv()

    def close(self):
        self.sock.close()


def post(port, body, target="/", headers=None):
    """(status, headers, body) of one HTTP exchange on a connection of its own."""
    conn = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
    try:
        conn.request("POST", target, body if isinstance(body, bytes) else nodes.dump(body),
                     headers or {})
        answer = conn.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        conn.close()


def call(method, *params, id_=1):
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}


class Case(unittest.TestCase):
    def node(self, head=8, fault=None, args=None, tls_kind=None, **options):
        options.setdefault("txs", 2)
        node = nodes.Node(chains.SyntheticChain(head, **options))
        if fault:
            node.fault(fault, args)
        self.at = node.start(tls_kind=tls_kind)
        self.addCleanup(node.stop)
        return node

    def client(self, path, **options):
        client = Client(self.at, path, **options)
        self.addCleanup(client.close)
        return client

    def until(self, true, seconds=TIMEOUT):
        end = time.monotonic() + seconds
        while not true():
            self.assertLess(time.monotonic(), end, "waited too long")
            time.sleep(0.005)


class Truth(Case):
    def test_keccak(self):
        self.assertEqual(eth.keccak(b"").hex(), "c5d2460186f7233c927e7db2dcc703c0"
                                                "e500b653ca82273b7bfad8045d85a470")
        self.assertEqual(chains.EMPTY_ROOT, "0x56e81f171bcc55a6ff8345e692c0f86e"
                                            "5b48e01b996cadc001622fb5e363b421")
        for n in (135, 136, 137):  # around one block of the sponge
            self.assertEqual(len(eth.keccak(bytes(n))), 32)

    def test_real_blocks(self):
        corpus = os.environ.get("CHAINTOP_CORPUS")
        if not corpus:
            self.skipTest("CHAINTOP_CORPUS is not set")
        for number in (116525, 12244000, 19932703):
            block = json.loads((pathlib.Path(corpus) / "mainnet" / ("%d.json" % number)).read_text())
            self.assertEqual(eth.header_hash(block), block["hash"])
            if number == 116525:  # 83 legacy transactions
                root = eth.list_root([eth.legacy_tx(t) for t in block["transactions"]])
                self.assertEqual("0x" + root.hex(), block["transactionsRoot"])

    def test_made_up_chain_is_consistent(self):
        chain = chains.SyntheticChain(6)
        for number in range(1, 7):
            block, parent = json.loads(chain.block(number).full), chain.block(number - 1)
            self.assertEqual(block["parentHash"], parent.hash)
            self.assertEqual(eth.header_hash(block), block["hash"])
            self.assertEqual(len(block["transactions"]), 4)
        again = [chains.SyntheticChain(3, genesis=1000).block(3).hash for _ in range(2)]
        self.assertEqual(again[0], again[1])


class Service(Case):
    def test_methods_on_each_path(self):
        node = self.node(head=70)
        block = json.loads(node.chain.block(70).full)
        for path in ("ws", "ipc", "http"):
            if path == "http":
                def ask(*a):
                    return json.loads(post(self.at["http"], call(*a))[2])
            else:
                ask = self.client(path).call
            self.assertEqual(ask("eth_chainId")["result"], hex(424242))
            self.assertEqual(ask("net_version")["result"], "424242")
            self.assertEqual(ask("eth_blockNumber")["result"], "0x46")
            self.assertEqual(ask("eth_getBlockByNumber", "latest", True)["result"], block)
            light = ask("eth_getBlockByHash", block["hash"], False)["result"]
            self.assertEqual(light["transactions"], [t["hash"] for t in block["transactions"]])
            for tag, number in (("safe", 38), ("finalized", 6), ("earliest", 0), ("0x3", 3)):
                self.assertEqual(ask("eth_getBlockByNumber", tag, False)["result"]["number"],
                                 hex(number))
            self.assertIsNone(ask("eth_getBlockByNumber", "0x47", True)["result"])
            self.assertIsNone(ask("eth_getBlockByHash", "0x" + "00" * 32, True)["result"])
            self.assertIs(ask("eth_syncing")["result"], False)
            self.assertEqual(ask("net_peerCount")["result"], "0x32")
            self.assertIn("pending", ask("txpool_status")["result"])
            self.assertIn("faultnode", ask("web3_clientVersion")["result"])
            self.assertEqual(ask("eth_gasPrice")["result"], hex(10 ** 9))
            self.assertEqual(ask("no_such")["error"]["code"], -32601)
            self.assertEqual(ask("eth_getBlockByNumber", "what")["error"]["code"], -32602)
        stats = node.test_stats()
        for path in ("ws", "ipc", "http"):
            self.assertEqual(stats["requests"][path]["eth_chainId"], 1)
            self.assertEqual(stats["bodies"][block["hash"]][path], 1)

    def test_batches(self):
        node = self.node()
        calls = [call("eth_chainId", id_="a"), call("nope", id_=2), {"x": 1}]
        got = json.loads(post(self.at["http"], calls)[2])
        self.assertEqual(got[0], {"jsonrpc": "2.0", "id": "a", "result": hex(424242)})
        self.assertEqual([g.get("error", {}).get("code") for g in got], [None, -32601, -32600])
        ws = self.client("ws")
        ws.send_raw(nodes.dump(calls))
        self.assertEqual(ws.recv(), got)
        self.assertEqual(node.stats["batches"], {"http": 1, "ws": 1})
        self.assertEqual(json.loads(post(self.at["http"], b"[]")[2])["error"]["code"], -32600)
        self.assertEqual(json.loads(post(self.at["http"], b"{")[2])["error"]["code"], -32700)

    def test_heads(self):
        node = self.node()
        clients = [self.client("ws"), self.client("ipc")]
        ids = [c.call("eth_subscribe", "newHeads")["result"] for c in clients]
        for _ in range(3):
            node.test_advance()
            for client, id_ in zip(clients, ids):
                params = client.recv()["params"]
                self.assertEqual(params["subscription"], id_)
                head = params["result"]
                self.assertEqual(head["hash"], node.chain.block(node.head).hash)
                self.assertEqual(eth.header_hash(head), head["hash"])
                self.assertFalse({"uncles", "size", "transactions"} & set(head))
        self.assertEqual(node.test_stats()["subscriptions"], {"ws newHeads": 1, "ipc newHeads": 1})
        self.assertIs(clients[0].call("eth_unsubscribe", ids[0])["result"], True)
        self.assertIn("error", clients[0].call("eth_unsubscribe", ids[0]))
        node.test_advance()
        self.assertEqual(clients[1].recv()["params"]["result"]["number"], "0xc")
        self.assertIn("result", clients[0].call("eth_chainId"))  # and no head before it

    def test_reorg_keeps_old_blocks_by_hash(self):
        node = self.node()
        ws = self.client("ws")
        ws.call("eth_subscribe", "newHeads")
        old = node.chain.block(8)
        self.assertEqual(node.test_reorg(2)["first"], 7)
        heads = [ws.recv()["params"]["result"] for _ in range(2)]
        self.assertEqual([h["number"] for h in heads], ["0x7", "0x8"])
        self.assertEqual(heads[0]["parentHash"], node.chain.block(6).hash)
        self.assertEqual(heads[1]["parentHash"], heads[0]["hash"])
        self.assertNotEqual(heads[1]["hash"], old.hash)
        self.assertEqual(ws.call("eth_getBlockByHash", old.hash, False)["result"]["hash"], old.hash)

    def test_live_chain_keeps_its_schedule(self):
        node = self.node()
        ws = self.client("ws")
        ws.call("eth_subscribe", "newHeads")
        start = time.monotonic()
        node.test_set(interval=0.05)
        for _ in range(10):
            ws.recv()
        self.assertGreater(time.monotonic() - start, 0.45)
        node.test_pause()
        head = node.head
        time.sleep(0.15)
        self.assertEqual(node.head, head)
        node.test_resume()
        self.until(lambda: node.head > head)

    def test_http_keep_alive_and_pipelining(self):
        node = self.node()
        sock = socket.create_connection(("127.0.0.1", self.at["http"]), TIMEOUT)
        self.addCleanup(sock.close)
        body = nodes.dump(call("eth_chainId"))
        one = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
        chunked = (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
                   b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body))
        sock.sendall(one * 3 + chunked)
        got = b""
        while True:
            data = sock.recv(65536)
            if not data:
                break
            got += data
        self.assertEqual(got.count(b'"result":"0x67932"'), 4)
        self.assertEqual(node.stats["accepts"]["http"], 1)
        self.assertEqual(post(self.at["ws"], b"{}")[0], 400)

    def test_tls(self):
        for kind in ("good", "expired", "wronghost"):
            self.node(tls_kind=kind)
            context = ssl.create_default_context(cafile=self.at["cacert"])
            if kind == "good":
                ws = self.client("ws", tls=context)
                big = ws.call("eth_getBlockByNumber", "latest", True)
                self.assertEqual(big["result"]["number"], "0x8")
                continue
            with self.assertRaisesRegex(ssl.SSLError, "expired|[Hh]ostname"):
                self.client("ws", tls=context)

    def test_control_over_http(self):
        self.node()
        self.assertEqual(nodes.control(self.at["control"], "test_advance", 2)["head"], 10)
        nodes.control(self.at["control"], "test_set", chainId=5, peerCount=0)
        self.assertEqual(self.client("ipc").call("eth_chainId")["result"], "0x5")
        with self.assertRaisesRegex(ValueError, "unknown settings"):
            nodes.control(self.at["control"], "test_set", nothing=1)
        with self.assertRaises(ValueError):
            nodes.control(self.at["control"], "stop")
        self.assertEqual(nodes.control(self.at["control"], "test_stats")["head"], 10)

    def test_drop_and_down(self):
        node = self.node()
        for how in ("reset", "close"):
            ws = self.client("ws")
            self.until(lambda: node.conns)
            node.test_drop(how)
            with self.assertRaises(ConnectionResetError if how == "reset" else ConnectionError):
                ws.recv()
        node.test_down("ws", 0.2)
        with self.assertRaises(ConnectionRefusedError):
            self.client("ws")
        self.until(lambda: "ws" in node.listeners.open)
        self.client("ws")

    def test_slow_client_delays_nobody(self):
        node = self.node(fake=False)
        slow, quick = self.client("ws"), self.client("ws")
        slow.send("eth_subscribe", "newHeads")
        quick.call("eth_subscribe", "newHeads")
        node.fault("bigbody", {"bytes": 8 << 20, "times": 1})
        slow.send("eth_getBlockByNumber", "latest", True, id_=2)
        for _ in range(5):
            node.test_advance()
            quick.recv(1)


class Faults(Case):
    def test_table(self):
        rows = kinds.as_data()
        self.assertEqual(len({(r["number"], r["name"]) for r in rows}), len(kinds.KINDS))
        for number in list(range(1, 27)) + [30, 33] + list(range(41, 49)) + list(range(50, 56)) \
                + [58, 59, 60]:
            kinds.find(number)
        header = pathlib.Path(__file__).parents[2] / "src/base/err.h"
        words = header.read_text() if header.exists() else None
        for row in rows:
            self.assertIn(row["check"], kinds.CHECKS)
            self.assertTrue(row["does"] and row["expect"])
            if words and row["word"]:
                self.assertIn('"%s"' % row["word"], words, row)
        json.dumps(rows)
        self.assertEqual(kinds.parse("20:code=1008:reason=x y"),
                         ("20", {"code": 1008, "reason": "x y"}))
        for bad in (("99", {}), ("6", {"what": 1}), ("6", {"via": "http"})):
            with self.assertRaises(ValueError):
                self.node().fault(*bad)

    def test_every_case_acts(self):
        """Each variant of each row, on each of its paths: it can be met, and the node lives on."""
        for row in kinds.as_data():
            if row["args"].get("how") == "permission":
                continue  # means nothing to root
            for path in row["paths"]:
                with self.subTest(number=row["number"], args=row["args"], path=path):
                    self.provoke(row, path)

    def provoke(self, row, path):
        args = dict(row["args"], via=path)
        args.update({k: v for k, v in SHORT.get(row["number"], {}).items()})
        if args.get("whole") or args.get("down"):
            args.update({k: 0.3 for k in ("whole", "down") if args.get(k)})
        node = nodes.Node(chains.SyntheticChain(8, txs=2))
        node.fault(row["number"], args)
        self.at = node.start()
        fault = node.faults[0]
        try:
            for _ in range(4):
                try:
                    self.exercise(node, path)
                except (OSError, ConnectionError, http.client.HTTPException, ValueError):
                    pass
                if self.acted(fault):
                    break
            self.until(lambda: self.acted(fault), 3)
            node.fault(row["number"], on=False)
            self.until(lambda: path in node.listeners.open, 3)
            node.test_resume()
            if path == "http":
                answer = json.loads(post(self.at["http"], call("eth_blockNumber"))[2])
            else:
                client = Client(self.at, path)
                answer = client.call("eth_blockNumber")
                client.close()
            self.assertEqual(answer["result"], hex(node.head))
        finally:
            node.stop()

    @staticmethod
    def acted(fault):
        what = fault.kind.number
        if what == 14:
            return True  # only a client that subscribes twice meets it: tested below
        if what == 10 and fault.args["whole"]:
            return fault.node.paused
        if what in (3, 46) and fault.args.get("down") and fault.args.get("how") != "epipe":
            return fault.paths[0] not in fault.node.listeners.open
        if what == 46:
            return fault.hits["accept"]
        return sum(fault.hits.values()) + sum(fault.counts.values())

    def exercise(self, node, path):
        with node.lock:  # a fault may be replacing blocks
            latest = node.chain.block(node.head).hash
        calls = [call("eth_subscribe", "newHeads"), call("eth_getBlockByHash", latest, True, id_=2),
                 call("eth_getBlockByNumber", "pending", False, id_=3),
                 call("eth_getBlockByNumber", "0x1", True, id_=4), call("eth_blockNumber", id_=5),
                 call("eth_getFilterChanges", "0x1", id_=6),
                 call("eth_getBlockByNumber", "latest", False, id_=7)]
        if path == "http":
            for body in calls + [call("eth_blockNumber")] * 4 + [calls[1:]]:
                post(self.at["http"], body, headers={"Accept-Encoding": "gzip, deflate"})
            conn = http.client.HTTPConnection("127.0.0.1", self.at["http"], timeout=TIMEOUT)
            try:
                for _ in range(2):  # twice on one connection
                    conn.request("POST", "/", nodes.dump(calls[4]))
                    conn.getresponse().read()
                    time.sleep(2 * node.faults[0].args.get("idle", 0))
            finally:
                conn.close()
            return
        client = Client(self.at, path)
        try:
            for body in calls + [calls[1:]]:
                client.send_raw(nodes.dump(body))
            client.recv_raw(1)
            for _ in range(6):
                node.test_advance()
                client.recv_raw(0.3)
        finally:
            client.close()

    def heads(self, node, client, n):
        """Advances n times and returns the raw messages until n heads came."""
        got = []
        for _ in range(n):
            node.test_advance()
            got.append(client.recv())
        return got

    def test_1_drop(self):
        node = self.node(fault=1)
        for round_ in range(3):
            ws = self.client("ws")
            ws.call("eth_subscribe", "newHeads")
            self.heads(node, ws, 2)
            if round_ < 2:
                with self.assertRaises(ConnectionResetError):
                    ws.recv()
        self.heads(node, ws, 2)

    def test_2_gap(self):
        node = self.node(fault="gap")
        ipc = self.client("ipc")
        ipc.call("eth_subscribe", "newHeads")
        self.heads(node, ipc, 2)
        with self.assertRaises(ConnectionError):
            ipc.recv()
        self.until(lambda: node.head == 8 + 2 + 3)

    def test_4_oversize(self):
        node = self.node(fault="oversize", args={"bytes": 130 << 20})
        ws = self.client("ws")
        ws.send("eth_getBlockByNumber", "latest", True)
        with self.assertRaises(wsproto.ProtocolError):  # above the limit of this client too
            ws.recv()
        self.assertEqual(node.faults[0].counts["asked"], 1)

    def test_6_fragments(self):
        self.node(fault=6)
        ws = self.client("ws")
        got = ws.call("eth_getBlockByNumber", "latest", True)
        self.assertEqual(got["result"]["number"], "0x8")
        self.assertEqual([(op, fin) for op, fin, _, _ in ws.frames],
                         [(1, False), (9, True), (10, True), (0, False), (0, True)])
        self.assertEqual(ws.frames[0][3], 1)

    def test_8_halfopen(self):
        node = self.node(fault=8)
        ws = self.client("ws")
        ws.call("eth_subscribe", "newHeads")
        self.heads(node, ws, 2)
        ws.sock.sendall(wsproto.frame(wsproto.PING, b"x", mask=True))
        node.test_advance()
        with self.assertRaises(socket.timeout):
            ws.recv(0.3)
        other = self.client("ws")
        self.assertIn("result", other.call("eth_chainId"))

    def test_9_pings(self):
        node = self.node(fault=9, args={"interval": 0.02})
        ws = self.client("ws")
        while ws.pongs < 3:
            ws.call("eth_chainId")
        counts = node.faults[0].counts
        self.until(lambda: counts["pongs"] > 2)
        self.assertEqual(counts["wrong_pongs"], 0)
        ws.sock.sendall(wsproto.frame(wsproto.PONG, b"no", mask=True))
        with self.assertRaisesRegex(ConnectionError, "close 1002"):
            while True:
                ws.recv_raw(1)

    def test_11_early(self):
        self.node(fault=11)
        ws = self.client("ws")
        first = ws.call("eth_subscribe", "newHeads")
        self.assertEqual(first["params"]["subscription"], ws.recv()["result"])

    def test_14_onesub(self):
        node = self.node(fault=14)
        ws = self.client("ws")
        self.assertIn("result", ws.call("eth_subscribe", "newHeads"))
        self.assertIn("error", ws.call("eth_subscribe", "newHeads"))
        self.assertEqual(node.faults[0].counts["refused"], 1)

    def test_15_subid(self):
        node = self.node(fault=15, args={"form": "mixed"})
        ws = self.client("ws")
        self.assertEqual(ws.call("eth_subscribe", "newHeads")["result"], "0x7")
        self.assertEqual(self.heads(node, ws, 1)[0]["params"]["subscription"], 7)

    def test_18_junk(self):
        node = self.node(fault=18)
        ws = self.client("ws")
        ws.call("eth_subscribe", "newHeads")
        node.test_advance()
        got = [ws.recv_raw() for _ in range(12)]
        self.assertIn(b"", got)
        self.assertEqual(json.loads(got[-1])["params"]["result"]["number"], "0x9")

    def test_20_close(self):
        node = self.node(fault=20, args={"code": 1008, "heads": 1, "times": 1})
        ws = self.client("ws")
        ws.call("eth_subscribe", "newHeads")
        self.heads(node, ws, 1)
        with self.assertRaisesRegex(ConnectionError, "close 1008"):
            ws.recv()
        node.fault(20, {"status": 403})
        with self.assertRaisesRegex(ConnectionError, "403"):
            self.client("ws")

    def test_22_reverse(self):
        self.node(fault=22)
        ws = self.client("ws")
        for id_ in range(50):
            ws.send("eth_chainId", id_=id_)
        self.assertEqual([ws.recv()["id"] for _ in range(50)], list(range(49, -1, -1)))

    def test_23_ratelimit(self):
        self.node(fault=23, args={"how": "date", "times": 1})
        status, headers, _ = post(self.at["http"], call("eth_chainId"))
        self.assertEqual(status, 429)
        self.assertIn("GMT", headers["Retry-After"])
        self.assertEqual(post(self.at["http"], call("eth_chainId"))[0], 200)

    def test_26_stalekeepalive(self):
        self.node(fault=26, args={"how": "reset"})
        conn = http.client.HTTPConnection("127.0.0.1", self.at["http"], timeout=TIMEOUT)
        self.addCleanup(conn.close)
        conn.request("POST", "/", nodes.dump(call("eth_chainId")))
        self.assertEqual(conn.getresponse().read()[:1], b"{")
        with self.assertRaises(ConnectionError):
            conn.request("POST", "/", nodes.dump(call("eth_chainId")))
            conn.getresponse()

    def test_33_auth(self):
        node = self.node(fault=33, args={"how": "basic", "user": "u@x", "password": "p:w"})
        self.assertEqual(post(self.at["http"], call("eth_chainId"))[0], 401)
        fine = {"Authorization": "Basic dUB4OnA6dw=="}
        self.assertEqual(post(self.at["http"], call("eth_chainId"), headers=fine)[0], 200)
        with self.assertRaisesRegex(ConnectionError, "401"):
            self.client("ws")
        self.client("ws", headers=["Authorization: Basic dUB4OnA6dw=="])
        self.assertEqual(node.faults[0].counts["denied"], 2)

    def test_42_joined(self):
        self.node(fault=42)
        ipc = self.client("ipc")
        ipc.send("eth_chainId", id_=1)
        ipc.send("eth_chainId", id_=2)
        while ipc.buffer.count(b"}") < 2:
            ipc.more()
        self.assertIn(b"}{", ipc.buffer)
        self.assertNotIn(b"\n", ipc.buffer)

    def test_41_bytewise_is_valid_json(self):
        self.node(fault=41)
        ipc = self.client("ipc")
        self.assertEqual(ipc.call("eth_chainId")["note"], 'a"b\u00e9}{\\')

    def test_50_nullblock(self):
        node = self.node(fault=50)
        ws = self.client("ws")
        for expected in (True, True, False):
            got = ws.call("eth_getBlockByHash", node.chain.block(8).hash, True)
            self.assertEqual(got["result"] is None, expected)
        self.assertIsNotNone(ws.call("eth_getBlockByNumber", "0x3", True)["result"])

    def test_58_wrongblock(self):
        self.node(fault=58)
        ws = self.client("ws")
        self.assertEqual(ws.call("eth_getBlockByNumber", "latest", True)["result"]["number"], "0x7")


class Program(Case):
    def folder(self, blocks):
        """A chain of files, as mkchain.py makes it."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        made = chains.SyntheticChain(blocks)
        for number in range(1, blocks + 1):
            (pathlib.Path(folder.name) / ("%d.json" % number)).write_bytes(made.block(number).full)
        return folder.name, made

    def test_process_with_files(self):
        folder, made = self.folder(8)
        log = os.path.join(folder, "log")
        with nodes.Process("--dir", folder, "--rate", "20", "--head", "+2", "--log", log,
                           "--fault", "6,20:code=1001:heads=100") as node:
            self.at = node.at
            self.assertEqual(node.head, 3)
            ws = self.client("ws")
            ws.call("eth_subscribe", "newHeads")
            head = ws.recv()["params"]["result"]
            self.assertEqual(head["hash"], made.block(int(head["number"], 16)).hash)
            body = ws.call("eth_getBlockByHash", head["hash"], True)
            while "result" not in body:  # heads between
                body = ws.recv()
            self.assertEqual(nodes.dump(body["result"]), made.block(int(head["number"], 16)).full)
            self.until(lambda: node.test_stats()["head"] == 8)  # the end of the files
            self.assertEqual(node.test_stats()["faults"][0]["name"], "fragments")
        with open(log) as f:
            records = [json.loads(line) for line in f]
        sent = [r["number"] for r in records if r["ev"] == "head"]
        self.assertEqual(sent, list(range(sent[0], sent[0] + len(sent))))
        self.assertTrue(all(r["ns"] > 0 for r in records))
        self.assertFalse(os.path.exists(node.ipc))

    def test_wrong_usage_and_time_limit(self):
        program = [sys.executable, nodes.__file__]
        for words in (["--dir", "/nowhere"], ["--fault", "99"], ["--head", "+5", "--fault", "6:x=1"]):
            done = subprocess.run(program + words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 64, words)
            self.assertEqual(done.stderr.count(b"\n"), 1)
        done = subprocess.run(program + ["--for", "0.2", "--ws"], stdout=subprocess.PIPE,
                              timeout=TIMEOUT)
        at = json.loads(done.stdout)
        self.assertEqual((done.returncode, "ws" in at, "http" in at), (0, True, False))


if __name__ == "__main__":
    unittest.main()
