//! A run of two turns with one tool, against one server on 127.0.0.1: how many runs a second, how long
//! each takes, how much memory, and how soon the first piece of a streamed answer is handed on.
//!
//! The server is a process of its own, and so is each contender at each number of runs at a time.

mod contender;
mod drive;
mod first_token;
mod server;
mod table;

use bench_shared::process::note_unpinned;
use bench_shared::{Failure, Options};
use drive::Drive;

/// The amount that is measured.
struct Amount {
    rounds: usize,
    /// The runs at a time, and the runs in all.
    loads: Vec<(usize, usize)>,
}

fn main() -> Result<(), Failure> {
    let mut options = Options::of_process();
    if options.subcommand("serve") {
        return runtime()?.block_on(server::serve());
    }
    if options.subcommand("drive") {
        let drive = Drive {
            contender: options.positional("contender")?,
            at_a_time: options.positional("runs at a time")?,
            runs: options.positional("runs")?,
            base_url: options.positional("base URL")?,
        };
        return runtime()?.block_on(drive::drive(&drive));
    }
    if options.subcommand("first-token") {
        let base_url: String = options.positional("base URL")?;
        return runtime()?.block_on(first_token::measure(&base_url));
    }
    let (rounds, loads) = match options.flag("--quick") {
        true => (1, vec![(1, 200), (64, 2_000)]),
        false => (5, vec![(1, 5_000), (64, 20_000), (1_024, 40_000)]),
    };
    let rounds = options.rounds(rounds)?;
    options.finish()?;
    measure(&Amount { rounds, loads })
}

fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
}

fn measure(amount: &Amount) -> Result<(), Failure> {
    let server = drive::ServerProcess::start()?;
    note_unpinned();
    table::runs(amount, &server)?;
    table::first_token(&server)?;
    Ok(())
}
