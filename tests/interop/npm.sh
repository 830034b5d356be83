#!/usr/bin/env bash
# RLPx, p2p and eth/68 with @ethereumjs/devp2p from npm, in both roles: handshake, Hello, Status, Ping, headers and bodies, then
# 10,000 messages of mixed size each way. What it cannot speak (eth/69 and later, BSC, Bor) is tested in go.sh and test_peer.
. "$(dirname "$0")/lib.sh"
version=10.0.0
flood=${FLOOD:-10000}

npm_setup() {
	command -v node >/dev/null && command -v npm >/dev/null || { echo "no node and npm"; return 1; }
	[ "$(node -p 'process.versions.node.split(".")[0]')" -ge 18 ] || { echo "node is older than 18"; return 1; }
	dir=${CACHE:-${BUILD:-$tmp}}/npm-devp2p
	[ -d "$dir/node_modules/@ethereumjs/devp2p" ] && return 0
	mkdir -p "$dir" || { echo "$dir cannot be made"; return 1; }
	timeout -k 5 180 npm install --prefix "$dir" --no-save --no-audit --no-fund --ignore-scripts --fetch-retries=0 \
		"@ethereumjs/devp2p@$version" >"$tmp/npm.log" 2>&1 && return 0
	echo "npm install failed: $(grep -m1 -i err "$tmp/npm.log" | cut -c1-100)"
	return 1
}

if ! why=$(npm_setup); then
	skip "@ethereumjs/devp2p" "$why"
	finish
fi
npm_setup >/dev/null

# We call it.
node "$here/devp2p_peer.mjs" "$dir" listen "$tmp/chain" "$flood" 1 >"$tmp/js" 2>&1 &
js=$!
started+=($js)
if enode=$(first_line "$tmp/js" $js); then
	expect_ok "initiator: headers, bodies and $flood messages each way" "$peer" dial "$enode" "$tmp/chain" "$flood"
	wait $js && grep -q '^ok ' "$tmp/js" && ok "the npm peer saw all of it" || {
		not_ok "the npm peer saw all of it"
		note "$tmp/js"
	}
else
	not_ok "the npm peer listens"
	note "$tmp/js"
fi

# It calls us.
"$peer" listen "$flood" >"$tmp/c" 2>&1 &
c=$!
started+=($c)
if enode=$(first_line "$tmp/c" $c); then
	expect_ok "recipient: $flood messages each way, a polite answer" node "$here/devp2p_peer.mjs" "$dir" dial "$enode" "$flood"
	wait $c && grep -q '^ok ' "$tmp/c" && ok "we saw all of it" || {
		not_ok "we saw all of it"
		note "$tmp/c"
	}
else
	not_ok "rlpx_peer listens"
fi

# How long from connecting to Status, with a peer that is warm: best of 8.
node "$here/devp2p_peer.mjs" "$dir" listen "$tmp/chain" 0 8 >"$tmp/js" 2>&1 &
js=$!
started+=($js)
enode=$(first_line "$tmp/js" $js)
best=$(for _ in 1 2 3 4 5 6 7 8; do
	timeout 60 "$peer" dial "$enode" "$tmp/chain" 0 | sed -n 's/.*ready_ms=\([0-9]*\).*/\1/p'
done | sort -n | head -n 1)
if [ -n "$best" ] && [ "$best" -le 50 ]; then
	ok "handshake and Status in ${best} ms (50 allowed)"
elif [ -n "$best" ] && [ "$(cut -d. -f1 /proc/loadavg 2>/dev/null || echo 0)" -ge "$(getconf _NPROCESSORS_ONLN)" ]; then
	skip "handshake and Status in ${best} ms (50 allowed)" "the machine is busy"
else
	not_ok "handshake and Status in ${best:-no} ms (50 allowed)"
fi

# The whole program: ping, and one frame of the monitor, with a node whose chain grows.
chaintop=${CHAINTOP:-${BUILD:-}/chaintop}
if [ ! -x "$chaintop" ]; then
	skip "chaintop with the npm peer" "chaintop is not built"
	finish
