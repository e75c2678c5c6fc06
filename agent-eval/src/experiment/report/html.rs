//! A report as a page that needs nothing else: no network, no script.

use super::figures_text::{UNKNOWN, difference_text, interval_text, value_text};
use super::notes::notes;
use super::plot::{Axis, Row, intervals, latencies};
use super::table::{SPENT, cell, headline};
use super::xml::escaped;
use super::{ArmReport, Comparison, Estimate, ExperimentReport, Interval};
use crate::experiment::bootstrap::RESAMPLES;
use crate::experiment::figure::Figure;
use std::fmt::Write;

/// The figures of the first table of arms.
const OUTCOMES: [Figure; 4] = [
    Figure::SuccessRate,
    Figure::ErrorRate,
    Figure::ToolCalls,
    Figure::FailedCalls,
];

/// How many letters fit before a plot.
const ONE_ROW: usize = 32;

impl ExperimentReport {
    /// The report as a page with plots, in one file, light or dark as the reader's system is. All
    /// texts are escaped; the page runs no script and loads nothing.
    #[must_use]
    pub fn to_html(&self) -> String {
        let mut body = format!(
            "<h1>{}</h1>\n<p>{}</p>\n",
            escaped(&self.agent),
            escaped(&headline(self)),
        );
        let notes = notes(self);
        if !notes.is_empty() {
            let items = notes
                .iter()
                .map(|note| format!("<li>{}</li>", escaped(note)));
            _ = writeln!(body, "<ul>{}</ul>", items.collect::<String>());
        }
        body.push_str(&self.arms_html());
        for section in self.plots() {
            body.push_str(&section);
        }
        for pair in &self.comparisons {
            body.push_str(&self.pair_html(pair));
        }
        _ = writeln!(
            body,
            "<p class=\"faint\">Intervals are of 95%, by bootstrap: {RESAMPLES} times as many inputs as \
             there are were drawn, each with all its runs, from seed {}. Of many figures one in twenty \
             differs by chance alone.</p>",
            self.seed,
        );
        let style = include_str!("page.css");
        let title = escaped(&format!("{}: experiment", self.agent));
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
             <title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
        )
    }

    fn arms_html(&self) -> String {
        let head = [
            "arm",
            "model",
            "runs",
            "success",
            "errors",
            "calls",
            "failed calls",
        ];
        let outcomes = self.arms.iter().map(|arm| {
            let mut cells = vec![
                arm.name.clone(),
                arm.model.to_string(),
                arm.runs.to_string(),
            ];
            cells.extend(OUTCOMES.map(|figure| cell(arm, figure)));
            (cells, false)
        });
        let outcomes = table_html(&head, outcomes);
        let head: Vec<&str> = std::iter::once("each run")
            .chain(SPENT.map(Figure::label))
            .collect();
        let spending = self.arms.iter().map(|arm| {
            let cells = SPENT.map(|figure| cell(arm, figure));
            (
                std::iter::once(arm.name.clone()).chain(cells).collect(),
                false,
            )
        });
        let spending = table_html(&head, spending);
        let note = "<p class=\"faint\">Calls, tokens and cost are those of one run; p50, p90 and p99 are \
                    the times in which that share of the answers came.</p>\n";
        format!("<h2>The arms</h2>\n{outcomes}{spending}{note}")
    }

    fn pair_html(&self, pair: &Comparison) -> String {
        let rows = Figure::ALL.into_iter().filter_map(|figure| {
            let cell = |name: &str| self.arm(name).map(|arm| cell(arm, figure));
            let (base, other) = (cell(&pair.base)?, cell(&pair.other)?);
            let mut cells = vec![figure.label().to_owned(), base, other];
            let difference = pair.difference(figure);
            let text = difference.map(|it| difference_text(figure, it.value));
            cells.push(text.unwrap_or_else(|| UNKNOWN.to_owned()));
            let interval = difference.and_then(|it| it.interval);
            cells.push(interval_text(interval, figure, difference_text));
            Some((cells, difference.is_some_and(|it| it.excludes_zero())))
        });
        let head = ["", &*pair.base, &*pair.other, "difference", "95% interval"];
        format!(
            "<h2>{} beside {}</h2>\n{}",
            escaped(&pair.other),
            escaped(&pair.base),
            table_html(&head, rows)
        )
    }

    fn plots(&self) -> Vec<String> {
        let rate = |share: f64| value_text(Figure::SuccessRate, share).replace(".0 %", " %");
        let mut sections = vec![section(
            "Success rate",
            "A dot is the mean score of an arm, the line its interval.",
            &intervals(
                "Success rate of each arm, with its interval",
                &self.rows(Figure::SuccessRate),
                &Axis::between(0.0, 1.0, rate),
            ),
        )];
        if !self.comparisons.is_empty() {
            sections.push(self.success_differences());
        }
        if self.arms.iter().any(|arm| arm.answered > 0) {
            sections.push(self.latency_section());
        }
        let has_cost = |arm: &ArmReport| arm.figure(Figure::Cost).is_some_and(|it| it.value > 0.0);
        if self.arms.iter().any(has_cost) {
            sections.extend(self.spending(Figure::Cost, "Cost of a run"));
        } else {
            sections.extend(self.spending(Figure::InputTokens, "Tokens sent in a run"));
            sections.extend(self.spending(Figure::OutputTokens, "Tokens written in a run"));
        }
        sections
    }

    fn success_differences(&self) -> String {
        let figure = Figure::SuccessRate;
        let mut rows = Vec::new();
        for pair in &self.comparisons {
            let estimate = pair.difference(figure);
            let text = estimate.map(|it| difference_text(figure, it.value));
            let text = text.unwrap_or_else(|| UNKNOWN.to_owned());
            let both = format!("{} - {}", pair.other, pair.base);
            if both.chars().count() <= ONE_ROW {
                rows.push(Row::new(both, estimate, text));
            } else {
                rows.push(Row::new(format!("{} -", pair.other), estimate, text));
                rows.push(Row::new(pair.base.clone(), None, String::new()));
            }
        }
        let shown = rows.iter().filter_map(|row| row.estimate);
        let axis = Axis::over(shown.flat_map(ends), move |value| {
            difference_text(figure, value).replace(".0 pp", " pp")
        });
        section(
            "Difference of the success rates",
            "An interval that leaves out 0 is hardly chance.",
            &intervals("Difference of the success rates of each pair", &rows, &axis),
        )
    }

    fn latency_section(&self) -> String {
        let seconds = self
            .arms
            .iter()
            .flat_map(|arm| arm.latencies.last().copied());
        let axis = Axis::over(seconds, |seconds| value_text(Figure::LatencyP50, seconds));
        section(
            "Latency",
            "A faint dot is an answer; half of them came by the full dot (the time beside it), nine of \
             ten by the diamond, 99 of 100 by the stroke.",
            &latencies("Latency of the answers of each arm", &self.arms, &axis),
        )
    }

    /// A plot of what a run takes, unless no arm takes any.
    fn spending(&self, figure: Figure, title: &str) -> Option<String> {
        let estimates = self.arms.iter().filter_map(|arm| arm.figure(figure));
        let values: Vec<f64> = estimates.flat_map(ends).collect();
        if values.iter().all(|value| *value == 0.0) {
            return None;
        }
        let axis = Axis::over(values, move |value| value_text(figure, value));
        let plot = intervals(title, &self.rows(figure), &axis);
        Some(section(
            title,
            "A dot is the mean of an arm, the line its interval.",
            &plot,
        ))
    }

    fn rows(&self, figure: Figure) -> Vec<Row> {
        let row =
            |arm: &ArmReport| Row::new(arm.name.clone(), arm.figure(figure), cell(arm, figure));
        self.arms.iter().map(row).collect()
    }
}

