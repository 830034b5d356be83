"""A webhook's server for tests: hook.py FOLDER [STATUS...] writes its port to FOLDER/port and each body to FOLDER/1, 2, …, the
path behind it to FOLDER/1.path. The first answers have these statuses, then 200 with a body that is no JSON."""
import http.server
import os
import sys

folder, statuses = sys.argv[1], [int(s) for s in sys.argv[2:]]
count = 0


class Hook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        global count
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status = statuses.pop(0) if statuses else 200
        count += 1
        for name, data in (("%d.path" % count, self.path.encode()), ("%d.headers" % count, str(self.headers).encode()), ("%d" % count, body)):
            with open(os.path.join(folder, name + ".tmp"), "wb") as f:
                f.write(data)
            os.rename(os.path.join(folder, name + ".tmp"), os.path.join(folder, name))
        self.send_response(status)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *args):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Hook)
with open(os.path.join(folder, "port.tmp"), "w") as f:
    f.write(str(server.server_port))
os.rename(os.path.join(folder, "port.tmp"), os.path.join(folder, "port"))
server.serve_forever()
