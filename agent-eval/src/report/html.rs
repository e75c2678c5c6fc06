//! A report as a page with plots in SVG, which needs no network and no script.

use super::table::{SPENT, cell, headline};
use super::{ArmReport, Comparison, ExperimentReport, interval_text, notes};
use crate::figure::{Figure, UNKNOWN, difference_text, value_text};
use crate::statistics::{Estimate, Interval, RESAMPLES};
use crate::trial::Trial;
use agent_runtime::spec::terminal::controls_terminal;
use std::fmt::Write;

/// The figures of the first table of arms.
const OUTCOMES: [Figure; 4] = [
    Figure::SuccessRate,
    Figure::ErrorRate,
    Figure::ToolCalls,
    Figure::FailedCalls,
];

/// The number of inputs whose answers the page shows. A page with more opens slowly.
const SHOWN_INPUTS: usize = 200;

/// The number of characters of an answer that the page shows.
const SHOWN_CHARACTERS: usize = 2_000;

/// The number of letters that fit before a plot.
const LABEL: usize = 32;

impl ExperimentReport {
    /// Returns the report as a page with plots, in one file, light or dark as the reader's system is. All texts
    /// are escaped; the page runs no script and loads nothing.
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
        body.push_str(&self.answers_html());
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

    /// Returns the first answers of all arms to each input, side by side.
    fn answers_html(&self) -> String {
        let mut first = vec![vec![None; self.arms.len()]; self.inputs.len()];
        for trial in self.trials.iter().rev() {
            first[trial.input][trial.arm] = Some(trial);
        }
        let head = self
            .arms
            .iter()
            .map(|arm| format!("<th>{}</th>", escaped(&arm.name)));
        let mut html = format!(
            "<h2>The answers</h2>\n<div class=\"wide\"><table class=\"answers\">\n<thead><tr><th>input</th>{}</tr></thead>\n<tbody>\n",
            head.collect::<String>()
        );
        for (input, trials) in self.inputs.iter().zip(&first).take(SHOWN_INPUTS) {
            _ = write!(html, "<tr><th>{}</th>", escaped(&cut(&self.masked(input))));
            for trial in trials {
                let cell = trial.map_or_else(String::new, |trial| self.answer_html(trial));
                _ = write!(html, "<td>{cell}</td>");
            }
            html.push_str("</tr>\n");
        }
        html.push_str("</tbody>\n</table></div>\n");
        if self.inputs.len() > SHOWN_INPUTS {
            _ = writeln!(
                html,
                "<p class=\"faint\">The first {SHOWN_INPUTS} of {} inputs; the JSON has all.</p>",
                self.inputs.len()
            );
        }
        html
    }

