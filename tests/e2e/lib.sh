# shellcheck shell=bash
# What the end-to-end tests share. Sourced; speaks TAP. Environment: CHAINTOP (the binary, ./chaintop), ANVIL (the test
# chain's binary) or ANVIL_WHY (why there is none), KECCAK_PYTHON (a Python that can run the corpus' mkchain.py).
#
# Everything lives in $work, a fresh folder; the terminal is a private tmux server that reads no configuration. Nothing
# here sleeps for a fixed time to let something happen: it polls for the condition until a deadline.
set -u

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
CHAINTOP=${CHAINTOP:-$root/chaintop}
work=$(mktemp -d "${TMPDIR:-/tmp}/chaintop-e2e.XXXXXX")
export LC_ALL=C.UTF-8 TZ=UTC HOME=$work XDG_CONFIG_HOME=$work/config XDG_STATE_HOME=$work/state
unset ETH_RPC_URL NO_COLOR COLUMNS LINES TMUX
pids=()
n_tests=0 n_failed=0

cleanup() {
	local p
	tmux_ kill-server 2>/dev/null
	for p in "${pids[@]}"; do kill "$p" 2>/dev/null; done
	for p in "${pids[@]}"; do wait "$p" 2>/dev/null; done
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 1' INT TERM HUP

skip_all() { # REASON
	echo "1..0 # SKIP $1"
	exit 77
}

# t DESCRIPTION COMMAND...: one test. On failure the screen is shown as a diagnosis.
t() {
	local what=$1
	shift
	n_tests=$((n_tests + 1))
	if "$@"; then
		echo "ok $n_tests - $what"
	else
		n_failed=$((n_failed + 1))
		echo "not ok $n_tests - $what"
		echo "# failed: $*"
		screen 2>/dev/null | sed 's/^/# /' | sed -e :a -e '/^\(# *\n\)*$/{$d;N;ba' -e '}'
	fi
}

done_testing() {
	echo "1..$n_tests"
	[ "$n_failed" = 0 ]
	exit $?
}

# until_ SECONDS COMMAND...: tries again every 50 ms until it succeeds or the time is over.
until_() {
	local end=$((${EPOCHREALTIME/./} + $1 * 1000000))
	shift
	while ! "$@"; do
		[ "${EPOCHREALTIME/./}" -lt "$end" ] || return 1
		sleep 0.05
	done
}

needs() { # COMMAND...
	local c
	for c; do
		command -v "$c" >/dev/null || skip_all "$c is not installed"
	done
	[ -x "$CHAINTOP" ] || skip_all "$CHAINTOP is not built"
}

# The terminal ------------------------------------------------------------------------------------
tmux_() { tmux -S "$work/tmux" -f /dev/null "$@"; }

# start WxH ARGS...: chaintop in a terminal of that size, under a shell with job control. Around it the tty's settings
# are noted, so that restored can compare them; its exit code goes to $work/exit and its pid to $work/pid. When it is
# stopped, Enter brings it back.
start() {
	local w=${1%x*} h=${1#*x}
	shift
	rm -f "$work"/{exit,pid,stty.after,stty.stopped}
	{
		printf 'cd %q\nset -m\nstty -a >stty.before\n' "$work"
		printf '(echo $BASHPID >pid; exec'
		printf ' %q' "$CHAINTOP" "$@"
		printf ' 2>stderr)\ncode=$?\n'
		printf 'while [ $code = 148 ]; do\n\tstty -a >stty.stopped\n\tread -r _\n\tfg >/dev/null\n\tcode=$?\ndone\n'
		printf 'stty -a >stty.after\necho $code >exit\nexec cat\n'
	} >"$work/run"
	tmux_ kill-server 2>/dev/null
	until_ 5 no_server
	rm -f "$work/tmux"
	tmux_ new-session -d -x "$w" -y "$h" "bash $work/run"
	tmux_ set-option -g status off
	tmux_ set-option -g default-terminal "${E2E_TERM:-tmux-256color}"
	tmux_ resize-window -x "$w" -y "$h"
	until_ 5 test -s "$work/pid"
}
no_server() { ! tmux_ has-session 2>/dev/null; }

screen() { tmux_ capture-pane -p; }
press() { tmux_ send-keys "$@"; }
resize() { tmux_ resize-window -x "${1%x*}" -y "${1#*x}"; }
chaintop_pid() { cat "$work/pid"; }
alive() { kill -0 "$(chaintop_pid)" 2>/dev/null && [ ! -e "$work/exit" ]; }

shows() { screen | grep -qE -- "$1"; }
shows_not() { ! shows "$1"; }
wait_for() { until_ "$1" shows "$2"; }     # SECONDS PATTERN
wait_gone() { until_ "$1" shows_not "$2"; } # SECONDS PATTERN
ended() { [ -s "$work/exit" ] && [ -s "$work/stty.after" ]; }
wait_end() { until_ "$1" ended; } # SECONDS

# The terminal is as it was: line settings identical, normal screen, cursor visible, no mouse reporting.
restored() { # [after|stopped]
	diff "$work/stty.before" "$work/stty.${1:-after}" >"$work/stty.diff" &&
		[ "$(tmux_ display-message -p '#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{keypad_cursor_flag}')" = "0 1 0 0" ]
}
exit_code() { cat "$work/exit"; }
exited_with() { [ "$(exit_code)" = "$1" ]; }

# The test chain ----------------------------------------------------------------------------------
needs_anvil() {
	[ -n "${ANVIL:-}" ] && return
	skip_all "${ANVIL_WHY:-ANVIL is not set}"
}

# start_anvil ARGS...: sets anvil_port, anvil_pid, anvil_ipc. The chain is kept in $work/chain.json over a stop and a
# second start, which also takes the same port.
anvil_port=0 anvil_ipc=$work/anvil.ipc
start_anvil() {
	rm -f "$anvil_ipc" "$work/anvil.log"
	"$ANVIL" --host 127.0.0.1 --port "$anvil_port" --ipc "$anvil_ipc" --state "$work/chain.json" "$@" \
		>"$work/anvil.log" 2>&1 &
	anvil_pid=$!
	pids+=("$anvil_pid")
	if ! until_ 20 grep -qs '^Listening on' "$work/anvil.log"; then
		sed 's/^/# anvil: /' "$work/anvil.log" | tail -n 5
		return 1
	fi
	anvil_port=$(sed -n 's/^Listening on .*:\([0-9]*\)$/\1/p' "$work/anvil.log")
}
stop_anvil() {
	kill "$anvil_pid" 2>/dev/null # SIGTERM: it saves the chain
	wait "$anvil_pid" 2>/dev/null
	return 0
}

# rpc METHOD [JSON PARAMS]: the result of one call to the test chain, as JSON; an error goes to stderr as a diagnosis.
rpc() { python3 "$root/tests/e2e/rpc.py" "$anvil_port" "$@"; }
mine() { rpc anvil_mine "[\"$(printf '0x%x' "$1")\"]" >/dev/null; } # BLOCKS
head_number() { printf '%d\n' "$(rpc eth_blockNumber | tr -d '"')"; }

# The row of a block in the Blocks pane, whose frame begins at the left edge.
shows_row() { screen | grep -qE "^│▶? *$(grouped "$1") "; } # NUMBER
wait_row() { until_ "$1" shows_row "$2"; }               # SECONDS NUMBER

# A number as the screen writes it: 1,234.
grouped() { printf "%d" "$1" | sed -e :a -e 's/\([0-9]\)\([0-9]\{3\}\)\($\|,\)/\1,\2\3/;ta'; }
