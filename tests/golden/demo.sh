#!/usr/bin/env bash
# Golden frames of the demo, and the picture of the README.
. "$(dirname "${BASH_SOURCE[0]}")/frames"

# Every view that there is, at every size, in the middle: a node is away.
for view in 1 2 5 6 7 8; do
	for size in $sizes; do
		frame demo "view$view-$size" --demo --view $view --at +22s --once=$size
		frame demo "view$view-$size-ascii" --demo --view $view --at +22s --once=$size --ascii
	done
done
# What happens, one by one.
frame demo first-120x36 --demo --at +1s --once=120x36
frame demo reorg-120x36 --demo --at +7s --once=120x36
frame demo pause-120x36 --demo --at +12s --once=120x36
frame demo back-120x36 --demo --at +30s --once=120x36
frame demo lull-120x36 --demo --at +61s --once=120x36
frame demo end-120x36 --demo --once=120x36

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
frames_end
