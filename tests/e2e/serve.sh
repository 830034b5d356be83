#!/bin/bash
# chaintop serve over its three transports; the tests and their clients are Python.
exec python3 -B "$(dirname "$0")/serve.py" -v
