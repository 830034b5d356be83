"""One case of the fault matrix: a node with a fault, a probe that watches it, and what must come of it."""
import os
import tempfile
import time

import chain as chains
import checks
import node as nodes
from watch import Probe

FIRST_HEAD = 40  # height at the start: enough for the 32 bodies that are asked for
RATE = 4  # heads a second
MET_S = 15  # a fault that has not been met by then is not met
SETTLE_S = 8  # for facts that come by themselves: node infos, gaps
SANITIZERS = {
    # A small quarantine, so that memory says something.
    "ASAN_OPTIONS": "detect_leaks=1:quarantine_size_mb=4:malloc_context_size=12",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": "second_deadlock_stack=1:report_signal_unsafe=0",
}


def has_sanitizer(program, *names):
    with open(program, "rb") as f:
        text = f.read()
    return any(name in text for name in names)


def is_tsan(program):
    return has_sanitizer(program, b"__tsan_init")


def is_sanitized(program):
    return has_sanitizer(program, b"__tsan_init", b"__asan_init")


class Case:
    def __init__(self, probe, row, path, later):
        """row: a dict of kinds.as_data(). later: the fault comes when the path already works."""
        self.program, self.row, self.path, self.later = probe, row, path, later
        words = ["%d" % row["number"], row["name"], path]
        words += ["%s=%s" % (k, v if v != "" else "none") for k, v in row["args"].items()]
        self.name = " ".join(" ".join(words + ["later"] * later).split())
        self.rule = checks.find(row)
        self.long = self.rule.long
        self.skip = self.rule.skip(row)
        self.wrong = []
        self.newest = None

    @staticmethod
    def times(row):
        """Whether the fault is there from the start, and whether it also comes later."""
        return (False, True) if checks.find(row).later else (False,)

    # ---- a run

    def run(self, folder):
        """The answer for run.py: what is wrong, and a note."""
        self.folder = tempfile.tempdir = folder
        self.start()
        try:
            self.watch()
        finally:
            answer = self.finish()
        return answer

    def start(self):
        rule = self.rule
        chain = chains.SyntheticChain(FIRST_HEAD, 1, rule.txs, fake=rule.fake)
        self.node = nodes.Node(chain, FIRST_HEAD, 1 / RATE, 424242)
        if not self.later:
            self.switch_on()
        self.at = self.node.start(http=0 if self.path == "http" else None,
                                  ws=0 if self.path == "ws" else None,
                                  ipc="" if self.path == "ipc" else None)
        self.probe = self.new_probe(folder=self.folder, **rule.access(self))
        if self.later:
            self.expect(self.until(lambda: self.shown(FIRST_HEAD + 2), MET_S),
                        "no head was shown before the fault")
            self.switch_on()

    def switch_on(self):
        self.node.fault(self.row["number"], dict(self.row["args"], via=self.path))
        self.fault = self.node.faults[-1]
        if self.later and self.rule.drops(self):
            self.node.test_drop()

    def switch_off(self):
        self.node.fault(self.row["number"], on=False)

    def url(self, user="", target=""):
        if self.path == "ipc":
            return self.at["ipc"]
        return "%s://%s127.0.0.1:%d%s" % (self.path, user, self.at[self.path], target)

    def new_probe(self, folder, urls=None, options=()):
        return Probe(self.program, folder, urls or [self.url()], options, SANITIZERS)

    def watch(self):
        row, rule = self.row, self.rule
        if rule.unmet:
            self.until(lambda: self.shown(FIRST_HEAD + 4), MET_S)
        else:
            self.expect(self.until(lambda: rule.met(self), MET_S), "the fault was not met")
        self.met_at = time.monotonic()
        limit = self.met_at + row["within"]
        if not self.until_time(lambda: rule.over(self), limit):
            self.expect(False, "the fault is not over: taken %d" % self.fault.counts["taken"])
        if row["word"] and row["check"] != "stats":
            where = ("link",) if row["check"] == "state" else ("link", "reply", "miss")
            self.expect(self.until_time(lambda: self.probe.said(row["word"], where), limit),
                        "nothing says %r; said: %s" % (row["word"], self.said()))
        if row["check"] == "state":
            rule.during(self)
            self.switch_off()
            limit = time.monotonic() + rule.back
        if rule.shown:
            number = self.node.head
            self.expect(self.until_time(lambda: self.shown(number), limit),
                        "block %d or a newer one is not shown in time (%d s)"
                        % (number, limit - self.met_at))
        self.shown_at = time.monotonic()
        rule.extra(self)
        if rule.unbroken:
            self.expect(self.until(lambda: not self.missing(), SETTLE_S),
                        "blocks that are not shown: %s" % self.missing())
        self.expect(self.probe.running(), "the probe ended by itself")

    def finish(self):
        with self.node.lock:
            stats = self.node.test_stats()
        self.wrong += self.probe.stop()
        self.check_stats(stats)
        probe, wall = self.probe, time.monotonic() - self.probe.started
        slow = 2 if is_tsan(self.program) else 1
        self.expect(probe.cpu < slow * (self.rule.cpu + 0.02 * wall),
                    "%.2f s of CPU in %.1f s: busy?" % (probe.cpu, wall))
        self.expect(probe.rss < slow * self.rule.rss, "%d MiB of memory" % probe.rss)
        self.node.stop()
        note = "cpu %.2f s, %d MiB, met after %.1f s, shown %.1f s later" % (
            probe.cpu, probe.rss, getattr(self, "met_at", 0) - probe.started,
            getattr(self, "shown_at", 0) - getattr(self, "met_at", 0))
        return {"wrong": self.wrong, "note": note, "last": self.last_words() if self.wrong else []}

    def check_stats(self, stats):
        """What holds in every case: ids are used once, and a connection has one subscription."""
        self.expect(not any(stats["repeated_ids"].values()), "an id was used twice")
        for conn in stats["conns"]:
            many = conn["methods"]["eth_subscribe"]
            self.expect(many <= self.rule.subscribes, "%d eth_subscribe on a connection" % many)
            self.expect(conn["subscriptions"]["newHeads"] <= 1, "two subscriptions on a connection")
        if self.path != "http" and self.rule.shown and self.rule.pushed:
            live = [c for c in stats["conns"] if c["open"] and c["methods"]["eth_subscribe"]]
            self.expect(len(live) == 1, "%d connections with a subscription" % len(live))

    # ---- questions

    def expect(self, good, what):
        if not good and what not in self.wrong:
            self.wrong.append(what)

    def until(self, question, seconds):
        return self.until_time(question, time.monotonic() + seconds)

    def until_time(self, question, end):
        """True as soon as the question is answered with yes; false at the end of the time."""
        while not question():
            if time.monotonic() > end or not self.probe.running():
                return bool(question())
            time.sleep(0.03)
        return True

    def shown(self, number):
        """Header and body of a block at this height or above are out, of the chain as it is now."""
        probe = self.probe
        with probe.lock, self.node.lock:
            for hash_, event in probe.heads.items():
                if event["number"] < number or hash_ not in probe.blocks:
                    continue
                block = self.node.chain.block(event["number"])
                if block and block.hash == hash_:
                    return True
        return False

    def missing(self):
        """Heights between the first head and the newest one shown without header or body."""
        probe = self.probe
        with probe.lock, self.node.lock:
            known = {h for h in probe.heads if h in probe.blocks}
            numbers = [probe.heads[h]["number"] for h in known]
            if not numbers:
                return ["all"]
            self.newest = self.newest or max(numbers)
            first = max(FIRST_HEAD, self.newest - 30)
            blocks = [self.node.chain.block(n) for n in range(first, self.newest + 1)]
            return [b.number for b in blocks if b and b.hash not in known]

    def said(self):
        with self.probe.lock:
            return ", ".join("%s ×%d" % (word, len(e)) for word, e in self.probe.words.items()) \
                or "nothing"

    def last_words(self):
        """What to read when a case failed: links, errors, and the last events."""
        lines = []
        for e in self.probe.events:
            if e["ev"] in ("link", "gap", "miss", "broken") or e.get("code", "ok") != "ok":
                lines.append("%7.3f %s" % (e["at"] - self.probe.started, " ".join(
                    "%s=%s" % (k, v) for k, v in e.items()
                    if k not in ("mono", "path", "at", "cure") and v not in ("", 0))))
        lines = lines[:25] + ["..."] * (len(lines) > 50) + lines[25:][-25:]
        try:
            with open(self.probe.log_path) as f:
                lines += ["log: " + line.rstrip() for line in f.readlines()[-8:]]
        except OSError:
            pass
        return lines
