#!/bin/bash
# The configuration file: its nodes by name, what wins over what, wrong lines, keys that must not leak.
. "$(dirname "$0")/lib.sh"
needs python3 tmux

out=$work/out err=$work/err conf=$XDG_CONFIG_HOME/chaintop/config
mkdir -p "$XDG_CONFIG_HOME/chaintop"
run() { # ARGS...: output in $out and $err, exit code in $code
	code=0
	timeout 30 "$CHAINTOP" "$@" >"$out" 2>"$err" </dev/null || code=$?
}
said() { grep -qE -- "$1" "$out"; }
complained() { grep -qE -- "$1" "$err"; }
code_is() { [ "$code" = "$1" ]; }
file() { # the file becomes what stands on stdin
	cat >"$conf"
	chmod 600 "$conf"
}

file <<'END'
# a comment
location = "fra1"
node geth { urls = "ws://127.0.0.1:8546" }
END
run config --check
t "a wrong line is named, with what is allowed" complained '^chaintop: ~/config/chaintop/config:3: .*urls.*try: .*url'
t "and exits 64" code_is 64
run --once ws://127.0.0.1:1
t "no command works with it" code_is 64
run --once --config /dev/null --timeout 1s ws://127.0.0.1:1
t "but without it" code_is 69

file <<'END'
node geth { url = {"http://127.0.0.1:1/KEYSECRETKEYSECRET", "ws://u:PASSSECRET@127.0.0.1:1"} }
node cmd { url_command = "echo http://127.0.0.1:1/CMDSECRETCMDSECRET" }
check age { warn = 48s  crit = off }
alert { exec = {"/bin/true", "ARGSECRET"}  webhook = "https://127.0.0.1/HOOKSECRET" }
header = "Authorization: HEADSECRET"
view = 5
END
ETH_RPC_URL=http://h/ENVSECRETENVSECRET run config --print --ascii
t "--print has the origin of each value" eval "said '^view +5 .*config:6' && said '^ascii +true +command line' && said '^bodies +auto +default'"
t "of nodes, checks and alerts too" eval "said 'url +http 127.0.0.1:1/… .*config:1' && said 'crit +off .*config:3' && said 'exec +/bin/true … .*config:4'"
t "and what the environment says" said '^ETH_RPC_URL .*environment; not used'
t "no secret in it" eval '! grep -q SECRET "$out" "$err"'
chmod 644 "$conf"
run config --check
t "a key that everybody can read is a warning" complained 'config:1: a key in a file that everybody can read'
t "and no error" code_is 0
chmod 600 "$conf"
run --once=120x30 --timeout 2s --log "$work/log"
t "without a word all nodes are watched" eval "said 'geth +http' && said 'geth +ws' && said 'cmd +http'"
t "no secret in the frame, nor in the log" eval '! grep -q SECRET "$out" "$err" "$work/log"'
run --once=120x30 --timeout 2s cmd
t "a name on the command line opens that node" eval "said 'cmd +http' && ! said 'geth'"
run fetch --last 1 geth
t "fetch knows it, too" complained 'connection refused; try: start geth'
run --once nobody
t "what is no name gets the names" complained 'geth, cmd'

file <<'END'

check agee { warn = 48s }
END
run config --check
t "what is no check gets the checks" complained 'config:2: check agee: there is no such check; try: link age silent'
file <<'END'
check peers { warn = 48s }
END
run config --check
t "a limit has its unit" complained 'config:1: check peers: 48s is no limit of it; try: like 5, or off'

file <<'END'
node bad { url_command = "false" }
node none { url_command = "true" }
node lost { url_command = "/no/such/command x" }
END
run --once bad
t "a url_command that fails is named" complained 'config:1: .*false: exit code 1'
run --once none
t "one that prints nothing" complained 'config:2: .*printed no URL'
run --once lost
t "one that is not there" complained 'config:3: .*No such file'
t "is the user's" code_is 64
printf 'echo http://127.0.0.1:1; exec >&-; exec sleep 60\n' >"$work/stays"
file <<END
node stays { url_command = {"/bin/sh", "$work/stays"} }
END
began=$SECONDS
run --once stays
t "one that closes its output and stays is not waited for" eval "complained 'config:1: .*did not end' && [ $((SECONDS - began)) -lt 15 ]"

if [ -z "${ANVIL:-}" ]; then
	n_tests=$((n_tests + 1))
	echo "ok $n_tests - a node of the file # SKIP ${ANVIL_WHY:-ANVIL is not set}"
	done_testing
fi
start_anvil --no-mining || t "anvil starts" false
mine 3
export CHAIN_PORT=$anvil_port
file <<'END'
node dev { url = {"ws://127.0.0.1:${CHAIN_PORT}", "http://127.0.0.1:${CHAIN_PORT}"} }
END
ETH_RPC_URL=http://127.0.0.1:1 run --once=120x36
t "the file wins over ETH_RPC_URL" eval "said 'dev +ws' && said 'dev +http'"
t "and the chain is there" code_is 0
ETH_RPC_URL=http://127.0.0.1:1 start 120x36
t "line 2 says once where it comes from" wait_for 10 'from ~/config/chaintop/config, not ETH_RPC_URL'
press q
wait_end 10
t "it ends well" exited_with 0
done_testing
