//! What building and checking with us costs, measured beside other tool macros and beside the derives
//! that they are made of.
//!
//! It writes packages with any number of tools, as users of each library would write them, and runs
//! cargo on them. Cargo starts this program in place of each rustc, so that what each rustc used can
//! be told apart.

mod cargo;
mod clean;
mod options;
mod package;
mod subject;
mod table;
mod touch;
mod usage;
mod wrapper;

use bench_shared::Failure;
use options::{Options, Part};
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = wrapper::run_in_place_of_rustc() {
        return code;
    }
    match Options::of_process().and_then(|options| measure(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Measures what was asked for; each table is printed as soon as it is there.
fn measure(options: &Options) -> Result<(), Failure> {
    if options.wants(Part::Clean) {
        let samples = clean::measure(options)?;
        println!("{}", table::clean(&samples));
        if options.crates {
            println!("{}", table::crates(&samples));
        }
    }
    if options.wants(Part::Touch) {
        println!("{}", table::touch(options, &touch::touched(options)?));
    }
    if options.wants(Part::Memory) {
        println!("{}", table::alone(options, &touch::alone(options)?));
    }
    Ok(())
}