fi
node "$here/devp2p_peer.mjs" "$dir" node "$tmp/chain" 500 >"$tmp/js" 2>&1 &
js=$!
started+=($js)
enode=$(first_line "$tmp/js" $js)
timeout 30 "$chaintop" ping "$enode" >"$tmp/out" 2>&1 && grep -q '^client *ethereumjs-devp2p' "$tmp/out" &&
	grep -q '^genesis *0xd4e56740' "$tmp/out" && grep -q '^ping ' "$tmp/out" && ok "ping: Hello, Status, RTT" || {
	not_ok "ping: Hello, Status, RTT"
	note "$tmp/out"
}
timeout 30 "$chaintop" --once=140x40 "npm=$enode" >"$tmp/out" 2>&1 && grep -Eq 'npm +rlpx poll +1(49|[5-9][0-9])' "$tmp/out" &&
	ok "monitor: heads over RLPx" || {
	not_ok "monitor: heads over RLPx"
	note "$tmp/out"
}
# Blocks of the half that is always there: proven, in order, twice the same.
timeout 30 "$chaintop" fetch "$enode" --from 1 --to 140 --workers 4 --verify -f csv >"$tmp/out" 2>"$tmp/err" &&
	grep -q '^verified 140 of 140$' "$tmp/err" && [ "$(sed 1d "$tmp/out" | cut -d, -f1 | tr '\n' ' ')" = "$(seq 140 | tr '\n' ' ')" ] &&
	timeout 30 "$chaintop" fetch "$enode" --from 1 --to 140 -f csv 2>"$tmp/err" | cmp -s - "$tmp/out" && ok "fetch: 140 blocks" || {
	not_ok "fetch: 140 blocks"
	note "$tmp/err"
}
timeout 60 "$chaintop" bench "npm=$enode" --last 50 --rounds 1 --workers 2 >"$tmp/out" 2>&1 &&
	grep -q '^npm rlpx: verified 50 of 50' "$tmp/out" && ok "bench" || {
	not_ok "bench"
	note "$tmp/out"
}
# A recording of it: whole, and a replay shows the peer and its blocks without asking anybody.
timeout -s INT 4 "$chaintop" record -o "$tmp/a.ct" "npm=$enode" >"$tmp/out" 2>&1
"$chaintop" verify "$tmp/a.ct" >>"$tmp/out" 2>&1 &&
	"$chaintop" replay "$tmp/a.ct" --speed=max --once=160x45 --view=7 >"$tmp/peers" 2>&1 &&
	"$chaintop" replay "$tmp/a.ct" --speed=max --once=140x40 >"$tmp/blocks" 2>&1 &&
	grep -q 'offers *eth/68; p2p/5' "$tmp/peers" && grep -q 'behind: Frontier' "$tmp/peers" &&
	grep -Eq '1[5-9][0-9] .*✓' "$tmp/blocks" && ok "recorded and replayed" || {
	not_ok "recorded and replayed"
	note "$tmp/out" "$tmp/peers"
}
# Its events as lines: what the page of the stream says of them.
timeout --preserve-status -s INT 4 "$chaintop" --stream "npm=$enode" >"$tmp/lines" 2>"$tmp/out" &&
	python3 -B "$here/../e2e/schema.py" "$tmp/lines" >>"$tmp/out" 2>&1 &&
	grep -q '"ev":"peer",.*"genesis":"0xd4e56740' "$tmp/lines" && grep -q '"ev":"peer_count",.*"tcp_rtt":' "$tmp/lines" &&
	grep -q '"ev":"verdict",.*"truth":"yes"' "$tmp/lines" && ok "stream: peer, counters and verified blocks" || {
	not_ok "stream: peer, counters and verified blocks"
	note "$tmp/out"
	tail -n 3 "$tmp/lines" | note
}
# The curve's generator: the key of nobody's node.
other=79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798
other+=483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8
wrong=$(sed "s,//[0-9a-f]*,//$other," <<<"$enode")
timeout 30 "$chaintop" ping "$wrong" >"$tmp/out" 2>&1
[ $? = 69 ] && ok "ping: another node id is told" || {
	not_ok "ping: another node id is told"
	note "$tmp/out"
}
finish
