//! Text between quotes, and fences.

use super::Parser;
use super::report::code;
use crate::error::SyntaxErrorKind;
use crate::lexer;
use crate::span::Span;
use crate::syntax::tape::{Content, ContentIndex, Kind};
use crate::syntax::{NameForm, StringForm};

/// The maximum number of bytes after an unclosed text in which its closing quote is searched for.
const CLOSE_SEARCH: usize = 2048;

const FENCE: &str = "```";

impl Parser<'_> {
    /// Parses the quoted text at this place.
    #[inline]
    pub(super) fn quoted(&mut self) -> ContentIndex {
        let start = self.at;
        let quote = self.peek().unwrap_or(b'"');
        let end = lexer::plain_end(self.bytes, start + 1, quote);
        if self.bytes.get(end) == Some(&quote) {
            self.at = end + 1;
            return ContentIndex::PLAIN;
        }
        self.quoted_with_more(start, end, quote)
    }

    /// Parses a quoted text whose plain part does not end with the closing quote.
    #[cold]
    fn quoted_with_more(&mut self, start: usize, end: usize, quote: u8) -> ContentIndex {
        let content = if self.bytes.get(end) == Some(&b'\\') {
            Content::Unescaped(self.escaped(start, end, quote).into())
        } else {
            self.unterminated(start, end, quote);
            Content::Source(Span::new(start + 1, end))
        };
        self.tape.add_content(content)
    }

    /// Returns the content of a quoted text whose first backslash is at `at`.
    fn escaped(&mut self, start: usize, mut at: usize, quote: u8) -> String {
        let mut text = self.slice(start + 1, at).to_owned();
        loop {
            match self.bytes.get(at) {
                Some(b'\\') if !matches!(self.bytes.get(at + 1), None | Some(b'\n')) => {
                    at = self.escape(at, quote, &mut text);
                }
                Some(byte) if *byte == quote => {
                    self.at = at + 1;
                    return text;
                }
                _ => {
                    let end = lexer::line_end(self.source, at);
                    self.unterminated(start, end, quote);
                    return text;
                }
            }
            let end = lexer::plain_end(self.bytes, at, quote);
            text.push_str(self.slice(at, end));
            at = end;
        }
    }

    /// Adds the character of the escape at `at` to `text`. Returns the end of the escape.
    fn escape(&mut self, at: usize, quote: u8, text: &mut String) -> usize {
        let escaped = self.source.get(at + 1..).and_then(|s| s.chars().next());
        let escaped = escaped.unwrap_or('\\');
        let end = at + 1 + escaped.len_utf8();
        let meant = match escaped {
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            '/' | '\\' => escaped,
            _ if escaped == char::from(quote) => escaped,
            _ => {
                let help = match escaped {
                    '"' | '\'' | '`' => {
                        let escaped = code(&escaped.to_string());
                        format!("{escaped} needs no backslash in a text between other quotes")
                    }
                    'u' | 'x' | 'U' | '0'..='9' => {
                        "gram has no escape for characters by number: write the character itself"
                            .to_owned()
                    }
                    _ => "a backslash itself is written `\\\\`".to_owned(),
                };
                self.report(
                    SyntaxErrorKind::BadEscape,
                    Span::new(at, end),
                    || {
                        let found = code(&format!("\\{escaped}"));
                        let own = code(&format!("\\{}", char::from(quote)));
                        format!(
                            "found {found}, expected {own}, `\\\\`, `\\/`, `\\b`, `\\f`, `\\n`, `\\r` or `\\t`"
                        )
                    },
                    Some(help.as_str()),
                );
                escaped
            }
        };
        text.push(meant);
        end
    }

    /// Reports a text without its closing quote, and continues after the quote that was probably
    /// meant, or on the next line.
    fn unterminated(&mut self, start: usize, line_end: usize, quote: u8) {
        let text = self.slice(start, line_end).trim_end_matches('\r');
        let span = Span::new(start, start + text.len());
        let other = self.other_close(span, quote);
        let close = other.or_else(|| self.close_on_later_line(line_end, quote));
        let quote = code(&char::from(quote).to_string());
        let help = match (other, close) {
            (Some(end), _) => {
                let other = code(self.slice(end - 1, end));
                format!("text that begins with {quote} ends with {quote}, not with {other}")
            }
            (None, Some(_)) => {
                "text of several lines is a fence: a line that ends with three backticks, the text, three backticks"
                    .to_owned()
            }
            (None, None) => format!("close the text with {quote} on its line"),
        };
        self.report(
            SyntaxErrorKind::Unterminated,
            span,
            || format!("found the end of the line inside quotes, expected {quote}"),
            Some(help.as_str()),
        );
        if let Some(end) = close {
            self.at = end;
        } else {
            self.at = line_end;
            self.recovering = true;
        }
    }

    /// Returns the end of a quote of another form on the same line that probably ends the text.
    fn other_close(&self, span: Span, quote: u8) -> Option<usize> {
        let text = self.bytes.get(..span.end)?;
        (span.start + 1..span.end)
            .find(|at| {
                let next = lexer::blanks_end(text, at + 1);
                let followed = matches!(text.get(next), None | Some(b',' | b'}' | b')' | b']'));
                matches!(text[*at], b'"' | b'\'' | b'`') && text[*at] != quote && followed
            })
            .map(|at| at + 1)
    }

    /// Returns the end of a text that was meant to have several lines: a quote that does not open
    /// another text and is followed by a token that can follow a text.
    fn close_on_later_line(&self, line_end: usize, quote: u8) -> Option<usize> {
        let limit = self.bytes.len().min(line_end + CLOSE_SEARCH);
        let window = self.bytes.get(..limit)?;
        let mut at = line_end;
        while *window.get(at)? != quote {
            at += if window[at] == b'\\' { 2 } else { 1 };
        }
        let before = window.get(line_end..at)?.trim_ascii_end().last();
        if matches!(before, Some(b':' | b',' | b'[' | b'(' | b'{' | b'|' | b'=')) {
            return None;
        }
        let next = lexer::while_end(window, at + 1, |b| matches!(b, b' ' | b'\t' | b'\r'));
        matches!(
            self.bytes.get(next),
            None | Some(b',' | b'}' | b')' | b']' | b'\n')
        )
        .then_some(at + 1)
    }

    /// Parses the fence at this place, or reports too many backticks.
    pub(super) fn fence(&mut self) {
        let start = self.at;
        let ticks = lexer::repeat_end(self.bytes, start, b'`');
        if ticks - start > FENCE.len() {
            self.too_many_ticks(Span::new(start, ticks));
            return self.invalid(start);
        }
        self.at = ticks;
        self.trivia_on_line();
        let tag = self.opt_fence_tag();
        self.trivia_on_line();
        match self.peek() {
            Some(b'\n') => self.at += 1,
            None => {
                self.unterminated_fence(start);
                return self.invalid(start);
            }
            Some(_) => self.missing_line_end(tag.is_some()),
        }
        let text = self.at;
        let Some(length) = self.source.get(text..).and_then(|rest| rest.find(FENCE)) else {
            self.unterminated_fence(start);
            return self.invalid(start);
        };
        let end = text + length;
        let close = end + FENCE.len();
        self.at = lexer::repeat_end(self.bytes, close, b'`');
        if self.at > close {
            self.report(
                SyntaxErrorKind::Unexpected,
                Span::new(close, self.at),
                || "found a backtick after the three that close the fence".to_owned(),
                "remove it",
            );
        }
        let content = without_last_line_end(self.slice(text, end));
        let content = match content.contains("\r\n") {
            true => Content::Unescaped(with_line_feeds(content).into()),
            false => Content::Source(Span::new(text, text + content.len())),
        };
        let content = self.tape.add_content(content);
        let (form, span) = (StringForm::Fence as u8, Span::new(start, self.at));
        let Some(tag) = tag else {
            return self.tape.text(Kind::String, form, span, content);
        };
        let tagged = self.tape.open(Kind::Tagged, start);
        self.tape.leaf(Kind::Name, NameForm::Symbol.form(), tag);
        self.tape.text(Kind::String, form, span, content);
        self.tape.close(tagged, self.at);
    }

    /// Parses the tag of a fence. It is added to the tree later, when the fence has turned out to
    /// be valid.
    fn opt_fence_tag(&mut self) -> Option<Span> {
        let start = self.at;
        if !self.peek().is_some_and(lexer::starts_symbol) {
            return None;
        }
        self.at = lexer::symbol_end(self.bytes, start);
        Some(Span::new(start, self.at))
    }

    /// Adds an invalid value that spans from `start` to this place.
    pub(super) fn invalid(&mut self, start: usize) {
        let span = Span::new(start, self.at);
        self.tape.leaf(Kind::Invalid, 0, span);
    }

    /// Reports and skips a fence that opens with more than three backticks.
    fn too_many_ticks(&mut self, span: Span) {
        self.report(
            SyntaxErrorKind::Unexpected,
            span,
            || format!("found {} backticks, expected three", span.len()),
            None,
        );
        let rest = self.source.get(span.end..).unwrap_or("");
        self.at = match rest.find(FENCE) {
            Some(length) => lexer::repeat_end(self.bytes, span.end + length, b'`'),
            None => span.end,
        };
    }

    /// Reports a token on the line that opens a fence. The text of the fence is assumed to begin
    /// after it.
    fn missing_line_end(&mut self, has_tag: bool) {
        let help = if has_tag {
            "the text of a fence begins on the line after the three backticks and the tag"
        } else {
            "the text of a fence begins on the line after the three backticks"
        };
        let recovering = self.recovering;
        self.fail(SyntaxErrorKind::Unexpected, "the end of the line", help);
        self.recovering = recovering;
        let end = lexer::line_end(self.source, self.at);
        // A fence on one line ends on that line.
        if !self.slice(self.at, end).contains(FENCE) {
            self.at = (end + 1).min(self.bytes.len());
        }
    }

    /// Reports a fence without its end. The rest of the text may all belong to the fence, so it is
    /// not parsed.
    fn unterminated_fence(&mut self, start: usize) {
        self.report(
            SyntaxErrorKind::Unterminated,
            Span::new(start, start + FENCE.len()),
            || "this fence has no end, expected three backticks after its text".to_owned(),
            None,
        );
        self.at = self.bytes.len();
        self.recovering = true;
    }
}

/// Removes the line end before the closing backticks, which only puts them on a line of their own.
fn without_last_line_end(text: &str) -> &str {
    match text.trim_end_matches([' ', '\t']).strip_suffix('\n') {
        Some(lines) => lines.trim_end_matches('\r'),
        None => text,
    }
}

/// Ends each line with a line feed alone, so that a text is the same on every system. Git and editors on Windows write CR and
/// line feed. All CRs before a line feed are removed, because one that is left would be removed by the next reader.
fn with_line_feeds(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.strip_suffix('\n') {
            Some(line) => {
                out.push_str(line.trim_end_matches('\r'));
                out.push('\n');
            }
            None => out.push_str(line),
        }
    }
    out
}