/// The number and the ends of its interval.
fn ends(estimate: Estimate) -> impl Iterator<Item = f64> {
    let interval = estimate.interval;
    let ends = interval.map(|Interval { low, high }| [low, high]);
    std::iter::once(estimate.value).chain(ends.into_iter().flatten())
}

fn section(title: &str, legend: &str, plot: &str) -> String {
    format!("<h2>{title}</h2>\n<p class=\"faint\">{legend}</p>\n{plot}\n")
}

/// A table; rows that are marked stand out.
fn table_html(head: &[&str], rows: impl Iterator<Item = (Vec<String>, bool)>) -> String {
    let head = head
        .iter()
        .map(|cell| format!("<th>{}</th>", escaped(cell)));
    let mut html = format!(
        "<div class=\"wide\"><table>\n<thead><tr>{}</tr></thead>\n<tbody>\n",
        head.collect::<String>()
    );
    for (cells, marked) in rows {
        html.push_str(if marked {
            "<tr class=\"sure\">"
        } else {
            "<tr>"
        });
        for (at, cell) in cells.iter().enumerate() {
            let tag = if at == 0 { "th" } else { "td" };
            _ = write!(html, "<{tag}>{}</{tag}>", escaped(cell));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody>\n</table></div>\n");
    html
}
