//! The words of an expression.

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

/// Reads one token after the other.
#[derive(Debug)]
pub(super) struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// What stands at a place.
    pub(super) fn text(&self, place: &Range<usize>) -> &'a str {
        &self.text[place.clone()]
    }

    /// The next token and its place.
    pub(super) fn next(&mut self) -> Result<(Token<'a>, Range<usize>), Fault> {
        let rest = self.text[self.at..].trim_start();
        let start = self.text.len() - rest.len();
        let Some(first) = rest.chars().next() else {
            self.at = start;
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
            None => return Err(Fault::new(start, stranger(first))),
        };
        self.at = start + length;
        Ok((token, start..self.at))
    }
}

/// The digits that a text begins with, with fraction and exponent. None for a point alone.
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

/// How many bytes of digits a text begins with; `_` may stand between two of them.
fn digits(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut end = 0;
    while is_digit(end) || (end > 0 && bytes.get(end) == Some(&b'_') && is_digit(end + 1)) {
        end += 1;
    }
    end
}

/// A name, perhaps after that of a module, as in `math.sqrt`.
fn name(text: &str) -> &str {
    let is_part = |each: char| each.is_ascii_alphanumeric() || each == '_' || each == '.';
    let end = text.find(|each| !is_part(each)).unwrap_or(text.len());
    &text[..end]
}

/// What is said of a character that no expression has.
fn stranger(found: char) -> String {
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
    format!("`{found}` is no part of an expression{hint}")
}
