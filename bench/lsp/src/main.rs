//! The language server, measured: how soon it answers, and has findings, while a long document is
//! edited a hundred times a second.

mod document;
mod drive;
mod method;
mod options;
mod server;
mod table;

use bench_shared::Failure;

fn main() -> Result<(), Failure> {
    let options = options::Options::of_process()?;
    let document = document::document(options.lines);
    println!(
        "a document of {} lines, {} edits a second for {} s\n",
        document.len(),
        options.rate,
        options.seconds
    );
    table::print(drive::drive(&options, &document)?);
    Ok(())
}
