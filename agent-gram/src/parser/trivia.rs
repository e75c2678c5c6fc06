//! White space and comments.

use super::Parser;
use crate::error::SyntaxErrorKind;
use crate::lexer;
use crate::span::Span;
use crate::syntax::{Comment, CommentKind};

impl Parser<'_> {
    /// Skips white space and comments.
    #[inline]
    pub(super) fn trivia(&mut self) {
        loop {
            self.at = lexer::blanks_end(self.bytes, self.at);
            if self.peek() != Some(b'/') || !self.comment() {
                return;
            }
        }
    }

    /// Skips blanks and comments up to a line end, which the caller needs to see.
    pub(super) fn trivia_on_line(&mut self) {
        loop {
            self.at = lexer::while_end(self.bytes, self.at, |byte| {
                matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
            });
            if self.peek() != Some(b'/') || !self.comment() {
                return;
            }
        }
    }

    /// Skips the comment at this `/`, valid or not. Returns `false` if it is not a comment.
    fn comment(&mut self) -> bool {
        let start = self.at;
        match self.peek_after(1) {
            Some(b'/') => {
                let line_end = lexer::line_end(self.source, start);
                // The CR of a CRLF belongs to the line end.
                let end = start + self.slice(start, line_end).trim_end_matches('\r').len();
                self.at = line_end;
                self.take_comment(start, end, CommentKind::Line);
                true
            }
            Some(b'*') => {
                self.block_comment(start);
                true
            }
            _ => false,
        }
    }

    fn block_comment(&mut self, start: usize) {
        let doc = self.peek_after(2) == Some(b'*');
        if doc && self.peek_after(3) == Some(b'/') {
            self.at = start + 4;
            self.report(
                SyntaxErrorKind::Unexpected,
                Span::new(start, self.at),
                || "found `/**/`, expected text in the comment".to_owned(),
                "a comment is `// …` to the line end, or `/** … */`",
            );
            return;
        }
        let text = start + if doc { 3 } else { 2 };
        let Some(length) = self.source.get(text..).and_then(|rest| rest.find("*/")) else {
            // The intended end of the comment is unknown. The rest is not parsed, because each of
            // its lines would be reported as an error.
            self.report(
                SyntaxErrorKind::Unterminated,
                Span::new(start, text),
                || "this comment has no end, expected `*/`".to_owned(),
                None,
            );
            self.at = self.bytes.len();
            self.recovering = true;
            return;
        };
        let end = text + length + 2;
        self.at = end;
        if doc {
            self.take_comment(start, end, CommentKind::Doc);
        } else {
            self.report(
                SyntaxErrorKind::Unexpected,
                Span::new(start, end),
                || "found `/*`, expected `/**` or `//`".to_owned(),
                "a comment is `// …` to the line end, or `/** … */`",
            );
        }
    }

    fn take_comment(&mut self, start: usize, end: usize, kind: CommentKind) {
        self.comments.push(Comment {
            span: Span::new(start, end),
            kind,
        });
    }
}
