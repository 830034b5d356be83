package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
)

// chain is a file of blocks, and what go-ethereum's fork filter wants to know of a chain.
type chain struct {
	blocks []*types.Block
	number map[[32]byte]int
}

func (c *chain) Config() *params.ChainConfig  { return params.TestChainConfig }
func (c *chain) Genesis() *types.Block        { return c.blocks[0] }
func (c *chain) CurrentHeader() *types.Header { return c.blocks[len(c.blocks)-1].Header() }

func readChain(file string) (*chain, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c := &chain{number: map[[32]byte]int{}}
	s := rlp.NewStream(f, 0)
	for {
		b := new(types.Block)
		if err := s.Decode(b); errors.Is(err, io.EOF) {
			return c, nil
		} else if err != nil {
			return nil, err
		}
		if types.DeriveSha(b.Transactions(), newHasher()) != b.TxHash() {
			return nil, fmt.Errorf("block %d: transactions root", b.NumberU64())
		}
		c.number[b.Hash()] = len(c.blocks)
		c.blocks = append(c.blocks, b)
	}
}

// The flood of rlpx_peer.c: sizes and contents that both sides know.
func floodMessage(i uint32) []byte {
	v := i * 2654435761
	n := v % 1500
	if i%100 == 99 {
		n = v % 40000
	}
	b, err := rlp.EncodeToBytes([][]byte{pattern(int(n))})
	if err != nil {
		panic(err)
	}
	return b
}

// talk is one conversation behind go-ethereum's own Hello: Status with its own checks, then requests and the flood.
type talk struct {
	chain *chain
	flood uint32
	ask   bool // ask for receipts, which must come back empty
	done  chan error
}

func (t *talk) run(version uint, p *p2p.Peer, rw p2p.MsgReadWriter) error {
	err := t.converse(version, p, rw)
	t.done <- err
	return err
}

func (t *talk) converse(version uint, p *p2p.Peer, rw p2p.MsgReadWriter) error {
	peer := eth.NewPeer(version, p, rw, nil, nil, t.chain.Config())
	defer peer.Close()
	head := t.chain.CurrentHeader()
	update := eth.BlockRangeUpdatePacket{LatestBlock: head.Number.Uint64(), LatestBlockHash: head.Hash()}
	if err := peer.Handshake(1, t.chain, update); err != nil {
		return fmt.Errorf("status: %w", err)
	}
	fmt.Printf("status eth/%d %s\n", version, p.Fullname())
	if err := p2p.Send(rw, eth.BlockRangeUpdateMsg, &update); err != nil {
		return err
	}
	if t.ask {
		var request any = &eth.GetReceiptsPacket69{RequestId: 5, GetReceiptsRequest: eth.GetReceiptsRequest{head.Hash()}}
		if version >= 70 {
			request = &eth.GetReceiptsPacket70{RequestId: 5, GetReceiptsRequest: eth.GetReceiptsRequest{head.Hash()}}
		}
		if err := p2p.Send(rw, eth.GetReceiptsMsg, request); err != nil {
			return err
		}
	}
	failed := make(chan error, 1)
	go func() {
		for i := uint32(0); i < t.flood; i++ {
			if err := p2p.Send(rw, eth.TransactionsMsg, rlp.RawValue(floodMessage(i))); err != nil {
				failed <- err
				return
			}
		}
		failed <- nil
	}()
	got, answered := uint32(0), !t.ask
	for {
		msg, err := rw.ReadMsg()
		if err != nil {
			if got < t.flood || !answered {
				return fmt.Errorf("after %d messages: %w", got, err)
			}
			if err := <-failed; err != nil {
				return err
			}
			fmt.Printf("ok received=%d\n", got)
			return nil
		}
		if err := t.handle(version, rw, msg, &got, &answered); err != nil {
			return err
		}
		if err := msg.Discard(); err != nil {
			return err
		}
	}
}

