#!/bin/bash
# View 7 against three scripted nodes with one chain, one of them with troubles: each is found, said in line 2, and over when
# it is over. The limits are those of a rollup with a block every two seconds (chain id 10).
. "$(dirname "$0")/lib.sh"
needs tmux python3

genesis=$(($(date +%s) - 128))
node() { # NAME ARGS...
	local name=$1
	shift
	python3 -B "$root/tests/faults/node.py" --chain-id 10 --genesis "$genesis" --interval 2 --head 64 "$@" \
		>"$work/$name.json" 2>"$work/$name.err" &
	pids+=($!)
}
port() { sed -n "s/.*\"$2\": \"\?\([^,\"}]*\).*/\1/p" "$work/$1.json"; } # NAME KIND
control() { # NAME METHOD [PARAMS], prints the number of a block
	python3 - "$(port "$1" control)" "${@:2}" <<-END
		import json, sys, urllib.request
		body = json.dumps({"id": 1, "method": sys.argv[2], "params": json.loads(sys.argv[3] if sys.argv[3:] else "[]")})
		opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
		answer = json.load(opener.open("http://127.0.0.1:" + sys.argv[1], body.encode(), timeout=10))
		result = answer["result"]
		print(result.get("number", "") if isinstance(result, dict) else "")
	END
}

node a --ws --ipc "$work/a.ipc"
node b --ws
node c --ws --http
for n in a b c; do
	until_ 20 test -s "$work/$n.json" || skip_all "the fault node does not start: $(tail -n 1 "$work/$n.err")"
done
# To the block whose time it is: a node that started late, or stood still, is behind its own clock.
catch_up() { # NAME
	local behind=$((($(date +%s) - genesis) / 2 - $(control "$1" test_block)))
	[ $behind -le 0 ] || control "$1" test_advance "[$behind]"
}
for n in a b c; do catch_up $n; done
fork=$((genesis + 128 + 8 * 86400))
config() { # NEXT
	echo "{\"config\": {\"current\": {\"activationTime\": 1700000000, \"forkId\": \"0x11111111\"}, \"next\": $1, \"last\": null}}"
}
next="{\"activationTime\": $fork, \"forkId\": \"0x22222222\"}"
control a test_set "$(config "$next")"
control b test_set "$(config "$next")"
control c test_set "$(config null)"

start 160x60 --view 7 --clock-bound 5ms "a=ws://127.0.0.1:$(port a ws)" "a=$work/a.ipc" "b=ws://127.0.0.1:$(port b ws)" "c=ws://127.0.0.1:$(port c ws)"
row() { echo "^│[ ▶]$1 +$2 +$3  *"; } # LEVEL OF CHECK
# LEVEL OF CHECK [WORDS]
becomes() { until_ 40 shows "$(row "$1" "$2" "$3").*${4:-}"; }

if ! t "the view is there" wait_for 20 "Health"; then
	done_testing
	exit
fi
t "the heads' age is well" becomes "OK  " a "head age"
t "all agree" becomes "OK  " c "hash agrees"
t "the disk of the socket" becomes "(OK  |WARN|CRIT)" a disk "GB left under"
t "a and b are ready for the fork" becomes "OK  " b "next fork" "ready for the next fork in 7d23h"
t "c is not" becomes WARN c "next fork" "not ready for the fork that [ab] knows of, 7d23h left"
t "line 2 says so" wait_for 10 '^ *WARN +c: not ready for the fork'

control a test_set '{"peerCount": 0}'
t "no peers" becomes WARN a peers "0 peers .limit 1."
control a test_set '{"peerCount": 50}'
t "peers are back" becomes "OK  " a peers

control c test_pause
t "c stands still: its feed is silent" becomes "(WARN|CRIT)" c feed "silent [0-9]+ s"
t "it is behind the others" becomes CRIT c "at the newest" "blocks, [0-9]+ s behind"
t "its newest block is old" becomes "(WARN|CRIT)" c "head age" "newest block is [0-9]+ s old"
t "a and b are well" becomes "OK  " a "head age"
control c test_resume
for n in a b c; do catch_up $n; done
t "it goes on: at the newest" becomes "OK  " c "at the newest"
t "and not old" becomes "OK  " c "head age"

control c test_reorg '[4]'
t "c is on another chain" becomes CRIT c "hash agrees" "other chain since (before )?[0-9,]+ \([0-9a-f]{4}, [ab] has [0-9a-f]{4}\)"
t "line 2 says it first" wait_for 10 '^ *CRIT '
t "a is on the right one" becomes "OK  " a "hash agrees"
t "nothing was reorganised for the others" becomes "(OK  |WARN)" "OP Mainnet" reorgs

control b test_fault '["order", {"how": "back"}]'
t "b falls back: several backends" becomes WARN b "one backend" "head fell [0-9,]+ → [0-9,]+: several backends"
control c test_fault '["wrongblock", {"how": "hash", "times": 100}]'
t "c's blocks are wrong" becomes CRIT c verified "block [0-9,]+: hash does not match"

control c test_set '{"clientVersion": "other/v2.0.0"}'
control c test_drop '["close"]'
t "another client" becomes WARN c client "now other/2.0.0 .was faultnode/1.0.0"

kill "${pids[-1]}"
t "c is gone" becomes CRIT c answers "no answer for [0-9]+ s"
t "nothing else is said of it" becomes "n/a " c "head age" "no answer"
press q
t "q ends it" wait_end 5
done_testing
