//! `add(a, b)`, called by name with JSON text: the CPU time of a call by a map of boxed functions, by our
//! library, by rig's set of tools and by rmcp's router; and the cost of a time limit, of catching panics and
//! of a thread of the blocking pool.
//!
//! Each contender is a process of its own in each round, so that none warms up for another.

mod contender;
mod table;

use bench_shared::process::{note_unpinned, this_program_on_core};
use bench_shared::{Failure, Options, interleaved, median};
use contender::Contender;
use std::process::Stdio;

fn main() -> Result<(), Failure> {
    let mut options = Options::of_process();
    if options.subcommand("drive") {
        return drive(
            options.positional("contender")?,
            options.positional("calls")?,
        );
    }
    let (rounds, calls) = match options.flag("--quick") {
        true => (1, 10_000),
        false => (11, 300_000),
    };
    let rounds = options.rounds(rounds)?;
    options.finish()?;
    note_unpinned();
    let results = interleaved(Contender::ALL, rounds, |contender| {
        measure_in_process(*contender, calls)
    })?;
    let medians: Vec<f64> = results.into_iter().map(median).collect();
    table::print(&medians);
    Ok(())
}

/// Starts a process that makes the calls, and returns the nanoseconds per call.
fn measure_in_process(contender: Contender, calls: u32) -> Result<f64, Failure> {
    let output = this_program_on_core(1)?
        .args(["drive", contender.word(), &calls.to_string()])
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(format!("`{}` failed", contender.word()).into());
    }
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}

/// Makes the calls of one contender, and prints the nanoseconds per call.
fn drive(contender: Contender, calls: u32) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    println!("{}", runtime.block_on(contender.measure(calls))?);
    Ok(())
}
