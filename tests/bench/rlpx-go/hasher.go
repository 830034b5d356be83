package main

import (
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/trie"
)

// newHasher computes transaction roots.
func newHasher() types.ListHasher { return trie.NewListHasher() }
