#!/bin/bash
# --stream: every line against the tables of doc/STREAM.md, what is said against what a scripted node did.
. "$(dirname "$0")/lib.sh"
needs python3
python3 -B "$root/tests/e2e/stream.py" -v
exit $?
