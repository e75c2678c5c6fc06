//! The tables that are printed.

use crate::contender::Contender;
use bench_shared::Table;

/// Prints the tables of the median nanoseconds per call, in the order of [`Contender::ALL`].
pub(crate) fn print(medians: &[f64]) {
    let of = |wanted| {
        let mut all = Contender::ALL.into_iter().zip(medians);
        all.find_map(|(contender, nanos)| (contender == wanted).then_some(*nanos))
            .unwrap_or(f64::NAN)
    };
    let (plain, boxed) = (of(Contender::HandPlain), of(Contender::HandBoxed));
    let mut table = Table::new([
        "`add(a, b)` by name",
        "CPU ns a call",
        "to the plain map",
        "to the map of futures",
    ]);
    for contender in Contender::WHOLE {
        let nanos = of(contender);
        table.row([
            contender.title().to_owned(),
            format!("{nanos:.0}"),
            format!("{:.2}", nanos / plain),
            format!("{:.2}", nanos / boxed),
        ]);
    }
    println!("{table}");
    let typed = of(Contender::Typed);
    let mut table = Table::new(["around ours, typed", "CPU ns a call", "of it added"]);
    for contender in Contender::AROUND {
        let nanos = of(contender);
        table.row([
            contender.title().to_owned(),
            format!("{nanos:.0}"),
            format!("{:.0}", nanos - typed),
        ]);
    }
    let clone = of(Contender::RmcpContext);
    println!("{table}\nOf rmcp's, {clone:.0} ns are the clone of the request's context.");
}
