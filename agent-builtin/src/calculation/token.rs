//! Tokens of expressions.

use super::error::{Fault, clipped};
use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'a> {
    Number(&'a str),
    Name(&'a str),
    Plus,
    Minus,
    Times,
    Over,
    Remainder,
    Power,
    Open,
    Close,
    Comma,
    End,
}

/// Splits an expression into tokens.
#[derive(Debug)]
pub(super) struct Tokens<'a> {
    text: &'a str,
    offset: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, offset: 0 }
    }

    /// Returns the text of a byte range.
    pub(super) fn text(&self, range: &Range<usize>) -> &'a str {
        &self.text[range.clone()]
    }

    /// Returns the next token and its byte range.
    pub(super) fn next(&mut self) -> Result<(Token<'a>, Range<usize>), Fault> {
        let rest = self.text[self.offset..].trim_start();
        let start = self.text.len() - rest.len();
        let Some(first) = rest.chars().next() else {
            self.offset = start;
            return Ok((Token::End, start..start));
        };
        let token = match first {
            '0'..='9' | '.' => number(rest).map(Token::Number),
            'a'..='z' | 'A'..='Z' | '_' => Some(Token::Name(name(rest))),
            'π' => Some(Token::Name("π")),
            'τ' => Some(Token::Name("τ")),
            '+' => Some(Token::Plus),
            '-' | '−' => Some(Token::Minus),
            '*' | '×' | '·' => Some(Token::Times),
            '/' | '÷' => Some(Token::Over),
            '%' => Some(Token::Remainder),
            '^' => Some(Token::Power),
            '(' => Some(Token::Open),
            ')' => Some(Token::Close),
            ',' => Some(Token::Comma),
            _ => None,
        };
        let (token, length) = match token {
            Some(Token::Number(text)) => (Token::Number(text), text.len()),
            Some(Token::Name(text)) => (Token::Name(text), text.len()),
            Some(Token::Times) if rest.starts_with("**") => (Token::Power, 2),
            Some(token) => (token, first.len_utf8()),
            None => return Err(Fault::new(start, unknown_character(first))),
        };
        self.offset = start + length;
        Ok((token, start..self.offset))
    }
}

/// Returns the number at the start of a text: digits with an optional fraction and exponent. A point
/// without digits is not a number.
fn number(text: &str) -> Option<&str> {
    let whole = digits(text);
    let mut end = whole;
    if text[end..].starts_with('.') {
        let fraction = digits(&text[end + 1..]);
        if whole + fraction == 0 {
            return None;
        }
        end += 1 + fraction;
    }
    if text[end..].starts_with(['e', 'E']) {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        let exponent = digits(&text[end + 1 + sign..]);
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    Some(&text[..end])
}

/// Returns the length of the digits at the start of a text; `_` is accepted between two digits.
fn digits(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut end = 0;
    while is_digit(end) || (end > 0 && bytes.get(end) == Some(&b'_') && is_digit(end + 1)) {
        end += 1;
    }
    end
}

/// Returns the name at the start of a text, including dots as in `math.sqrt`.
fn name(text: &str) -> &str {
    let is_part = |each: char| each.is_ascii_alphanumeric() || each == '_' || each == '.';
    let end = text.find(|each| !is_part(each)).unwrap_or(text.len());
    &text[..end]
}

/// The reason for a character that is not part of any token.
fn unknown_character(found: char) -> String {
    let hint = match found {
        '!' => "; a factorial is `factorial(5)`",
        '=' | '<' | '>' => "; an expression has a value, and neither variables nor comparisons",
        '[' | '{' => "; parentheses are `(` and `)`",
        '√' => "; a square root is `sqrt(2)`",
        '²' | '³' => "; a power is `2^3`",
        '$' | '€' | '£' => "; a number has no currency",
        '.' => " without digits",
        found if found.is_numeric() => "; digits are 0 to 9",
        _ => "",
    };
    let found = clipped(found.encode_utf8(&mut [0; 4]));
    format!("`{found}` is not part of an expression{hint}")
}