func (t *talk) handle(version uint, rw p2p.MsgReadWriter, msg p2p.Msg, got *uint32, answered *bool) error {
	switch msg.Code {
	case eth.TransactionsMsg:
		data, err := io.ReadAll(msg.Payload)
		if err != nil {
			return err
		}
		if !bytes.Equal(data, floodMessage(*got)) {
			return fmt.Errorf("message %d of the flood is another one", *got)
		}
		*got++
	case eth.GetBlockHeadersMsg:
		var q eth.GetBlockHeadersPacket
		if err := msg.Decode(&q); err != nil {
			return err
		}
		return p2p.Send(rw, eth.BlockHeadersMsg, &eth.BlockHeadersRLPPacket{
			RequestId: q.RequestId, BlockHeadersRLPResponse: t.headers(q.GetBlockHeadersRequest)})
	case eth.GetBlockBodiesMsg:
		var q eth.GetBlockBodiesPacket
		if err := msg.Decode(&q); err != nil {
			return err
		}
		return p2p.Send(rw, eth.BlockBodiesMsg, &eth.BlockBodiesRLPPacket{
			RequestId: q.RequestId, BlockBodiesRLPResponse: t.bodies(q.GetBlockBodiesRequest)})
	case eth.ReceiptsMsg:
		*answered = true
		if version >= 70 {
			var a eth.ReceiptsPacket70
			if err := msg.Decode(&a); err != nil {
				return err
			}
			if a.RequestId != 5 || a.LastBlockIncomplete || a.List.Len() != 0 {
				return errors.New("not the polite answer")
			}
			return nil
		}
		var a eth.ReceiptsPacket69
		if err := msg.Decode(&a); err != nil {
			return err
		}
		if a.RequestId != 5 || a.List.Len() != 0 {
			return errors.New("not the polite answer")
		}
	default:
		return fmt.Errorf("message 0x%02x", msg.Code)
	}
	return nil
}

func encoded(v any) rlp.RawValue {
	b, err := rlp.EncodeToBytes(v)
	if err != nil {
		panic(err)
	}
	return b
}

func (t *talk) headers(q *eth.GetBlockHeadersRequest) (out []rlp.RawValue) {
	at, ok := int(q.Origin.Number), true
	if q.Origin.Hash != [32]byte{} {
		at, ok = t.chain.number[q.Origin.Hash]
	}
	step := int(q.Skip) + 1
	if q.Reverse {
		step = -step
	}
	for ; ok && at >= 0 && at < len(t.chain.blocks) && len(out) < int(q.Amount); at += step {
		out = append(out, encoded(t.chain.blocks[at].Header()))
	}
	return out
}

func (t *talk) bodies(hashes eth.GetBlockBodiesRequest) (out []rlp.RawValue) {
	for _, h := range hashes {
		at, ok := t.chain.number[h]
		if !ok {
			break
		}
		out = append(out, encoded(t.chain.blocks[at].Body()))
	}
	return out
}

func serve(t *talk) (*p2p.Server, error) {
	key, err := crypto.GenerateKey()
	if err != nil {
		return nil, err
	}
	config := p2p.Config{
		PrivateKey: key, MaxPeers: 5, NoDiscovery: true, Name: "Geth/interop", ListenAddr: "127.0.0.1:0",
	}
	// As go-ethereum has them; 68 is gone there.
	for version, length := range map[uint]uint64{69: 18, 70: 18, 71: 20, 72: 22} {
		config.Protocols = append(config.Protocols, p2p.Protocol{
			Name: "eth", Version: version, Length: length,
			Run: func(p *p2p.Peer, rw p2p.MsgReadWriter) error { return t.run(version, p, rw) },
		})
	}
	srv := &p2p.Server{Config: config}
	return srv, srv.Start()
}

func newTalk(name string, args []string) (*talk, int, []string, error) {
	flags := flag.NewFlagSet(name, flag.ExitOnError)
	file := flags.String("chain", "", "blocks, RLP, one behind the other")
	flood := flags.Uint("flood", 0, "messages of mixed size each way")
	rounds := flags.Int("rounds", 1, "how many conversations")
	flags.Parse(args)
	c, err := readChain(*file)
	if err != nil {
		return nil, 0, nil, err
	}
	return &talk{chain: c, flood: uint32(*flood), done: make(chan error, 8)}, *rounds, flags.Args(), nil
}

func (t *talk) wait(rounds int) error {
	limit := time.After(2 * time.Minute)
	for ; rounds > 0; rounds-- {
		select {
		case err := <-t.done:
			if err != nil {
				return err
			}
		case <-limit:
			return errors.New("took too long")
		}
	}
	return nil
}

func listen(args []string) error {
	t, rounds, _, err := newTalk("listen", args)
	if err != nil {
		return err
	}
	srv, err := serve(t)
	if err != nil {
		return err
	}
	defer srv.Stop()
	fmt.Println(srv.NodeInfo().Enode)
	return t.wait(rounds)
}

func dial(args []string) error {
	t, _, rest, err := newTalk("dial", args)
	if err != nil {
		return err
	}
	if len(rest) != 1 {
		return errors.New("usage: dial -chain FILE -flood N ENODE")
	}
	node, err := enode.ParseV4(rest[0])
	if err != nil {
		return err
	}
	t.ask = true
	srv, err := serve(t)
	if err != nil {
		return err
	}
	defer srv.Stop()
	srv.AddPeer(node)
	return t.wait(1)
}
