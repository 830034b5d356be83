#!/usr/bin/env bash
# Golden frames of the states: each recording of tests/data/states (made by tests/data/states.py) at the moment that matters.
. "$(dirname "${BASH_SOURCE[0]}")/frames"

state() { # NAME ARGS of replay...
	local name=$1 size
	shift
	for size in $sizes; do
		frame states "$name-$size" "../data/states/$name.ct" --verify "$@" --once="$size"
		frame states "$name-$size-ascii" "../data/states/$name.ct" --verify "$@" --once="$size" --ascii
	done
}

no_block=1 state first_second --at +1s
state none_answers
state syncing --at +16s
state silent --at +57s
state no_txpool
state no_base_fee
state fast_blocks
state bsc
state clique
state stale
state several_chains
frame states silent-view5-120x36 ../data/states/silent.ct --verify --at +57s --view 5 --once=120x36
frame states several_chains-view5-120x36 ../data/states/several_chains.ct --verify --view 5 --once=120x36
frames_end
