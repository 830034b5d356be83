"""The pool of the fault node: what it announces to newPendingTransactions, and when.

A plan says for each transport how long before its block each transaction is announced: leads[path][i]
seconds for the i-th transaction of every block (negative: behind it, None: never). Blocks must be
known before their time: --ahead.
"""
import heapq
import json
import math
import os
import threading
import time

from rpc import dump, notification
from transports import Raw

FILLER = "0x" + "ab" * 100  # the calldata of a small call


class Pool:
    def __init__(self, node, leads):
        self.node, self.leads = node, leads
        longest = max([0] + [lead for ls in leads.values() for lead in ls if lead])
        self.ahead = math.ceil(longest / node.interval) + 1 if node.interval else 0
        self.heap, self.planned = [], 0
        self.wake = threading.Condition(node.lock)
        threading.Thread(target=self._loop, daemon=True).start()

    def plan(self):
        """Called under the node's lock, whenever the head moved: plans blocks up to head + ahead."""
        node = self.node
        if node.due is None:
            return
        for number in range(max(self.planned, node.head) + 1, node.head + self.ahead + 1):
            block = node.chain.block(number)
            if block is None:
                return
            self.planned = number
            at = node.due + (number - node.head - 1) * node.interval
            for path, leads in self.leads.items():
                for i, lead in enumerate(leads):
                    if lead is not None:
                        heapq.heappush(self.heap, (at - lead, path, number, i))
        self.wake.notify()

    def _loop(self):
        node = self.node
        with node.lock:
            while True:
                left = self.heap[0][0] - time.monotonic() if self.heap else None
                if left is None or left > 0:
                    self.wake.wait(left)
                    continue
                _, path, number, i = heapq.heappop(self.heap)
                block = node.chain.block(number)
                if node.running and block:
                    announce(node, [transactions(block)[i]], path, number)


def transactions(block):
    """Those of a block, as they are while they wait."""
    if not hasattr(block, "waiting"):
        block.waiting = [dict(tx, blockHash=None, blockNumber=None, transactionIndex=None)
                         for tx in json.loads(block.full)["transactions"]]
    return block.waiting


def made_up(count, fee):
    """Transactions that never will be in a block."""
    return [{"hash": "0x" + os.urandom(32).hex(), "type": "0x2", "nonce": "0x0", "from": "0x" + "11" * 20,
             "to": None, "value": "0x0", "input": "0x", "gas": "0x5208", "maxFeePerGas": hex(fee),
             "maxPriorityFeePerGas": "0x1"} for _ in range(count)]


def announce(node, txs, path=None, number=None):
    """One notification for each on every subscription to them. Under the node's lock."""
    for conn in list(node.conns.values()):
        if path not in (None, conn.path):
            continue
        for sub in list(conn.subs.values()):
            if sub.what != "newPendingTransactions":
                continue
            for tx in txs:
                conn.send([notification(sub.id, dump(tx if sub.whole else tx["hash"]))],
                          dict(ev="tx", hash=tx["hash"], path=conn.path, conn=conn.number, number=number))
                node.stats["announced"][conn.path] += 1


def notice(conn, sub, hash_, whole):
    """The wire bytes of one announcement."""
    tx = hash_ if not whole or not sub.whole else {"hash": hash_, "maxFeePerGas": "0x4a817c800", "input": FILLER}
    return b"".join(step.data for step in conn.wire(notification(sub.id, dump(tx))))


def flood(node, rate, seconds, whole=False):
    """`rate` made-up transactions a second to every subscription, a hundredth of them at once."""
    def loop():
        due = time.monotonic()
        end = due + seconds
        n = max(rate // 100, 1)
        while time.monotonic() < end and node.running:
            hashes = ["0x" + os.urandom(32).hex() for _ in range(n)]
            with node.lock:
                for conn in list(node.conns.values()):
                    for sub in list(conn.subs.values()):
                        if sub.what == "newPendingTransactions":
                            conn.send([Raw(b"".join(notice(conn, sub, h, whole) for h in hashes))])
                            node.stats["announced"][conn.path] += n
            due += n / rate
            time.sleep(max(due - time.monotonic(), 0))
    threading.Thread(target=loop, daemon=True).start()
