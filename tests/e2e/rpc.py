"""rpc.py PORT METHOD [PARAMS]: one JSON-RPC call over HTTP to 127.0.0.1; prints the result as JSON."""
import json
import sys
import urllib.request

port, method, params = (sys.argv[1:] + ["[]"])[:3]
body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": json.loads(params)}).encode()
request = urllib.request.Request("http://127.0.0.1:" + port, body, {"Content-Type": "application/json"})
answer = json.load(urllib.request.urlopen(request, timeout=20))
if "error" in answer:
    sys.exit("# %s: %s" % (method, answer["error"]))
print(json.dumps(answer["result"]))
