"""A probe process (probe.c), watched: what its feeds told, and when."""
import collections
import json
import os
import re
import signal
import subprocess
import threading
import time

# What a sanitizer writes when it finds something.
REPORT = re.compile(r"(ERROR: \w+Sanitizer|WARNING: ThreadSanitizer|runtime error:|SUMMARY: \w+)")
ANSWERS = ("link", "reply", "miss")  # events that carry the word of an error


class Probe:
    """Runs the probe on one or more URLs and keeps what it says, by kind."""

    def __init__(self, program, folder, urls, options=(), env=None):
        self.urls = urls
        self.stderr_path = os.path.join(folder, "stderr")
        self.out_path = os.path.join(folder, "events")
        self.log_path = os.path.join(folder, "log")
        self.events = []
        self.heads, self.blocks = {}, {}  # hash → first event
        self.bodies = collections.Counter()  # hash → how often its body came
        self.links, self.chains, self.gaps = [], [], []
        self.infos = {}  # kind → last event
        self.traffic = {}  # path → last event
        self.words = collections.defaultdict(list)  # word → events
        self.lock = threading.Lock()
        self.started = time.monotonic()
        with open(self.stderr_path, "wb") as errors:
            self.process = subprocess.Popen(
                [program] + list(urls) + ["--timeout", "600s", "--log", self.log_path] + list(options),
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
                env=dict(os.environ, **(env or {})))
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.status = self.usage = None

    def _read(self):
        with open(self.out_path, "wb") as copy:
            for line in self.process.stdout:
                copy.write(line)
                try:
                    event = json.loads(line.decode("utf-8", "replace"))
                except ValueError:
                    event = {"ev": "broken", "text": line.decode("utf-8", "replace")}
                event["at"] = time.monotonic()
                with self.lock:
                    self._take(event)

    def _take(self, e):
        self.events.append(e)
        kind = e["ev"]
        if kind == "head":
            self.heads.setdefault(e["hash"], e)
        elif kind == "block":
            self.blocks.setdefault(e["hash"], e)
            self.bodies[e["hash"]] += 1
        elif kind == "info":
            self.infos[e["info"]] = e
        elif kind == "traffic":
            self.traffic[e["path"]] = e
        elif kind in ("link", "chain", "gap"):
            getattr(self, kind + "s").append(e)
        # That this node has no eth_config is no fault of the case.
        if kind in ANSWERS and e["code"] != "ok" and not (e["code"] == "unsupported" and e.get("method") == "eth_config"):
            self.words[e["code"]].append(e)

    def find(self, kind, **fields):
        """The events of a kind with these fields."""
        with self.lock:
            return [e for e in self.events
                    if e["ev"] == kind and all(e.get(k) == v for k, v in fields.items())]

    def said(self, word, kinds=ANSWERS):
        with self.lock:
            return [e for e in self.words.get(word, ()) if e["ev"] in kinds]

    def state(self, path=0):
        """The last link state of a path."""
        with self.lock:
            return next((e["state"] for e in reversed(self.links) if e["path"] == path), "")

    def running(self):
        return not self._reap(os.WNOHANG)

    def _reap(self, flags=0):
        """True if it has ended; keeps its status and what it used."""
        if self.status is None:
            pid, status, usage = os.wait4(self.process.pid, flags)
            if not pid:
                return False
            self.status, self.usage = status, usage
            self.process.returncode = status  # so that subprocess does not wait for it
        return True

    def stop(self, timeout=20):
        """Ends it as a user would. Returns what is wrong with the way it ended."""
        wrong = []
        if self.running():
            try:
                self.process.stdin.close()
            except OSError:
                pass
            wrong += self._wait(timeout)
            self.reader.join(5)
        with open(self.stderr_path, "rb") as f:
            errors = f.read().decode("utf-8", "replace")
        if os.WIFSIGNALED(self.status):
            wrong.append("the probe died of %s" % signal.Signals(os.WTERMSIG(self.status)).name)
        elif os.WEXITSTATUS(self.status) != 0:
            wrong.append("the probe's exit code is %d" % os.WEXITSTATUS(self.status))
        if REPORT.search(errors):
            wrong.append("a sanitizer reports")
        if errors.strip():
            wrong += ["stderr: " + line for line in errors.strip().splitlines()[:25]]
        wrong += ["no JSON: " + e["text"] for e in self.events if e["ev"] == "broken"][:3]
        return wrong

    def _wait(self, timeout):
        end = time.monotonic() + timeout
        while self.running():
            if time.monotonic() > end:
                self.process.kill()
                self._reap()
                return ["the probe did not end within %d s" % timeout]
            time.sleep(0.01)
        return []

    @property
    def cpu(self):
        """Seconds, once it has ended."""
        return self.usage.ru_utime + self.usage.ru_stime

    @property
    def rss(self):
        """Most resident memory in MiB, once it has ended."""
        return self.usage.ru_maxrss / 1024

    def all_text(self):
        """Everything it wrote, to look for what must not be there."""
        text = b""
        for path in (self.out_path, self.stderr_path, self.log_path):
            if os.path.exists(path):
                with open(path, "rb") as f:
                    text += f.read()
        return text.decode("utf-8", "replace")
