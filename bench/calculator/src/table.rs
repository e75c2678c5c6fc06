//! The table.

use crate::subject::{SHORT, Subject};
use std::error::Error;

pub(crate) async fn print(rounds: usize, calls: u32) -> Result<(), Box<dyn Error>> {
    let mut results = vec![Vec::new(); Subject::ALL.len()];
    for _ in 0..rounds {
        for (subject, results) in Subject::ALL.into_iter().zip(&mut results) {
            results.push(subject.measure(calls).await?);
        }
    }
    let medians: Vec<f64> = results.into_iter().map(median).collect();
    let of = |wanted| {
        let mut all = Subject::ALL.into_iter().zip(&medians);
        all.find_map(|(subject, nanos)| (subject == wanted).then_some(*nanos))
            .unwrap_or(f64::NAN)
    };
    let nothing = of(Subject::Nothing);
    let limit = of(Subject::NothingLimited) - of(Subject::NothingBare);
    let [short, long] = SHORT;
    println!("| | CPU ns | may take | of that | to the first |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    for (title, nanos, most) in [
        (
            "a tool that does nothing, a whole call".to_owned(),
            nothing,
            5_000.0,
        ),
        ("its time limit alone".to_owned(), limit, 1_000.0),
        (
            format!("`{short}`, a whole call"),
            of(Subject::Call(0)),
            20_000.0,
        ),
        (
            format!("`{long}`, a whole call"),
            of(Subject::Call(1)),
            20_000.0,
        ),
        (
            format!("`{short}`, the function"),
            of(Subject::Function(0)),
            20_000.0,
        ),
        (
            format!("`{long}`, the function"),
            of(Subject::Function(1)),
            20_000.0,
        ),
        (
            "the longest expression, the function".to_owned(),
            of(Subject::Longest),
            1e9,
        ),
        (
            "a tool of a closure and two schemas, a whole call".to_owned(),
            of(Subject::MadeCalled),
            5_000.0,
        ),
        (
            "making that tool".to_owned(),
            of(Subject::Made),
            1_000_000.0,
        ),
    ] {
        let (share, ratio) = (nanos / most * 100.0, nanos / nothing);
        println!("| {title} | {nanos:.0} | {most:.0} | {share:.1} % | {ratio:.2} |");
    }
    Ok(())
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}
