// fetch.mjs URL LAST WORKERS none|pretty: the job of tests/bench/README.md with viem.
import { inspect } from 'node:util'
import { createPublicClient, http, webSocket } from 'viem'
import { ipc } from 'viem/node'

const [url, last, workers, format] = process.argv.slice(2)
const options = { retryCount: 0, timeout: 60_000 }
const transport = url.startsWith('http') ? http(url, options) : url.startsWith('ws') ? webSocket(url, options) : ipc(url, options)
const client = createPublicClient({ transport, cacheTime: 0 })
const head = await client.getBlockNumber()

const start = process.hrtime.bigint()
let next = head - BigInt(last) + 1n
const seen = { blocks: 0, transactions: 0, gas: 0n }

async function worker() {
	while (next <= head) {
		const block = await client.getBlock({ blockNumber: next++, includeTransactions: true })
		if (format === 'pretty') {
			const text = inspect(block, { depth: null, maxArrayLength: null, maxStringLength: null }) + '\n'
			if (!process.stdout.write(text)) await new Promise((resolve) => process.stdout.once('drain', resolve))
		}
		seen.blocks++
		seen.transactions += block.transactions.length
		seen.gas += block.gasUsed
	}
}
await Promise.all(Array.from({ length: Number(workers) }, worker))
const seconds = Number(process.hrtime.bigint() - start) / 1e9
process.stderr.write(
	`{"seconds":${seconds.toFixed(6)},"blocks":${seen.blocks},"transactions":${seen.transactions},"gas":${seen.gas}}\n`,
)
process.exit(0)
