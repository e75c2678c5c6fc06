//! The tables that are printed: medians over rounds in which the contenders take turns.

use crate::contender::{Contender, Failure};
use crate::drive::ask;
use crate::options::Options;

pub(crate) fn print(options: &Options) -> Result<(), Failure> {
    let mut results = vec![Vec::new(); Contender::ALL.len()];
    for _ in 0..options.rounds {
        for (contender, results) in Contender::ALL.into_iter().zip(&mut results) {
            results.push(ask(contender, options.calls)?);
        }
    }
    let medians: Vec<f64> = results.into_iter().map(median).collect();
    let of = |wanted| {
        let mut all = Contender::ALL.into_iter().zip(&medians);
        all.find_map(|(contender, nanos)| (contender == wanted).then_some(*nanos))
            .unwrap_or(f64::NAN)
    };
    let (plain, boxed) = (of(Contender::HandPlain), of(Contender::HandBoxed));
    println!("| `add(a, b)` by name | CPU ns a call | to the plain map | to the map of futures |");
    println!("| --- | ---: | ---: | ---: |");
    for contender in Contender::WHOLE {
        let nanos = of(contender);
        println!(
            "| {} | {nanos:.0} | {:.2} | {:.2} |",
            contender.title(),
            nanos / plain,
            nanos / boxed
        );
    }
    let typed = of(Contender::Typed);
    println!("\n| around ours, typed | CPU ns a call | of it added |");
    println!("| --- | ---: | ---: |");
    for contender in Contender::AROUND {
        let nanos = of(contender);
        println!(
            "| {} | {nanos:.0} | {:.0} |",
            contender.title(),
            nanos - typed
        );
    }
    let clone = of(Contender::RmcpContext);
    println!("\nOf rmcp's, {clone:.0} ns are the clone of the request's context.");
    Ok(())
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}
