#!/usr/bin/env python3
"""Transactions of every type for an anvil node, so that there is something to look at.

usage: traffic.py URL [--blocks N] [--every SECONDS] [--seed N]

Sends, for each block, a changing mix: legacy, access list, dynamic fee, blobs, set code; plain sends, token transfers with
names that chaintop knows, contract creations, calls that fail. Uses anvil's unlocked accounts; with --every 0 it mines by itself
(anvil --no-mining), else it waits. Only the standard library.
"""
import argparse
import hashlib
import json
import random
import sys
import time
import urllib.request

# Init code of a contract that takes everything and returns nothing: PUSH1 0 PUSH1 0 RETURN.
CREATE = "0x60006000f3"
# transfer, approve, swapExactETHForTokens, multicall
# A blob of zeros: its commitment and proof are the point at infinity, so nothing has to be computed.
BLOB, POINT = "0x" + "00" * 131072, "0xc0" + "00" * 47
BLOB_HASH = "0x01" + hashlib.sha256(bytes.fromhex(POINT[2:])).hexdigest()[2:]
CALLS = ["a9059cbb", "095ea7b3", "7ff36ab5", "ac9650d8", "2e1a7d4d", "d0e30db0", "deadbeef"]


class Node:
    def __init__(self, url):
        self.url, self.id = url, 0

    def call(self, method, *params):
        self.id += 1
        body = json.dumps({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}).encode()
        req = urllib.request.Request(self.url, body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(req, timeout=60) as answer:
            got = json.load(answer)
        if "error" in got:
            raise RuntimeError(f"{method}: {got['error'].get('message')}")
        return got["result"]


def word(v):
    return f"{v:064x}"


def calldata(rng):
    name = rng.choice(CALLS)
    if name == "d0e30db0":
        return "0x" + name
    words = [rng.getrandbits(160), rng.getrandbits(60)] + [rng.getrandbits(256) for _ in range(rng.randrange(3))]
    return "0x" + name + "".join(word(w) for w in words)


def mix(rng, accounts, base):
    """One transaction."""
    kind = rng.choices([0, 1, 2, 3, 4], [12, 4, 74, 5, 5])[0]
    to = "0x" + hashlib.sha256(str(rng.randrange(40)).encode()).hexdigest()[:40]
    tx = {"from": rng.choice(accounts), "to": to, "value": hex(rng.choice([0, 1, 10**15, 4 * 10**17, 123456789]))}
    tip = rng.choice([0, 1000, 50_000_000, 51_000_000, 1_000_000_000, 2_000_000_000])
    if rng.random() < 0.6:
        tx["data"] = calldata(rng)
    if rng.random() < 0.05 and kind not in (3, 4):
        tx["data"] = CREATE
        del tx["to"]
    if kind < 2:
        tx["gasPrice"] = hex(2 * base + tip)
    else:
        tx["maxFeePerGas"] = hex(2 * base + tip)
        tx["maxPriorityFeePerGas"] = hex(tip)
    if kind == 1 or rng.random() < 0.1:
        tx["accessList"] = [{"address": to, "storageKeys": ["0x" + word(i) for i in range(rng.randrange(4))]}]
    tx["gas"] = hex(rng.choice([60_000, 100_000, 300_000]) + 25 * len(tx.get("data", "")))
    if kind == 3:
        n = rng.randrange(1, 4)
        tx.update(type="0x3", maxFeePerBlobGas=hex(10**10), blobVersionedHashes=[BLOB_HASH] * n,
                  blobs=[BLOB] * n, commitments=[POINT] * n, proofs=[POINT] * n)
    if kind == 4:
        tx.update(type="0x4", authorizationList=[{
            "chainId": "0x0", "address": to, "nonce": hex(rng.randrange(9)), "yParity": "0x1",
            "r": "0x" + word(rng.getrandbits(255) | 1), "s": "0x" + word(rng.getrandbits(250) | 1)}])
    return kind, tx


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("url")
    args.add_argument("--blocks", type=int, default=0, help="end after so many (0: never)")
    args.add_argument("--every", type=float, default=0.0, help="seconds between two rounds; 0: mine at once")
    args.add_argument("--most", type=int, default=60, help="transactions in a block at most")
    args.add_argument("--seed", type=int, default=1)
    opt = args.parse_args()
    rng = random.Random(opt.seed)
    node = Node(opt.url)
    accounts = node.call("eth_accounts")
    sent, failed, why = [0] * 5, [0] * 5, {}
    n = 0
    while not opt.blocks or n < opt.blocks:
        n += 1
        base = int(node.call("eth_getBlockByNumber", "latest", False).get("baseFeePerGas", "0x3b9aca00"), 16)
        for _ in range(rng.randrange(opt.most + 1)):
            kind, tx = mix(rng, accounts, base)
            try:
                node.call("eth_sendTransaction", tx)
                sent[kind] += 1
            except RuntimeError as error:
                failed[kind] += 1
                why[kind] = str(error)
        if opt.every:
            time.sleep(opt.every)
        else:
            node.call("evm_mine")
    print("sent by type", sent, "refused", failed, why)


if __name__ == "__main__":
    sys.exit(main())
