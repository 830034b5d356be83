#!/bin/bash
# What happens to the terminal: every size down to 1×1, every way to end.
. "$(dirname "$0")/lib.sh"
needs tmux python3
needs_anvil
start_anvil --block-time 1 || skip_all "anvil does not start"
mine 1000 # four digits: no other number on the screen looks like a block's
url=ws://127.0.0.1:$anvil_port

start 160x45 "$url"
t "it shows the chain" wait_for 15 'Blocks'
for size in 120x36 80x24 40x12 20x3 18x2 2x1 1x1 1x60 250x2 160x45; do
	resize "$size"
	t "it stands a resize to $size" alive
done
t "after the smallest sizes everything is back" wait_for 5 'Endpoints'
for size in 120x36 80x24 40x12; do
	resize "$size"
	t "the head is shown at $size" wait_for 5 "$(grouped $(($(head_number) + 1)))"
done
resize 160x45

press '?'
t "the help page lists the commands" wait_for 5 'freeze the screen, not the feeds'
press Escape
t "Escape closes it" wait_gone 5 'freeze the screen, not the feeds'
press 8
t "view 8 shows the log" wait_for 5 '[Ll]og'
press 1
t "view 1 is back" wait_for 5 'Endpoints'
press z
t "zoom leaves one pane" wait_gone 5 'Endpoints'
press z
t "and gives the others back" wait_for 5 'Endpoints'
press Space
t "Space freezes the screen" wait_for 5 'FROZEN'
before=$(head_number)
chain_moved() { [ "$(head_number)" -ge $((before + 2)) ]; }
until_ 10 chain_moved
t "a frozen screen shows no newer block" shows_not "$(grouped $((before + 2))) "
press Space
t "and resumes with what came meanwhile" wait_for 5 "$(grouped $((before + 2)))"

press C-z
stopped() { [ -s "$work/stty.stopped" ]; }
t "^Z suspends" until_ 5 stopped
t "and gives the terminal back" restored stopped
press Enter
t "in the foreground again it draws" wait_for 5 'Endpoints'
press q
t "q ends it" wait_end 5
t "q: exit 0" exited_with 0
t "q: the terminal is as before" restored

# SIGUSR1 saves what is in memory: rewind.sh.
for signal in TERM INT HUP USR2 ALRM; do
	start 80x24 "$url"
	t "$signal: it runs" wait_for 15 'Blocks'
	kill -"$signal" "$(chaintop_pid)"
	t "$signal ends it" wait_end 5
	t "$signal: the terminal is as before" restored
done
for signal in SEGV ABRT BUS; do
	start 80x24 "$url"
	t "$signal: it runs" wait_for 15 'Blocks'
	kill -"$signal" "$(chaintop_pid)"
	t "$signal ends it" wait_end 15
	t "$signal: the terminal is as before" restored
	t "$signal: the exit code tells the crash" [ "$(exit_code)" -gt 128 ]
done
done_testing
