#!/usr/bin/env python3
"""Race figures against the truth: 20 paths on a plan, the node's own stamps at send as reference.

    race.py [--heads N] [--seed N] [--limits] [--product] [-v]

CHAINTOP_PROBE is the path of the probe: the real feeds, and the model over them (judge.h); --product
holds `chaintop compare --format json` against the truth instead (CHAINTOP). What is expected is
computed here. TAP; exit 1 if a case failed, 77 if there is no probe.

What may not depend on the machine is tested always: every figure is what follows from the stamps that the
feeds took, what was sent is told, and a stamp is no later than where a process that does nothing but receive
one byte has it. How far the figures are from the node's own stamps at send is a measurement (--limits, --product):
on a busy machine threads wake up late. Where the plain receiver does, too, the machine cannot show what is asked:
SKIP, with the figures. Run it alone then, not niced.
"""
import argparse
import collections
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import chain as chains  # noqa: E402
import schedule  # noqa: E402
from watch import Probe  # noqa: E402

MS = 1_000_000
TIE_NS = 100_000
P50_MS, P90_MS = 1, 3  # how far a figure may be off
CLEAR_NS = 2 * MS  # a head that is won by more is won, whatever the scheduler does
INTERVAL = 0.3
EXACT_NS = 3000  # arrivals and half of the round trips are kept in microseconds
# A path's p99 is off by the second of its 120 heads that is: where a plain receiver is late by as much once in a thousand
# times, one of 20 paths is met by that.
CONTROL_MS = P99_MS = 3
WARM = 2  # heads after a connect that are no arrivals
BASE = 70
# ms behind the first, of each path; 0 and 1 take turns.
DELAYS = (0, 2.5, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 65, 80, 100, 130, 170, 220)
TIED, STALLED, TWICE, DEAF, BALANCED, FAR = 1, 5, 6, 7, 8, 10
FAR_S = 0.030  # it answers so late: its arrivals less half of that are what "minus RTT/2" is about
STALL = (40, 47)  # heads of this part come at once, when it is over
MISSED_S = 12  # missed heads are counted 10 s after the first arrival
REORGS = {25: 1, 55: 2, 80: 3}  # head → depth
BACK_AT = 90  # the balanced path falls back to a head that it has missed


def make_plan(heads, seed):
    """The chain and what each path says of it, when."""
    rnd = random.Random(seed)
    chain = chains.SyntheticChain(BASE, 1, 1, chain_id=424242)
    plan = schedule.Plan(len(DELAYS))
    plan.answer_after[FAR] = FAR_S
    plan.tip(0, chain.canonical)
    at, missed, reorgs = 0.0, None, []
    for k in range(WARM):
        chain.extend()
        plan.tip(at, chain.canonical)
        for path in range(plan.paths):
            plan.send(at, path, chain.canonical[-1])
        at += INTERVAL
    for k in range(heads):
        if k in REORGS:
            lost = chain.canonical[-REORGS[k]].hash
            chain.replace(REORGS[k], 1)
            reorgs.append((chain.canonical[-REORGS[k] - 1].number, REORGS[k], lost,
                           chain.canonical[-REORGS[k] - 1].hash))
            new = chain.canonical[-REORGS[k] - 1:]
        else:
            chain.extend()
            new = chain.canonical[-1:]
        plan.tip(at, chain.canonical)
        jitter = [0.9 + 0.2 * rnd.random() for _ in DELAYS]  # of a head: a path tells its blocks in order
        for i, block in enumerate(new):
            for path in range(plan.paths):
                late = DELAYS[path] * jitter[path] / 1000
                if path in (0, TIED):  # ten each way, and every fifth head together
                    late = (0, 0) if k % 5 == 0 else (0, DELAYS[TIED] / 1000)
                    late = late[path if k % 2 else TIED - path]
                when = at + 0.01 * i + late
                if path == DEAF and k % 20 == 10:
                    continue
                if path == BALANCED and k == BACK_AT - 8:
                    missed = block
                    continue
                if path == STALLED and STALL[0] <= k < STALL[1]:
                    when = at + (STALL[1] - k) * INTERVAL + 0.001 * (k - STALL[1])
                plan.send(when, path, block)
                if path == TWICE and k % 15 == 7:
                    plan.send(when + 0.02, path, block)
        if k == BACK_AT:
            plan.send(at + 0.15, BALANCED, missed)
        at += INTERVAL
    back = (BALANCED, chain.canonical[-(heads - BACK_AT)].number if heads > BACK_AT else None, missed and missed.number)
    return plan, at, reorgs, back


