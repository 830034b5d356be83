#!/bin/bash
# 200 kills while recording, and all else that tests/e2e/record.py tries.
RECORD_KILLS=200 exec bash "$(dirname "$0")/../e2e/record.sh"
