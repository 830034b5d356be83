#!/usr/bin/env bash
# RLPx beside go-ethereum's, in turns: rlpx.sh BENCH_RLPX [RUNS] [SECONDS]
# BENCH_RLPX is a program with the options of `chaintop bench rlpx`. Without Go only ours is measured. 1 KiB is go-ethereum's own
# BenchmarkThroughput, the other sizes are the same set-up in tests/bench/rlpx-go. Medians; "cpu" is the ratio of the processor time
# that both ends take together, which says something on a busy machine, too.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ours=${1:?the benchmark program}
runs=${2:-5}
seconds=${3:-1}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

theirs=
if command -v go >/dev/null; then
	mkdir "$tmp/src" && cp "$here"/rlpx-go/* "$tmp/src"
	if (cd "$tmp/src" && go build -o "$tmp/rlpx-go" . && go test -c -o "$tmp/rlpx-test" github.com/ethereum/go-ethereum/p2p/rlpx) \
		>"$tmp/go.log" 2>&1; then
		theirs=yes
	else
		echo "go-ethereum: SKIP: it does not build here: $(tail -n 1 "$tmp/go.log" | cut -c1-120)"
	fi
else
	echo "go-ethereum: SKIP: no Go"
fi

field() { sed -n "s/.*\"$1\":\([0-9.e+]*\).*/\1/p"; }
median() { sort -g | awk '{ v[NR] = $1 } END { if (NR) print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
of() { field "$2" <"$tmp/$1" | median; }

printf '%9s %6s %12s %12s %6s %6s %9s %7s %8s %8s\n' \
	bytes batch 'ours MB/s' 'theirs MB/s' ratio cpu 'bound' 'of it' writes reads
for case in 16:0 1024:0 1024:1 65536:0 1048576:0; do
	size=${case%:*}
	batch=${case#*:}
	: >"$tmp/a" && : >"$tmp/b" && : >"$tmp/test"
	for _ in $(seq "$runs"); do
		"$ours" --size "$size" --batch "$batch" --seconds "$seconds" --json >>"$tmp/a" || exit 1
		if [ -n "$theirs" ]; then
			"$tmp/rlpx-go" throughput -size "$size" -seconds "$seconds" >>"$tmp/b" || exit 1
			if [ "$size" = 1024 ]; then
				"$tmp/rlpx-test" -test.run '^$' -test.bench Throughput -test.benchtime "${seconds}s" |
					awk '/^BenchmarkThroughput/ { for (i = 1; i < NF; i++) if ($(i + 1) == "MB/s") print $i }' >>"$tmp/test"
			fi
		fi
	done
	awk -v size="$size" -v batch="$(of a batch)" -v a="$(of a mb_per_s)" -v b="$(of b mb_per_s)" -v t="$(median <"$tmp/test")" \
		-v send="$(of a send_cpu_ns)" -v read="$(of a read_cpu_ns)" -v go="$(of b cpu_ns)" -v bound="$(of a bound_mb_per_s)" \
		-v w="$(of a writes_per_message)" -v r="$(of a reads_per_message)" 'BEGIN {
		if (t != "") b = t
		printf "%9d %6d %12.1f %12s %6s %6s %9.0f %6.0f%% %8.3f %8.3f\n", size, batch, a, b == "" ? "-" : sprintf("%.1f", b),
			b == "" ? "-" : sprintf("%.2f", a / b), go == "" ? "-" : sprintf("%.2f", go / (send + read)), bound, 100 * a / bound, w, r
	}'
done
