#!/bin/bash
# One chain over WebSocket, HTTP and a unix socket at once: heads arrive, the node dies, comes back, reorganises.
. "$(dirname "$0")/lib.sh"
needs tmux python3
needs_anvil
start_anvil --block-time 1 || skip_all "anvil does not start"
mine 1000 # four digits: no other number on the screen looks like a block's

start 160x45 "dev=ws://127.0.0.1:$anvil_port" "dev=http://127.0.0.1:$anvil_port" "dev=$anvil_ipc"
t "the first frame says what is being tried, or already shows the chain" wait_for 5 'CONNECTING|Blocks'
t "WebSocket is live" wait_for 15 'dev +ws +live'
t "HTTP polls" wait_for 15 'dev +http +poll'
t "the unix socket is live" wait_for 15 'dev +ipc +live'
number=$(head_number)
t "older blocks are there at once" wait_row 5 $((number - 9))
t "a new head reaches the Blocks pane" wait_row 10 $((number + 2))
t "the head is verified" wait_for 10 "^│▶? *$(grouped $((number + 2))) .*✓"
t "line 1 shows the head" wait_for 10 "^ *[^ ]+ 31337  $(grouped $((number + 3))) ✓"
every_path() { # NUMBER: it or one of the next three stands in every row; the chain moves while we look
	local n path
	n=$(grouped "$1")
	for i in 1 2 3; do n+="|$(grouped $(($1 + i)))"; done
	for path in 'ws +live' 'http +poll' 'ipc +live'; do
		shows "dev +$path +($n) " || return 1
	done
}
t "every path reports it" until_ 10 every_path $((number + 3))
t "the sentence says that all is well" wait_for 10 '^ *OK .*3 paths'

stop_anvil
number=$(sed -n 's/^ *Block Number: *//p' "$work/anvil.log" | tail -n 1)
t "the node dies: line 2 says so" wait_for 15 '^ *DOWN '
t "and why, per path" wait_for 15 'refused'
t "and when it tries again" wait_for 15 'next try'
t "the last block stays on the screen" shows_row "$number"
t "the monitor goes on" alive

start_anvil --no-mining || t "anvil starts again" false
t "the test chain goes on where it stopped" [ "$(head_number)" = "$number" ]
mine 5
t "it comes back: WebSocket live" wait_for 45 'dev +ws +live'
t "the unix socket too" wait_for 45 'dev +ipc +live'
t "HTTP too" wait_for 45 'dev +http +poll'
for i in 1 2 3 4 5; do
	t "block +$i, mined while nobody listened, is there" wait_row 15 $((number + i))
done
t "it is still one chain" shows_not '^ *[^ ]+ 31337 1/2'
t "the sentence is OK again" wait_for 10 '^ *OK '

# Two blocks are replaced by two others, then one more comes. Empty ones would be mined with the same timestamp and so
# the same hash again: one gets a transaction between two of anvil's own accounts.
rpc anvil_reorg '[2, [[{"from": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
	"to": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "value": "0x1"}, 0]]]' >/dev/null
mine 1
t "the reorg is told with its depth" wait_for 15 'reorg depth 2'
t "the orphans stay in the table" wait_for 10 "^│▶? *$(grouped $((number + 5)))′"
t "the chain goes on" wait_row 10 $((number + 6))

press q
t "q ends it" wait_end 5
t "with exit 0" exited_with 0
t "the terminal is as before" restored
done_testing
