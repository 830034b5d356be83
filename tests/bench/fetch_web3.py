"""fetch_web3.py URL LAST WORKERS none|pretty: the job of tests/bench/README.md with web3.py.

One worker: one AsyncWeb3, one request at a time. More: a pool of that many processes, each with a connection of its own, which
take slices of the range; the parent only counts and prints, because sending whole blocks between processes costs more.
"""
import asyncio
import concurrent.futures
import itertools
import json
import multiprocessing
import sys
import time

from web3 import AsyncHTTPProvider, AsyncIPCProvider, AsyncWeb3, WebSocketProvider

SLICE = 10
LIMIT = 256 << 20


def open_web3(url):
    if url.startswith("http"):
        return AsyncWeb3(AsyncHTTPProvider(url, request_kwargs={"timeout": 60}))
    if url.startswith("ws"):
        return AsyncWeb3(WebSocketProvider(url, websocket_kwargs={"max_size": LIMIT}, request_timeout=60))
    return AsyncWeb3(AsyncIPCProvider(url, read_buffer_limit=LIMIT, request_timeout=60))


async def session(url, job):
    """Runs job(web3) over one connection."""
    web3 = open_web3(url)
    if url.startswith("http"):
        try:
            return await job(web3)
        finally:
            await web3.provider.disconnect()
    async with web3:
        return await job(web3)


async def fetch(web3, numbers, out):
    seen = [0, 0, 0]
    for number in numbers:
        block = await web3.eth.get_block(number, full_transactions=True)
        if out:
            print(block, file=out)
        seen[0] += 1
        seen[1] += len(block["transactions"])
        seen[2] += block["gasUsed"]
    return seen


# A process of the pool keeps its loop and its connection from one slice to the next.
class Worker:
    loop = web3 = None


def work(url, numbers, pretty):
    if Worker.web3 is None:
        Worker.loop = asyncio.new_event_loop()
        Worker.web3 = open_web3(url)
        if not url.startswith("http"):
            Worker.loop.run_until_complete(Worker.web3.provider.connect())
    out = sys.stdout if pretty else None
    seen = Worker.loop.run_until_complete(fetch(Worker.web3, numbers, out))
    if out:
        out.flush()
    return seen


async def head_of(web3):
    return await web3.eth.block_number


async def one(url, last, pretty):
    async def job(web3):
        head = await head_of(web3)
        start = time.perf_counter()
        seen = await fetch(web3, range(head - last + 1, head + 1), sys.stdout if pretty else None)
        sys.stdout.flush()
        return seen, time.perf_counter() - start

    return await session(url, job)


def pool(url, last, workers, pretty):
    head = asyncio.run(session(url, head_of))
    first = head - last + 1
    slices = [range(i, min(i + SLICE, head + 1)) for i in range(first, head + 1, SLICE)]
    context = multiprocessing.get_context("fork")
    start = time.perf_counter()
    with concurrent.futures.ProcessPoolExecutor(workers, mp_context=context) as executor:
        parts = executor.map(work, itertools.repeat(url), slices, itertools.repeat(pretty))
        seen = [sum(column) for column in zip(*parts)]
        took = time.perf_counter() - start
    return seen, took


def main():
    url, last, workers, form = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    pretty = form == "pretty"
    seen, took = asyncio.run(one(url, last, pretty)) if workers == 1 else pool(url, last, workers, pretty)
    report = {"seconds": round(took, 6), "blocks": seen[0], "transactions": seen[1], "gas": seen[2]}
    print(json.dumps(report), file=sys.stderr)


if __name__ == "__main__":
    main()
