//! Reading and printing gram, measured beside other readers of the same data, and held against the
//! claim that the time a text takes grows with its length and with nothing else.

mod data;
mod document;
mod input;
mod measure;
mod memory;
mod rows;
mod scaling;
mod table;
mod verify;

use input::Input;
use rows::ROWS;
use std::io::Write;
use std::process::ExitCode;

/// How often each row is measured, when nothing else is asked for.
const ROUNDS: usize = 31;

const USAGE: &str = "usage: bench-gram [--rounds N] [--skip-rows | --skip-scaling]
       bench-gram --write gram|json|patterns
       bench-gram --only ROW < INPUT";

/// What the arguments ask for.
enum Request {
    /// Measure, and print the tables.
    Measure {
        rounds: usize,
        rows: bool,
        scaling: bool,
    },
    /// Print one of the inputs.
    Write(String),
    /// Run one row once on the text of standard input, and print how much memory it took.
    Only(String),
}

fn main() -> ExitCode {
    let done = match request(std::env::args().skip(1)) {
        Some(Request::Measure {
            rounds,
            rows,
            scaling,
        }) => measure_all(rounds, rows, scaling),
        Some(Request::Write(form)) => write_input(&form),
        Some(Request::Only(name)) => memory::run_alone(&name),
        None => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// Reads the arguments; `None` when they make no sense.
fn request(mut arguments: impl Iterator<Item = String>) -> Option<Request> {
    let (mut rounds, mut rows, mut scaling) = (ROUNDS, true, true);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--rounds" => {
                rounds = arguments
                    .next()?
                    .parse()
                    .ok()
                    .filter(|rounds| *rounds > 0)?
            }
            "--skip-rows" => rows = false,
            "--skip-scaling" => scaling = false,
            "--write" => return arguments.next().map(Request::Write),
            "--only" => return arguments.next().map(Request::Only),
            _ => return None,
        }
    }
    Some(Request::Measure {
        rounds,
        rows,
        scaling,
    })
}

fn measure_all(rounds: usize, rows: bool, scaling: bool) -> Result<(), String> {
    if rows {
        let input = Input::generate()?;
        println!("{}\n", verify::verify(&input)?);
        let samples = measure::interleaved(&input, rounds);
        let peaks: Vec<_> = ROWS
            .iter()
            .map(|row| memory::peak_in_child(row, &input))
            .collect();
        println!("{}", table::rows(&input, &samples, &peaks));
    }
    if scaling {
        println!("{}", table::scaling(&scaling::measure()));
    }
    Ok(())
}

fn write_input(form: &str) -> Result<(), String> {
    let input = Input::generate()?;
    let text = match form {
        "gram" => &input.gram,
        "json" => &input.json,
        "patterns" => &input.patterns_json,
        _ => return Err(USAGE.to_owned()),
    };
    std::io::stdout()
        .write_all(text.as_bytes())
        .map_err(|error| format!("cannot write: {error}"))
}
