//! A report as aligned text.

use super::{ArmReport, Comparison, ExperimentReport, interval_text, notes};
use crate::figure::{Figure, UNKNOWN, difference_text, value_text};
use agent_runtime::spec::terminal;

/// The maximum length of a line.
const WIDTH: usize = 100;

/// The figures of the second table of arms.
pub(super) const SPENT: [Figure; 6] = [
    Figure::InputTokens,
    Figure::OutputTokens,
    Figure::Cost,
    Figure::LatencyP50,
    Figure::LatencyP90,
    Figure::LatencyP99,
];

type Row = Vec<String>;

pub(super) fn table(report: &ExperimentReport) -> String {
    let mut text = wrapped(&format!("{}: {}", report.agent, headline(report)));
    text.push('\n');
    let mut rows = vec![row([
        "arm",
        "runs",
        "success",
        "95% interval",
        "errors",
        "calls",
        "failed calls",
    ])];
    rows.extend(report.arms.iter().map(outcomes));
    text.push_str(&aligned(&rows));
    text.push('\n');
    let mut rows = vec![row(
        std::iter::once("each run").chain(SPENT.map(Figure::label))
    )];
    rows.extend(report.arms.iter().map(spending));
    text.push_str(&aligned(&rows));
    for pair in &report.comparisons {
        text.push_str(&format!("\n{} - {}\n", pair.other, pair.base));
        text.push_str(&differences(report, pair));
    }
    let starred = report.comparisons.iter().flat_map(|pair| pair.estimates);
    if starred.flatten().any(|estimate| estimate.excludes_zero()) {
        text.push_str("\n* the interval leaves out 0\n");
    }
    for (at, note) in notes(report).iter().enumerate() {
        text.push_str(if at == 0 { "\n" } else { "" });
        text.push_str(&wrapped(note));
    }
    text
}

/// Returns the line with the number of arms, inputs, trials and runs.
pub(super) fn headline(report: &ExperimentReport) -> String {
    let count = |number: usize, one: &str| match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {one}s"),
    };
    format!(
        "{} × {} × {}, {} of {} done",
        count(report.arms.len(), "arm"),
        count(report.inputs.len(), "input"),
        count(report.trials_per_input, "trial"),
        report.trials.len(),
        count(report.planned, "run"),
    )
}

fn row<'a>(cells: impl IntoIterator<Item = &'a str>) -> Row {
    cells.into_iter().map(str::to_owned).collect()
}

/// Formats a figure of an arm for a table.
pub(super) fn cell(arm: &ArmReport, figure: Figure) -> String {
    match arm.figure(figure) {
        Some(estimate) => value_text(figure, estimate.value),
        None => UNKNOWN.to_owned(),
    }
}

fn outcomes(arm: &ArmReport) -> Row {
    let success = arm.figure(Figure::SuccessRate);
    let interval = success.and_then(|success| success.interval);
    vec![
        arm.name.clone(),
        arm.runs.to_string(),
        cell(arm, Figure::SuccessRate),
        interval_text(interval, Figure::SuccessRate, value_text),
        cell(arm, Figure::ErrorRate),
        cell(arm, Figure::ToolCalls),
        cell(arm, Figure::FailedCalls),
    ]
}

fn spending(arm: &ArmReport) -> Row {
    let cells = SPENT.map(|figure| cell(arm, figure));
    std::iter::once(arm.name.clone()).chain(cells).collect()
}

fn differences(report: &ExperimentReport, pair: &Comparison) -> String {
    let mut rows = vec![row(["figure", "difference", "95% interval", ""])];
    for figure in Figure::ALL {
        // A figure that is unknown for both arms gets no line.
        let unknown = |name: &str| {
            report
                .arm(name)
                .is_none_or(|arm| arm.figure(figure).is_none())
        };
        if unknown(&pair.base) && unknown(&pair.other) {
            continue;
        }
        let label = figure.label().to_owned();
        rows.push(match pair.difference(figure) {
            None => vec![label, UNKNOWN.into(), UNKNOWN.into(), String::new()],
            Some(estimate) => vec![
                label,
                difference_text(figure, estimate.value),
                interval_text(estimate.interval, figure, difference_text),
                if estimate.excludes_zero() { "*" } else { "" }.to_owned(),
            ],
        });
    }
    aligned(&rows)
}

/// Formats rows with aligned columns, the first to the left and the others to the right, and a rule below the
/// first row.
fn aligned(rows: &[Row]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |cells: &[String]| {
        let cells = cells.iter().zip(&widths).enumerate();
        let padded = cells.map(|(column, (cell, &width))| match column {
            0 => format!("{cell:width$}"),
            _ => format!("{cell:>width$}"),
        });
        let line = padded.collect::<Vec<_>>().join("  ");
        format!("{}\n", line.trim_end())
    };
    let mut text = String::new();
    for (at, row) in rows.iter().enumerate() {
        text.push_str(&line(row));
        if at == 0 {
            // The column of the marks has no name, and gets no rule.
            let rule = row.iter().zip(&widths);
            let rule: Row = rule
                .map(|(name, width)| "-".repeat(if name.is_empty() { 0 } else { *width }))
                .collect();
            text.push_str(&line(&rule));
        }
    }
    text
}

/// Wraps a text into lines. A word longer than a line is cut, and control characters are replaced, because
/// errors quote foreign texts that could steer a terminal.
fn wrapped(text: &str) -> String {
    let (mut lines, mut length) = (String::new(), 0);
    for word in text.split_whitespace() {
        let letters: Vec<char> = terminal::text(word).chars().collect();
        for piece in letters.chunks(WIDTH) {
            if length > 0 && length + 1 + piece.len() > WIDTH {
                lines.push('\n');
                length = 0;
            } else if length > 0 {
                lines.push(' ');
                length += 1;
            }
            lines.extend(piece);
            length += piece.len();
        }
    }
    lines.push('\n');
    lines
}
