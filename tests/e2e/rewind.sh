#!/bin/bash
# Recordings that begin with what was before: R, SIGUSR1, and incidents: the file, its report, how many are kept.
. "$(dirname "$0")/lib.sh"
needs python3 tmux
needs_anvil

kept=$XDG_STATE_HOME/chaintop
info() { "$CHAINTOP" info "$1" >"$work/info" 2>&1 && grep -qE -- "$2" "$work/info"; }
heads() { "$CHAINTOP" info "$1" | sed -n 's/^places *\([0-9]*\) heads.*/\1/p'; }
at_least() { [ "${1:-0}" -ge "$2" ]; }
newest() { ls -t "$kept"/$1 2>/dev/null | head -n 1; }

start_anvil --no-mining || t "anvil starts" false
mine 5
start 120x36 "dev=ws://127.0.0.1:$anvil_port" --log "$work/log"
wait_for 20 'OK +dev ws at the newest' || t "the chain is watched" false
mine 1
wait_row 10 6 || t "block 6 is there" false
t "nothing is written that nobody asked for" eval '! find "$XDG_STATE_HOME" -name "*.ct" 2>/dev/null | grep -q .'
press R
t "R records, with what was before" wait_for 10 'recording ~/state/chaintop/dev-31337-[0-9TZ]*\.ct, with the .* before'
press x
t "line 2 says so" wait_for 10 'REC 00:00:[0-9]+ [0-9.]+ MiB'
mine 1
wait_row 10 7
press R
t "R again ends it, and says where it is" wait_for 10 'saved ~/state/chaintop/dev-31337-[0-9TZ]*\.ct'
file=$(newest 'dev-*.ct')
t "it is whole" "$CHAINTOP" verify "$file"
t "the heads before R are in it" at_least "$(heads "$file")" 3
t "nobody else can read it" [ "$(stat -c %a "$file")" = 600 ]
press x
wait_gone 10 'saved '
t "the word is gone" shows_not 'REC 00'
# A name is a second: the next one is another.
sleep_until_next_second() { local s=$EPOCHSECONDS; until_ 3 eval "[ \$EPOCHSECONDS -gt $s ]"; }
sleep_until_next_second
kill -USR1 "$(chaintop_pid)"
t "SIGUSR1 saves what is in memory" wait_for 10 'saved ~/state/chaintop/dev-31337'
two() { [ "$(find "$kept" -name 'dev-*.ct' | wc -l)" = 2 ]; }
t "in a file of its own" until_ 5 two
press q
wait_end 10
t "it ends well" exited_with 0
t "no incident was written: nobody asked for them" eval '! ls "$kept"/incident-* 2>/dev/null | grep -q .'

# Incidents: two of three old ones must go for the new one.
for day in 01 02 03; do
	echo old >"$kept/incident-202601${day}T000000Z.ct"
	echo old >"$kept/incident-202601${day}T000000Z.md"
done
start 120x36 "dev=ws://127.0.0.1:$anvil_port" --incidents 2 --location 'test rack'
wait_for 20 'OK +dev ws at the newest' || t "the chain is watched again" false
mine 1
wait_row 10 8
stop_anvil
t "what is critical is recorded" wait_for 30 'critical: recording ~/state/chaintop/incident-'
t "with a report beside it" until_ 5 eval 'grep -qs "CRIT dev link" "$kept"/incident-2*[1-9]Z.md "$kept"/incident-2*.md'
t "that says where" eval 'grep -qs "test rack" "$kept"/incident-*.md'
count() { [ "$(ls "$kept"/incident-*.ct | wc -l)" = 2 ] && [ "$(ls "$kept"/incident-*.md | wc -l)" = 2 ]; }
t "so many are kept as were asked for" until_ 5 count
t "the oldest have gone" eval '[ ! -e "$kept/incident-20260101T000000Z.ct" ] && [ ! -e "$kept/incident-20260102T000000Z.md" ]'
t "R does not spoil it" eval "press R; wait_for 5 'an incident is being recorded'"
press q
wait_end 10
file=$(newest 'incident-*.ct')
t "it is whole, though it ended early" "$CHAINTOP" verify "$file"
t "the head before is in it" at_least "$(heads "$file")" 1
t "replaying it shows the node's end" eval '"$CHAINTOP" replay "$file" --once=120x36 | grep -qE "down|refused|DOWN"'

# Without a screen.
start_anvil --no-mining || t "anvil starts again" false
rm -rf "$kept"
"$CHAINTOP" --stream "dev=ws://127.0.0.1:$anvil_port" >"$work/stream" 2>"$work/stream.err" &
stream=$!
pids+=("$stream")
until_ 20 grep -q '"head"' "$work/stream" || t "the stream tells of the head" false
kill -USR1 "$stream"
saved() { file=$(newest 'dev-*.ct') && [ -n "$file" ] && "$CHAINTOP" verify "$file" >/dev/null 2>&1 && "$CHAINTOP" info "$file" | grep -q '^to '; }
t "SIGUSR1 saves what is in memory, headless, too" until_ 10 saved
t "and the stream goes on" kill -0 "$stream"
kill "$stream"
wait "$stream" 2>/dev/null
stop_anvil

start 120x36 "dev=ws://127.0.0.1:1" --rewind 0s
wait_for 20 'refused' || t "a node that is not there is told" false
press R
t "without memory there is nothing to record" wait_for 5 'nothing is kept to record'
press q
wait_end 10
start 120x36 --demo
wait_for 20 'DEMO' || t "the demo is played" false
press R
t "nor in what is played" wait_for 5 'a recording is played'
press q
wait_end 10
done_testing
