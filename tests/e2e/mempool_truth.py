#!/usr/bin/env python3
"""What a node's log says of the transactions that it announced before they were mined: mempool_truth.py LOG FROM_S

Per path and together ("all"): share seen and, in seconds, the nearest-rank p50 and p90 of how long before the block's first
announcement, over the blocks announced from FROM_S seconds after the log's first line on. Every block has as many
transactions as are named by the plan, argument 3 (the count).
"""
import json
import math
import sys


def rank(values, p):
    values = sorted(values)
    return values[max(math.ceil(p / 100 * len(values)), 1) - 1]


def main(log, from_s, count):
    heads, txs, start = {}, {}, None
    with open(log, encoding="utf-8") as f:
        for line in f:
            e = json.loads(line)
            start = e["ns"] if start is None else start
            if e["ev"] == "head":
                heads[e["number"]] = min(heads.get(e["number"], e["ns"]), e["ns"])
            elif e["ev"] == "tx" and e["number"]:
                by = txs.setdefault(e["number"], {}).setdefault(e["hash"], {})
                by[e["path"]] = min(by.get(e["path"], e["ns"]), e["ns"])
    # The last one may have been announced a moment ago only.
    numbers = [n for n in sorted(heads)[:-2] if heads[n] - start >= from_s * 1e9]
    for name in ("all", "ws", "ipc"):
        leads = []
        for n in numbers:
            for by in txs.get(n, {}).values():
                stamps = [t for path, t in by.items() if name in ("all", path)]
                if stamps and min(stamps) < heads[n]:
                    leads.append((heads[n] - min(stamps)) / 1e9)
        print(name, round(100 * len(leads) / (len(numbers) * count)), "%.3f" % rank(leads, 50), "%.3f" % rank(leads, 90))


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]))
