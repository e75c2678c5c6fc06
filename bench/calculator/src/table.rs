//! The table that is printed.

use crate::subject::{SHORT, Subject};
use bench_shared::Table;

/// Prints the table of the median nanoseconds, in the order of [`Subject::ALL`].
pub(crate) fn print(medians: &[f64]) {
    let of = |wanted| {
        let mut all = Subject::ALL.into_iter().zip(medians);
        all.find_map(|(subject, nanos)| (subject == wanted).then_some(*nanos))
            .unwrap_or(f64::NAN)
    };
    let nothing = of(Subject::Nothing);
    let limit = of(Subject::NothingLimited) - of(Subject::NothingBare);
    let [short, long] = SHORT;
    let mut table = Table::new(["", "CPU ns", "may take", "of that", "to the first"]);
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
        table.row([
            title,
            format!("{nanos:.0}"),
            format!("{most:.0}"),
            format!("{share:.1} %"),
            format!("{ratio:.2}"),
        ]);
    }
    print!("{table}");
}
