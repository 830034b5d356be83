#!/usr/bin/env python3
"""The fault matrix: the real feeds of chaintop, met with every fault of kinds.py on every transport.

    run.py [--jobs N] [--list] [-v] [WORD...]     only cases whose name has all the WORDs

The feeds run in probe.c; CHAINTOP_PROBE is the path of that program. Each case is a process of its
own: a node with the fault, a probe, and the questions that kinds.py asks. Output is TAP; the last
line is "N passed, N failed". Exit 1 if a case failed, 77 if there is no probe.
"""
import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import counts  # noqa: E402
import kinds  # noqa: E402
import secure  # noqa: E402
from case import Case  # noqa: E402

HARD_LIMIT_S = 150  # no case needs so long: what is still running then is ended
AT_ONCE = 4  # cases that work, and as many again that mostly wait
WAITS_S = 15  # a case that takes longer mostly waits


class Job:
    """A case in a process of its own; its answer comes through a pipe."""

    def __init__(self, name, long, work, skip=""):
        self.name, self.long, self.work, self.skip = name, long, work, skip
        self.number = 0
        self.pid = self.fd = None
        self.started = 0

    def start(self, folder):
        self.folder = os.path.join(folder, "%03d" % self.number)
        os.mkdir(self.folder)
        self.started = time.monotonic()
        self.fd, out = os.pipe()
        self.pid = os.fork()
        if self.pid:
            os.close(out)
            return
        os.close(self.fd)
        os.setsid()
        try:
            answer = self.work(self.folder)
        except Exception:  # whatever a case does, the others go on
            answer = {"wrong": traceback.format_exc().splitlines()[-8:], "note": ""}
        with os.fdopen(out, "w") as f:
            json.dump(answer, f)
        os._exit(0)

    def finished(self):
        """Its answer, or None while it runs."""
        late = time.monotonic() - self.started > HARD_LIMIT_S
        pid, status = os.waitpid(self.pid, 0 if late and self.kill() else os.WNOHANG)
        if not pid:
            return None
        self.kill()  # a probe that was left over
        with os.fdopen(self.fd) as f:
            text = f.read()
        if late:
            return {"wrong": ["ended after %d s" % HARD_LIMIT_S], "note": ""}
        return json.loads(text) if text else {"wrong": ["it died: status %d" % status], "note": ""}

    def kill(self):
        """Ends the process group that this case made."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        return True


def all_jobs(probe):
    """Long ones first, so that they do not come last alone."""
    jobs = []
    for row in kinds.as_data():
        for path in row["paths"]:
            for later in Case.times(row):
                case = Case(probe, row, path, later)
                jobs.append(Job(case.name, case.long, case.run, case.skip))
    jobs += [Job(*case) for case in counts.cases(probe) + secure.cases(probe)]
    jobs.sort(key=lambda j: -j.long)
    return jobs


def report(job, answer, verbose):
    wrong = answer["wrong"]
    print("%sok %d - %s%s" % ("not " if wrong else "", job.number, job.name,
                              job.skip and " # SKIP " + job.skip))
    if job.skip:
        return True
    if wrong or verbose:
        for line in wrong + answer.get("last", []) * bool(wrong):
            print("#   " + line)
        print("#   %.1f s; %s" % (time.monotonic() - job.started, answer["note"]))
    sys.stdout.flush()
    return not wrong


def startable(waiting, running, at_once):
    """The next jobs: of those that work and of those that wait so many as there is room for."""
    chosen = []
    for waits in (True, False):
        kind = [j for j in waiting if (j.long >= WAITS_S) == waits]
        busy = sum((j.long >= WAITS_S) == waits for j in running)
        chosen += kind[:max(at_once - busy, 0)]
    return chosen


def run_all(jobs, folder, at_once, verbose):
    passed = 0
    waiting, running = list(jobs), []
    for i, job in enumerate(waiting):
        job.number = i + 1
    while waiting or running:
        for job in startable(waiting, running, at_once):
            waiting.remove(job)
            if job.skip:
                report(job, {"wrong": []}, verbose)
                continue
            running.append(job)
            job.start(folder)
        for job in list(running):
            answer = job.finished()
            if answer is not None:
                running.remove(job)
                good = report(job, answer, verbose)
                passed += good
                if good:
                    shutil.rmtree(job.folder, ignore_errors=True)
        time.sleep(0.02)
    return passed


def main(argv):
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--jobs", type=int, default=AT_ONCE,
                   help="cases at once, and as many that mostly wait (%(default)s)")
    p.add_argument("--list", action="store_true", help="print the names and exit")
    p.add_argument("--keep", action="store_true", help="keep what failed cases wrote")
    p.add_argument("-v", "--verbose", action="store_true", help="what each case used")
    p.add_argument("words", nargs="*", metavar="WORD")
    o = p.parse_args(argv)
    probe = os.path.abspath(os.environ.get("CHAINTOP_PROBE", "tests/faults/probe"))
    jobs = [j for j in all_jobs(probe) if all(w in j.name.split() + [j.name] for w in o.words)]
    if o.list:
        print("\n".join(j.name for j in jobs))
        return 0
    if not os.access(probe, os.X_OK):
        print("no probe: CHAINTOP_PROBE is to be the path of tests/faults/probe")
        return 77
    start = time.monotonic()
    folder = tempfile.mkdtemp(prefix="faults-")
    try:
        passed = run_all(jobs, folder, o.jobs, o.verbose)
    finally:
        if not o.keep:
            shutil.rmtree(folder, ignore_errors=True)
    skipped = sum(bool(j.skip) for j in jobs)
    failed = len(jobs) - skipped - passed
    print("1..%d" % len(jobs))
    print("# %.0f s, %d skipped%s" % (time.monotonic() - start, skipped,
                                      "; " + folder if o.keep else ""))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
