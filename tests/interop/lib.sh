# For the scripts of this folder: TAP, and where things are. Sourced.
#   RLPX_PEER  the built tests/interop/rlpx_peer (default: $BUILD/tests/interop/rlpx_peer)
#   CACHE      where downloads may stay (default: $BUILD, else a temporary folder); never the source tree
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
peer=${RLPX_PEER:-${BUILD:-}/tests/interop/rlpx_peer}
tmp=$(mktemp -d)
started=()
count=0
failed=0

cleanup() {
	local p
	for p in "${started[@]}"; do kill "$p" 2>/dev/null; done
	rm -rf "$tmp"
}
trap cleanup EXIT

ok() { count=$((count + 1)) && printf 'ok %d - %s\n' $count "$*"; }
not_ok() {
	count=$((count + 1))
	failed=1
	printf 'not ok %d - %s\n' $count "$*"
}
skip() { count=$((count + 1)) && printf 'ok %d - %s # SKIP %s\n' $count "$1" "$2"; }
note() { sed 's/^/# /' "$@"; }
finish() {
	printf '1..%d\n' $count
	exit $failed
}

# First line of a file that a background process writes, or nothing after 20 s.
first_line() { # FILE PID
	local i
	for i in $(seq 200); do
		if [ -s "$1" ] && grep -q . "$1"; then
			head -n 1 "$1"
			return 0
		fi
		kill -0 "$2" 2>/dev/null || return 1
		read -rt 0.1 <> <(:) || :
	done
	return 1
}

# Runs a command that must end with 0 and a line "ok …"; the line is left in $result.
expect_ok() { # NAME COMMAND...
	local name=$1
	shift
	if timeout 120 "$@" >"$tmp/out" 2>"$tmp/err" && result=$(grep '^ok ' "$tmp/out"); then
		ok "$name"
		note <<<"$result"
		return 0
	fi
	not_ok "$name"
	note "$tmp/out" "$tmp/err"
	return 1
}

if [ ! -x "$peer" ]; then
	skip "$(basename "$0")" "rlpx_peer is not built"
	finish
fi
"$peer" chain "$tmp/chain" 300 || exit 99
