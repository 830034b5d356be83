#!/bin/bash
# A recording shows the same health as what was seen live: the same findings in the same order, at the same time.
. "$(dirname "$0")/lib.sh"
needs python3

genesis=$(($(date +%s) - 128))
for n in a b c; do
	python3 -B "$root/tests/faults/node.py" --chain-id 10 --genesis "$genesis" --interval 2 --head 64 --ws >"$work/$n.json" 2>"$work/$n.err" &
	pids+=($!)
done
for n in a b c; do
	until_ 20 test -s "$work/$n.json" || skip_all "the fault node does not start: $(tail -n 1 "$work/$n.err")"
done
port() { sed -n "s/.*\"$2\": \"\?\([^,\"}]*\).*/\1/p" "$work/$1.json"; } # NAME KIND
control() { # NAME METHOD PARAMS
	python3 - "$(port "$1" control)" "$2" "$3" <<-END
		import sys, urllib.request
		body = '{"id": 1, "method": "%s", "params": %s}' % (sys.argv[2], sys.argv[3])
		opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
		opener.open("http://127.0.0.1:" + sys.argv[1], body.encode(), timeout=10).read()
	END
}
urls=()
for n in a b c; do urls+=("$n=ws://127.0.0.1:$(port $n ws)"); done
"$CHAINTOP" record -o "$work/health.ct" --clock-bound 5ms "${urls[@]}" >"$work/record.out" 2>&1 &
record=$!
"$CHAINTOP" --stream --clock-bound 5ms "${urls[@]}" >"$work/live.ndjson" 2>"$work/live.err" &
live=$!
pids+=("$record" "$live")
said() { grep -q "\"ev\":\"check\".*\"subject\":\"$1\",.*\"check\":\"$2\",.*\"level\":\"$3\"" "$work/live.ndjson"; }
finds() { t "$1" until_ 40 said "$2" "$3" "$4"; } # WHAT SUBJECT CHECK LEVEL

heads() { [ "$(grep -c '"ev":"head"' "$work/live.ndjson")" -gt 9 ]; }
t "heads come" until_ 30 heads
control a test_set '{"peerCount": 0}'
control c test_pause '[]'
finds "no peers" a peers warn
finds "c is silent" c silent warn
finds "and old" c age warn
control c test_resume '[]'
control b test_set '{"clientVersion": "other/v2.0.0"}'
control b test_drop '["close"]'
finds "another client" b client warn
kill "${pids[2]}"
finds "c is gone" c link crit
kill "$record" "$live"
wait "$record" "$live" 2>/dev/null
"$CHAINTOP" replay --stream --speed max "$work/health.ct" >"$work/replay.ndjson" 2>"$work/replay.err"
same() {
	python3 - "$work/live.ndjson" "$work/replay.ndjson" <<-'END'
		import datetime, json, sys
		def findings(name):
		    out, end = [], 0
		    for line in open(name):
		        e = json.loads(line)
		        if "time" not in e:
		            continue
		        end = max(end, datetime.datetime.fromisoformat(e["time"][:23]).timestamp())
		        if e["ev"] == "check":
		            at = datetime.datetime.fromisoformat(e["time"][:23]).timestamp()
		            out.append((e["subject"], e["check"], e["level"], at))
		    return out, end
		(live, live_end), (replay, replay_end) = (findings(name) for name in sys.argv[1:3])
		for f in live:
		    # Evaluated once a second by each, each connected by itself, and one of them ended first.
		    if f[3] < replay_end - 3 and not any(f[:3] == g[:3] and abs(f[3] - g[3]) < 3 for g in replay):
		        sys.exit("only live: %s" % (f,))
		for f in replay:
		    if f[3] < live_end - 3 and not any(f[:3] == g[:3] and abs(f[3] - g[3]) < 3 for g in live):
		        sys.exit("only in the replay: %s" % (f,))
		if len(live) < 6:
		    sys.exit("only %d findings" % len(live))
	END
}
t "the replay finds the same" same
done_testing
