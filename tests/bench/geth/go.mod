module fetch-geth

go 1.25.0

require github.com/ethereum/go-ethereum v1.17.10
