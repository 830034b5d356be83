#!/bin/bash
# chaintop ping and rpc: over every transport, against anvil and against a node with faults.
. "$(dirname "$0")/lib.sh"
needs python3

out=$work/out err=$work/err
run() { # ARGS...: exit code to $code, what it wrote to $out and $err
	timeout 60 "$CHAINTOP" "$@" >"$out" 2>"$err" </dev/null
	code=$?
}
ends() { [ "$code" = "$1" ]; }                        # CODE
says() { grep -qE -- "$1" "$out"; }                   # PATTERN
complains() { [ "$(wc -l <"$err")" = "${2:-1}" ] && grep -qE -- "$1" "$err"; } # PATTERN [LINES]
json() { python3 -c "import json, sys; d = json.load(open('$out')); sys.exit(0 if $1 else 1)"; } # EXPRESSION of d

# ---- a node with certificates, delays and errors

start_node() { # ARGS...
	rm -f "$work/node.json" "$work/node.ipc"
	python3 -B "$root/tests/faults/node.py" --http --ws --ipc "$work/node.ipc" "$@" >"$work/node.json" 2>"$work/node.err" &
	node_pid=$!
	pids+=("$node_pid")
	until_ 20 test -s "$work/node.json" || return 1
}
stop_node() {
	kill "$node_pid"
	wait "$node_pid" 2>/dev/null
}
field() { python3 -c "import json; print(json.load(open('$work/node.json'))['$1'])"; }

if start_node --tls good 2>/dev/null; then
	run ping -c 3 --interval 10ms --cacert "$(field cacert)" "wss://localhost:$(field wss)" "https://localhost:$(field https)" \
		"$work/node.ipc" "x=ws://127.0.0.1:$(field ws)"
	t "ping: all answer" ends 0
	t "wss has every phase of its own" says '^TLS +[0-9.]+ ms'
	t "an upgrade too" says '^upgrade +[0-9.]+ ms'
	t "a socket has none of them" test "$(sed -n '/^ipc/,/^again/p' "$out" | grep -cE '^(TCP|TLS|upgrade)')" = 0
	t "names are said" says '^x  ws 127.0.0.1:[0-9]+: 3 of 3 answered, chain 424242$'
	run ping --json -c 4 --interval 10ms --cacert "$(field cacert)" "https://localhost:$(field https)"
	t "--json: four connections" json 'd["endpoints"][0]["ms"]["tls"]["n"] == 4 and d["endpoints"][0]["answered"] == 4'
	t "each phase from least to most" json \
		'all(p["min"] <= p["p50"] <= p["max"] for p in d["endpoints"][0]["ms"].values())'
	run ping -c 1 "https://localhost:$(field https)"
	t "a certificate that nobody knows: 69" ends 69
	t "and what to do" says 'failed: .*; try: .*--cacert'
	run rpc --cacert "$(field cacert)" "wss://localhost:$(field wss)" eth_chainId
	t "rpc over wss" test "$(cat "$out")" = '"0x67932"'
	stop_node
else
	echo "# no certificates: $(tail -n 1 "$work/node.err")"
fi

# 200 ms before each answer: the round trip cannot be less.
start_node || t "the node starts" false
http=http://127.0.0.1:$(field http)/path/SECRETKEY ws=ws://127.0.0.1:$(field ws)/path/SECRETKEY ipc=$work/node.ipc
control() { # METHOD PARAMS
	python3 - "$(field control)" "$1" "$2" <<-END
		import json, sys, urllib.request
		body = json.dumps({"id": 1, "method": sys.argv[2], "params": json.loads(sys.argv[3])}).encode()
		opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
		print(json.dumps(json.load(opener.open("http://127.0.0.1:" + sys.argv[1], body, timeout=10))["result"]))
	END
}
for u in "$http" "$ws" "$ipc"; do
	run rpc "$u" eth_getBlockByNumber latest true
	t "${u%%[0-9/]*} a block, as JSON" json 'len(d["transactions"]) == 4 and d["number"] == "0x40"'
	run rpc "$u" no_such
	t "${u%%[0-9/]*} an error: exit 1" ends 1
	t "${u%%[0-9/]*} with code and message" complains 'no_such: error -32601: the method no_such does not exist'
	t "${u%%[0-9/]*} and nothing on stdout" test ! -s "$out"
