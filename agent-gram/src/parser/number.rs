//! Numbers of all forms, and ranges.

use super::Parser;
use crate::error::SyntaxErrorKind;
use crate::lexer;
use crate::span::Span;
use crate::syntax::tape::Kind;
use crate::syntax::{NumberForm, range_form};
use crate::value::Measurement;

/// The number of digits up to which every whole number fits 128 bits.
const SAFE_DIGITS: usize = 38;

/// The number of digits up to which every decimal fits a 64-bit float.
const SAFE_DECIMAL: usize = 300;

/// A parsed number that may be the lower end of a range.
#[derive(Clone, Copy)]
struct Number {
    span: Span,
    form: NumberForm,
    /// The offset at which the unit begins, or 0.
    unit: usize,
}

impl Parser<'_> {
    /// `range | number`, at a digit, a sign or a dot.
    pub(super) fn number_or_range(&mut self) {
        let start = self.at;
        match self.peek() {
            Some(b'.') if self.peek_after(1) == Some(b'.') => self.upper_only(),
            Some(b'.') if self.peek_after(1).is_some_and(|b| b.is_ascii_digit()) => {
                self.bad_number(start, Some("write a digit before the point, as in `0.5`"));
                self.invalid(start);
            }
            Some(b'+') if self.peek_after(1).is_some_and(|b| b.is_ascii_digit()) => {
                self.bad_number(start, Some("remove the `+`"));
                self.invalid(start);
            }
            Some(b'0'..=b'9' | b'-') if lexer::integer_end(self.bytes, start).is_some() => {
                match self.number() {
                    Some(lower) => self.opt_range(lower),
                    None => self.invalid(start),
                }
            }
            _ => self.missing_value(None),
        }
    }

    fn take_number(&mut self, number: Number) {
        self.tape
            .number(number.form as u8, number.span, number.unit);
    }

    fn take_range(&mut self, start: usize, lower: Option<Number>, upper: Option<Number>) {
        let range = self.tape.open(Kind::Range, start);
        let form = range_form(lower.is_some(), upper.is_some());
        self.tape.set_form(range, form);
        for number in [lower, upper].into_iter().flatten() {
            self.take_number(number);
        }
        self.tape.close(range, self.at);
    }

    /// Adds a number, or the range that it begins.
    fn opt_range(&mut self, lower: Number) {
        self.trivia();
        if self.peek() == Some(b'.') {
            self.rest_of_range(lower);
        } else {
            self.take_number(lower);
        }
    }

    /// `n..m` or `n...`, from the dots on.
    fn rest_of_range(&mut self, lower: Number) {
        let start = lower.span.start;
        let dots = self.dots();
        let number_follows = {
            let next = lexer::trivia_end(self.source, self.at);
            lexer::integer_end(self.bytes, next).is_some()
        };
        let (expected, help) = match dots.len() {
            2 if number_follows => {
                self.trivia();
                return match self.number() {
                    Some(upper) => self.take_range(start, Some(lower), Some(upper)),
                    None => self.invalid(start),
                };
            }
            3 if !number_follows => return self.take_range(start, Some(lower), None),
            2 => (
                "a number after it",
                "a range without an upper end is written with three dots, as in `1...`",
            ),
            3 => (
                "`..`",
                "a range with both ends is written with two dots, as in `1..10`",
            ),
            _ => ("`..` or `...`", "a range is `1..10`, `1...` or `...10`"),
        };
        self.bad_range(dots, expected, help);
        self.invalid(start);
    }

    /// `...m`
    fn upper_only(&mut self) {
        let start = self.at;
        let dots = self.dots();
        let next = lexer::trivia_end(self.source, self.at);
        let number_follows = lexer::integer_end(self.bytes, next).is_some();
        if dots.len() == 3 && number_follows {
            self.trivia();
            return match self.number() {
                Some(upper) => self.take_range(start, None, Some(upper)),
                None => self.invalid(start),
            };
        }
        let expected = if number_follows {
            "`...`"
        } else {
            "a range with at least one end"
        };
        self.bad_range(dots, expected, "a range is `1..10`, `1...` or `...10`");
        self.invalid(start);
    }

    fn dots(&mut self) -> Span {
        let start = self.at;
        self.at = lexer::repeat_end(self.bytes, start, b'.');
        Span::new(start, self.at)
    }

    /// Reports a range of a form that does not exist, and skips the number after it.
    fn bad_range(&mut self, dots: Span, expected: &str, help: &str) {
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
    }

    /// `number = integer | decimal | hexadecimal | octal | measurement`, by the longest match.
    ///
    /// The caller has checked that a whole number starts here.
    fn number(&mut self) -> Option<Number> {
        let start = self.at;
        let whole = lexer::integer_end(self.bytes, start)?;
        let number = if self.slice(start, whole) == "0" {
            self.after_zero(start)
        } else {
            self.after_whole(start, whole)
        };
        let end = number.span.end;
        let more = self.bytes.get(end).copied();
        let range_follows = more == Some(b'.') && self.bytes.get(end + 1) == Some(&b'.');
        if more.is_some_and(lexer::continues_symbol) && !range_follows {
            let help = self.bad_number_help(start);
            self.bad_number(start, help);
            return None;
        }
        self.at = end;
        if self.can_be_held(number) {
            return Some(number);
        }
        self.out_of_bounds(number.span);
        None
    }

    /// Scans a number that begins with a single `0`, which may be hexadecimal or octal.
    fn after_zero(&self, start: usize) -> Number {
        let after = start + 1;
        let (end, form) = match self.bytes.get(after) {
            Some(b'x') => {
                let hex = lexer::while_end(self.bytes, after + 1, |b| b.is_ascii_hexdigit());
                let letters = lexer::while_end(self.bytes, after, |b| b.is_ascii_alphabetic());
                if hex == after + 1 || letters > hex {
                    // `0xZZ` is 0 with the unit `xZZ`.
                    return self.after_whole(start, after);
                }
                (hex, NumberForm::Hexadecimal)
            }
            Some(b'0'..=b'7') => {
                let end = lexer::while_end(self.bytes, after, |b| matches!(b, b'0'..=b'7'));
                (end, NumberForm::Octal)
            }
            _ => return self.after_whole(start, after),
        };
        let span = Span::new(start, end);
        Number {
            span,
            form,
            unit: 0,
        }
    }

    /// Scans the fraction and the unit after a whole number.
    fn after_whole(&self, start: usize, whole: usize) -> Number {
        let has_fraction = self.bytes.get(whole) == Some(&b'.')
            && self.bytes.get(whole + 1).is_some_and(u8::is_ascii_digit);
        let digits = if has_fraction {
            lexer::digits_end(self.bytes, whole + 1)
        } else {
            whole
        };
        let end = lexer::while_end(self.bytes, digits, |b| b.is_ascii_alphabetic());
        let (form, unit) = if end > digits {
            (NumberForm::Measurement, digits)
        } else if has_fraction {
            (NumberForm::Decimal, 0)
        } else {
            (NumberForm::Integer, 0)
        };
        let span = Span::new(start, end);
        Number { span, form, unit }
    }

    /// Whether the value of a number is within its limits. The value is computed on demand, so the
    /// digits are read here only if the number is long.
    fn can_be_held(&self, number: Number) -> bool {
        let text = number.span.text(self.source);
        let is_finite = |digits: &str| digits.parse().is_ok_and(f64::is_finite);
        match number.form {
            NumberForm::Integer => text.len() <= SAFE_DIGITS || text.parse::<i128>().is_ok(),
            NumberForm::Hexadecimal => i128::from_str_radix(&text[2..], 16).is_ok(),
            NumberForm::Octal => i128::from_str_radix(&text[1..], 8).is_ok(),
            NumberForm::Decimal => text.len() <= SAFE_DECIMAL || is_finite(text),
            NumberForm::Measurement => {
                let (digits, unit) = text.split_at(number.unit - number.span.start);
                // `0.0xA` could not be printed, because `0xA` is hexadecimal.
                let printable = !unit.starts_with('x')
                    || digits
                        .parse()
                        .is_ok_and(|value| Measurement::is_unit_for(value, unit));
                printable && (digits.len() <= SAFE_DECIMAL || is_finite(digits))
            }
        }
    }

    /// Reports a run of characters that begins like a number and is not one, and skips it.
    fn bad_number(&mut self, start: usize, help: Option<&str>) {
        let end = lexer::symbol_end(self.bytes, start + 1);
        let found = self.found(Span::new(start, end));
        self.report(
            SyntaxErrorKind::BadNumber,
            Span::new(start, end),
            || format!("found {found}, expected a number"),
            help,
        );
        self.at = end;
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
            _ if is_date(unsigned) => "write a date in quotes, or with a tag: date`2026-11-21`",
            [.., b'.'] => "write a digit after the point, as in `5.0`",
            _ if text.contains('_') => "write the digits without `_`",
            _ if text.contains(['e', 'E']) => "gram has no exponents: write the number out",
            _ => "write text that begins with a digit in quotes",
        };
        Some(help)
    }

    /// Reports a number that has the right form and is too large.
    fn out_of_bounds(&mut self, span: Span) {
        let text = span.text(self.source);
        let found = self.found(span);
        let is_whole = text.starts_with("0x")
            || text
                .trim_start_matches('-')
                .bytes()
                .all(|b| b.is_ascii_digit());
        let (expected, help) = if is_whole {
            ("a number of up to 128 bits", "write more digits in quotes")
        } else if text.contains('x') && text.starts_with("0.") {
            (
                "a unit that does not read as a hexadecimal number",
                "write the amount and the unit apart",
            )
        } else {
            (
                "a number that 64-bit floats can hold",
                "write more digits in quotes",
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

/// Whether the bytes have the form of a date, such as `2026-11-21`.
fn is_date(bytes: &[u8]) -> bool {
    let parts = bytes.split(|b| *b == b'-');
    parts.clone().count() == 3
        && parts
            .clone()
            .all(|part| part.first().is_some_and(u8::is_ascii_digit))
}
