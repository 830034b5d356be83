#!/bin/bash
# View 6 on two nodes in lock-step: one lags, both reorganise, one stops and comes back, they part.
. "$(dirname "$0")/lib.sh"
needs tmux python3
needs_anvil

genesis=$(date +%s)
start_node() { # NAME PORT: sets port, ipc
	ipc=$work/$1.ipc
	rm -f "$ipc" "$work/$1.log"
	"$ANVIL" --host 127.0.0.1 --port "$2" --ipc "$ipc" --no-mining --timestamp "$genesis" --gas-price 1000000000 \
		--state "$work/$1.json" >"$work/$1.log" 2>&1 &
	node_pid=$!
	pids+=("$node_pid")
	until_ 20 grep -qs '^Listening on' "$work/$1.log" || return 1
	port=$(sed -n 's/^Listening on .*:\([0-9]*\)$/\1/p' "$work/$1.log")
}
start_node east 0 || skip_all "anvil does not start"
east=$port east_ipc=$ipc
start_node west 0 || skip_all "anvil does not start"
west=$port west_pid=$node_pid

next=$((genesis + 1)) # timestamp of the next block
both() { next=$(python3 "$root/tests/e2e/lockstep.py" "$@" "$next" "$blocks" "$east" "$west"); } # OPTIONS; blocks
only() { next=$(python3 "$root/tests/e2e/lockstep.py" "$next" "$2" "$1"); }                       # PORT BLOCKS
call() { python3 "$root/tests/e2e/rpc.py" "$@"; }
heads_agree() { [ "$(call "$east" eth_getBlockByNumber '["latest", false]')" = "$(call "$west" eth_getBlockByNumber '["latest", false]')" ]; }
number() { printf '%d\n' "$(call "$1" eth_blockNumber | tr -d '"')"; }
short() { call "$1" eth_getBlockByNumber "[\"$(printf '0x%x' "$2")\", false]" | sed 's/.*"hash": "0x\(....\).*/\1/'; } # PORT NUMBER

blocks=5 both
t "two nodes make the same blocks" heads_agree

start 140x40 --view 6 "east=ws://127.0.0.1:$east" "east=$east_ipc" "west=ws://127.0.0.1:$west"
t "view 6 is there" wait_for 15 '6 Race'
t "all paths are on one branch" wait_for 15 'east ws · east ipc · west ws'
# Two heads after a connect are no arrivals; twelve are.
blocks=14 both --lag 0.12 --every 0.3 --txs 1
t "the heads are counted by hash" wait_for 15 '6 Race · 12 heads by hash'
lags() { # p50 of the lagging path: 120 ms and what anvil needs more the second time
	local ms
	ms=$(screen | sed -n 's/^│.west ws .* 0 %   0 %     0 *\([0-9]*\) ms .*/\1/p')
	[ -n "$ms" ] && [ "$ms" -ge 110 ] && [ "$ms" -le 300 ]
}
t "west never wins, is 120 ms behind, and misses nothing" until_ 5 lags
t "the doors of east are no race" wait_for 5 'no race: east (ws|ipc) .*, (ws|ipc) '
t "a dev chain has no lateness" shows 'late vs slot — a dev chain'
t "nothing was replaced so far" shows 'no block was replaced so far'
press b
t "b takes half the round trip off" wait_for 5 '· minus RTT/2'
t "and says what that means" shows 'whose node is faster'
press b w
t "w chooses the window" wait_for 5 'w last 10 m'
press w w

# Two blocks are replaced by two others, with a transaction so that they differ.
n=$(number "$east")
old=$(short "$east" $((n - 1)))
for port in "$east" "$west"; do
	call "$port" anvil_reorg '[2, [[{"from": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
		"to": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "value": "0x1"}, 0]]]' >/dev/null
done
blocks=1 both
new=$(short "$east" $((n - 1)))
t "both have reorganised, and agree" heads_agree
t "the reorg has its row: depth, place, hashes" wait_for 15 "[0-9:]{8} +2 +$((n - 1)) +$old→$new"
t "and what became of its transactions" wait_for 15 "$old→$new .* [0-9]+ of [0-9]+"
t "the tree has the branch that lost" wait_for 5 "(└───|├───)$old ′"
t "from the last common ancestor on" shows "branches from $((n - 2)) on"

# West stops, then catches up.
only "$east" 3
t "who lags is so many blocks behind on the branch" wait_for 10 'east ws · east ipc · west ws −3'
next=$((next - 3))
only "$west" 3
t "and has caught up" wait_for 10 'east ws · east ipc · west ws( |$|│)'
t "the same blocks again" heads_agree

# West ends and comes back with its blocks: what it could not hear it has not missed.
kill "$west_pid"
wait "$west_pid" 2>/dev/null
t "a path that is down holds nothing" wait_gone 15 '· west ws'
only "$east" 2
start_node west "$west" || t "west starts again" false
next=$((next - 2))
only "$west" 2
t "it comes back" wait_for 60 'east ws · east ipc · west ws'
blocks=3 both
missed_none() { shows '^│.west ws .* %     0 '; }
t "what it did not hear while it was away is not missed" until_ 12 missed_none
# They part: west has a block of its own at the height of east's.
n=$(($(number "$east") + 1))
only "$east" 1
t "east is first" wait_for 10 "east ws · east ipc · west ws −1"
only "$west" 1
t "a branch is held by somebody" wait_for 10 "(└───|├───)$(short "$west" "$n") .*west ws hold it"
press Tab Tab Enter
t "a reorg opens the block that lost" wait_for 5 "Block [0-9]+′ · "
press Escape q
t "q ends it" wait_end 5
t "with exit 0" exited_with 0
done_testing
