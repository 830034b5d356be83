// fetch-geth URL LAST WORKERS none|pretty: the job of tests/bench/README.md with go-ethereum.
//
// It does what ethclient.BlockByNumber does, with the same types, but for one step: that function asks for the headers of
// uncles, block by block, which a folder of blocks does not have.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"
)

// transaction is decoded as ethclient does: the transaction itself, then where it stands.
type transaction struct {
	tx *types.Transaction
	at struct {
		BlockNumber *string         `json:"blockNumber,omitempty"`
		BlockHash   *common.Hash    `json:"blockHash,omitempty"`
		From        *common.Address `json:"from,omitempty"`
	}
}

func (t *transaction) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, &t.tx); err != nil {
		return err
	}
	return json.Unmarshal(text, &t.at)
}

type body struct {
	Hash         *common.Hash        `json:"hash"`
	Transactions []transaction       `json:"transactions"`
	UncleHashes  []common.Hash       `json:"uncles"`
	Withdrawals  []*types.Withdrawal `json:"withdrawals,omitempty"`
}

func fetch(client *rpc.Client, number uint64) (*types.Block, error) {
	var raw json.RawMessage
	if err := client.CallContext(context.Background(), &raw, "eth_getBlockByNumber", hexutil.EncodeUint64(number), true); err != nil {
		return nil, err
	}
	var header *types.Header
	if err := json.Unmarshal(raw, &header); err != nil {
		return nil, err
	}
	if header == nil {
		return nil, fmt.Errorf("block %d: null", number)
	}
	var b body
	if err := json.Unmarshal(raw, &b); err != nil {
		return nil, err
	}
	txs := make([]*types.Transaction, len(b.Transactions))
	for i, t := range b.Transactions {
		txs[i] = t.tx
	}
	return types.NewBlockWithHeader(header).WithBody(types.Body{Transactions: txs, Withdrawals: b.Withdrawals}), nil
}

type seen struct {
	blocks, transactions, gas atomic.Uint64
}

func (s *seen) count(b *types.Block) {
	s.blocks.Add(1)
	s.transactions.Add(uint64(len(b.Transactions())))
	s.gas.Add(b.GasUsed())
}

// print writes every field: go-ethereum's own JSON of header and transactions, one member a line.
func print(out *bufio.Writer, b *types.Block) error {
	text, err := json.MarshalIndent(struct {
		Header       *types.Header
		Transactions types.Transactions
		Withdrawals  types.Withdrawals
	}{b.Header(), b.Transactions(), b.Withdrawals()}, "", "  ")
	if err != nil {
		return err
	}
	out.Write(text)
	return out.WriteByte('\n')
}

func run() error {
	if len(os.Args) != 5 {
		return fmt.Errorf("usage: fetch-geth URL LAST WORKERS none|pretty")
	}
	last, err := strconv.ParseUint(os.Args[2], 10, 64)
	if err != nil {
		return err
	}
	workers, err := strconv.Atoi(os.Args[3])
	if err != nil {
		return err
	}
	client, err := rpc.DialOptions(context.Background(), os.Args[1], rpc.WithWebsocketMessageSizeLimit(math.MaxInt32))
	if err != nil {
		return err
	}
	defer client.Close()
	var head hexutil.Uint64
	if err := client.Call(&head, "eth_blockNumber"); err != nil {
		return err
	}

	start := time.Now()
	var s seen
	var next atomic.Uint64
	next.Store(uint64(head) - last)
	var wait sync.WaitGroup
	var lock sync.Mutex
	failed := make(chan error, workers)
	out := bufio.NewWriterSize(os.Stdout, 1<<16)
	for w := 0; w < workers; w++ {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for {
				number := next.Add(1)
				if number > uint64(head) {
					return
				}
				b, err := fetch(client, number)
				if err == nil && os.Args[4] == "pretty" {
					lock.Lock()
					err = print(out, b)
					lock.Unlock()
				}
				if err != nil {
					failed <- err
					return
				}
				s.count(b)
			}
		}()
	}
	wait.Wait()
	if err := out.Flush(); err != nil {
		return err
	}
	select {
	case err := <-failed:
		return err
	default:
	}
	fmt.Fprintf(os.Stderr, "{\"seconds\":%.6f,\"blocks\":%d,\"transactions\":%d,\"gas\":%d}\n", time.Since(start).Seconds(),
		s.blocks.Load(), s.transactions.Load(), s.gas.Load())
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "fetch-geth:", err)
		os.Exit(1)
	}
}
