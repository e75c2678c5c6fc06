//! What two sides say, with the part marked that differs.

use crate::signature::Signature;
use crate::write::{Part, write_signature};
use agent_gram::print::writer::Writer;

/// How many columns of a signature or a text are shown; of longer ones the part around the mark.
const WIDTH: usize = 90;

/// Writes a signature, and under it a line that marks a part. `indent` is the column at which the
/// signature starts.
pub(super) const fn write_marked(
    writer: &mut Writer<'_>,
    signature: &Signature,
    part: Part,
    indent: usize,
) {
    let mut measure = Writer::new(&mut []);
    let marked = write_signature(&mut measure, signature, part);
    let shown = Shown::new(measure.columns(), marked);
    shown.begin(writer);
    write_signature(writer, signature, Part::Nothing);
    shown.end(writer, indent);
}

/// Writes a text in quotes, and under it a line that marks from where it differs from another one.
pub(super) const fn write_marked_text(
    writer: &mut Writer<'_>,
    text: &str,
    other: &str,
    indent: usize,
) {
    let mut measure = Writer::new(&mut []);
    measure.quoted(text, b'"');
    let all = measure.columns();
    let (before, after) = common(text, other);
    let mut measure = Writer::new(&mut []);
    measure.quoted(before, b'"');
    // Without the quote that ends it.
    let start = measure.columns() - 1;
    let mut measure = Writer::new(&mut []);
    measure.quoted(after, b'"');
    let end = all + 1 - measure.columns();
    // Where something is missing there is nothing to mark but the place.
    let end = if end > start { end } else { start + 1 };
    let shown = Shown::new(all, (start, end));
    shown.begin(writer);
    writer.quoted(text, b'"');
    shown.end(writer, indent);
}

/// What a text has in common with another one at its start and at its end, in whole words.
const fn common<'t>(text: &'t str, other: &str) -> (&'t str, &'t str) {
    let (ours, theirs) = (text.as_bytes(), other.as_bytes());
    let least = if ours.len() < theirs.len() {
        ours.len()
    } else {
        theirs.len()
    };
    let mut before = 0;
    let mut at = 0;
    while at < least && ours[at] == theirs[at] {
        at += 1;
        if ours[at - 1] == b' ' {
            before = at;
        }
    }
    if at == ours.len() {
        before = at;
    }
    let mut after = 0;
    let mut back = 0;
    while back < least - before && ours[ours.len() - 1 - back] == theirs[theirs.len() - 1 - back] {
        back += 1;
        if ours[ours.len() - back] == b' ' {
            after = back;
        }
    }
    (text.split_at(before).0, text.split_at(ours.len() - after).1)
}

/// The stretch of a line that is shown, and the marked part, in columns from where the line starts.
struct Shown {
    all: usize,
    from: usize,
    to: usize,
    marked: (usize, usize),
}

impl Shown {
    /// All of a line that is not too long, else what is around the mark.
    const fn new(all: usize, marked: (usize, usize)) -> Self {
        if all <= WIDTH {
            return Self {
                all,
                from: 0,
                to: all,
                marked,
            };
        }
        let long = if marked.1 - marked.0 > WIDTH {
            WIDTH
        } else {
            marked.1 - marked.0
        };
        // As much before the mark as after it.
        let from = marked.0.saturating_sub((WIDTH - long) / 2);
        let from = if from + WIDTH > all {
            all - WIDTH
        } else {
            from
        };
        let to = from + WIDTH;
        let end = if marked.1 > to { to } else { marked.1 };
        Self {
            all,
            from,
            to,
            marked: (marked.0, end),
        }
    }

    const fn begin(&self, writer: &mut Writer<'_>) {
        if self.from > 0 {
            writer.text("…");
        }
        let start = writer.columns();
        writer.show_only(Some((start + self.from, start + self.to)));
    }

    const fn end(&self, writer: &mut Writer<'_>, indent: usize) {
        writer.show_only(None);
        if self.to < self.all {
            writer.text("…");
        }
        let (start, end) = self.marked;
        if end > start {
            let cut = if self.from > 0 { 1 } else { 0 };
            writer.line(indent + cut + start - self.from);
            let mut left = end - start;
            while left > 0 {
                writer.byte(b'^');
                left -= 1;
            }
        }
    }
}
