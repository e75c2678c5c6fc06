//! What a short expression takes, all in, and what the call of a tool takes beside the tool.
//!
//! Everything takes turns in one process on one thread; the median of the rounds counts.

mod clock;
mod subject;
mod table;

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let (rounds, calls) = match std::env::args().nth(1).as_deref() {
        None => (15, 20_000),
        Some("--quick") => (1, 200),
        Some(other) => return Err(format!("unknown word `{other}`; see README.md").into()),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    runtime.block_on(table::print(rounds, calls))
}
