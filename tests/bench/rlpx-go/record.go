package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/p2p/rlpx"
)

// sink is a connection that keeps what is written.
type sink struct{ bytes.Buffer }

func (*sink) Close() error                     { return nil }
func (*sink) LocalAddr() net.Addr              { return nil }
func (*sink) RemoteAddr() net.Addr             { return nil }
func (*sink) SetDeadline(time.Time) error      { return nil }
func (*sink) SetReadDeadline(time.Time) error  { return nil }
func (*sink) SetWriteDeadline(time.Time) error { return nil }

func hexOf(name string, vectors map[string]string) []byte {
	b, err := hex.DecodeString(vectors[name])
	if err != nil || len(b) == 0 {
		panic("no vector " + name)
	}
	return b
}

// vectors reads tests/unit/eip8.h.
func readVectors(file string) (map[string]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, part := range strings.Split(string(text), "static const char eip8_")[1:] {
		name, rest, _ := strings.Cut(part, "[]")
		rest, _, _ = strings.Cut(rest, ";")
		var digits strings.Builder
		for i, piece := range strings.Split(rest, `"`) {
			if i%2 == 1 {
				digits.WriteString(piece)
			}
		}
		out[name] = digits.String()
	}
	return out, nil
}

// pattern is the payload that the C test makes, too.
func pattern(n int) []byte {
	b := make([]byte, n)
	v := uint32(n)
	for i := range b {
		v = v*1664525 + 1013904223
		b[i] = byte(v >> 24)
	}
	return b
}

// record writes frames as the initiator of EIP-8's Auth2 and Ack2 would: one line each, "code size snappy hex".
func record(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: record tests/unit/eip8.h")
	}
	v, err := readVectors(args[0])
	if err != nil {
		return err
	}
	var (
		mac    = hexOf("mac", v)
		egress = crypto.NewKeccakState()
		seed   = make([]byte, 32)
		out    sink
	)
	for i, b := range hexOf("nonce_b", v) {
		seed[i] = mac[i] ^ b
	}
	egress.Write(seed)
	egress.Write(hexOf("auth2", v))
	conn := rlpx.NewConn(&out, nil)
	conn.InitWithSecrets(rlpx.Secrets{
		AES: hexOf("aes", v), MAC: mac, EgressMAC: egress, IngressMAC: crypto.NewKeccakState(),
	})
	for _, m := range []struct {
		code   uint64
		size   int
		snappy bool
	}{
		{0, 0, false}, {0, 1, false}, {1, 14, false}, {2, 15, false}, {0x10, 16, false}, {0x7f, 100, false},
		{0x80, 135, false}, {0x1234, 1024, false}, {0x11, 40000, false}, {0x12, 1024, true}, {0x13, 300, true},
	} {
		conn.SetSnappy(m.snappy)
		out.Reset()
		if _, err := conn.Write(m.code, pattern(m.size)); err != nil {
			return err
		}
		b := out.Bytes()
		if len(b) > 2048 { // the sum stands for it
			fmt.Printf("%d %d %t keccak %x\n", m.code, m.size, m.snappy, crypto.Keccak256(b))
		} else {
			fmt.Printf("%d %d %t %x\n", m.code, m.size, m.snappy, b)
		}
	}
	return nil
}