    fn answer_html(&self, trial: &Trial) -> String {
        let score = match (&trial.answer, &trial.score) {
            (Err(_), _) => "error".to_owned(),
            (Ok(_), Some(Ok(score))) => value_text(Figure::SuccessRate, score.value()),
            (Ok(_), _) => "not scored".to_owned(),
        };
        let cost = trial
            .cost
            .map(|cost| format!(" · {}", value_text(Figure::Cost, cost)));
        format!(
            "<p>{}</p><p class=\"faint\">{score} · {}{}</p>",
            escaped(&cut(&self.answer_text(trial))),
            value_text(Figure::LatencyP50, trial.latency.as_secs_f64()),
            cost.unwrap_or_default()
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
            if both.chars().count() <= LABEL {
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

    /// Returns a plot of the tokens or the cost per run, unless all values are 0.
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

/// Cuts a text that is long for a table.
fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns the number and the bounds of its interval.
fn ends(estimate: Estimate) -> impl Iterator<Item = f64> {
    let interval = estimate.interval;
    let ends = interval.map(|Interval { low, high }| [low, high]);
    std::iter::once(estimate.value).chain(ends.into_iter().flatten())
}

fn section(title: &str, legend: &str, plot: &str) -> String {
    format!("<h2>{title}</h2>\n<p class=\"faint\">{legend}</p>\n{plot}\n")
}

/// Returns a table, in which marked rows are bold.
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

/// The widths of the names, of the plot, and of the values beside it, in the units of the SVG.
const NAMES: f64 = 240.0;
const PLOT: f64 = 430.0;
const VALUES: f64 = 110.0;
const ROW: f64 = 32.0;
const AXIS: f64 = 34.0;

/// The maximum number of answers of an arm that are shown as dots. More could not be distinguished.
const DOTS: usize = 150;

/// The approximate number of values below the axis.
const TICKS: f64 = 5.0;

/// The range of a plot, and the format of its values.
struct Axis {
    low: f64,
    high: f64,
    text: Box<dyn Fn(f64) -> String>,
}

impl Axis {
    /// Creates an axis that includes these values and 0.
    fn over(values: impl IntoIterator<Item = f64>, text: impl Fn(f64) -> String + 'static) -> Self {
        let (mut low, mut high) = (0.0_f64, 0.0_f64);
        for value in values {
            low = low.min(value);
            high = high.max(value);
        }
        if low == high {
            high = 1.0;
        }
        Self::between(low, high, text)
    }

    fn between(low: f64, high: f64, text: impl Fn(f64) -> String + 'static) -> Self {
        Self {
            low,
            high,
            text: Box::new(text),
        }
    }

    fn place(&self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        NAMES + share.clamp(0.0, 1.0) * PLOT
    }

    /// Returns round values within the axis, about [`TICKS`].
    fn ticks(&self) -> Vec<f64> {
        let rough = (self.high - self.low) / TICKS;
        let power = 10_f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
        let step = steps.into_iter().find(|step| *step >= rough * 0.999);
        let step = step.unwrap_or(rough);
        let (first, last) = (self.low / step, self.high / step);
        let counts = (first - 1e-6).ceil() as i64..=(last + 1e-6).floor() as i64;
        counts.map(|count| count as f64 * step).collect()
    }
}

/// A row of a plot: a name, a number with its interval, and the number as text.
struct Row {
    name: String,
    estimate: Option<Estimate>,
    text: String,
}

impl Row {
    const fn new(name: String, estimate: Option<Estimate>, text: String) -> Self {
        Self {
            name,
            estimate,
            text,
        }
    }
}

/// Returns a plot with a dot for each number and a line for its interval.
fn intervals(title: &str, rows: &[Row], axis: &Axis) -> String {
    let mut marks = String::new();
    for (at, row) in rows.iter().enumerate() {
        let y = middle(at);
        marks.push_str(&words(&row.name, &row.text, y));
        let Some(estimate) = row.estimate else {
            continue;
        };
        if let Some(interval) = estimate.interval {
            let (low, high) = (axis.place(interval.low), axis.place(interval.high));
            _ = write!(
                marks,
                r#"<path class="range" d="M{low:.1} {y}H{high:.1}M{low:.1} {}v10M{high:.1} {}v10"/>"#,
                y - 5.0,
                y - 5.0,
            );
        }
        let x = axis.place(estimate.value);
        _ = write!(
            marks,
            r#"<circle class="mark" cx="{x:.1}" cy="{y}" r="5"/>"#
        );
    }
    framed(title, rows.len(), axis, &marks)
}

/// Returns a plot with a faint dot for each answer, and marks at p50, p90 and p99.
fn latencies(title: &str, arms: &[ArmReport], axis: &Axis) -> String {
    let mut marks = String::new();
    for (at, arm) in arms.iter().enumerate() {
        let y = middle(at);
        let place = |figure| Some(axis.place(arm.figure(figure)?.value));
        let places = (
            place(Figure::LatencyP50),
            place(Figure::LatencyP90),
            place(Figure::LatencyP99),
        );
        let (Some(half), Some(most), Some(all)) = places else {
            marks.push_str(&words(&arm.name, "no answers", y));
            continue;
        };
        let median = arm.figure(Figure::LatencyP50).map(|p50| p50.value);
        let text = median
            .map(|seconds| (axis.text)(seconds))
            .unwrap_or_default();
        marks.push_str(&words(&arm.name, &text, y));
        for seconds in spread(&arm.latencies) {
            let x = axis.place(seconds);
            _ = write!(marks, r#"<circle class="dot" cx="{x:.1}" cy="{y}" r="4"/>"#);
        }
        _ = write!(
            marks,
            concat!(
                r#"<path class="range" d="M{half:.1} {y}H{all:.1}M{all:.1} {top}v14"/>"#,
                r#"<path class="mark" d="M{most:.1} {peak}l6 6l-6 6l-6 -6z"/>"#,
                r#"<circle class="mark" cx="{half:.1}" cy="{y}" r="5"/>"#,
            ),
            half = half,
            most = most,
            all = all,
            y = y,
            top = y - 7.0,
            peak = y - 6.0,
        );
    }
    framed(title, arms.len(), axis, &marks)
}

/// Returns at most [`DOTS`] of the values, evenly spread over their ranks.
fn spread(sorted: &[f64]) -> impl Iterator<Item = f64> {
    let shown = sorted.len().min(DOTS);
    let last = sorted.len().saturating_sub(1);
    (0..shown).map(move |at| match shown {
        1 => sorted[0],
        _ => sorted[at * last / (shown - 1)],
    })
}

fn middle(row: usize) -> f64 {
    (row as f64 + 0.5) * ROW
}

/// Returns the name before a row and the value behind it.
fn words(name: &str, value: &str, y: f64) -> String {
    let (name, value) = (escaped(name), escaped(value));
    let (left, right) = (NAMES - 14.0, NAMES + PLOT + 14.0);
    let y = y + 4.5;
    format!(
        r#"<text class="name" x="{left}" y="{y}">{name}</text><text x="{right}" y="{y}">{value}</text>"#
    )
}

/// Returns the plot with its marks, the lines of the axis and their values.
fn framed(title: &str, rows: usize, axis: &Axis, marks: &str) -> String {
    let bottom = rows as f64 * ROW;
    let (width, height) = (NAMES + PLOT + VALUES, bottom + AXIS);
    let title = escaped(title);
    let mut svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{title}">"#
    );
    for tick in axis.ticks() {
        let x = axis.place(tick);
        let class = if tick.abs() < 1e-12 { "zero" } else { "grid" };
        let (text, below) = (escaped(&(axis.text)(tick)), bottom + 20.0);
        _ = write!(
            svg,
            r#"<path class="{class}" d="M{x:.1} 0V{bottom}"/><text class="tick" x="{x:.1}" y="{below}">{text}</text>"#
        );
    }
    svg.push_str(marks);
    svg.push_str("</svg>");
    svg
}

/// Escapes a text for elements and attributes. Characters that HTML or XML forbids are replaced, so that tools
/// for either can read the page, and those that hide text or change the direction of writing.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' => out.push(letter),
            '\u{FFFE}' | '\u{FFFF}' => out.push(char::REPLACEMENT_CHARACTER),
            letter if controls_terminal(letter) => out.push(char::REPLACEMENT_CHARACTER),
            letter => out.push(letter),
        }
    }
    out
}
