#!/usr/bin/env bash
# Golden frames: what the demo's recording shows at given places, sizes and glyphs must be what demo/*.txt say. Speaks TAP.
# GOLDEN_UPDATE=1 writes them instead: look at the difference before it is committed. CHAINTOP: the binary.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 99
chaintop=${CHAINTOP:-../../chaintop}
export TZ=UTC LC_ALL=C.UTF-8 XDG_CONFIG_HOME=/nonexistent
unset NO_COLOR COLUMNS LINES CHAINTOP_SIMD
n=0 bad=0
now=$(mktemp)
trap 'rm -f "$now"' EXIT

frame() { # NAME ARGS...
	local name=$1 code=0 want
	want=demo/$name.txt
	shift
	n=$((n + 1))
	timeout 60 "$chaintop" replay --demo --color never "$@" >"$now" 2>&1 </dev/null || code=$?
	if [ $code != 0 ]; then
		bad=$((bad + 1))
		echo "not ok $n - $name: exit $code"
		sed 's/^/# /' "$now" | head -n 5
	elif [ -n "${GOLDEN_UPDATE:-}" ]; then
		cmp -s "$now" "$want" || echo "# wrote $want"
		mkdir -p demo && cp "$now" "$want"
		echo "ok $n - $name"
	elif cmp -s "$now" "$want"; then
		echo "ok $n - $name"
	else
		bad=$((bad + 1))
		echo "not ok $n - $name differs (./dev golden --update, if that is right)"
		diff -u "$want" "$now" | sed 's/^/# /' | head -n 60
	fi
}

# Every view that there is, at every size, in the middle: a node is away.
for view in 1 2 5 6 7 8; do
	for size in 160x45 120x36 80x24 40x12 18x2; do
		frame "view$view-$size" --view $view --at +22s --once=$size
		frame "view$view-$size-ascii" --view $view --at +22s --once=$size --ascii
	done
done
# What happens, one by one.
frame first-120x36 --at +1s --once=120x36
frame reorg-120x36 --at +7s --once=120x36
frame pause-120x36 --at +12s --once=120x36
frame back-120x36 --at +30s --once=120x36
frame lull-120x36 --at +61s --once=120x36
frame end-120x36 --once=120x36

# The README's picture is one of them.
shown=reorg-120x36
picture() { sed -e 's/ *$//' -e 's/^\(.\)/    \1/' "demo/$shown.txt"; }
n=$((n + 1))
readme=../../README.md
if [ -n "${GOLDEN_UPDATE:-}" ]; then
	picture >"$now"
	sed -i -e "/^<!-- golden -->/,/^<!-- end -->/{/^<!--/!d}" -e "/^<!-- golden -->/r $now" "$readme"
fi
if sed -n '/^<!-- golden -->/,/^<!-- end -->/p' "$readme" | sed '1d;$d' | cmp -s - <(picture); then
	echo "ok $n - the picture of the README"
else
	bad=$((bad + 1))
	echo "not ok $n - the picture of the README is not demo/$shown.txt"
fi
echo "1..$n"
[ $bad = 0 ]
