//! A signature or a description on one line, with a mark under a part of it.

use agent_gram::print::writer::{Trail, Writer};
use agent_types::__private::write_signature;
use agent_types::Signature;

/// The maximum number of columns of a printed line. A longer one is cut around the marked part.
const WIDTH: usize = 90;

/// The columns before a printed line.
const INDENT: usize = 21;

/// Writes a signature, and under it a line that marks the part that a trail leads to.
pub(super) const fn write_marked(writer: &mut Writer<'_>, signature: &Signature, trail: Trail) {
    let mut measure = Writer::new(&mut []);
    measure.follow(trail);
    write_signature(&mut measure, signature);
    let marked = match measure.followed() {
        Some(found) => found,
        None => (0, 0),
    };
    let shown = Excerpt::new(measure.columns(), marked);
    shown.begin(writer);
    write_signature(writer, signature);
    shown.end(writer);
}

/// Writes a text in quotes, and under it a line that marks the words in which it differs from another one.
pub(super) const fn write_marked_text(writer: &mut Writer<'_>, text: &str, other: &str) {
    let (before, after) = common(text, other);
    let all = quoted_columns(text);
    // Both have the quotes of the whole text.
    let start = quoted_columns(before) - 1;
    let end = all + 1 - quoted_columns(after);
    // A missing part has no text to mark, so its position is marked.
    let end = if end > start { end } else { start + 1 };
    let shown = Excerpt::new(all, (start, end));
    shown.begin(writer);
    writer.quoted(text, b'"');
    shown.end(writer);
}

const fn quoted_columns(text: &str) -> usize {
    let mut measure = Writer::new(&mut []);
    measure.quoted(text, b'"');
    measure.columns()
}

/// The whole words that two texts have in common at the start and at the end.
const fn common<'t>(text: &'t str, other: &str) -> (&'t str, &'t str) {
    let (ours, theirs) = (text.as_bytes(), other.as_bytes());
    let shorter = least(ours.len(), theirs.len());
    let mut before = 0;
    let mut at = 0;
    while at < shorter && ours[at] == theirs[at] {
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
    while back < shorter - before && ours[ours.len() - 1 - back] == theirs[theirs.len() - 1 - back]
    {
        back += 1;
        if ours[ours.len() - back] == b' ' {
            after = back;
        }
    }
    (text.split_at(before).0, text.split_at(ours.len() - after).1)
}

/// The printed columns of a line, and the marked ones among them.
struct Excerpt {
    all: usize,
    from: usize,
    to: usize,
    marked: (usize, usize),
}

impl Excerpt {
    /// A line of so many columns. A long one is cut, with as much before the mark as after it.
    const fn new(all: usize, marked: (usize, usize)) -> Self {
        let around = WIDTH.saturating_sub(marked.1 - marked.0) / 2;
        let from = least(marked.0.saturating_sub(around), all.saturating_sub(WIDTH));
        let to = least(from + WIDTH, all);
        Self {
            all,
            from,
            to,
            marked: (marked.0, least(marked.1, to)),
        }
    }

    const fn begin(&self, writer: &mut Writer<'_>) {
        if self.from > 0 {
            writer.text("…");
        }
        let start = writer.columns();
        writer.show_only(Some((start + self.from, start + self.to)));
    }

    const fn end(&self, writer: &mut Writer<'_>) {
        writer.show_only(None);
        if self.to < self.all {
            writer.text("…");
        }
        let (start, end) = self.marked;
        if end > start {
            let cut = if self.from > 0 { 1 } else { 0 };
            writer.line(INDENT + cut + start - self.from);
            let mut left = end - start;
            while left > 0 {
                writer.byte(b'^');
                left -= 1;
            }
        }
    }
}

const fn least(left: usize, right: usize) -> usize {
    if left < right { left } else { right }
}

#[cfg(test)]
mod tests {
    use super::common;

    #[test]
    fn finds_the_words_common_to_start_and_end() {
        for (text, other, before, after) in [
            ("one two three", "one 2 three", "one ", " three"),
            (
                "one two three four",
                "one 2 three four",
                "one ",
                " three four",
            ),
            ("one two", "one two three", "one two", ""),
            ("two three", "one two three", "", " three"),
            ("one", "two", "", ""),
            ("same end", "sane end", "", " end"),
            ("a b a", "a b b a", "a b ", ""),
            ("", "one", "", ""),
        ] {
            assert_eq!(
                common(text, other),
                (before, after),
                "{text:?} and {other:?}"
            );
        }
    }
}
