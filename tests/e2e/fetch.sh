#!/bin/bash
# chaintop fetch and bench, against the scripted node and `chaintop serve`; the tests are Python.
exec python3 -B "$(dirname "$0")/fetch.py" -v
