#!/usr/bin/env bash
# RLPx, p2p, eth/69 and eth/70 with go-ethereum's own packages (its p2p server, its Status checks, its types), in both roles: headers
# and bodies, then 10,000 messages of mixed size each way; and that the frames in tests/data are still what it writes.
. "$(dirname "$0")/lib.sh"
flood=${FLOOD:-10000}

go_setup() {
	command -v go >/dev/null || { echo "no Go"; return 1; }
	mkdir -p "$tmp/src" && cp "$here"/../bench/rlpx-go/* "$tmp/src" || return 1
	(cd "$tmp/src" && GOFLAGS=-mod=mod timeout -k 5 600 go build -o "$tmp/rlpx-go" .) >"$tmp/go.log" 2>&1 && return 0
	echo "it does not build here: $(tail -n 1 "$tmp/go.log" | cut -c1-100)"
	return 1
}

if ! why=$(go_setup); then
	skip "go-ethereum" "$why"
	finish
fi

"$tmp/rlpx-go" record "$here/../unit/eip8.h" >"$tmp/frames"
if grep -v '^#' "$here/../data/rlpx_frames.txt" | cmp -s - "$tmp/frames"; then
	ok "tests/data/rlpx_frames.txt is what go-ethereum writes"
else
	not_ok "tests/data/rlpx_frames.txt is what go-ethereum writes"
fi

# We call it, once with the newest version that both have.
"$tmp/rlpx-go" listen -chain "$tmp/chain" -flood "$flood" -rounds 2 >"$tmp/go" 2>&1 &
g=$!
started+=($g)
if enode=$(first_line "$tmp/go" $g); then
	expect_ok "initiator, eth/70: headers, bodies and $flood messages each way" \
		"$peer" dial "$enode" "$tmp/chain" "$flood"
	grep -q '^status eth/70 ' "$tmp/out" || not_ok "eth/70 was agreed"
	expect_ok "initiator, eth/69" "$peer" dial "$enode" "$tmp/chain" "$flood" 69
	wait $g && [ "$(grep -c '^ok ' "$tmp/go")" = 2 ] && ok "go-ethereum saw all of it" || {
		not_ok "go-ethereum saw all of it"
		note "$tmp/go"
	}
else
	not_ok "go-ethereum listens"
	note "$tmp/go"
fi

# It calls us.
for version in 70 69; do
	"$peer" listen "$flood" $version >"$tmp/c" 2>&1 &
	c=$!
	started+=($c)
	if enode=$(first_line "$tmp/c" $c); then
		expect_ok "recipient, eth/$version: $flood messages each way, a polite answer" \
			"$tmp/rlpx-go" dial -chain "$tmp/chain" -flood "$flood" "$enode"
		wait $c && grep -q '^ok ' "$tmp/c" && ok "we saw all of it" || {
			not_ok "we saw all of it"
			note "$tmp/c"
		}
	else
		not_ok "rlpx_peer listens"
	fi
done
finish
