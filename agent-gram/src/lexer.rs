//! Where tokens end: pure functions from bytes and an offset to an offset.
//!
//! Gram has no token stream of its own: `a-->b` is a name in one place and `)-->(` an arrow in
//! another, and text between quotes is neither. The parser knows which token can come next and asks
//! for exactly that one, so nothing is scanned twice and no token is ever stored.

/// What a byte can be part of, as bits, looked up in one table.
const CLASSES: [u8; 256] = classes();

const BLANK: u8 = 1;
const SYMBOL_START: u8 = 2;
const SYMBOL: u8 = 4;
const DIGIT: u8 = 8;
const ARROW: u8 = 16;
/// What ends the plain part of a quoted text: a quote of any form, a backslash, a line end.
const QUOTED_STOP: u8 = 32;

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        let byte = at as u8;
        let mut class = 0;
        if matches!(byte, b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r') {
            class |= BLANK;
        }
        if byte.is_ascii_alphabetic() || byte == b'_' {
            class |= SYMBOL_START;
        }
        if crate::value::is_symbol_byte(byte) {
            class |= SYMBOL;
        }
        if byte.is_ascii_digit() {
            class |= DIGIT;
        }
        if matches!(byte, b'-' | b'=' | b'~' | b'<' | b'>') {
            class |= ARROW;
        }
        if matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b'\n') {
            class |= QUOTED_STOP;
        }
        table[at] = class;
        at += 1;
    }
    table
}

fn is(byte: u8, class: u8) -> bool {
    CLASSES[byte as usize] & class != 0
}

/// Whether a symbol can start with this byte.
pub(crate) fn starts_symbol(byte: u8) -> bool {
    is(byte, SYMBOL_START)
}

/// Whether a symbol can hold this byte after its first.
pub(crate) fn continues_symbol(byte: u8) -> bool {
    is(byte, SYMBOL)
}

/// Whether a token can be a label, key or reference, judged by its first byte and the next.
pub(crate) fn starts_identifier(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at) {
        Some(b'`') => true,
        Some(byte) => starts_symbol(*byte) || integer_end(bytes, at).is_some(),
        None => false,
    }
}

fn run(bytes: &[u8], mut at: usize, class: u8) -> usize {
    while at < bytes.len() && is(bytes[at], class) {
        at += 1;
    }
    at
}

/// The end of the white space at `at`. Gram's white space is ASCII.
pub(crate) fn blanks_end(bytes: &[u8], at: usize) -> usize {
    run(bytes, at, BLANK)
}

/// The end of the run of characters that symbols are made of.
pub(crate) fn symbol_end(bytes: &[u8], at: usize) -> usize {
    run(bytes, at, SYMBOL)
}

/// The end of the run of digits.
pub(crate) fn digits_end(bytes: &[u8], at: usize) -> usize {
    run(bytes, at, DIGIT)
}

/// The end of the run of characters that arrows are made of.
pub(crate) fn arrow_end(bytes: &[u8], at: usize) -> usize {
    run(bytes, at, ARROW)
}

/// The end of the run of one and the same byte.
pub(crate) fn repeat_end(bytes: &[u8], mut at: usize, byte: u8) -> usize {
    while bytes.get(at) == Some(&byte) {
        at += 1;
    }
    at
}

/// The end of the run of bytes that satisfy a test.
pub(crate) fn while_end(bytes: &[u8], mut at: usize, test: impl Fn(u8) -> bool) -> usize {
    while at < bytes.len() && test(bytes[at]) {
        at += 1;
    }
    at
}

/// The end of the whole number at `at`, `-?(0|[1-9][0-9]*)`, if one starts there.
pub(crate) fn integer_end(bytes: &[u8], at: usize) -> Option<usize> {
    let digits = at + usize::from(bytes.get(at) == Some(&b'-'));
    match bytes.get(digits) {
        Some(b'0') => Some(digits + 1),
        Some(b'1'..=b'9') => Some(digits_end(bytes, digits)),
        _ => None,
    }
}

/// Where the plain part of a quoted text stops: at its quote, a backslash, a line end, or the end.
pub(crate) fn plain_end(bytes: &[u8], mut at: usize, quote: u8) -> usize {
    loop {
        while at < bytes.len() && !is(bytes[at], QUOTED_STOP) {
            at += 1;
        }
        match bytes.get(at) {
            // The quotes of other forms are plain text.
            Some(byte @ (b'"' | b'\'' | b'`')) if *byte != quote => at += 1,
            _ => return at,
        }
    }
}

/// The end of the line that `at` is on: the offset of its LF, or the end of the text.
pub(crate) fn line_end(source: &str, at: usize) -> usize {
    let bytes = source.as_bytes();
    match bytes
        .get(at..)
        .map(|rest| rest.iter().position(|b| *b == b'\n'))
    {
        Some(Some(length)) => at + length,
        _ => bytes.len(),
    }
}

/// The end of the quoted text at `at`, its closing quote included, if it ends on its line.
pub(crate) fn quoted_end(bytes: &[u8], at: usize) -> Option<usize> {
    let quote = *bytes.get(at)?;
    let mut at = plain_end(bytes, at + 1, quote);
    while bytes.get(at) == Some(&b'\\') {
        // What is escaped counts for nothing, except a line end, which ends the text all the same.
        if matches!(bytes.get(at + 1), None | Some(b'\n')) {
            return None;
        }
        at = plain_end(bytes, at + 2, quote);
    }
    (bytes.get(at) == Some(&quote)).then_some(at + 1)
}

/// The end of the white space and comments at `at`, for looking ahead without taking note of them.
pub(crate) fn trivia_end(source: &str, mut at: usize) -> usize {
    let bytes = source.as_bytes();
    loop {
        at = blanks_end(bytes, at);
        match (bytes.get(at), bytes.get(at + 1)) {
            (Some(b'/'), Some(b'/')) => at = line_end(source, at),
            (Some(b'/'), Some(b'*')) => match source.get(at + 2..).and_then(|s| s.find("*/")) {
                Some(length) => at += 2 + length + 2,
                None => return bytes.len(),
            },
            _ => return at,
        }
    }
}
