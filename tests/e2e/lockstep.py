"""lockstep.py [--lag S] [--every S] [--txs N] FIRST_TIME BLOCKS PORT...: mines the same blocks on anvil nodes.

Each block has the timestamp FIRST_TIME, FIRST_TIME + 1 …, so that nodes with the same past make the same hashes. The second node
mines it --lag seconds after the first, the third twice that. Prints the next timestamp.
"""
import argparse
import json
import time
import urllib.request

FROM, TO = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"


def call(port, method, *params):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    request = urllib.request.Request("http://127.0.0.1:%d" % port, body, {"Content-Type": "application/json"})
    answer = json.load(urllib.request.urlopen(request, timeout=20))
    if "error" in answer:
        raise RuntimeError("%s: %s" % (method, answer["error"]))
    return answer["result"]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--lag", type=float, default=0)
    p.add_argument("--every", type=float, default=0.2)
    p.add_argument("--txs", type=int, default=0, help="transfers in each block")
    p.add_argument("first", type=int)
    p.add_argument("blocks", type=int)
    p.add_argument("port", type=int, nargs="+")
    o = p.parse_args()
    start = time.monotonic()
    for i in range(o.blocks):
        for k, port in enumerate(o.port):
            for _ in range(o.txs):
                call(port, "eth_sendTransaction", {"from": FROM, "to": TO, "value": "0xde0b6b3a7640000", "gas": "0x5208",
                                                   "gasPrice": "0x77359400"})
            call(port, "evm_setNextBlockTimestamp", o.first + i)
        for k, port in enumerate(o.port):
            left = start + i * o.every + k * o.lag - time.monotonic()
            time.sleep(max(left, 0))
            call(port, "evm_mine")
    print(o.first + o.blocks)


main()
