#!/bin/bash
# --metrics: the page against what a scripted node did, doc/METRICS.md, the dashboard and the alert rules.
. "$(dirname "$0")/lib.sh"
needs python3
python3 -B "$root/tests/e2e/metrics.py" -v
exit $?
