//! A run of two turns with one tool, against one server on 127.0.0.1: how many runs a second, how long
//! each takes, how much memory, and how soon the first piece of a streamed answer is handed on.
//!
//! The server is a process of its own, and so is each contender at each number of runs at a time.

mod contender;
mod drive;
mod first_token;
mod options;
mod server;
mod table;

use options::{Command, Options};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    match options::parse(std::env::args().skip(1))? {
        Command::Serve => runtime()?.block_on(server::serve()),
        Command::Drive(drive) => runtime()?.block_on(drive::drive(&drive)),
        Command::FirstToken { base_url } => runtime()?.block_on(first_token::measure(&base_url)),
        Command::Measure(options) => measure(&options),
    }
}

fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
}

fn measure(options: &Options) -> Result<(), Box<dyn Error + Send + Sync>> {
    let server = drive::ServerProcess::start()?;
    if !drive::pins() {
        println!("(there is no `taskset`, or one core: the numbers are noisy)\n");
    }
    table::runs(options, &server)?;
    table::first_token(&server)?;
    Ok(())
}
