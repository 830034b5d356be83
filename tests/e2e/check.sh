#!/bin/bash
# chaintop check: what a monitoring system reads and does with it.
. "$(dirname "$0")/lib.sh"
needs python3
python3 -B "$root/tests/e2e/check.py" -v
exit $?
