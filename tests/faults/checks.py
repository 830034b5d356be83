"""What a row of kinds.py asks for beyond its `check`: the rules of single cases of the fault matrix."""
import os
import time

INFOS = (0, 1, 2, 3, 4)  # client, peers, sync, txpool, gas price: enum info_kind


class Rule:
    """The usual case. A rule of its own for a kind is a subclass named K<number>."""

    later = False  # try it also with a path that already works
    long = 5  # seconds, roughly: the long ones are started first
    txs, fake = 2, False  # of the made-up chain
    shown = True  # the newest block is to be shown in the end
    pushed = True  # … by a subscription, where the transport has them
    unbroken = True  # … and all between the first and it
    unmet = False  # that the fault is not met is fine: chaintop does not do such things
    subscribes = 1  # most eth_subscribe on one connection
    cpu = 0.6  # seconds, with a sanitizer; and 2 % of the time that it runs
    rss = 120  # MiB, with a sanitizer
    back = 12  # seconds until heads come again when the fault ends (check "state")

    def skip(self, row):
        """Why a case cannot be tried here, or nothing."""
        return ""

    def drops(self, case):
        """A fault that comes later is met only by a new connection."""
        return False

    def access(self, case):
        """urls and options of the probe."""
        return {}

    def met(self, case):
        return sum(case.fault.hits.values()) + sum(case.fault.counts.values()) > 0

    def over(self, case):
        """The fault has done what it was told to do so many times."""
        times = case.fault.args.get("times", 0)
        return times > 100 or case.fault.counts["taken"] >= times

    def during(self, case):
        """check "state": the word is said, the fault still there."""

    def extra(self, case):
        """After the head was shown."""


def waits_or_silent(case):
    return any(e["state"] in ("waiting", "silent") for e in case.probe.links)


class K2(Rule):
    def extra(self, case):
        gaps = case.probe.gaps
        case.expect(gaps, "no gap was told")
        case.expect(any(g["to"] - g["from"] + 2 >= case.fault.args["skip"] for g in gaps),
                    "the gap told is not the one made: %s" % gaps)


class K3(Rule):
    later = True
    long = 45

    def drops(self, case):
        return not case.fault.args["down"]

    def met(self, case):
        return Rule.met(self, case) or bool(case.probe.words)

    def over(self, case):
        if case.fault.args["down"]:
            return case.probe.state() in ("live", "polling")
        return Rule.over(self, case)


class K4(Rule):
    unbroken = False
    rss = 500
    cpu = 12

    def extra(self, case):
        case.until(lambda: False, 2)  # time in which it would ask again
        case.expect(case.fault.counts["asked"] <= 3,
                    "asked %d times for what is too big" % case.fault.counts["asked"])


class K5(Rule):
    rss = 400
    cpu = 8


class K6(Rule):
    cpu = 5

    def extra(self, case):
        pongs = sum(c.counts["pongs"] for c in case.node.conns.values())
        case.expect(pongs > 0, "no ping between fragments was answered")


class K8(Rule):
    long = 25
    subscribes = 4


class K9(Rule):
    def over(self, case):
        return case.fault.counts["pings"] >= 3

    def extra(self, case):
        count = case.fault.counts
        case.expect(case.until(lambda: count["pongs"] >= count["pings"] - 1, 2), "pings unanswered")
        case.expect(count["wrong_pongs"] == 0, "a pong with another payload")


class K10(Rule):
    long = 30
    subscribes = 5

    def met(self, case):
        return Rule.met(self, case) or case.node.paused

    def over(self, case):
        return not case.node.paused


class K12(Rule):
    fake, txs = True, 0
    unbroken = False
    rss = 200
    cpu = 12
    long = 20

    def over(self, case):
        return case.fault.counts["sent"] >= case.fault.args["count"]

    def extra(self, case):
        newest = case.node.head
        case.expect(case.until(lambda: case.shown(newest), 20), "the newest block is not shown")


class K13(Rule):
    def extra(self, case):
        first = case.probe.find("reply", method="eth_getBlockByHash")
        case.expect(first, "no body by hash at all")
        late = [e for e in case.probe.blocks.values()
                if e["at"] - case.probe.started > case.fault.args["seconds"]]
        case.expect(case.until(lambda: late or case.probe.blocks, 5), "the late reply is lost")

    def over(self, case):
        return time.monotonic() - case.probe.started > case.fault.args["seconds"] + 1


class K14(Rule):
    unmet = True

    def extra(self, case):
        case.expect(case.fault.counts["refused"] == 0, "a second subscription was tried")


class K16(Rule):
    long = 32
    unbroken = False


class Odd(Rule):
    """Messages that mean nothing are counted, and the connection stays."""

    def extra(self, case):
        case.expect(case.until(lambda: case.probe.traffic.get(0, {}).get("odd", 0) > 0, 3),
                    "nothing was counted as odd")
        case.expect(case.node.stats["accepts"][case.path] == 1, "it connected anew")


K18 = K19 = Odd


class K20(Rule):
    def __init__(self, row):
        # What was too big once is not asked for again, whatever it was.
        self.unbroken = row["args"].get("code") != 1009

    def during(self, case):
        before = case.node.stats["accepts"][case.path]
        case.until(lambda: False, 3)
        case.expect(case.node.stats["accepts"][case.path] - before <= 4, "it hammers")


class K21(Rule):
    long = 15
    shown = unbroken = False

    def over(self, case):
        return time.monotonic() - case.met_at > 9.9

    def extra(self, case):
        many = case.node.stats["accepts"][case.path]
        case.expect(many < 12, "%d connections in 10 s" % many)
        case.expect(many > 2, "only %d connections in 10 s" % many)


class Later(Rule):
    later = True


K23 = K24 = K25 = Later


