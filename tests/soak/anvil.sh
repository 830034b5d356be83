#!/bin/bash
# Half an hour against anvil with reorgs and restarts: tests/soak/anvil.py.
exec python3 -B "$(dirname "$0")/anvil.py"
