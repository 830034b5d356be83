"""Prometheus' text format 0.0.4, read strictly, and doc/METRICS.md as the list of what may be in it."""
import pathlib
import re

PAGE = pathlib.Path(__file__).resolve().parents[2] / "doc/METRICS.md"
SAMPLE = re.compile(r'([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (-?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?|[+-]Inf|NaN)')
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)')
SUFFIX = re.compile(r"_(bucket|sum|count)$")


class Text:
    """samples: {(name, ((label, value), …)): number}; types: {family: type}."""

    def __init__(self, text):
        self.samples, self.types, helped, family = {}, {}, set(), None
        assert text.endswith("\n")
        for line in text.splitlines():
            if line.startswith("# HELP "):
                family = line.split(" ")[2]
                assert family not in helped, "HELP twice: " + family
                helped.add(family)
            elif line.startswith("# TYPE "):
                _, _, name, kind = line.split(" ")
                assert name == family and name not in self.types and kind in ("counter", "gauge", "histogram"), line
                self.types[name] = kind
            else:
                m = SAMPLE.fullmatch(line)
                assert m, "no sample: " + line
                name, labels, value = m.group(1), self.labels(m.group(2) or "", line), m.group(3)
                base = SUFFIX.sub("", name) if self.types.get(family) == "histogram" else name
                assert base == family, "not in its family: " + line
                assert (name, labels) not in self.samples, "twice: " + line
                assert "nan" not in value.lower()
                self.samples[name, labels] = float(value)
        for name, kind in self.types.items():
            assert (kind == "counter") == name.endswith("_total"), name
        self.histograms()

    @staticmethod
    def labels(text, line):
        out, at = [], 0
        while at < len(text):
            m = LABEL.match(text, at)
            assert m and (m.group(3) == "," or m.end() == len(text)), "labels: " + line
            out.append((m.group(1), re.sub(r"\\(.)", lambda e: "\n" if e.group(1) == "n" else e.group(1), m.group(2))))
            at = m.end()
        assert len({k for k, _ in out}) == len(out), "a label twice: " + line
        return tuple(sorted(out))

    def histograms(self):
        """Buckets grow with their bounds, and the last one is the count."""
        groups = {}
        for (name, labels), value in self.samples.items():
            if name.endswith("_bucket"):
                rest = tuple(p for p in labels if p[0] != "le")
                groups.setdefault((name[:-7], rest), []).append((float(dict(labels)["le"].replace("+Inf", "inf")), value))
        for (name, rest), buckets in groups.items():
            buckets.sort()
            counts = [c for _, c in buckets]
            assert counts == sorted(counts) and buckets[-1][0] == float("inf"), name
            assert counts[-1] == self.samples[name + "_count", rest], name
            assert (name + "_sum", rest) in self.samples

    def get(self, name, **labels):
        """The one sample of that name whose labels are among others these; None."""
        found = [v for (n, ls), v in self.samples.items() if n == name and set(labels.items()) <= set(ls)]
        assert len(found) < 2, (name, labels)
        return found[0] if found else None

    def sum(self, name, **labels):
        return sum(v for (n, ls), v in self.samples.items() if n == name and set(labels.items()) <= set(ls))

    def families(self):
        """{family: set of label names}, le left out."""
        out = {}
        for name, labels in self.samples:
            base = SUFFIX.sub("", name)
            base = base if self.types.get(base) == "histogram" else name
            out.setdefault(base, set()).update(k for k, _ in labels if k != "le")
        return out


def documented():
    """{family: (type, labels it may have)} of the page."""
    out, common = {}, set()
    for line in PAGE.read_text().splitlines():
        if line.startswith("## "):
            common = set()
        elif line.startswith("Labels of all:"):
            common = set(re.findall(r"`(\w+)`", line))
        elif line.startswith(("| chaintop_", "| process_")):
            cells = [c.strip() for c in line.strip("|").split("|")]
            out[cells[0]] = (cells[1], common | set(re.findall(r"`(\w+)`", cells[2])))
    return out


def used(text):
    """Families that an expression, a dashboard or a file of rules names."""
    return {SUFFIX.sub("", n) for n in re.findall(r"\b(?:chaintop|process)_[a-z0-9_]+", text)}