class K26(Rule):
    def extra(self, case):
        case.expect(not case.probe.words, "errors are shown: %s" % case.said())


class K27(Rule):
    long = 40
    unbroken = False
    subscribes = 5


class K28(Rule):
    rss = 450
    cpu = 6

    def over(self, case):
        return case.fault.args["how"] in ("gzip", "deflate") or Rule.over(self, case)

    def extra(self, case):
        if case.fault.args["how"] in ("wrong", "bomb"):
            case.expect(case.probe.words, "no error is told")


def hides(case, probe, *secrets):
    text = probe.all_text()
    for secret in secrets:
        case.expect(secret not in text, "%r is written somewhere" % secret)


class K30(Rule):
    """301 would make a GET of it, and another host is not what the user named: these are reported."""

    def __init__(self, row):
        self.shown = self.unbroken = row["args"].get("to") != "host" and row["args"]["status"] != 301

    def access(self, case):
        return {"urls": [case.url(user="us:k3y@")]}

    def extra(self, case):
        case.expect(case.fault.counts["leaks"] == 0, "credentials went to another host")
        if not self.shown:
            case.expect(case.until(lambda: case.probe.said("http", ("link",)), 5),
                        "the redirect is not told: %s" % case.said())
        hides(case, case.probe, "k3y", "dXM6azN5")


class K33(Rule):
    def access(self, case):
        args, how = case.fault.args, case.fault.args["how"]
        if how == "basic":
            return {"urls": [case.url(user="us%40r:p%3Aw%25@")]}
        if how == "bearer":
            return {"options": ["-H", "Authorization: Bearer " + args["token"]]}
        if how == "path":
            return {"urls": [case.url(target="/" + args["token"])]}
        path = os.path.join(case.folder, "secret")
        with open(path, "w") as f:
            f.write("0x" + args["secret"] + "\n")
        return {"options": ["--jwt", path]}

    def extra(self, case):
        args = case.fault.args
        case.expect(case.fault.counts["denied"] == 0, "%d denied" % case.fault.counts["denied"])
        hides(case, case.probe, args["password"], args["token"], args["secret"], "p%3Aw", "Bearer ey")
        folder = os.path.join(case.folder, "without")
        os.mkdir(folder)
        probe = case.new_probe(folder)
        case.expect(case.until(lambda: probe.said("auth", ("link",)), 5), "the state does not say auth")
        before = case.fault.counts["denied"]
        case.until(lambda: False, 2)
        case.expect(case.fault.counts["denied"] - before < 6, "it hammers")
        case.wrong += probe.stop()


class Batch(Rule):
    """The batch asks for facts of the node: they are all there in the end, or the few that failed are told."""

    def extra(self, case):
        def known():
            return [i for i in INFOS if case.probe.infos.get(i, {}).get("code") == "ok"]
        case.expect(case.until(lambda: len(known()) >= self.least(case), 8),
                    "of the facts only these came: %s" % known())

    def least(self, case):
        return len(INFOS)


K35 = K36 = K37 = K38 = Batch


class K40(Batch):
    def over(self, case):
        return case.fault.counts["taken"] > 0


class K41(Rule):
    cpu = 5


class K45(Rule):
    rss = 500
    cpu = 8


class K46(Rule):
    later = True

    def skip(self, row):
        root = row["args"]["how"] == "permission" and os.geteuid() == 0
        return "root may open any socket" if root else ""

    def drops(self, case):
        return case.fault.args["how"] == "epipe"

    def met(self, case):
        return Rule.met(self, case) or waits_or_silent(case)

    def over(self, case):
        if case.fault.args["how"] == "epipe":
            return Rule.over(self, case)
        return case.probe.said(case.row["word"]) and case.probe.state() == "live"


class K47(Rule):
    rss = 300
    cpu = 8


class K48(Rule):
    def extra(self, case):
        case.expect(case.until(lambda: case.probe.traffic.get(0, {}).get("odd", 0) > 0, 3),
                    "nothing was counted as odd")


class K49(Rule):
    def __init__(self, row):
        # An answer whose id says nothing is missed by the deadline only, after 30 s.
        self.unbroken = row["args"]["how"] != "huge"


class K50(Rule):
    def __init__(self, row):
        self.unbroken = row["args"].get("every") != 2

    def over(self, case):
        return True


class K52(Rule):
    unmet = True


class K53(Rule):
    pushed = False

    def extra(self, case):
        case.expect(case.probe.find("link", state="polling"), "it does not say that it polls")


class K54(Rule):
    def __init__(self, row):
        self.unmet = row["args"]["tag"] == "pending"  # which is never asked for

    def over(self, case):
        return self.unmet or Rule.over(self, case)

    def extra(self, case):
        case.expect("0x" + "00" * 32 not in case.probe.heads, "a block without a hash is a head")


class K56(Rule):
    def extra(self, case):
        # Verification comes after the block is out.
        case.expect(case.until(lambda: case.probe.find("verdict"), 10), "no block was verified")


class K57(Rule):
    def extra(self, case):
        def asked():
            calls = case.node.stats[case.path]
            return calls["eth_getBlockByNumber"] + calls["eth_getBlockByHash"]
        case.until(lambda: False, 1)
        before = asked()
        case.until(lambda: False, 2)
        case.expect(asked() - before < 25, "it asks for ever: %d calls in 2 s" % (asked() - before))


class K58(Rule):
    unbroken = False


class K60(Rule):
    def during(self, case):
        case.expect(case.until(lambda: len({c["id"] for c in case.probe.chains}) == 2, 20),
                    "the other chain is not told: %s" % case.probe.chains)


def find(row):
    """The rule of a row of the table."""
    rule = globals().get("K%d" % row["number"], Rule)
    return rule(row) if "__init__" in vars(rule) else rule()
