#!/bin/bash
# A real Prometheus scrapes --metrics; promtool looks at the page and at the alert rules.
. "$(dirname "$0")/../e2e/lib.sh"
needs python3
for tool in prometheus promtool; do
	command -v $tool >/dev/null || skip_all "$tool is not installed (Debian: prometheus)"
done
python3 -B "$root/tests/soak/prometheus.py" -v
exit $?
