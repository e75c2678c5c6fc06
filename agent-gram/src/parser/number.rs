//! Numbers of all forms, and ranges.

use super::Parser;
use crate::error::SyntaxErrorKind;
use crate::lexer;
use crate::span::Span;
use crate::syntax::{Number, NumberKind, Value, ValueKind};
use crate::value::Measurement;

impl<'a> Parser<'a> {
    /// `range | number`, where a digit, a sign or a dot stands.
    pub(super) fn number_or_range(&mut self) -> Value<'a> {
        let start = self.at;
        let kind = match self.peek() {
            Some(b'.') if self.peek_after(1) == Some(b'.') => self.upper_only(),
            Some(b'.') if self.peek_after(1).is_some_and(|b| b.is_ascii_digit()) => {
                self.bad_number(start, Some("write a digit before the point, as in `0.5`"))
            }
            Some(b'+') if self.peek_after(1).is_some_and(|b| b.is_ascii_digit()) => {
                self.bad_number(start, Some("remove the `+`"))
            }
            Some(b'0'..=b'9' | b'-') if lexer::integer_end(self.bytes, start).is_some() => {
                match self.number() {
                    Some(lower) => return self.opt_range(lower),
                    None => ValueKind::Invalid,
                }
            }
            _ => return self.no_value(None),
        };
        Value {
            span: Span::new(start, self.at),
            kind,
        }
    }

    /// A number, and the rest of the range that it begins, if it does.
    fn opt_range(&mut self, lower: Number<'a>) -> Value<'a> {
        self.trivia();
        if self.peek() != Some(b'.') {
            return Value {
                span: lower.span,
                kind: ValueKind::Number(lower),
            };
        }
        let kind = self.rest_of_range(lower);
        Value {
            span: Span::new(lower.span.start, self.at),
            kind,
        }
    }

    /// `n..m` or `n...`, from the dots on.
    fn rest_of_range(&mut self, lower: Number<'a>) -> ValueKind<'a> {
        let dots = self.dots();
        let number_follows = {
            let next = lexer::trivia_end(self.source, self.at);
            lexer::integer_end(self.bytes, next).is_some()
        };
        match dots.len() {
            2 if number_follows => {
                self.trivia();
                match self.number() {
                    Some(upper) => ValueKind::Range {
                        lower: Some(lower),
                        upper: Some(upper),
                    },
                    None => ValueKind::Invalid,
                }
            }
            3 if !number_follows => ValueKind::Range {
                lower: Some(lower),
                upper: None,
            },
            2 => self.bad_range(
                dots,
                "a number after it",
                "a range without an upper end is written with three dots, as in `1...`",
            ),
            3 => self.bad_range(
                dots,
                "`..`",
                "a range with both ends is written with two dots, as in `1..10`",
            ),
            _ => self.bad_range(
                dots,
                "`..` or `...`",
                "a range is `1..10`, `1...` or `...10`",
            ),
        }
    }

    /// `...m`
    fn upper_only(&mut self) -> ValueKind<'a> {
        let dots = self.dots();
        let next = lexer::trivia_end(self.source, self.at);
        let number_follows = lexer::integer_end(self.bytes, next).is_some();
        if dots.len() == 3 && number_follows {
            self.trivia();
            return match self.number() {
                Some(upper) => ValueKind::Range {
                    lower: None,
                    upper: Some(upper),
                },
                None => ValueKind::Invalid,
            };
        }
        let expected = if number_follows {
            "`...`"
        } else {
            "a range with at least one end"
        };
        self.bad_range(dots, expected, "a range is `1..10`, `1...` or `...10`")
    }

    fn dots(&mut self) -> Span {
        let start = self.at;
        self.at = lexer::repeat_end(self.bytes, start, b'.');
        Span::new(start, self.at)
    }

    /// Reports a range of a form that does not exist, and passes the number after it.
    fn bad_range(&mut self, dots: Span, expected: &str, help: &str) -> ValueKind<'a> {
        self.report(
            SyntaxErrorKind::BadNumber,
            dots,
            || {
                format!(
                    "found `{}`, expected {expected}",
                    ".".repeat(dots.len().min(8))
                )
            },
            help,
        );
        let next = lexer::trivia_end(self.source, self.at);
        if lexer::integer_end(self.bytes, next).is_some() {
            self.trivia();
            self.number();
        }
        ValueKind::Invalid
    }

    /// `number = integer | decimal | hexadecimal | octal | measurement`, by the longest match.
    ///
    /// The caller has seen that a whole number starts here.
    fn number(&mut self) -> Option<Number<'a>> {
        let start = self.at;
        let whole = lexer::integer_end(self.bytes, start)?;
        let (end, kind) = if self.slice(start, whole) == "0" {
            self.after_zero(start)
        } else {
            self.after_whole(start, whole)
        };
        let range_follows = self.slice(end, end + 2) == "..";
        let more = self.bytes.get(end).copied();
        if more.is_some_and(lexer::continues_symbol) && !range_follows {
            let help = self.bad_number_help(start);
            self.bad_number(start, help);
            return None;
        }
        let span = Span::new(start, end);
        self.at = end;
        if kind.is_none() {
            self.out_of_bounds(span);
        }
        let text = self.slice(start, end);
        kind.map(|kind| Number { span, text, kind })
    }

    /// A number that begins with a single `0`: hexadecimal and octal numbers do.
    fn after_zero(&self, start: usize) -> (usize, Option<NumberKind>) {
        let after = start + 1;
        match self.bytes.get(after) {
            Some(b'x') => {
                let hex = lexer::while_end(self.bytes, after + 1, |b| b.is_ascii_hexdigit());
                let letters = lexer::while_end(self.bytes, after, |b| b.is_ascii_alphabetic());
                if hex == after + 1 || letters > hex {
                    // `0xZZ` is 0 of the unit `xZZ`.
                    return self.after_whole(start, after);
                }
                let digits = self.slice(after + 1, hex);
                let value = i128::from_str_radix(digits, 16).ok();
                (hex, value.map(NumberKind::Integer))
            }
            Some(b'0'..=b'7') => {
                let end = lexer::while_end(self.bytes, after, |b| matches!(b, b'0'..=b'7'));
                let value = i128::from_str_radix(self.slice(after, end), 8).ok();
                (end, value.map(NumberKind::Integer))
            }
            _ => self.after_whole(start, after),
        }
    }

    /// What the fraction and the unit after a whole number make of it.
    fn after_whole(&self, start: usize, whole: usize) -> (usize, Option<NumberKind>) {
        let has_fraction = self.bytes.get(whole) == Some(&b'.')
            && self.bytes.get(whole + 1).is_some_and(u8::is_ascii_digit);
        let digits = if has_fraction {
            lexer::digits_end(self.bytes, whole + 1)
        } else {
            whole
        };
        let end = lexer::while_end(self.bytes, digits, |b| b.is_ascii_alphabetic());
        let text = self.slice(start, digits);
        let decimal = || text.parse::<f64>().ok().filter(|value| value.is_finite());
        let kind = if end > digits {
            let unit = Span::new(digits, end);
            decimal()
                // `0.0xA` is one that could not be printed: `0xA` is hexadecimal.
                .filter(|value| Measurement::is_unit_for(*value, unit.text(self.source)))
                .map(|value| NumberKind::Measurement { value, unit })
        } else if has_fraction {
            decimal().map(NumberKind::Decimal)
        } else {
            text.parse().ok().map(NumberKind::Integer)
        };
        (end, kind)
    }

    /// Reports a run of characters that begins like a number and is none, and passes it.
    fn bad_number(&mut self, start: usize, help: Option<&str>) -> ValueKind<'a> {
        let end = lexer::symbol_end(self.bytes, start + 1);
        let found = self.found(Span::new(start, end));
        self.report(
            SyntaxErrorKind::BadNumber,
            Span::new(start, end),
            || format!("found {found}, expected a number"),
            help,
        );
        self.at = end;
        ValueKind::Invalid
    }

    fn bad_number_help(&self, start: usize) -> Option<&'static str> {
        let end = lexer::symbol_end(self.bytes, start + 1);
        let text = self.slice(start, end);
        let bytes = text.as_bytes();
        let unsigned = bytes.strip_prefix(b"-").unwrap_or(bytes);
        let help = match unsigned {
            [b'0', b'o' | b'b', ..] => {
                "an octal number is `0` and digits from 0 to 7; a hexadecimal one `0x` and digits"
            }
            [b'0', b'0'..=b'9', ..] => {
                "a number that begins with 0 is octal, of digits from 0 to 7; remove the 0"
            }
            _ if is_date(unsigned) => "a date stands in quotes, or has a tag: date`2026-11-21`",
            [.., b'.'] => "write a digit after the point, as in `5.0`",
            _ if text.contains('_') => "write the digits without `_`",
            _ if text.contains(['e', 'E']) => "gram has no exponents: write the number out",
            _ => "text that begins with a digit stands in quotes",
        };
        Some(help)
    }

    /// Reports a number that has the right form and yet cannot be held.
    fn out_of_bounds(&mut self, span: Span) {
        let text = span.text(self.source);
        let found = self.found(span);
        let is_whole = text.starts_with("0x")
            || text
                .trim_start_matches('-')
                .bytes()
                .all(|b| b.is_ascii_digit());
        let (expected, help) = if is_whole {
            (
                "a number of up to 128 bits",
                "a longer row of digits stands in quotes",
            )
        } else if text.contains('x') && text.starts_with("0.") {
            (
                "a unit that does not read as a hexadecimal number",
                "write the amount and the unit apart",
            )
        } else {
            (
                "a number that 64-bit floats can hold",
                "a longer row of digits stands in quotes",
            )
        };
        self.report(
            SyntaxErrorKind::BadNumber,
            span,
            || format!("found {found}, expected {expected}"),
            help,
        );
    }
}

/// Whether it looks like `2026-11-21`.
fn is_date(bytes: &[u8]) -> bool {
    let parts = bytes.split(|b| *b == b'-');
    parts.clone().count() == 3
        && parts
            .clone()
            .all(|part| part.first().is_some_and(u8::is_ascii_digit))
}