done
run ping -c 0 "$ws"
t "ping: no rounds: 64" ends 64
run ping -c 1 http://127.0.0.1:1 "$ws"
t "ping: one does not answer: 69" ends 69
t "the other one is measured all the same" says '^again +[0-9.]+ ms'
t "no key in what it prints" test "$(grep -c SECRETKEY "$out" "$err" | grep -cv ':0$')" = 0
run rpc http://127.0.0.1:1 eth_chainId
t "rpc: nobody there: 69" ends 69
t "in one line with a cure" complains 'connection refused; try: '
timeout 10 "$CHAINTOP" rpc "$ws" eth_subscribe newHeads -c 2 >"$out" 2>"$err" &
sub=$!
subscribed() { control test_stats '[]' | grep -q '"ws newHeads": [1-9]'; }
until_ 5 subscribed
control test_advance '[1]' >/dev/null
control test_advance '[1]' >/dev/null
wait "$sub"
code=$?
t "a subscription ends after --count" ends 0
t "one line for each" test "$(grep -c '^{.*"number":"0x4[12]"' "$out")" = 2 -a "$(wc -l <"$out")" = 2
"$CHAINTOP" rpc "$ipc" eth_subscribe newHeads >"$out" 2>"$err" &
sub=$!
pids+=("$sub")
subscribed() { control test_stats '[]' | grep -q '"ipc newHeads": [1-9]'; }
until_ 5 subscribed
control test_advance '[1]' >/dev/null
until_ 5 test -s "$out"
kill -INT "$sub"
wait "$sub"
code=$?
t "Ctrl-C ends it" ends 0
run rpc "$http" eth_subscribe newHeads
t "no subscription over HTTP: 64" ends 64
t "with a way" complains 'over HTTP .*; try: .*ws://'
stop_node

# ---- what must not reach the terminal, and answers that are none

cat >"$work/odd.py" <<-'END'
	import http.server, json, sys
	class H(http.server.BaseHTTPRequestHandler):
	    protocol_version = "HTTP/1.1"
	    def do_POST(self):
	        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
	        m, status = body["method"], 200
	        if m == "echo":
	            data = json.dumps({"jsonrpc": "2.0", "id": body["id"], "result": body["params"]})
	        elif m == "evil":
	            data = '{"jsonrpc":"2.0","id":%d,"result":"\u009b31m \u202e ok"}' % body["id"]
	        elif m == "evilerror":
	            data = '{"jsonrpc":"2.0","id":%d,"error":{"code":3,"message":"\\u001b[31mred\u009b","data":"0x08c3\u009b"}}' % body["id"]
	        elif m == "late":
	            data = '{"result":{"a":[1,2]},"jsonrpc":"2.0","id":%d}' % body["id"]
	        elif m == "cut":
	            data = '{"jsonrpc":"2.0","id":%d,"result":{"a":[1,}}' % body["id"]
	        elif m == "page":
	            data = "<html>login</html>"
	        elif m == "401":
	            data, status = "no", 401
	        elif m == "400":
	            data, status = '{"jsonrpc":"2.0","id":%d,"error":{"code":-32600,"message":"said in the body"}}' % body["id"], 400
	        elif m == "deep":
	            data = '{"jsonrpc":"2.0","id":%d,"result":%s%s}' % (body["id"], '{"calls":[' * 1024, "]}" * 1024)
	        elif m == "big":
	            data = '{"jsonrpc":"2.0","id":%d,"result":"0x%s"}' % (body["id"], "ab" * (40 << 20))
	        else:
	            data = "{}"
	        data = data.encode()
	        self.send_response(status)
	        self.send_header("Content-Length", str(len(data)))
	        self.end_headers()
	        self.wfile.write(data)
	    def log_message(self, *args):
	        pass
	s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), H)
	s.daemon_threads = True
	print(s.server_port, flush=True)
	s.serve_forever()
END
python3 "$work/odd.py" >"$work/odd.port" 2>/dev/null &
pids+=($!)
until_ 10 test -s "$work/odd.port"
odd=http://127.0.0.1:$(cat "$work/odd.port")/KEY123

run rpc "$odd" echo true 7 null '"7"' latest 0x10 '{"a":[1]}' '' 'quote " and \ and é'
t "words are JSON, or strings" json 'd == [True, 7, None, "7", "latest", "0x10", {"a": [1]}, "", "quote \" and \\ and é"]'
printf '{"from": "a file"}\n' >"$work/param.json"
printf '0xdeadbeef\n' >"$work/param.hex"
run rpc "$odd" echo "@$work/param.json" "@$work/param.hex"
t "@FILE: JSON, or a string" json 'd == [{"from": "a file"}, "0xdeadbeef"]'
timeout 10 "$CHAINTOP" rpc "$odd" echo @- >"$out" 2>"$err" <<<'[1,2]'
t "@-: standard input" json 'd == [[1, 2]]'
run rpc "$odd" echo @/no/such/file
t "no such file: 64" ends 64
t "in one line" complains '@/no/such/file: No such file'
run rpc "$odd" evil
t "controls are escapes" test "$(cat "$out")" = '"\u009b31m \u202e ok"'
run rpc "$odd" evil --raw
t "--raw into a pipe: the bytes" grep -q $'\u009b31m' "$out"
if command -v tmux >/dev/null; then
	start 80x24 rpc "$odd" evil --raw
	wait_end 10
	t "--raw on a terminal is harmless too" shows '\\u009b31m'
