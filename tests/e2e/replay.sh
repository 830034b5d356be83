#!/bin/bash
# A recording in the terminal: it says what it is, goes at its own pace, and its keys move in time.
. "$(dirname "$0")/lib.sh"
needs tmux python3

# Twelve seconds with a reorg, and a path that is away for a moment.
mkfifo "$work/hold"
python3 -B "$root/tests/faults/node.py" --rate 2 --stdin-guard <"$work/hold" >"$work/node.json" 2>/dev/null &
pids+=($!)
exec 3>"$work/hold"
until_ 10 test -s "$work/node.json" || skip_all "the fault node does not start"
port() { sed -n "s/.*\"$1\": \"\?\([^,\"}]*\).*/\1/p" "$work/node.json"; }
control() { python3 -B - "$@" <<-END
	import sys
	sys.path.insert(0, "$root/tests/faults")
	sys.dont_write_bytecode = True
	import json, node
	node.control(int(sys.argv[1]), sys.argv[2], *map(json.loads, sys.argv[3:]))
	END
}
"$CHAINTOP" record -o "$work/a.ct" --for 12s "n=ws://127.0.0.1:$(port ws)" "n=http://127.0.0.1:$(port http)" 2>"$work/record.err" &
recorder=$!
sleep 4 # of the story that is told, not to wait for something
control "$(port control)" test_reorg 2
sleep 3
control "$(port control)" test_drop '"reset"' '"ws"'
t "it is recorded" wait $recorder
exec 3>&-

start 120x36 replay "$work/a.ct" --speed 4
t "line 1 says that it is a replay" wait_for 5 '^ *REPLAY '
t "the bar shows pace and length" wait_for 5 '^ 4× +00:00:0[0-9] .*00:00:12'
t "it plays to its end" wait_for 15 '^ END +00:00:12 '
t "the reorg is in the event log" shows 'reorg depth 2'
press Left
t "Left goes back ten seconds" wait_for 10 ' 00:00:0[2-9] '
press Space
t "Space pauses" wait_for 5 '^ paused'
moved() { [ "$(where)" != "$at" ]; }
where() { screen | sed -n 's/^ [^ ]* *\(00:00:[0-9]*\).*/\1/p'; }
at=$(where)
t "and the clock stands" [ "$at" = "$(sleep 1; where)" ]
press '{'
press Space
t "{ halves the pace" wait_for 5 '^ 2× '
press ']'
press Space
t "paused again" wait_for 5 '^ paused'
press Left
t "back to the start" wait_for 10 ' 00:00:00 '
at=$(where)
press ']'
t "] goes to the next event" until_ 10 moved
press '.'
t ". shows the next block and stays there" wait_for 10 '^ paused'
press q
t "q ends it" wait_end 5
t "with exit 0" exited_with 0
t "the terminal is as before" restored

start 60x20 replay "$work/a.ct" --at reorg:1
t "--at reorg:1 begins there" wait_for 10 ' 00:00:0[3-9] '
press q
t "and ends" wait_end 5

once() { "$CHAINTOP" replay "$work/a.ct" --once=120x36 "$@"; }
once >"$work/last"
t "one frame as text is the last one" grep -q 'reorg depth 2' "$work/last"
t "twice the same" cmp "$work/last" <(once)
t "with every block verified too" cmp "$work/last" <(once --verify)
t "and before the reorg there is none" bash -c '! grep -q "reorg depth" <<<"$1"' _ "$(once --at +2s)"
t "a place that is none" bash -c '"$1" replay "$2" --at noon 2>&1 | grep -q "no place in a recording"' _ "$CHAINTOP" "$work/a.ct"
done_testing
