//! What a reader must know to read the figures right.

use super::ExperimentReport;
use crate::experiment::figure::Figure;
use std::collections::BTreeSet;
use std::error::Error as StdError;

/// With fewer inputs the intervals hold the true value less often than they say.
const FEW_INPUTS: usize = 10;

/// How much of an error is quoted.
const QUOTED: usize = 200;

/// The notes, one a sentence or two.
pub(super) fn notes(report: &ExperimentReport) -> Vec<String> {
    let mut notes = Vec::new();
    let (done, planned) = (report.trials.len(), report.planned);
    if !report.is_complete() {
        notes.push(format!(
            "The experiment was cancelled after {done} of {planned} runs; the figures are of these."
        ));
    }
    let inputs: BTreeSet<&str> = report
        .trials
        .iter()
        .map(|trial| report.inputs[trial.input].as_str())
        .collect();
    match inputs.len() {
        0 => {}
        1 => notes.push(
            "There are no intervals: how far other inputs would differ, a single one cannot say."
                .to_owned(),
        ),
        few if few < FEW_INPUTS => notes.push(format!(
            "{few} inputs are few: the intervals are likely to be too narrow. More inputs help, \
             more trials of these hardly."
        )),
        _ => {}
    }
    if inputs.len() > 1 && lacks_latency_interval(report) {
        notes.push(
            "A latency has an interval when five answers took longer: p50 from 10 answers on, p90 \
             from 50, p99 from 500."
                .to_owned(),
        );
    }
    for (at, arm) in report.arms.iter().enumerate() {
        let trials = || report.trials.iter().filter(move |trial| trial.arm == at);
        if let Some(error) = trials().find_map(|trial| trial.answer.as_ref().err()) {
            let failed = arm.runs - arm.answered;
            let (name, all, error) = (&arm.name, arm.runs, quoted(error));
            notes.push(match (failed, all) {
                (1, 1) => format!("{name}: the only run failed: {error}"),
                (1, _) => format!("{name}: 1 of {all} runs failed: {error}"),
                _ => {
                    format!("{name}: {failed} of {all} runs failed, the first of them so: {error}")
                }
            });
        }
        let wrong = trials().find_map(|trial| trial.score.as_ref()?.as_ref().err());
        if let Some(error) = wrong {
            let (name, unscored, all, error) =
                (&arm.name, arm.unscored, arm.answered, quoted(error));
            notes.push(match (unscored, all) {
                (1, 1) => format!("{name}: the only answer could not be scored: {error}"),
                (1, _) => format!(
                    "{name}: 1 of {all} answers could not be scored and does not count for the \
                     success rate: {error}"
                ),
                _ => format!(
                    "{name}: {unscored} of {all} answers could not be scored and do not count for \
                     the success rate, the first of them so: {error}"
                ),
            });
        }
    }
    notes.extend(prices(report));
    notes
}

fn lacks_latency_interval(report: &ExperimentReport) -> bool {
    let latencies = Figure::ALL.into_iter().filter(|it| it.quantile().is_some());
    let estimates =
        latencies.flat_map(|it| report.arms.iter().filter_map(move |arm| arm.figure(it)));
    estimates
        .into_iter()
        .any(|estimate| estimate.interval.is_none())
}

/// Which models have no price, when others have one.
fn prices(report: &ExperimentReport) -> Option<String> {
    let priced = |figure: Figure| report.arms.iter().any(|arm| arm.figure(figure).is_some());
    if !priced(Figure::Cost) {
        return None;
    }
    let without = report.arms.iter().filter(|arm| arm.cost.is_none());
    let names: Vec<&str> = without.map(|arm| &*arm.name).collect();
    (!names.is_empty()).then(|| {
        format!(
            "What {} cost is not known: a model that was asked has no price, or its provider did \
             not say how many tokens there were.",
            names.join(" and ")
        )
    })
}

/// An error and what caused it.
pub(super) fn chain(error: &dyn StdError) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

/// The same on one line, cut when it is long.
fn quoted(error: &dyn StdError) -> String {
    let text = chain(error);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
