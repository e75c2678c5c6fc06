//! Whether the time for a byte stays the same however long the text is, and whatever it holds.

use crate::data::agents;
use crate::document::write_gram;
use crate::measure::sample;
use agent_gram::{MAX_DEPTH, format_source, parse, parse_patterns};
use bench_shared::median;
use std::hint::black_box;
use std::time::Duration;

/// The lengths of the texts, in bytes.
pub(crate) const SIZES: [usize; 4] = [10_000, 100_000, 1_000_000, 10_000_000];

/// Reads a text once, on the clock.
type Read = fn(&str) -> Duration;

/// What reads the texts. A further reader is a further entry here.
const READERS: &[(&str, Read)] = &[
    ("parse", |text| sample(|| parse(black_box(text))).with_drop),
    ("parse_patterns", |text| {
        sample(|| parse_patterns(black_box(text))).with_drop
    }),
    ("format_source", |text| {
        sample(|| format_source(black_box(text))).with_drop
    }),
];

/// For how long a text is read again and again.
const ENOUGH: Duration = Duration::from_millis(200);

/// How often it is read at least.
const TIMES: usize = 5;

/// A sort of text, of any length.
struct Kind {
    title: &'static str,
    /// A text of about so many bytes.
    text: fn(usize) -> String,
}

const KINDS: &[Kind] = &[
    Kind {
        title: "agents and tools",
        text: ordinary,
    },
    Kind {
        title: "one long string",
        text: |size| format!("({{k: \"{}\"}})", "text ".repeat(size / 5)),
    },
    Kind {
        title: "one long string of escapes",
        text: |size| format!("({{k: \"{}\"}})", "\\n".repeat(size / 2)),
    },
    Kind {
        title: "brackets 128 deep",
        text: |size| repeat(&nested(), size),
    },
    Kind {
        title: "an error every 100 bytes",
        text: |size| repeat(&format!("({{k: \"{}\"}}) -> (b)\n", "x".repeat(82)), size),
    },
    Kind {
        title: "an unclosed bracket a line",
        text: |size| repeat("[a:Tool | (b)\n", size),
    },
    Kind {
        title: "unclosed brackets in each other",
        text: |size| "[a | ".repeat(size / 5),
    },
    Kind {
        title: "nothing but opening brackets",
        text: |size| "[".repeat(size),
    },
    Kind {
        title: "comments",
        text: |size| repeat("// a comment\n(a)\n", size),
    },
];

/// One line of the table: a sort of text, what read it, and nanoseconds for a byte at each length.
pub(crate) struct Line {
    pub kind: &'static str,
    pub reader: &'static str,
    pub nanoseconds: [f64; SIZES.len()],
}

/// Measures every sort of text at every length.
pub(crate) fn measure() -> Vec<Line> {
    let mut lines = Vec::new();
    for kind in KINDS {
        let texts = SIZES.map(kind.text);
        for &(reader, read) in READERS {
            let nanoseconds = texts
                .each_ref()
                .map(|text| time(text, read).as_secs_f64() * 1e9 / text.len() as f64);
            lines.push(Line {
                kind: kind.title,
                reader,
                nanoseconds,
            });
        }
    }
    lines
}

fn time(text: &str, read: Read) -> Duration {
    let mut times = Vec::new();
    let mut spent = Duration::ZERO;
    while spent < ENOUGH || times.len() < TIMES {
        let time = read(text);
        spent += time;
        times.push(time);
    }
    median(times)
}

/// Agents until there are enough bytes.
fn ordinary(size: usize) -> String {
    let mut out = String::new();
    for agent in agents() {
        if out.len() >= size {
            break;
        }
        write_gram(&mut out, &agent);
    }
    out
}

/// A pattern as deep as the bound allows.
fn nested() -> String {
    let open = "[a | ".repeat(MAX_DEPTH - 1);
    let close = "]".repeat(MAX_DEPTH - 1);
    format!("{open}(b){close}\n")
}

/// The unit again and again, whole, until there are enough bytes.
fn repeat(unit: &str, size: usize) -> String {
    unit.repeat(size.div_ceil(unit.len()))
}
