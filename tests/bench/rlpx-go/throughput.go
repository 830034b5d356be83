package main

import (
	"encoding/json"
	"errors"
	"flag"
	"math/rand"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/p2p/rlpx"
)

// tcpPair returns both ends of a connection over the loopback.
func tcpPair() (net.Conn, net.Conn, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	defer l.Close()
	accepted := make(chan net.Conn, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			close(accepted)
			return
		}
		accepted <- c
	}()
	a, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		return nil, nil, err
	}
	b, ok := <-accepted
	if !ok {
		a.Close()
		return nil, nil, errors.New("accept failed")
	}
	return a, b, nil
}

// cpu returns the processor time of this process so far.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// throughput does what go-ethereum's BenchmarkThroughput does, with any message size: one side writes random payload without a
// pause, the other one reads, snappy on.
func throughput(args []string) error {
	flags := flag.NewFlagSet("throughput", flag.ExitOnError)
	size := flags.Int("size", 1024, "bytes per message")
	seconds := flags.Float64("seconds", 3, "how long to measure")
	flags.Parse(args)

	a, b, err := tcpPair()
	if err != nil {
		return err
	}
	serverKey, err := crypto.GenerateKey()
	if err != nil {
		return err
	}
	clientKey, err := crypto.GenerateKey()
	if err != nil {
		return err
	}
	server, client := rlpx.NewConn(a, nil), rlpx.NewConn(b, &serverKey.PublicKey)
	defer client.Close()
	payload := make([]byte, *size)
	rand.New(rand.NewSource(1337)).Read(payload)

	done := make(chan error, 1)
	go func() {
		defer server.Close()
		_, err := server.Handshake(serverKey)
		done <- err
		if err != nil {
			return
		}
		server.SetSnappy(true)
		for {
			if _, err := server.Write(0, payload); err != nil {
				return
			}
		}
	}()
	if _, err := client.Handshake(clientKey); err != nil {
		return err
	}
	client.SetSnappy(true)
	if err := <-done; err != nil {
		return err
	}
	var (
		n     int
		warm  = time.Now().Add(100 * time.Millisecond)
		start time.Time
		took  time.Duration
		used  time.Duration
	)
	for took.Seconds() < *seconds {
		if _, _, _, err := client.Read(); err != nil {
			return err
		}
		n++
		if start.IsZero() {
			if time.Now().After(warm) {
				n, start, used = 0, time.Now(), cpu()
			}
		} else if n%16 == 0 || *size > 4096 {
			took = time.Since(start)
		}
	}
	used = cpu() - used
	return json.NewEncoder(os.Stdout).Encode(map[string]any{
		"benchmark":      "go-ethereum",
		"size":           *size,
		"seconds":        took.Seconds(),
		"mb_per_s":       float64(n) * float64(*size) / took.Seconds() / 1e6,
		"messages_per_s": float64(n) / took.Seconds(),
		"cpu_ns":         float64(used.Nanoseconds()) / float64(n), // both ends, per message
	})
}
