#!/bin/bash
# The demo in a terminal: line 1 says what it is, it loops, and it is what one sees without a node.
. "$(dirname "$0")/lib.sh"
needs tmux

first_says() { screen | head -n 1 | grep -qE -- "$1"; }

start 120x36 --demo
t "line 1 says DEMO" until_ 5 first_says '^ DEMO '
t "two nodes are compared" wait_for 10 'west +http'
press 5
t "view 5 opens, line 1 still says DEMO" wait_for 5 'Calls by method'
t "in every view" first_says '^ DEMO '
press q
t "q ends it" wait_end 5
t "exit 0" exited_with 0
t "the terminal is as before" restored

start 80x24 replay --demo --speed 60
# Block 40 is there from the start, 130 only near the end.
near_end() { first_says ' 1[2-9][0-9] '; }
near_start() { first_says ' [4-7][0-9] '; }
t "it plays to the end" until_ 20 near_end
t "and begins again" until_ 20 near_start
t "line 1 says DEMO then too" first_says '^ DEMO '
press q
t "q ends it there" wait_end 5

start 120x36
if until_ 5 first_says '^ DEMO '; then
	t "without a node there is a hint" shows 'no node found.*chaintop ws://'
	t "which makes room for line 2" wait_gone 15 'no node found'
else
	shows 'found ' && echo "# a node answers on this machine: the demo is not shown"
fi
press q
t "it ends" wait_end 5
done_testing
