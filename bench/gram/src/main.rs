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

use bench_shared::{Failure, Options};
use input::Input;
use rows::ROWS;
use std::io::Write;

fn main() -> Result<(), Failure> {
    let mut options = Options::of_process();
    if let Some(form) = options.value::<String>("--write")? {
        return write_input(&form);
    }
    if let Some(row) = options.value::<String>("--only")? {
        return memory::run_alone(&row);
    }
    let rounds = options.rounds(31)?;
    let (rows, scaling) = (
        !options.flag("--skip-rows"),
        !options.flag("--skip-scaling"),
    );
    options.finish()?;
    measure_all(rounds, rows, scaling)
}

fn measure_all(rounds: usize, rows: bool, scaling: bool) -> Result<(), Failure> {
    if rows {
        let input = Input::generate()?;
        println!("{}\n", verify::verify(&input)?);
        let samples = measure::medians(&input, rounds)?;
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

fn write_input(form: &str) -> Result<(), Failure> {
    let input = Input::generate()?;
    let text = match form {
        "gram" => &input.gram,
        "json" => &input.json,
        "patterns" => &input.patterns_json,
        _ => return Err("--write needs gram, json or patterns".into()),
    };
    Ok(std::io::stdout().write_all(text.as_bytes())?)
}
