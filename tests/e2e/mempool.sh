#!/bin/bash
# Transactions that a node announces before they are mined: with known leads, over two paths, live and replayed; and on anvil.
. "$(dirname "$0")/lib.sh"
needs tmux python3

# Of 20 transactions in each block, one a second: 15 announced over WebSocket (one more behind the block), 9 over the socket, 17
# of them in all. Odd numbers, so that no percentile stands between two of them.
plan='{"ws":[0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1.0,1.1,1.2,1.3,1.4,1.5,-0.2],
	"ipc":[0.25,0.5,0.75,1.0,1.25,1.5,1.75,null,null,null,null,null,null,null,null,null,null,0.5,2.0]}'
python3 -B "$root/tests/faults/node.py" --ws --http --ipc "$work/node.ipc" --chain-id 31337 --ahead 100 --txs 20 --interval 1 --pool "$plan" \
	--log "$work/node.log" >"$work/node.json" 2>"$work/node.err" &
pids+=($!)
until_ 60 test -s "$work/node.json" || skip_all "the fault node does not start: $(tail -n 1 "$work/node.err")"
port() { sed -n "s/.*\"$1\": *\([0-9]*\).*/\1/p" "$work/node.json"; }
control() { # METHOD PARAMS
	python3 - "$(port control)" "$1" "$2" <<-END
		import json, sys, urllib.request
		body = json.dumps({"id": 1, "method": sys.argv[2], "params": json.loads(sys.argv[3])}).encode()
		opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
		print(json.dumps(json.load(opener.open("http://127.0.0.1:" + sys.argv[1], body, timeout=10))["result"]))
	END
}
urls=("node=ws://127.0.0.1:$(port ws)" "node=http://127.0.0.1:$(port http)" "node=$work/node.ipc")
"$CHAINTOP" record -o "$work/pool.ct" "${urls[@]}" 2>"$work/record.err" &
recorder=$!
pids+=("$recorder")

start 160x45 "${urls[@]}"
t "it listens before it says anything" wait_for 15 'seen before mined —   in [0-9]+'
t "17 of 20 were seen before" wait_for 40 'seen before mined 8[3-7] %   lead p50'
t "the rate is that of both paths together" wait_for 90 '\+1[89]\.[0-9]/s'
control test_announce '[710, 1000000000000]' >/dev/null
control test_announce '[290, 7]' >/dev/null
# A few dozen of those that will be mined pay as well.
t "seven of ten can pay" wait_for 10 '7[1-3] % can pay the next base fee'
t "no head is lost beside it" shows '^ *OK '

zoomed() { # the next pane gets the focus and all of the screen; if it is the wrong one it is given back
	press Tab
	press z
	until_ 1 shows 'node ipc +seen' && return
	press z
	return 1
}
t "each path has its own share and leads" until_ 20 zoomed
screen >"$work/zoomed"
python3 -B "$root/tests/e2e/mempool_truth.py" "$work/node.log" 13 20 >"$work/truth"
sed 's/^/# truth: /' "$work/truth"
grep -E 'seen (before|[0-9])' "$work/zoomed" | sed 's/^/# shown: /'

# NAME PATTERN: share, p50 and p90 of the line are those of the truth, within 2 % and 0.1 s: the two do not begin with the same
# block, and where the machine is busy the node is late now and then.
near() {
	local share p50 p90
	read -r _ share p50 p90 < <(grep "^$1 " "$work/truth")
	sed -n "s/.*$2 \([0-9]*\) % *lead p50 \([0-9.]* m*s\)  p90 \([0-9.]* m*s\).*/\1 \2 \3/p" "$work/zoomed" |
		awk -v s="$share" -v a="$p50" -v b="$p90" '
			function off(x, unit, y) { x = unit == "ms" ? x / 1000 : x; return x > y ? x - y : y - x }
			END { exit !(NR && off($1, "", s) <= 2 && off($2, $3, a) <= 0.1 && off($4, $5, b) <= 0.1) }'
}
t "together: share, p50 and p90 as the node sent them" near all 'seen before mined'
t "WebSocket" near ws 'node ws *seen'
t "unix socket" near ipc 'node ipc *seen'

kill -INT "$recorder"
wait "$recorder" 2>/dev/null

# 10,000 a second on each of two paths: they cost no head, and memory has its bound.
control test_flood '[10000, 8]' >/dev/null
t "a flood is counted" wait_for 20 '\+[0-9],[0-9]{3}/s'
press z 8
t "no event is dropped" wait_for 10 'drops +0 '
rss=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$(chaintop_pid)/status")
[ -n "${E2E_SANITIZED:-}" ] || t "memory: at most 96 MB, rewind included ($((rss / 1024)))" [ "$rss" -le 98304 ]
t "heads go on meanwhile" shows '^ *OK '
press q
t "q ends it" wait_end 5

"$CHAINTOP" replay "$work/pool.ct" --once=200x50 >"$work/replayed"
t "the replay says the same share" grep -qE 'seen before mined 8[3-7] %' "$work/replayed"
lead() { sed -n 's/.*seen before mined [0-9]* %   lead p50 \([0-9.]*\) s.*/\1/p' "$1"; }
t "and the same lead ($(lead "$work/replayed") s, live $(lead "$work/zoomed") s)" awk -v a="$(lead "$work/replayed")" \
	-v b="$(lead "$work/zoomed")" 'BEGIN { exit !(a && b && a - b < 0.15 && b - a < 0.15) }'

# Off, nothing is asked for.
before=$(control test_stats '[]' | grep -o '"ws newPendingTransactions": [0-9]*')
start 160x45 --mempool off "${urls[@]}"
t "off: a block comes" wait_for 15 'node +ws +live'
t "off: the pane says nothing of it" shows_not 'seen before mined'
t "off: nobody subscribes" test "$(control test_stats '[]' | grep -o '"ws newPendingTransactions": [0-9]*')" = "$before"
press q
wait_end 5

if [ -z "${ANVIL:-}" ]; then
	echo "# anvil: ${ANVIL_WHY:-ANVIL is not set}"
	done_testing
fi
start_anvil --block-time 1 || skip_all "anvil does not start"
start 160x45 "dev=ws://127.0.0.1:$anvil_port" "dev=$anvil_ipc"
t "anvil is live" wait_for 15 'dev +ipc +live'
send() { # a transfer between two of anvil's own accounts
	rpc eth_sendTransaction '[{"from": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
		"to": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "value": "0x1"}]' >/dev/null
}
all_seen() {
	send
	shows 'seen before mined 100 %   lead p50'
}
t "what anvil announces is seen before it is mined" until_ 40 all_seen
press q
t "q ends it there" wait_end 5
done_testing
