//! Scans texts sixteen bytes at a time, in a `const` as well as at run time.
//!
//! Const evaluation is slow and adds to the compile time of every tool. The writer scans every byte
//! of every description several times, so fewer steps a byte make builds faster.

const ONES: u128 = u128::from_ne_bytes([0x01; 16]);
const HIGHS: u128 = u128::from_ne_bytes([0x80; 16]);

/// Returns sixteen copies of a byte.
const fn repeated(byte: u8) -> u128 {
    u128::from_ne_bytes([byte; 16])
}

/// Whether one of sixteen bytes is zero. A borrow can mark a byte above a zero as well, which does
/// not change the answer.
const fn has_zero(word: u128) -> bool {
    word.wrapping_sub(ONES) & !word & HIGHS != 0
}

/// Whether a text is ASCII only.
pub(super) const fn is_ascii(text: &str) -> bool {
    let (words, rest) = text.as_bytes().as_chunks::<16>();
    let mut at = 0;
    while at < words.len() {
        if u128::from_ne_bytes(words[at]) & HIGHS != 0 {
            return false;
        }
        at += 1;
    }
    at = 0;
    while at < rest.len() {
        if rest[at] >= 0x80 {
            return false;
        }
        at += 1;
    }
    true
}

/// Whether a text contains a byte.
pub(super) const fn has_byte(text: &str, byte: u8) -> bool {
    let (words, rest) = text.as_bytes().as_chunks::<16>();
    let wanted = repeated(byte);
    let mut at = 0;
    while at < words.len() {
        if has_zero(u128::from_ne_bytes(words[at]) ^ wanted) {
            return true;
        }
        at += 1;
    }
    at = 0;
    while at < rest.len() {
        if rest[at] == byte {
            return true;
        }
        at += 1;
    }
    false
}

/// Whether a text needs an escape between these quotes.
pub(super) const fn needs_escape(text: &str, quote: u8) -> bool {
    let (words, rest) = text.as_bytes().as_chunks::<16>();
    let (backslash, quotes) = (repeated(b'\\'), repeated(quote));
    let (line, feed, tab) = (repeated(b'\n'), repeated(b'\r'), repeated(b'\t'));
    let mut at = 0;
    while at < words.len() {
        let word = u128::from_ne_bytes(words[at]);
        if has_zero(word ^ backslash)
            || has_zero(word ^ quotes)
            || has_zero(word ^ line)
            || has_zero(word ^ feed)
            || has_zero(word ^ tab)
        {
            return true;
        }
        at += 1;
    }
    at = 0;
    while at < rest.len() {
        if rest[at] == quote || matches!(rest[at], b'\\' | b'\n' | b'\r' | b'\t') {
            return true;
        }
        at += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scans_every_byte_of_a_text() {
        for len in 0..40 {
            let plain = "x".repeat(len);
            assert!(is_ascii(&plain) && !needs_escape(&plain, b'"') && !has_byte(&plain, b'\n'));
            for at in 0..len {
                for (found, escape) in [
                    ('\n', true),
                    ('"', true),
                    ('\\', true),
                    ('`', false),
                    ('é', false),
                ] {
                    let mut text = plain.clone();
                    text.replace_range(at..=at, &found.to_string());
                    assert_eq!(needs_escape(&text, b'"'), escape, "{text:?}");
                    assert_eq!(has_byte(&text, b'\n'), found == '\n', "{text:?}");
                    assert_eq!(is_ascii(&text), found != 'é', "{text:?}");
                }
            }
        }
    }
}
