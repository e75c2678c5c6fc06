//! The language server, measured: how soon it answers, and has findings, while a long document is
//! edited a hundred times a second.

mod document;
mod drive;
mod method;
mod options;
mod server;
mod table;

/// Why nothing was measured.
type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let options = options::parse(std::env::args().skip(1))?;
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
