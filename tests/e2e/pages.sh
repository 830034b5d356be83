#!/bin/bash
# Views 2 and 5 on a live chain with transactions of every type: blocks, a block, a transaction, JSON, the clipboard, paths;
# bodies that nobody fetched before; two chains at once.
. "$(dirname "$0")/lib.sh"
needs tmux python3
needs_anvil
start_anvil --no-mining || skip_all "anvil does not start"
url=ws://127.0.0.1:$anvil_port
python3 "$root/tests/data/traffic.py" "http://127.0.0.1:$anvil_port" --blocks 20 --most 12 >"$work/traffic.log" 2>&1
sent() { grep -qE 'sent by type \[[1-9][0-9]*, [1-9][0-9]*, [1-9][0-9]*, [1-9][0-9]*, [1-9][0-9]*\]' "$work/traffic.log"; }
t "the chain has transactions of all five types" sent || sed 's/^/# /' "$work/traffic.log"

# The newest block: one transfer of a token, so that what is shown of it is known.
to=00000000000000000000000000000000000000000000000000000000000000ff
from=$(rpc eth_accounts | sed 's/.*\["\(0x[0-9a-fA-F]*\)".*/\1/')
hash=$(rpc eth_sendTransaction "[{\"from\":\"$from\",\"to\":\"0x00000000000000000000000000000000000000ee\",\"gas\":\"0x186a0\",
	\"data\":\"0xa9059cbb${to}${to}\"}]" | tr -d '"')
rpc evm_mine >/dev/null
n=$(head_number)
block="Block $n · "

start 120x36 "$url"
tmux_ set-option -s set-clipboard on
t "it shows the chain" wait_for 15 'Blocks'
press 2
t "view 2 has the blocks alone" wait_gone 5 'Endpoints'
t "and the newest block" wait_row 10 "$n"
press Enter
t "Enter opens it" wait_for 5 "$block"
t "its parts are verified" wait_for 5 'hash ✓  txs ✓  wdrl ✓'
t "its transaction has a name" wait_for 5 ' 0  0x0000…00[eE][eE] .* transfer '
press M-Left
t "Alt-Left goes to the block before" wait_for 5 "Block $((n - 1)) · "
press M-Right
t "Alt-Right comes back" wait_for 5 "$block"
press Enter
t "Enter opens the transaction" wait_for 5 "Transaction 0 of block $n"
t "hash and sender are computed again" wait_for 5 'signed ✓'
t "the call is decoded" wait_for 5 'method    transfer\(address,uint256\)  0xa9059cbb'
t "word by word" wait_for 5 'address 0x0000…00[fF][fF]'
clipboard_is() { [ "$(tmux_ show-buffer 2>/dev/null)" = "$1" ]; }
press y
t "y copies the whole hash" until_ 5 clipboard_is "$hash"
t "and says so" wait_for 5 "copied $hash"
press v
t "v shows it as JSON" wait_for 5 "\"hash\": \"$hash\""
t "indented, all of it" wait_for 5 '"maxPriorityFeePerGas": "0x'
press Y
json_copied() { tmux_ show-buffer 2>/dev/null | python3 -c '
import json, sys
sys.exit(json.load(sys.stdin)["hash"] != sys.argv[1])' "$hash" 2>/dev/null; }
t "Y copies JSON that others can read" until_ 5 json_copied
press Escape
t "Escape goes back to the transaction" wait_for 5 "Transaction 0 of block $n"
press Escape
t "to the block" wait_for 5 "$block"
press Escape
t "to the list" wait_gone 5 "$block"

press Space
t "frozen" wait_for 5 'FROZEN'
press j
press Enter
t "a page opens on a frozen screen, too" wait_for 5 "Block $((n - 1)) · "
press Space
press 1
t "view 1 closes the page" wait_for 5 'Endpoints'

press 5
t "view 5 compares the paths" wait_for 5 'TRUTH head'
t "the methods are there" wait_for 5 'eth_getBlockBy(Hash|Number) '
press Enter
t "Enter opens the path" wait_for 5 'client               anvil/'
press Escape
press q
t "q ends it" wait_end 5

# Nobody fetches bodies: the page asks for its own.
start 120x36 --bodies off "$url"
t "without bodies it shows the chain" wait_row 15 "$n"
press Enter
t "the page fetches its block" wait_for 10 ' 0  0x0000…00[eE][eE] .* transfer '
press q
t "q ends that one, too" wait_end 5

# Two chains: a path of the same node on the wrong one, and another node.
first_port=$anvil_port anvil_port=0 anvil_ipc=$work/second.ipc
"$ANVIL" --host 127.0.0.1 --port 0 --ipc "$anvil_ipc" --chain-id 4242 --block-time 1 >"$work/second.log" 2>&1 &
pids+=($!)
t "a second chain starts" until_ 20 grep -qs '^Listening on' "$work/second.log"
second=$(sed -n 's/^Listening on .*:\([0-9]*\)$/\1/p' "$work/second.log")
start 160x45 "a=ws://127.0.0.1:$first_port" "a=$anvil_ipc" "b=ws://127.0.0.1:$second"
t "the sibling on another chain is named" wait_for 15 'a  *ipc  *WRONG CHAIN 4242'
t "and the other node's" wait_for 5 'b  *ws  *other chain 4242'
t "line 1 counts the chains" wait_for 5 'dev 31337 [12]/2'
press c
t "c switches" wait_for 5 'chain 4242 [12]/2'
press c
t "and back" wait_for 5 'dev 31337 [12]/2'
press q
t "q ends the last one" wait_end 5
done_testing
