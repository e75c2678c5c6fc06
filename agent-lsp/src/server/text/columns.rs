//! Columns in long lines.

use super::Encoding;
use agent_gram::Span;

/// The length of a block, in bytes.
const BLOCK: usize = 512;

/// The numbers of units before the blocks of a text, so that finding a column counts one block at most.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    encoding: Encoding,
    /// The number of units that start before each block.
    before: Vec<usize>,
}

impl Columns {
    /// Counts the units of a text.
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

    /// Returns the number of units that start before an offset of the same text.
    pub(super) fn before(&self, text: &str, offset: usize) -> usize {
        let block = offset / BLOCK;
        let counted = &text.as_bytes()[block * BLOCK..offset];
        self.before[block] + self.encoding.count(counted)
    }

    /// Returns an offset at most a block before a column of a line, and the number of units between them.
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
