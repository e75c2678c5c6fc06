//! The text of a comment.

use super::writer::Writer;
use crate::syntax::{Comment, CommentKind};

/// Blanks that may stand at the end of a line, where nobody sees them.
const BLANKS: [char; 5] = [' ', '\t', '\r', '\u{b}', '\u{c}'];

impl Writer<'_> {
    /// Writes a comment. Where everything must stand on one line, that fails for a doc comment of
    /// several lines here, and for a line comment at the line end that follows it.
    pub(super) fn comment(&mut self, comment: &Comment) {
        let text = comment.span.text(self.source);
        match comment.kind {
            CommentKind::Line => self.push(text.trim_end_matches(BLANKS)),
            CommentKind::Doc if !text.contains('\n') => self.push(text),
            CommentKind::Doc if self.on_line() => self.fail(),
            CommentKind::Doc => self.doc_comment(text),
        }
    }

    /// Writes a doc comment of several lines. When all its lines begin with `*` they are indented
    /// so that these stand below each other; else how they are indented may have a meaning.
    fn doc_comment(&mut self, text: &str) {
        let starred = text.lines().skip(1).all(|line| {
            let line = line.trim_start_matches(BLANKS);
            line.starts_with('*')
        });
        let indent = self.line_indent + 1;
        for (at, line) in text.split('\n').enumerate() {
            let line = line.trim_end_matches('\r');
            if at == 0 {
                self.push(line);
            } else if starred {
                let line_indent = self.line_indent;
                self.line(indent, false);
                self.line_indent = line_indent;
                self.push(line.trim_start_matches(BLANKS));
            } else {
                self.push_lines("\n");
                self.push(line);
            }
        }
    }
}
