//! Columns in very long lines.

use super::Encoding;
use agent_gram::Span;

/// After how many bytes the units of the text are counted anew.
const BLOCK: usize = 512;

/// How many units there are before places of a text, so that no more than a block is counted for one.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    encoding: Encoding,
    /// The units that start before each block.
    before: Vec<usize>,
}

impl Columns {
    /// Counts a text.
    pub(super) fn new(text: &str, encoding: Encoding) -> Self {
        let mut before = Vec::with_capacity(text.len() / BLOCK + 1);
        let mut units = 0;
        for block in text.as_bytes().chunks(BLOCK) {
            before.push(units);
            units += encoding.count(block);
        }
        before.push(units);
        Self { encoding, before }
    }

    /// How many units start before an offset of the text that was counted.
    pub(super) fn before(&self, text: &str, offset: usize) -> usize {
        let block = offset / BLOCK;
        let counted = &text.as_bytes()[block * BLOCK..offset];
        self.before[block] + self.encoding.count(counted)
    }

    /// An offset shortly before a column of a line, and how many units are left to go from there.
    pub(super) fn near(&self, text: &str, line: Span, column: usize) -> (usize, usize) {
        let start = self.before(text, line.start);
        let wanted = start.saturating_add(column);
        let block = self.before.partition_point(|before| *before <= wanted) - 1;
        let at = block * BLOCK;
        if at <= line.start {
            (line.start, column)
        } else {
            (at.min(line.end), wanted - self.before[block])
        }
    }
}
