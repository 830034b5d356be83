"""Faults below the protocols: certificates (31 of the list), names and ports (32)."""
import socket
import time

import chain as chains
from case import FIRST_HEAD
from counts import Plain

WITHIN_S = 5
BAD = ("expired", "wronghost")
NO_NAME = "n" * 64  # longer than a label may be: no name server is asked


def watch(program, folder, url, tls, options, word):
    """A word for what is wrong, in the state and with a cure; or a block, where nothing is."""
    run = Plain(program, folder, [url], chains.SyntheticChain(FIRST_HEAD, 1, 2), 0.5, tls, options)
    end = time.monotonic() + WITHIN_S

    def done():
        return run.probe.said(word, ("link",)) if word else run.probe.blocks
    while not done() and time.monotonic() < end and run.probe.running():
        time.sleep(0.02)
    said = sorted(w for w in run.probe.words if run.probe.words[w])
    run.expect(done(), "nothing says %r, but: %s" % (word, said) if word else "no block; said: %s" % said)
    if word and word in ("tls", "dns"):
        run.expect(all(e["text"] for e in run.probe.said(word, ("link",))), "the word has no reason")
        run.expect(any(e["cure"] for e in run.probe.said(word, ("link",))), "the word has no cure")
    run.expect(not word or not run.probe.blocks, "a block came through")
    run.finish()
    if word:
        asked = sum(sum(n.values()) for n in run.stats["requests"].values())
        run.expect(asked == 0, "%d requests went out" % asked)
    return run.answer()


def closed_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def cases(program):
    """(name, seconds, work, why it is skipped) for run.py."""
    found = []

    def add(name, url, tls, options, word):
        found.append((name, 3, lambda folder: watch(program, folder, url, tls, options, word), ""))
    for url in ("https", "wss"):
        add("31 tls %s good" % url, url, "good", ["--cacert", "CACERT"], "")
        add("31 tls %s unknown" % url, url, "good", [], "tls")
        for tls in BAD:
            add("31 tls %s %s" % (url, tls), url, tls, ["--cacert", "CACERT"], "tls")
        add("31 tls %s expired insecure" % url, url, "expired", ["--insecure"], "")
    for scheme in ("http", "ws"):
        add("32 names %s dns" % scheme, "%s://%s.invalid:8545" % (scheme, NO_NAME), None, [],
            "dns")
        add("32 names %s refused" % scheme, "%s://127.0.0.1:%d" % (scheme, closed_port()), None, [],
            "refused")
    return found
