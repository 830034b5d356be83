"""The cases of a test that is a program: a line of TAP each."""
import sys


class Tap:
    def __init__(self):
        self.n = self.bad = 0

    def check(self, what, ok, why=""):
        self.n += 1
        self.bad += not ok
        print(f"{'ok' if ok else 'not ok'} {self.n} - {what}")
        if not ok and why:
            print("# " + str(why).replace("\n", "\n# "))
        sys.stdout.flush()

    def end(self):
        print(f"1..{self.n}")
        return self.bad != 0
