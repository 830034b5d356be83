// The other side for rlpx_peer: @ethereumjs/devp2p from npm, in either role.
//
//   node devp2p_peer.mjs DIR listen CHAIN FLOOD [ROUNDS]   prints its enode URL; serves the chain, floods; ROUNDS peers, one by one
//   node devp2p_peer.mjs DIR node CHAIN PERIOD [SECONDS]   the same as a node whose chain grows from half by a block each PERIOD ms
//                                                          (0: it stands), announced by its hash; no checks, until it is killed
//   node devp2p_peer.mjs DIR dial ENODE FLOOD              asks for headers, which must come back empty, and floods
//
// DIR is where npm installed it. Ends with 0 if every message was the expected one.
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [dir, role, ...args] = process.argv.slice(2)
const require = createRequire(join(dir, 'x.js'))
const load = async (name) => {
  const at = join(dir, 'node_modules', name)
  const p = JSON.parse(readFileSync(join(at, 'package.json')))
  return import(pathToFileURL(join(at, p.exports['.'].import.default ?? p.exports['.'].import)))
}
const { RLPx, ETH } = await load('@ethereumjs/devp2p')
const { Common, Mainnet, Hardfork } = await load('@ethereumjs/common')
const { RLP } = await load('@ethereumjs/rlp')
const { secp256k1 } = require('ethereum-cryptography/secp256k1')
const { keccak256 } = require('ethereum-cryptography/keccak')

const hex = (b) => Buffer.from(b).toString('hex')
const fail = (why) => {
  console.error(`devp2p_peer: ${why}`)
  process.exit(1)
}
const seconds = role === 'node' ? Number(args[2] ?? 120) : 120
setTimeout(() => fail('took too long'), seconds * 1000).unref()

// The flood of rlpx_peer.c: sizes and contents that both sides know.
const floodSize = (i) => {
  const v = Math.imul(i, 2654435761) >>> 0
  return i % 100 === 99 ? v % 40000 : v % 1500
}
const pattern = (n) => {
  const b = Buffer.alloc(n)
  let v = n
  for (let i = 0; i < n; i++) {
    v = (Math.imul(v, 1664525) + 1013904223) >>> 0
    b[i] = v >>> 24
  }
  return b
}

const readChain = (file) => {
  let rest = readFileSync(file)
  const blocks = []
  while (rest.length > 0) {
    const { data, remainder } = RLP.decode(rest, true)
    const raw = RLP.encode(data[0])
    blocks.push({ header: data[0], body: data.slice(1), hash: hex(keccak256(raw)) })
    rest = remainder
  }
  return blocks
}

const number = (b) => (b.length === 0 ? 0 : parseInt(hex(b), 16))
const common = new Common({ chain: Mainnet, hardfork: Hardfork.Chainstart })
const privateKey = secp256k1.utils.randomPrivateKey()
const rlpx = new RLPx(privateKey, { capabilities: [ETH.eth68], common, listenPort: 0, maxPeers: 5 })
const status = {
  td: new Uint8Array([17]),
  bestHash: Buffer.alloc(32, 7),
  genesisHash: Buffer.from('d4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3', 'hex'),
}
// A node outlives who calls it with a wrong key.
const wrong = role === 'node' ? () => {} : fail
rlpx.events.on('error', (e) => wrong(e.message))
rlpx.events.on('peer:error', (_, e) => wrong(e.message))

const serveHeaders = (blocks, [start, limit, skip, reverse]) => {
  let at = start.length === 32 ? blocks.findIndex((b) => b.hash === hex(start)) : number(start)
  const step = (number(skip) + 1) * (number(reverse) ? -1 : 1)
  const out = []
  for (let n = 0; n < number(limit) && at >= 0 && at < blocks.length; n++, at += step) out.push(blocks[at].header)
  return out
}
const serveBodies = (blocks, hashes) => {
  const out = []
  for (const h of hashes) {
    const b = blocks.find((x) => x.hash === hex(h))
    if (b === undefined) break
    out.push(b.body)
  }
  return out
}

const M = ETH.MESSAGE_CODES ?? { TX: 2, GET_BLOCK_HEADERS: 3, BLOCK_HEADERS: 4, GET_BLOCK_BODIES: 5, BLOCK_BODIES: 6 }

