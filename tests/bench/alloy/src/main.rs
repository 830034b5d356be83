//! fetch-alloy URL LAST WORKERS none|pretty: the job of tests/bench/README.md with Alloy.
use std::io::{BufWriter, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::Instant;

use alloy::consensus::BlockHeader;
use alloy::providers::{DynProvider, IpcConnect, Provider, ProviderBuilder, WsConnect};
use alloy::rpc::types::Block;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// What the runner compares between the programs: all must have seen the same blocks.
#[derive(Default)]
struct Seen {
	blocks: u64,
	transactions: u64,
	gas: u64,
}

impl Seen {
	fn count(&mut self, block: &Block) {
		self.blocks += 1;
		self.transactions += block.transactions.len() as u64;
		self.gas += block.header.gas_used();
	}
}

async fn connect(url: &str) -> Result<DynProvider, Failure> {
	let builder = ProviderBuilder::new().disable_recommended_fillers();
	Ok(if url.starts_with("http") {
		builder.connect_http(url.parse()?).erased()
	} else if url.starts_with("ws") {
		builder.connect_ws(WsConnect::new(url)).await?.erased()
	} else {
		builder.connect_ipc(IpcConnect::new(url.to_string())).await?.erased()
	})
}

async fn block(provider: &DynProvider, number: u64) -> Result<Block, Failure> {
	let found = provider.get_block_by_number(number.into()).full().await?;
	found.ok_or_else(|| format!("block {number}: null").into())
}

async fn one_by_one(provider: &DynProvider, from: u64, to: u64, print: bool) -> Result<Seen, Failure> {
	let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
	let mut seen = Seen::default();
	for number in from..=to {
		let block = block(provider, number).await?;
		if print {
			writeln!(out, "{block:#?}")?;
		}
		seen.count(&block);
	}
	out.flush()?;
	Ok(seen)
}

/// As many tasks as workers, each takes the next number; the runtime spreads them over all cores.
async fn with_workers(provider: &DynProvider, from: u64, to: u64, workers: u64, print: bool) -> Result<Seen, Failure> {
	let next = Arc::new(AtomicU64::new(from));
	let mut tasks = Vec::new();
	for _ in 0..workers {
		let (provider, next) = (provider.clone(), next.clone());
		tasks.push(tokio::spawn(async move {
			let mut seen = Seen::default();
			loop {
				let number = next.fetch_add(1, Ordering::Relaxed);
				if number > to {
					return Ok::<_, Failure>(seen);
				}
				let block = block(&provider, number).await?;
				if print {
					let text = format!("{block:#?}\n");
					std::io::stdout().lock().write_all(text.as_bytes())?;
				}
				seen.count(&block);
			}
		}));
	}
	let mut all = Seen::default();
	for task in tasks {
		let seen = task.await??;
		all.blocks += seen.blocks;
		all.transactions += seen.transactions;
		all.gas += seen.gas;
	}
	Ok(all)
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
	let args: Vec<String> = std::env::args().collect();
	let [_, url, last, workers, format] = &args[..] else {
		return Err("usage: fetch-alloy URL LAST WORKERS none|pretty".into());
	};
	let (last, workers): (u64, u64) = (last.parse()?, workers.parse()?);
	let print = format == "pretty";
	let provider = connect(url).await?;
	let head = provider.get_block_number().await?;
	let from = head + 1 - last;

	let start = Instant::now();
	let seen = if workers == 1 {
		one_by_one(&provider, from, head, print).await?
	} else {
		with_workers(&provider, from, head, workers, print).await?
	};
	eprintln!(
		"{{\"seconds\":{:.6},\"blocks\":{},\"transactions\":{},\"gas\":{}}}",
		start.elapsed().as_secs_f64(),
		seen.blocks,
		seen.transactions,
		seen.gas
	);
	Ok(())
}
