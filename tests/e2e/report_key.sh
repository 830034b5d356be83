#!/bin/bash
# E in the monitor: what view 5 says now becomes a file, line 2 says where.
. "$(dirname "$0")/lib.sh"
needs tmux

saved() { ls "$work"/state/chaintop/report-*.md 2>/dev/null; }
whole() { tail -n 1 "$(saved)" | grep -q '^- '; }

start 120x36 replay --demo --speed 20
t "the demo plays" wait_for 10 'west +http'
press 5
t "view 5 opens" wait_for 5 'Calls by method'
press E
t "line 2 says where it is" wait_for 10 'saved .*/chaintop/report-[0-9TZ]*\.md'
t "it is there, whole" until_ 5 whole
t "with the table of view 5" grep -q '^| TRUTH | head |' "$(saved)"
t "and its window" grep -qE '^- heads: [0-9]+ in ' "$(saved)"
t "nobody else may read it" test "$(stat -c %a "$(saved)")" = 600
t "no address in it" eval '! grep -qE "127\.0\.0\.1|/ipc|\.ipc" "$(saved)"'
chmod 500 "$work/state/chaintop"
if [ "$(id -u)" != 0 ]; then
	until_ 3 eval '[ "$(date -u +%S)" != "$(stat -c %y "$(saved)" | cut -c18-19)" ]'
	press E
	t "where it cannot be written, line 2 says so" wait_for 10 'not saved: '
fi
chmod 700 "$work/state/chaintop"
press q
t "q ends it" wait_end 5
t "exit 0" exited_with 0
done_testing
