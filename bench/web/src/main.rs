//! Many streams of a web server: agent-web with a journal beside a proxy that passes the model's bytes on.

mod client;
mod load;
mod model;
mod server;

use bench_shared::process::note_unpinned;
use bench_shared::{Failure, Options, Table, interleaved, median};
use load::{Load, Measured};
use server::Contender;
use std::time::Duration;

fn main() -> Result<(), Failure> {
    let mut options = Options::of_process();
    if options.subcommand("serve") {
        let contender: Contender = options.positional("contender")?;
        let base_url: String = options.positional("base URL")?;
        return runtime()?.block_on(server::serve(contender, &base_url));
    }
    let is_quick = options.flag("--quick");
    let rounds = options.rounds(1)?;
    let seconds = options.value("--seconds")?;
    options.finish()?;
    let answer = Duration::from_secs(seconds.unwrap_or(if is_quick { 2 } else { 20 }));
    let loads = match is_quick {
        true => vec![Load::new(40, 5, answer), Load::new(10, 50, answer)],
        false => vec![Load::new(1_000, 5, answer), Load::new(100, 50, answer)],
    };
    note_unpinned();
    let runtime = runtime()?;
    let mut table = Table::with_labels(2, HEADS);
    for load in loads {
        let results = interleaved(Contender::ALL, rounds, |contender| {
            runtime.block_on(load.measure(*contender))
        })?;
        for (contender, results) in Contender::ALL.into_iter().zip(&results) {
            table.row(row(&load, contender, results));
        }
    }
    println!("{table}");
    Ok(())
}

fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
}

const HEADS: [&str; 9] = [
    "streams × pieces/s",
    "",
    "pieces",
    "answers asked for again",
    "% of a core",
    "CPU µs a piece",
    "kB a stream",
    "p50 µs",
    "p99 µs",
];

fn row(load: &Load, contender: Contender, results: &[Measured]) -> [String; 9] {
    let of = |value: fn(&Measured) -> f64| median(results.iter().map(value));
    [
        format!("{} × {}", load.streams, load.per_second),
        contender.word().to_owned(),
        format!("{:.0}", of(|measured| measured.pieces as f64)),
        format!("{:.0}", of(|measured| measured.repeated as f64)),
        format!("{:.0}", of(|measured| measured.core_share * 100.0)),
        format!("{:.1}", of(|measured| measured.cpu_micros)),
        format!("{:.1}", of(|measured| measured.stream_bytes / 1_024.0)),
        format!("{:.0}", of(|measured| measured.p50)),
        format!("{:.0}", of(|measured| measured.p99)),
    ]
}
