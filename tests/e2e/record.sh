#!/bin/bash
# Recordings: kills at random moments, planted keys, full disks, foreign files. RECORD_KILLS: how many kills (40).
. "$(dirname "$0")/lib.sh"
needs python3
python3 -B "$root/tests/e2e/record.py"
exit $?