class Truth:
    """Who was first, how far behind the others were: from the stamps."""

    def __init__(self, plan, stamps, canonical, half=None):
        warm = {b.hash for b in canonical[BASE + 1:BASE + 1 + WARM]}
        self.first = collections.defaultdict(dict)  # hash → path → ns
        self.dups = collections.Counter()
        self.half = half or [0] * plan.paths
        for ns, path, _, hash_, _ in stamps:
            if hash_ in warm:
                continue
            if path in self.first[hash_]:
                self.dups[path] += 1
            else:
                self.first[hash_][path] = ns
        self.missed = collections.Counter()
        on_chain = {b.hash for b in canonical}
        for hash_, paths in self.first.items():
            for path in range(plan.paths):
                if path not in paths and hash_ in on_chain:
                    self.missed[path] += 1
        self.behind = collections.defaultdict(list)
        self.clear, self.maybe, self.won = collections.Counter(), collections.Counter(), collections.Counter()
        self.tied = 0
        for paths in self.first.values():
            times = sorted((ns - self.half[p], p) for p, ns in paths.items())
            if len(times) < 2:
                continue
            for ns, path in times:
                self.behind[path].append(ns - times[0][0])
                self.maybe[path] += ns - times[0][0] < CLEAR_NS
            self.clear[times[0][1]] += times[1][0] - times[0][0] >= CLEAR_NS
            self.won[times[0][1]] += times[1][0] - times[0][0] >= TIE_NS
            self.tied += times[1][0] - times[0][0] < TIE_NS

    def percentile(self, path, percent):
        v = sorted(self.behind[path])
        return v[-(-len(v) * percent // 100) - 1]


class Report:
    """The cases of a run."""

    def __init__(self):
        self.cases = []

    def case(self, name, wrong, notes=(), timing=False):
        self.cases.append((name, list(wrong), list(notes), timing))

    def failed(self):
        return [c for c in self.cases if c[1]]

    def excuse(self, why):
        """Cases about times are skipped."""
        self.cases = [(name + " # SKIP " + why, [], wrong + notes, timing) if wrong and timing else
                      (name, wrong, notes, timing) for name, wrong, notes, timing in self.cases]

    def print(self):
        for i, (name, wrong, notes, _) in enumerate(self.cases):
            print("%sok %d - %s" % ("not " if wrong else "", i + 1, name))
            for line in wrong + notes:
                print("#   " + line)
        print("1..%d" % len(self.cases))
        bad, skipped = len(self.failed()), sum(" # SKIP " in c[0] for c in self.cases)
        print("%d passed, %d failed%s" % (len(self.cases) - bad - skipped, bad, skipped and ", %d skipped" % skipped or ""))


def ms(ns):
    return "%.3f ms" % (ns / MS)


def figures(report, name, seen, races):
    """Each figure of each path beside what follows from the stamps that the feeds took."""
    wrong = []
    for path, race in sorted(races.items()):
        behind = sorted(seen.behind[path])
        if race["behind"][0] != len(behind):
            wrong.append("path %d: %d heads, %d were stamped" % (path, race["behind"][0], len(behind)))
            continue
        for at, want in enumerate((seen.percentile(path, 50), seen.percentile(path, 90), seen.percentile(path, 99), behind[-1])):
            if abs(race["behind"][1 + at] - want) > EXACT_NS:
                wrong.append("path %d: figure %d is %s, stamped %s" % (path, at, ms(race["behind"][1 + at]), ms(want)))
        if race["won"] != seen.won[path]:
            wrong.append("path %d: %d won, by the stamps %d" % (path, race["won"], seen.won[path]))
    report.case("%s: p50, p90, p99, most and won are what follows from the stamps" % name, wrong)


def compare(report, name, truth, races, verbose):
    """Each figure of each path beside the truth."""
    wrong, notes, off = [], [], collections.defaultdict(list)
    limits = ((1, 50, P50_MS), (2, 90, P90_MS), (3, 99, P99_MS))
    for path, race in sorted(races.items()):
        n = race["behind"][0]
        if n != len(truth.behind[path]):
            wrong.append("path %d: %d heads, %d were sent" % (path, n, len(truth.behind[path])))
            continue
        for at, percent, limit in limits:
            want = truth.percentile(path, percent)
            off[percent].append(abs(race["behind"][at] - want))
            if off[percent][-1] > limit * MS:
                wrong.append("path %d: p%d is %s, was sent %s" % (path, percent, ms(race["behind"][at]), ms(want)))
        off["max"].append(abs(race["behind"][4] - max(truth.behind[path])))
        if verbose:
            notes.append("path %d: p50 %s (%s) p99 %s (%s) won %d tie %d" % (
                path, ms(race["behind"][1]), ms(truth.percentile(path, 50)), ms(race["behind"][3]),
                ms(truth.percentile(path, 99)), race["won"], race["ties"]))
    notes.append("furthest off over all paths: " + ", ".join(
        "%s %s" % (k if k == "max" else "p%d" % k, ms(max(v))) for k, v in off.items() if v))
    report.case("%s: p50 within %d ms, p90 and p99 within %d ms" % (name, P50_MS, P99_MS), wrong, notes, True)


def counts(report, truth, races):
    wrong = []
    for path, race in sorted(races.items()):
        if race["missed"] != truth.missed[path]:
            wrong.append("path %d: %d missed, %d were not sent" % (path, race["missed"], truth.missed[path]))
        if race["dups"] != truth.dups[path]:
            wrong.append("path %d: %d doubled, %d were sent twice" % (path, race["dups"], truth.dups[path]))
    report.case("missed and doubled heads are counted exactly", wrong,
                ["%d missed, %d doubled" % (sum(truth.missed.values()), sum(truth.dups.values()))])


def wins(report, truth, races):
    wrong, close = [], 0
    for path, race in sorted(races.items()):
        low, high, got = truth.clear[path], truth.maybe[path], race["won"]
        close += high - low
        if not low <= got <= high or got + race["ties"] > high:
            wrong.append("path %d: %d won and %d ties; %d are beyond doubt, %d possible" % (
                path, got, race["ties"], low, high))
    report.case("every head won by %s or more is won" % ms(CLEAR_NS), wrong,
                ["%d won beyond doubt, %d starts within %s of the first; %d sent less than 0.1 ms apart, %d heads shown as ties"
                 % (sum(truth.clear.values()), close, ms(CLEAR_NS), truth.tied,
                    max(r["ties"] for r in races.values()))], True)


def quantiles(late):
    at = lambda p: late[min(len(late) * p // 1000, len(late) - 1)]  # noqa: E731
    return "%d: p50 %s p90 %s p99 %s p99.9 %s max %s" % (
        len(late), ms(at(500)), ms(at(900)), ms(at(990)), ms(at(999)), ms(late[-1]))


def stamp_errors(report, probe, stamps, control):
    """How long after the send a feed stamped: all of the error there is. Returns the stamps."""
    seen = {}
    for e in probe.find("head"):
        if e["source"] in ("push", "first"):
            seen.setdefault((e["path"], e["hash"]), e["mono"])
    late, wrong, sent = [], [], set()
    for ns, path, number, hash_, waiting in stamps:
        if (path, hash_) in sent:
            continue
        sent.add((path, hash_))
        if (path, hash_) not in seen:
            wrong.append("path %d never told of %d" % (path, number))
        else:
            late.append(seen[path, hash_] - ns)
    late.sort()
    if late and late[0] < 0:
        wrong.append("stamped %s before it was sent" % ms(-late[0]))
    if late and late[len(late) // 2] > control[len(control) // 2] + P50_MS * MS:
        wrong.append("stamps are later than a plain receiver's by more than %d ms (p50)" % P50_MS)
    report.case("every head that was sent is told, after it was sent", wrong[:10],
                ["from send to stamp, heads " + quantiles(late), "the control, bytes " + quantiles(control),
                 "%d heads found bytes before them" % sum(1 for s in stamps if s[4])])
    return [(ns, path, 0, hash_, 0) for (path, hash_), ns in seen.items()]


def forks(report, probe, reorgs, back):
    told = [(e["number"], e["depth"], e["from"], e["to"]) for e in reversed(probe.find("reorg"))]
    wrong = [] if told == reorgs else ["told %s" % told, "made %s" % reorgs]
    report.case("reorgs of depth 1, 2 and 3", wrong)
    told = [(e["path"], e["from"], e["to"]) for e in probe.find("back")]
    wrong = [] if told == [back] else ["told %s, made %s" % (told, back)]
    report.case("a head that goes back is no reorg", wrong)


def round_trips(report, answers, races):
    least, wrong, notes = {}, [], []
    for path, ns in answers:
        least[path] = min(ns, least.get(path, ns))
    for path, race in sorted(races.items()):
        off = race["rtt"] - least[path]
        if race["rtt"] < 0 or not 0 <= off < 2 * MS:
            wrong.append("path %d: round trip %s, the node took %s at least" % (path, ms(race["rtt"]), ms(least[path])))
    off = [r["rtt"] - least[p] for p, r in races.items()]
    notes.append("longer than the node took: %s to %s" % (ms(min(off)), ms(max(off))))
    report.case("round trips: the node's fastest answer and less than 2 ms", wrong, notes, True)


def product(program, folder, node, paths, seconds):
    """What the program itself says of each path: (wrong, races with half the round trip left and taken off)."""
    out = os.path.join(folder, "report.json")
    urls = ["n%02d=ws://127.0.0.1:%d/%d" % (i, node.port, i) for i in range(paths)]
    done = subprocess.run([program, "compare", "--config", "/dev/null", "--for", "%ds" % seconds, "--format", "json",
                           "-o", out] + urls, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, timeout=seconds + 60)
    if done.returncode:
        return [done.stderr.decode("utf-8", "replace")], [{}, {}]
    with open(out) as f:
        told = {int(p["node"][1:]): p for p in json.load(f)["paths"]}
    ns = lambda ms_: -1 if ms_ is None else round(ms_ * MS)  # noqa: E731
    races = []
    for which in ("behind_ms", "behind_less_half_rtt_ms"):
        races.append({i: {"behind": [p[which]["n"]] + [ns(p[which][k]) for k in ("p50", "p90", "p99", "max")],
                          "won": p["won"], "ties": p["ties"], "missed": p["missed"], "dups": p["doubled"],
                          "rtt": ns(p["rtt_ms"])} for i, p in told.items()})
    return [], races


def run_product(program, o):
    plan, length, _, _ = make_plan(o.heads, o.seed)
    report, folder = Report(), tempfile.mkdtemp(prefix="race-")
    try:
        node = schedule.Process(plan)
        wrong, races = product(program, folder, node, plan.paths, int(length + MISSED_S + 6))
        node.wait(10)
        stamps, answers, control = node.finish()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    report.case("chaintop compare: all paths are in the report",
                wrong or [] if len(races[0]) == plan.paths else wrong + ["%d of %d" % (len(races[0]), plan.paths)],
                ["the control, bytes " + quantiles(control)])
    report.control = control[len(control) * 999 // 1000]
    if report.failed():
        return report
    canonical = plan.tips[-1][1]
    truth = Truth(plan, stamps, canonical)
    compare(report, "as heard here", truth, races[0], o.verbose)
    counts(report, truth, races[0])
    wins(report, truth, races[0])
    round_trips(report, answers, races[0])
    half = [races[0][i]["rtt"] // 2 for i in range(plan.paths)]
    compare(report, "minus RTT/2", Truth(plan, stamps, canonical, half), races[1], o.verbose)
    return report


def run(program, o):
    plan, length, reorgs, back = make_plan(o.heads, o.seed)
    report, folder = Report(), tempfile.mkdtemp(prefix="race-")
    try:
        node = schedule.Process(plan)
        probe = Probe(program, folder, ["ws://127.0.0.1:%d/%d" % (node.port, i) for i in range(plan.paths)],
                      env={"CHAINTOP_JUDGE": "1"})
        node.wait(length + 30)
        time.sleep(MISSED_S)
        wrong = probe.stop()
        stamps, answers, control = node.finish()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    report.case("the probe ends well", wrong)
    races = [{e["path"]: e for e in probe.find("race", minus_rtt=minus)} for minus in (False, True)]
    canonical = plan.tips[-1][1]
    seen = stamp_errors(report, probe, stamps, control)
    report.control = control[len(control) * 999 // 1000]
    half = [races[0][i]["rtt"] // 2 for i in range(plan.paths)]
    figures(report, "as heard here", Truth(plan, seen, canonical), races[0])
    figures(report, "minus RTT/2", Truth(plan, seen, canonical, half), races[1])
    truth = Truth(plan, stamps, canonical)
    counts(report, truth, races[0])
    if o.limits:
        wins(report, truth, races[0])
        compare(report, "as heard here", truth, races[0], o.verbose)
        compare(report, "minus RTT/2", Truth(plan, stamps, canonical, half), races[1], o.verbose)
        round_trips(report, answers, races[0])
    forks(report, probe, reorgs, back)
    return report


def main(argv):
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--heads", type=int, default=120)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--limits", action="store_true", help="hold the figures against the node's stamps, too")
    p.add_argument("--product", action="store_true", help="ask `chaintop compare`, not the probe")
    p.add_argument("-v", "--verbose", action="store_true")
    o = p.parse_args(argv)
    name, default = ("CHAINTOP", "chaintop") if o.product else ("CHAINTOP_PROBE", "tests/faults/probe")
    program = os.path.abspath(os.environ.get(name, default))
    if not os.access(program, os.X_OK):
        print("%s is to be the path of %s" % (name, default))
        return 77
    report = (run_product if o.product else run)(program, o)
    if report.failed() and report.control > CONTROL_MS * MS:
        report.excuse("a plain receiver here is %s late (p99.9)" % ms(report.control))
    report.print()
    return 1 if report.failed() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
