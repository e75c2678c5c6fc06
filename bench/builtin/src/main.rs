//! Built-in tools, measured: `readFile` beside `std::fs::read_to_string`, `listDirectory` beside `find`.

mod list;
mod read;
mod scratch;
mod table;
mod tool;

use bench_shared::{Failure, Options};
use std::path::PathBuf;

/// The amount that is measured.
struct Amount {
    rounds: usize,
    /// The size of the file that is read.
    bytes: usize,
    /// The number of folders of 100 entries that are listed.
    folders: usize,
}

fn main() -> Result<(), Failure> {
    let mut options = Options::of_process();
    if options.subcommand("list") {
        return list::drive(&options.positional::<PathBuf>("folder")?);
    }
    let (rounds, bytes, folders) = match options.flag("--quick") {
        true => (1, 100_000, 10),
        false => (21, 10_000_000, 1_000),
    };
    let rounds = options.rounds(rounds)?;
    options.finish()?;
    let amount = Amount {
        rounds,
        bytes,
        folders,
    };
    read::measure(&amount)?;
    list::measure(&amount)
}
