//! Plots as SVG: a row for each arm, values from left to right.

use super::xml::escaped;
use super::{ArmReport, Estimate};
use crate::experiment::figure::Figure;
use std::fmt::Write;

/// The room of the names, of the plot, and of the values beside it, in the plot's own units.
const NAMES: f64 = 240.0;
const PLOT: f64 = 430.0;
const VALUES: f64 = 110.0;
const ROW: f64 = 32.0;
const AXIS: f64 = 34.0;

/// How many answers of an arm are shown as dots. More could not be told apart.
const DOTS: usize = 150;

/// About how many values are written below the axis.
const TICKS: f64 = 5.0;

/// From which value to which a plot goes, and how the values are written.
pub(super) struct Axis {
    low: f64,
    high: f64,
    text: Box<dyn Fn(f64) -> String>,
}

impl Axis {
    /// An axis that has room for these values and for 0.
    pub(super) fn over(
        values: impl IntoIterator<Item = f64>,
        text: impl Fn(f64) -> String + 'static,
    ) -> Self {
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

    pub(super) fn between(low: f64, high: f64, text: impl Fn(f64) -> String + 'static) -> Self {
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

    /// Round values within the axis, about as many as fit.
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

/// A row: a name, a number with its interval, and how the number is written.
pub(super) struct Row {
    name: String,
    pub(super) estimate: Option<Estimate>,
    text: String,
}

impl Row {
    pub(super) const fn new(name: String, estimate: Option<Estimate>, text: String) -> Self {
        Self {
            name,
            estimate,
            text,
        }
    }
}

/// A dot for each number, and a line for its interval.
pub(super) fn intervals(title: &str, rows: &[Row], axis: &Axis) -> String {
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

/// A faint dot for each answer; and where half of them, nine of ten, and 99 of 100 have come.
pub(super) fn latencies(title: &str, arms: &[ArmReport], axis: &Axis) -> String {
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

/// So many of the values that their distribution shows.
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

/// The name before a row and the value behind it.
fn words(name: &str, value: &str, y: f64) -> String {
    let (name, value) = (escaped(name), escaped(value));
    let (left, right) = (NAMES - 14.0, NAMES + PLOT + 14.0);
    let y = y + 4.5;
    format!(
        r#"<text class="name" x="{left}" y="{y}">{name}</text><text x="{right}" y="{y}">{value}</text>"#
    )
}

/// The plot around its marks: the lines of the axis and their values.
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
