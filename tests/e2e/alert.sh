#!/bin/bash
# Alerts: a node dies and comes back: the command and the webhook are told once each, of both; bell, title, OSC 9; the list.
. "$(dirname "$0")/lib.sh"
needs python3 tmux perl
needs_anvil

conf=$XDG_CONFIG_HOME/chaintop/config
mkdir -p "$XDG_CONFIG_HOME/chaintop" "$work/told" "$work/web"

# What a command is told: its environment and its standard input, one file a call.
cat >"$work/page" <<'END'
#!/bin/bash
n=$(mktemp "$1/call.XXXXXX.tmp")
{
	env | grep '^CHAINTOP_' | sort
	echo "ARGS=$*"
	cat
} >"$n"
mv "$n" "${n%.tmp}"
END
chmod 755 "$work/page"
python3 "$root/tests/e2e/hook.py" "$work/web" 500 503 &
pids+=("$!")
until_ 10 test -s "$work/web/port" || t "the webhook's server starts" false
export HOOK_PORT=$(cat "$work/web/port")

start_anvil --no-mining || t "anvil starts" false
mine 5
export CHAIN_PORT=$anvil_port
cat >"$conf" <<'END'
location = "test rack"
node dev { url = "ws://127.0.0.1:${CHAIN_PORT}" }
alert {
	exec = {"PAGE", "TOLD", "two words"}
	webhook = "http://127.0.0.1:${HOOK_PORT}/HOOKSECRETHOOKSECRET"
	bell = crit
	title = warn
	notify = warn
}
END
sed -i "s|PAGE|$work/page|; s|TOLD|$work/told|" "$conf"
chmod 600 "$conf"

calls() { find "$work/told" -name 'call.*' ! -name '*.tmp' -exec grep -l "$1" {} + 2>/dev/null | wc -l; }
called() { [ "$(calls "$1")" = "$2" ]; }         # PATTERN TIMES
call() { cat $(grep -l "$1" "$work"/told/call.*); } # PATTERN
has() { call "$1" | grep -qE -- "$2"; }
posted() { [ -e "$work/web/$1" ] && grep -q "$2" "$work/web/$1"; }

start 120x36 --log "$work/log"
wait_for 20 'OK +dev ws at the newest' || t "the chain is watched" false
tmux_ pipe-pane -o "cat >$work/raw"
t "nothing is told as long as all is well" called . 0
stop_anvil
t "the node's end is told to the command" until_ 20 called 'CHAINTOP_CHECK=link' 1
t "with state, node and limit in the environment" eval "has link '^CHAINTOP_STATE=CRIT' && has link '^CHAINTOP_NODE=dev' && has link '^CHAINTOP_LIMIT=1' && has link '^CHAINTOP_TEXT=dev: .'"
t "its words are words, not a shell's" has link "^ARGS=$work/told two words\$"
t "and JSON on standard input" eval "call link | tail -1 | python3 -c 'import json, sys; o = json.load(sys.stdin); sys.exit(not (o[\"state\"] == \"CRIT\" and o[\"was\"] == \"OK\" and o[\"resolved\"] is False and o[\"node\"] == \"dev\" and o[\"location\"] == \"test rack\" and o[\"count\"] == 1))'"
t "the webhook gets the same, after two refusals" until_ 20 posted 3 '"check":"link"'
t "at its path" grep -q HOOKSECRET "$work/web/3.path"
title_is() { [[ $(tmux_ display-message -p '#{pane_title}') == $1 ]]; }
t "the terminal's title says it" until_ 5 title_is 'CRIT dev*'
# What the terminal gets, byte by byte: a bell is one that ends no sequence.
bells() { perl -0777 -ne 's/\e\][^\a\e]*(\a|\e\\)//g; print tr/\a//' "$work/raw"; }
t "the bell rings, once" until_ 5 eval '[ "$(bells)" = 1 ]'
t "the desktop is told (OSC 9)" grep -qa "$(printf '\033')]9;CRIT dev" "$work/raw"
press '!'
t "the list has it" wait_for 5 'CRIT +dev +link'
press A
t "acknowledged" wait_for 5 'acknowledged|ack'
press S
t "muted" wait_for 5 'muted'
press S
press Escape
start_anvil --no-mining || t "anvil starts again" false
wait_for 40 'OK +dev ws at the newest' || t "the chain is watched again" false
resolved() { called '"check":"link".*' 2 && has 'CHAINTOP_STATE=OK' '^CHAINTOP_CHECK=link'; }
t "its return is told, once" until_ 20 resolved
t "to the webhook too" until_ 20 posted 4 '"resolved":true'
t "and the title is what it was" until_ 5 eval '! title_is "CRIT*"'

# Within the cool-down nothing is told again.
stop_anvil
wait_for 20 'DOWN' || t "it is down again" false
press '!'
t "the second time is counted" wait_for 10 'CRIT +dev +link .* 2'
t "but not told again" called '"check":"link"' 2
press q
wait_end 10
press q
wait_end 10
t "it ends well" exited_with 0
t "one bell was enough" [ "$(bells)" = 1 ]
t "no more than that was told" called '"check":"link"' 2
t "the webhook's key is nowhere" eval '! grep -q HOOKSECRET "$work/log" "$work/stderr"'
done_testing
