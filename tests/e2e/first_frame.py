"""first_frame.py BLOCK PROGRAM [ARGS]: starts the program on a terminal of its own, 160×45, and prints two times in ms since
its start: until the first frame is drawn (a pane's title), and until the number BLOCK is there."""
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

wanted = [b"Blocks", sys.argv[1].encode()]
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 45, 160, 0, 0))
    os.environ["TERM"] = "xterm-256color"
    os.execv(sys.argv[2], sys.argv[2:])
start = time.monotonic()
seen, times = b"", []
while len(times) < len(wanted) and time.monotonic() - start < 10:
    if not select.select([fd], [], [], 0.2)[0]:
        continue
    try:
        seen += os.read(fd, 65536)
    except OSError:
        break
    while len(times) < len(wanted) and wanted[len(times)] in seen:
        times.append((time.monotonic() - start) * 1000)
os.kill(pid, signal.SIGTERM)
while True:  # its last words, or it would wait for us to read them
    try:
        if not os.read(fd, 65536):
            break
    except OSError:
        break
os.waitpid(pid, 0)
if len(times) < len(wanted):
    sys.exit("# not drawn within 10 s")
print("%.0f %.0f" % tuple(times))
