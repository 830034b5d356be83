// Command rlpx-go is the other side for chaintop's RLPx: go-ethereum's own package p2p/rlpx.
//
//	rlpx-go throughput -size N -seconds N     the set-up of its BenchmarkThroughput at any size, JSON
//	rlpx-go record                            frames with the keys of EIP-8's vectors, as hex
//	rlpx-go listen                            prints its enode URL, then answers one peer
//	rlpx-go dial ENODE                        the same as initiator
package main

import (
	"fmt"
	"os"
)

func main() {
	commands := map[string]func([]string) error{
		"throughput": throughput,
		"record":     record,
		"listen":     listen,
		"dial":       dial,
	}
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: rlpx-go throughput|record|listen|dial ...")
		os.Exit(64)
	}
	if err := commands[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "rlpx-go:", err)
		os.Exit(1)
	}
}
