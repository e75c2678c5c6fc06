//! Lines and columns of many places in one text.

use agent_gram::Position;

/// After how many bytes the characters of the text are counted anew.
const BLOCK: usize = 64;

/// Turns byte offsets into lines and columns in about constant time each, however long the lines
/// are: a text of one line may have a hundred thousand findings.
pub(crate) struct Positions<'a> {
    text: &'a str,
    /// Where each line starts.
    starts: Vec<usize>,
    /// How many characters start before each block.
    counts: Vec<usize>,
}

impl<'a> Positions<'a> {
    /// Reads the text once.
    pub(crate) fn new(text: &'a str) -> Self {
        let mut starts = vec![0];
        let mut counts = Vec::with_capacity(text.len() / BLOCK + 1);
        let mut characters = 0;
        for (at, byte) in text.bytes().enumerate() {
            if at % BLOCK == 0 {
                counts.push(characters);
            }
            characters += usize::from(starts_character(byte));
            if byte == b'\n' {
                starts.push(at + 1);
            }
        }
        Self {
            text,
            starts,
            counts,
        }
    }

    /// The line and column of an offset. One past the end is the end.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts[line - 1];
        Position {
            line,
            column: self.characters(offset) - self.characters(start) + 1,
        }
    }

    /// The offsets between which a line stands, its line end left out. Lines count from 1.
    pub(crate) fn line(&self, line: usize) -> (usize, usize) {
        let start = self
            .starts
            .get(line.saturating_sub(1))
            .copied()
            .unwrap_or(self.text.len());
        let end = self
            .starts
            .get(line)
            .map_or(self.text.len(), |next| next - 1);
        let text = self.text.get(start..end).unwrap_or("");
        (start, start + text.trim_end_matches('\r').len())
    }

    /// How many characters start before an offset.
    fn characters(&self, offset: usize) -> usize {
        let block = offset / BLOCK;
        // At the very end of a text of whole blocks there is no block any more.
        let Some(before) = self.counts.get(block).copied() else {
            return self
                .counts
                .last()
                .map_or(0, |before| before + self.count(offset - BLOCK, offset));
        };
        before + self.count(block * BLOCK, offset)
    }

    fn count(&self, from: usize, to: usize) -> usize {
        self.text.as_bytes()[from..to]
            .iter()
            .filter(|byte| starts_character(**byte))
            .count()
    }
}

/// Whether a byte of UTF-8 is the first of its character.
fn starts_character(byte: u8) -> bool {
    byte & 0xc0 != 0x80
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_gram::LineIndex;

    #[test]
    fn positions_are_those_of_the_line_index() {
        let text = "é→\n\n\r\nabc\r\n".repeat(300);
        let exact = "x".repeat(2 * BLOCK);
        for text in ["", "a", "\n", &text, &exact] {
            let (positions, index) = (Positions::new(text), LineIndex::new(text));
            for (offset, _) in text
                .char_indices()
                .chain([(text.len(), ' '), (text.len() + 9, ' ')])
            {
                assert_eq!(
                    positions.position(offset),
                    index.position(offset),
                    "{offset}"
                );
            }
        }
    }

    #[test]
    fn lines_end_before_their_line_end() {
        let positions = Positions::new("ab\r\n\ncd");
        let lines: Vec<_> = (1..=4).map(|line| positions.line(line)).collect();
        assert_eq!(lines, [(0, 2), (4, 4), (5, 7), (7, 7)]);
    }
}