const flood = async (eth, n) => {
  for (let i = 0; i < n; i++) {
    eth.sendMessage(M.TX, [pattern(floodSize(i))])
    if (i % 50 === 0) await new Promise((r) => setImmediate(r))
  }
}

const talk = (peer, blocks, n, whenDone) => {
  const eth = peer.getProtocols()[0]
  let got = 0
  let asked = false
  eth.events.once('status', async (s) => {
    if (blocks.length === 0) eth.sendMessage(M.GET_BLOCK_HEADERS, [Buffer.from([5]), [Buffer.from([1]), Buffer.from([3]), Buffer.alloc(0), Buffer.alloc(0)]])
    await flood(eth, n)
  })
  eth.events.on('message', (code, payload) => {
    switch (code) {
      case M.GET_BLOCK_HEADERS:
        eth.sendMessage(M.BLOCK_HEADERS, [payload[0], serveHeaders(blocks, payload[1])])
        break
      case M.GET_BLOCK_BODIES:
        eth.sendMessage(M.BLOCK_BODIES, [payload[0], serveBodies(blocks, payload[1])])
        break
      case M.BLOCK_HEADERS:
        if (number(payload[0]) !== 5 || payload[1].length !== 0) fail('not the polite answer')
        asked = true
        break
      case M.TX:
        if (Buffer.compare(Buffer.from(payload[0]), pattern(floodSize(got))) !== 0) fail(`message ${got} of the flood is another one`)
        got++
        break
      case 0: // Status: it has its own event
        break
      default:
        fail(`message ${code}`)
    }
  })
  peer['_socket'].on('close', () => {
    if (got < n || (blocks.length === 0 && !asked)) fail(`closed after ${got} messages`)
    console.log(`ok received=${got}`)
    whenDone()
  })
  eth.sendStatus(status)
}

// Half a node: what it has grows, and it says so.
const serve = (peer, visible) => {
  const eth = peer.getProtocols()[0]
  let told = visible().length
  eth.events.on('message', (code, payload) => {
    if (code === M.GET_BLOCK_HEADERS) eth.sendMessage(M.BLOCK_HEADERS, [payload[0], serveHeaders(visible(), payload[1])])
    if (code === M.GET_BLOCK_BODIES) eth.sendMessage(M.BLOCK_BODIES, [payload[0], serveBodies(visible(), payload[1])])
  })
  eth.events.once('status', () => {
    const timer = setInterval(() => {
      const now = visible()
      if (now.length > told) eth.sendMessage(1, [[Buffer.from(now.at(-1).hash, 'hex'), now.at(-1).header[8]]])
      told = now.length
    }, 20)
    peer['_socket'].on('close', () => clearInterval(timer))
  })
  eth.sendStatus({ ...status, bestHash: Buffer.from(visible().at(-1).hash, 'hex') })
}

if (role === 'node') {
  const blocks = readChain(args[0])
  const period = Number(args[1])
  const began = Date.now()
  const visible = () =>
    blocks.slice(0, Math.floor(blocks.length / 2) + (period > 0 ? Math.floor((Date.now() - began) / period) : 0))
  rlpx.events.on('peer:added', (peer) => serve(peer, visible))
  rlpx.events.on('listening', () =>
    console.log(`enode://${hex(rlpx.id)}@127.0.0.1:${rlpx['_server'].address().port}`),
  )
  rlpx.listen(0, '127.0.0.1')
} else if (role === 'listen') {
  const blocks = readChain(args[0])
  let rounds = Number(args[2] ?? 1)
  rlpx.events.on('peer:added', (peer) =>
    talk(peer, blocks, Number(args[1]), () => {
      if (--rounds === 0) process.exit(0)
    }),
  )
  rlpx.events.on('listening', () =>
    console.log(`enode://${hex(rlpx.id)}@127.0.0.1:${rlpx['_server'].address().port}`),
  )
  rlpx.listen(0, '127.0.0.1')
} else {
  const m = /^enode:\/\/([0-9a-f]{128})@([^:]+):([0-9]+)$/.exec(args[0])
  rlpx.events.on('peer:added', (peer) => talk(peer, [], Number(args[1]), () => process.exit(0)))
  rlpx
    .connect({ id: Buffer.from(m[1], 'hex'), address: m[2], tcpPort: Number(m[3]) })
    .catch((e) => fail(e.message))
}
