//! The ends of tokens: pure functions from bytes and an offset to an offset.
//!
//! Gram has no token stream, because tokens depend on the context: `a-->b` is a name in one place,
//! `)-->(` has an arrow in another, and text between quotes is neither. The parser looks only for
//! tokens that are allowed at its place, so that nothing is scanned twice and no token is stored.

/// The classes of each byte, as bits.
const CLASSES: [u8; 256] = classes();

const BLANK: u8 = 1;
const SYMBOL_START: u8 = 2;
const SYMBOL: u8 = 4;
const DIGIT: u8 = 8;
const ARROW: u8 = 16;
/// The bytes at which the plain part of a quoted text ends: a quote of any form, a backslash, a
/// line end.
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

/// Whether a symbol can contain this byte after its first byte.
pub(crate) fn continues_symbol(byte: u8) -> bool {
    is(byte, SYMBOL)
}

/// Whether a label, key or reference can start at `at`, judged by two bytes.
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

/// Returns the end of the white space at `at`. White space in gram is ASCII.
pub(crate) fn blanks_end(bytes: &[u8], at: usize) -> usize {
    run(bytes, at, BLANK)
}

/// Returns the end of the run of bytes that a symbol can contain.
pub(crate) fn symbol_end(bytes: &[u8], at: usize) -> usize {
    run(bytes, at, SYMBOL)
}

/// Returns the end of the run of digits.
pub(crate) fn digits_end(bytes: &[u8], at: usize) -> usize {
    run(bytes, at, DIGIT)
}

/// Returns the end of the run of bytes that arrows consist of.
pub(crate) fn arrow_end(bytes: &[u8], at: usize) -> usize {
    run(bytes, at, ARROW)
}

/// Returns the end of the run of `byte`.
pub(crate) fn repeat_end(bytes: &[u8], mut at: usize, byte: u8) -> usize {
    while bytes.get(at) == Some(&byte) {
        at += 1;
    }
    at
}

/// Returns the end of the run of bytes that satisfy `test`.
pub(crate) fn while_end(bytes: &[u8], mut at: usize, test: impl Fn(u8) -> bool) -> usize {
    while at < bytes.len() && test(bytes[at]) {
        at += 1;
    }
    at
}

/// Returns the end of the whole number at `at`, `-?(0|[1-9][0-9]*)`, if one starts there.
pub(crate) fn integer_end(bytes: &[u8], at: usize) -> Option<usize> {
    let digits = at + usize::from(bytes.get(at) == Some(&b'-'));
    match bytes.get(digits) {
        Some(b'0') => Some(digits + 1),
        Some(b'1'..=b'9') => Some(digits_end(bytes, digits)),
        _ => None,
    }
}

/// Returns the end of the plain part of a quoted text: its quote, a backslash, a line end, or the
/// end of the source.
pub(crate) fn plain_end(bytes: &[u8], mut at: usize, quote: u8) -> usize {
    loop {
        while at < bytes.len() && !is(bytes[at], QUOTED_STOP) {
            at += 1;
        }
        match bytes.get(at) {
            // A quote of another form is plain text.
            Some(byte @ (b'"' | b'\'' | b'`')) if *byte != quote => at += 1,
            _ => return at,
        }
    }
}

/// Returns the offset of the line feed that ends the line of `at`, or the end of the source.
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

/// Returns the end of the quoted text at `at`, after its closing quote, if it ends on its line.
pub(crate) fn quoted_end(bytes: &[u8], at: usize) -> Option<usize> {
    let quote = *bytes.get(at)?;
    let mut at = plain_end(bytes, at + 1, quote);
    while bytes.get(at) == Some(&b'\\') {
        // An escaped character is skipped, but a line end is not: it ends the text.
        if matches!(bytes.get(at + 1), None | Some(b'\n')) {
            return None;
        }
        at = plain_end(bytes, at + 2, quote);
    }
    (bytes.get(at) == Some(&quote)).then_some(at + 1)
}

/// Returns the end of the white space and comments at `at`, for looking ahead.
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
