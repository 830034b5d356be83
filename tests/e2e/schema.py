"""doc/STREAM.md as a schema: its tables are parsed, so that page and program cannot differ."""
import json
import pathlib
import re
import sys

PAGE = pathlib.Path(__file__).resolve().parents[2] / "doc/STREAM.md"
EXACT = 2 ** 53 - 1
TYPES = {
    "wei": re.compile(r"0|[1-9][0-9]{0,77}"),
    "hash": re.compile(r"0x[0-9a-f]{64}"),
    "address": re.compile(r"0x[0-9a-f]{40}"),
    "hex": re.compile(r"0x([0-9a-f]{2})*"),
    "time": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z"),
}
UNSAFE = re.compile("[\0-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


class Field:
    def __init__(self, name, kind, absent):
        self.name, self.always = name, absent == "never"
        self.kind, *words = kind.split(" ", 1)
        self.words = re.findall(r"`([^`]+)`", words[0]) if words else []

    def wrong(self, value, codes):
        """Why the value does not fit, or None."""
        if self.kind in ("word", "code"):
            return None if value in (codes if self.kind == "code" else self.words) else "no such word"
        if self.kind == "bool":
            return None if isinstance(value, bool) else "no bool"
        if isinstance(value, bool) or value is None or value == "":
            return "bool, null or empty"
        if self.kind == "int":
            if isinstance(value, str):
                return None if TYPES["wei"].fullmatch(value) and EXACT < int(value) < 2 ** 64 else "no int"
            return None if isinstance(value, int) and 0 <= value <= EXACT else "no int"
        if self.kind == "signed":
            return None if isinstance(value, int) and abs(value) < 2 ** 31 else "no signed"
        if self.kind in ("seconds", "number"):
            return None if isinstance(value, (int, float)) and (self.kind == "number" or self.name == "t" or value >= 0) else "no number"
        if self.kind == "counts":
            return None if isinstance(value, list) and len(value) == 6 and all(type(v) is int and v >= 0 for v in value) else "no counts"
        if not isinstance(value, str):
            return "no string"
        if self.kind == "text":
            return "unsafe" if UNSAFE.search(value) else None
        return None if TYPES[self.kind].fullmatch(value) else "no " + self.kind


class Schema:
    def __init__(self, page=PAGE):
        sections, name = {}, None
        for line in page.read_text().splitlines():
            if line.startswith("## "):
                name = line[3:]
                sections[name] = []
                text = ""
            elif name and line.startswith("| ") and not line.startswith(("| field | type |", "| type | what")):
                cells = [c.strip() for c in line.strip("|").split(" | ")]
                if name not in ("Types",):
                    sections[name].append(Field(*cells[:3]))
            if name == "Of a path" and line.startswith("These are:"):
                self.of_path = re.findall(r"`(\w+)`", line)
            if name == "Words of `code`":
                text += line
                self.codes = re.findall(r"`([^`]+)`", text.split("code`", 1)[1])
        common, path = sections["In every line"], sections["Of a path"]
        events = next(f for f in common if f.name == "ev").words
        self.version = 1
        self.fields = {e: {f.name: f for f in common + (path if e in self.of_path else []) + sections[e]} for e in events}
        assert set(sections) - set(events) == {"Types", "In every line", "Of a path", "Words of `code`"}, sorted(sections)
        self.seen = set()

    def check(self, text):
        """The objects of the lines; ValueError names what does not fit. Remembers which fields there were."""
        out = []
        assert not text or text.endswith("\n"), "the last line is cut: %r" % text[-80:]
        for number, line in enumerate(text.splitlines(), 1):
            o = json.loads(line, object_pairs_hook=self.once)
            fields = self.fields.get(o.get("ev"))
            if fields is None:
                raise ValueError("line %d: no such event: %s" % (number, line))
            for key, value in o.items():
                why = fields[key].wrong(value, self.codes) if key in fields else "no such field"
                if why:
                    raise ValueError("line %d: %s: %s: %s" % (number, key, why, line))
                self.seen.add((o["ev"], key))
            lacks = [f.name for f in fields.values() if f.always and f.name not in o]
            if lacks or o["v"] != self.version:
                raise ValueError("line %d: lacks %s: %s" % (number, lacks, line))
            out.append(o)
        return out

    @staticmethod
    def once(pairs):
        keys = [k for k, _ in pairs]
        if len(set(keys)) != len(keys):
            raise ValueError("a key comes twice: %s" % keys)
        return dict(pairs)

    def unseen(self):
        return sorted((e, f) for e, fs in self.fields.items() for f in fs if (e, f) not in self.seen)


if __name__ == "__main__":
    for file in sys.argv[1:]:
        print("%s: %d lines" % (file, len(Schema().check(pathlib.Path(file).read_text()))))