fi
run rpc "$odd" evilerror
t "an error's text is clean" complains '^(chaintop: evilerror: error 3: \?\[31mred|data: "0x08c3.u009b")' 2
t "no control character in it" test "$(LC_ALL=C tr -d '\n -~' <"$err" | wc -c)" = 0
run rpc "$odd" late
t "members in any order" json 'd == {"a": [1, 2]}'
run rpc "$odd" cut
t "an answer that is no JSON: exit 1" ends 1
t "and where" complains 'cut: no JSON: .* at byte'
run rpc "$odd" page
t "a web page: 69" ends 69
t "called so" complains 'a web page instead of JSON'
run rpc "$odd" 401
t "HTTP 401: 69" ends 69
t "with its cause" complains '401'
run rpc "$odd" 400
t "an error in the body of a 400" complains '400: error -32600: said in the body'
run rpc "$odd" empty
t "neither result nor error: 69" ends 69
run rpc "$odd" deep
t "a trace 1,024 calls deep" test "$code" = 0 -a "$(grep -c '"calls"' "$out")" = 1024
run rpc "$odd" big
t "80 MiB in one string" test "$code" = 0 -a "$(stat -c %s "$out")" = $(((80 << 20) + 5))
t "no key in any of them" test "$(grep -c KEY123 "$err")" = 0
run rpc "$odd"
t "no method: 64" ends 64
run rpc --pretty --raw "$odd" echo
t "--pretty and --raw: 64" ends 64
run rpc "enode://$(printf 'ab%.0s' {1..64})@127.0.0.1:1" eth_chainId
t "enode is no JSON-RPC: 64" ends 64

# ---- a real node

if [ -z "${ANVIL:-}" ]; then
	echo "# anvil: ${ANVIL_WHY:-ANVIL is not set}"
	done_testing
fi
start_anvil || skip_all "anvil does not start"
a=0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 b=0x70997970C51812dc3A010C7d01b50e0d17dc79C8
for u in "http://127.0.0.1:$anvil_port" "ws://127.0.0.1:$anvil_port" "$anvil_ipc" "127.0.0.1:$anvil_port"; do
	run rpc --pretty "$u" eth_chainId
	t "anvil over ${u%%[0-9/]*}" says '^"0x7a69"  # 31337'
done
http=http://127.0.0.1:$anvil_port
run rpc "$http" eth_sendTransaction "{\"from\":\"$a\",\"to\":\"$b\",\"value\":\"0xde0b6b3a7640000\"}"
tx=$(tr -d '"' <"$out")
t "eth_sendTransaction" [ ${#tx} = 66 ]
run rpc "$http" eth_getTransactionReceipt "$tx" --pretty
t "--pretty: gas in decimals" says '"gasUsed": "0x5208",  # 21,000'
t "--pretty: prices in gwei" says '"effectiveGasPrice": "0x[0-9a-f]+",  # [0-9.]+ gwei'
run rpc "$http" eth_getBlockByNumber latest true --pretty
t "--pretty: dates" says "\"timestamp\": \"0x[0-9a-f]+\",  # $(date -u +%Y-)[0-9-]+ [0-9:]+ UTC"
t "--pretty: ether" says '"value": "0xde0b6b3a7640000",  # 1 ether'
run rpc "$http" eth_call '{"to":"0x0000000000000000000000000000000000000004","data":"0x0102"}' latest
t "eth_call: the identity contract" test "$(cat "$out")" = '"0x0102"'
run rpc "$http" eth_simulateV1 "{\"blockStateCalls\":[{\"calls\":[{\"from\":\"$a\",\"to\":\"$b\",\"value\":\"0x1\"}]}]}" latest
t "eth_simulateV1" json 'd[0]["calls"][0]["status"] == "0x1"'
run rpc "$http" eth_signTransaction "{\"from\":\"$a\",\"to\":\"$b\",\"value\":\"0x1\",\"nonce\":\"0x1\",\"gas\":\"0x5208\",\"gasPrice\":\"0x77359400\"}"
t "eth_signTransaction" says '^"0x[0-9a-f]{200,}"$'
tr -d '"' <"$out" >"$work/signed.hex"
run rpc "$anvil_ipc" eth_sendRawTransaction "@$work/signed.hex"
t "eth_sendRawTransaction, from a file" says '^"0x[0-9a-f]{64}"$'
run rpc "$http" eth_sendRawTransaction 0x00
t "eth_sendRawTransaction of nonsense: exit 1" ends 1
t "says why" complains 'eth_sendRawTransaction: error -[0-9]+: '
# The opcode INVALID.
run rpc "$http" eth_call '{"data":"0xfe"}' latest
t "a call that fails: exit 1" ends 1
run rpc "$http" eth_getBlockByNumber 0xffffff false
t "null is an answer" test "$code" = 0 -a "$(cat "$out")" = null
done_testing
