//! Built-in tools, measured: `readFile` beside `std::fs::read_to_string`, `listDirectory` beside
//! `find`.

mod list;
mod options;
mod read;
mod scratch;
mod table;
mod tool;

use options::Command;

/// Why nothing was measured.
type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    match options::parse(std::env::args().skip(1))? {
        Command::List { folder } => list::drive(&folder),
        Command::Measure(options) => {
            read::measure(&options)?;
            list::measure(&options)
        }
    }
}
