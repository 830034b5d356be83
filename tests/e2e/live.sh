#!/bin/bash
# One chain over WebSocket, HTTP and a unix socket at once: heads arrive, the node dies, comes back, reorganises.
. "$(dirname "$0")/lib.sh"
needs tmux python3
needs_anvil
start_anvil --block-time 1 || skip_all "anvil does not start"

start 160x45 "dev=ws://127.0.0.1:$anvil_port" "dev=http://127.0.0.1:$anvil_port" "dev=$anvil_ipc"
t "the first frame says what is being tried, or already shows the chain" wait_for 5 'CONNECTING|Blocks'
t "WebSocket is live" wait_for 15 'dev +ws +live'
t "HTTP polls" wait_for 15 'dev +http +poll'
t "the unix socket is live" wait_for 15 'dev +ipc +live'
number=$(head_number)
t "a new head reaches the screen" wait_for 10 "$(grouped $((number + 2)))"
t "the head is verified" wait_for 10 "$(grouped $((number + 2))).*✓"
t "the sentence says that all is well" wait_for 10 '^ *OK .*(3|all)'

stop_anvil
number=$(sed -n 's/^ *Block Number: *//p' "$work/anvil.log" | tail -n 1)
t "the node dies: line 2 says so" wait_for 15 '^ *DOWN '
t "and why, per path" wait_for 15 'refused'
t "the monitor goes on" alive

start_anvil --no-mining || t "anvil starts again" false
mine 5
t "it comes back: WebSocket live" wait_for 45 'dev +ws +live'
t "the unix socket too" wait_for 45 'dev +ipc +live'
t "HTTP too" wait_for 45 'dev +http +poll'
t "its newest block is shown" wait_for 15 "$(grouped $((number + 5)))"
all_filled() {
	local i
	for i in 1 2 3 4 5; do
		screen | grep -qE "(│|┌|▶) *▶? *$(grouped $((number + i))) " || return 1
	done
}
t "the blocks that were missed are filled in" until_ 15 all_filled

old=$(head_number)
rpc anvil_reorg '[2, []]' >/dev/null
mine 1
t "a reorg of depth 2 is told" wait_for 15 'reorg.*depth 2|depth 2.*reorg'
t "the orphans stay visible" wait_for 10 "$(grouped "$old")′"

press q
t "q ends it" wait_end 5
t "with exit 0" exited_with 0
t "the terminal is as before" restored
done_testing
