#!/bin/bash
# `compare` and `report` against a node that plays a plan on several paths: the right one is named, figures are the plan's.
. "$(dirname "$0")/lib.sh"
needs python3
python3 -B "$root/tests/e2e/compare.py"
exit $?
