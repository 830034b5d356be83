#!/bin/bash
# Without a terminal: --once, pipes, usage errors, a node that is not there, a key that must not leak.
. "$(dirname "$0")/lib.sh"
needs python3 tmux

out=$work/out err=$work/err
run() { # ARGS...: output in $out and $err, exit code in $code
	code=0
	timeout 30 "$CHAINTOP" "$@" >"$out" 2>"$err" </dev/null || code=$?
}
said() { grep -qE -- "$1" "$out"; }
complained() { grep -qE -- "$1" "$err"; }
code_is() { [ "$code" = "$1" ]; }
size_is() { # WxH: no line is wider, and there are H of them
	[ "$(wc -l <"$out")" = "${1#*x}" ] &&
		python3 -c 'import sys; sys.exit(any(len(l.rstrip("\n")) > int(sys.argv[1]) for l in sys.stdin))' "${1%x*}" <"$out"
}
no_escapes() { ! grep -q "$(printf '\033')" "$out"; }
no_secret() { ! grep -rqs "$1" "$out" "$err"; }

run --version
t "--version" said '^chaintop [0-9]+\.[0-9]+\.[0-9]+( |$)'
t "--version exits 0" code_is 0
run --help
t "--help names the options" said '--once'
t "--help exits 0" code_is 0
run --nonsense
t "an unknown option exits 64" code_is 64
t "and is explained on stderr" complained '^chaintop: .*nonsense'
t "and prints nothing on stdout" [ ! -s "$out" ]
run --once=80x24 'ws://'
t "a URL without a host exits 64" code_is 64

# Nothing is printed into a file that got the number of a closed stderr.
timeout 30 "$CHAINTOP" --once --log "$work/log" --jwt "$work/no-such-file" http://127.0.0.1:1 >"$out" 2>&- </dev/null
t "a closed stderr is not the log" eval '[ -e "$work/log" ] && ! grep -q "^chaintop: " "$work/log"'

# A port that nobody listens on: bound, then released.
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
begin=$EPOCHSECONDS
run --once=100x30 --timeout 2s "http://user:TOPSECRET@127.0.0.1:$port/v2/KEYSECRET?k=QUERYSECRET"
t "a node that is not there exits 69" code_is 69
t "in the time that was given" [ $((EPOCHSECONDS - begin)) -le 5 ]
t "with the frame so far" said 'refused'
t "a password is nowhere in the output" no_secret TOPSECRET
t "a key in the path is nowhere in the output" no_secret KEYSECRET
t "a key in the query is nowhere in the output" no_secret QUERYSECRET

# Too few files: said, not taken for the node's fault.
for files in 6 8; do
	(ulimit -n $files && exec timeout 30 "$CHAINTOP" --once=150x30 --timeout 1s "http://127.0.0.1:$port") >"$out" 2>&1 </dev/null
	t "$files files are too few" eval "said '[Tt]oo many open files'"
done

# Without a URL the usual local addresses are tried: a node of somebody else's may be there.
nobody_home() {
	python3 - <<-'END'
		import socket, sys
		sys.exit(any(socket.socket().connect_ex(("127.0.0.1", port)) == 0 for port in (8545, 8546)))
	END
}
if nobody_home; then
	run --once=100x30 --timeout 2s
	t "without a URL it says how to connect" said 'ws://'
else
	n_tests=$((n_tests + 1))
	echo "ok $n_tests - without a URL # SKIP a node listens on port 8545 or 8546 of this machine"
fi

if [ -z "${ANVIL:-}" ]; then
	n_tests=$((n_tests + 1))
	echo "ok $n_tests - frames of a chain # SKIP ${ANVIL_WHY:-ANVIL is not set}"
	done_testing
fi
start_anvil --no-mining || t "anvil starts" false
mine 1234
for size in 160x45 120x36 80x24 40x12 18x2; do
	run --once=$size "http://127.0.0.1:$anvil_port"
	t "$size: exit 0" code_is 0
	t "$size: has its size" size_is "$size"
	t "$size: no escape sequence" no_escapes
done
run --once=160x45 "dev=ws://127.0.0.1:$anvil_port" "dev=$anvil_ipc"
t "the frame shows the head" said '1,234'
t "verified" said '1,234.*✓'
t "and the paths" said 'dev +ipc'
run --once=80x24 --ascii "http://127.0.0.1:$anvil_port"
t "--ascii is ASCII" [ -z "$(LC_ALL=C tr -d '\000-\177' <"$out")" ]
run "http://127.0.0.1:$anvil_port"
t "with a pipe for stdout it prints one frame" said '1,234'
t "and exits 0" code_is 0
run --once=80x24 --color always "http://127.0.0.1:$anvil_port"
t "--color always colours" grep -q "$(printf '\033')\[" "$out"
NO_COLOR=1 run --once=80x24 "http://127.0.0.1:$anvil_port"
t "NO_COLOR does not" no_escapes
done_testing
