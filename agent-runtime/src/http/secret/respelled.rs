//! A key that somebody spelled anew: in other letters, escaped as in URLs, or as in JSON.

use super::{MASK, SHORTEST, Secret};

impl Secret {
    /// A text in which the key is replaced however servers spell what they repeat, when it has this many
    /// bytes, and as many as a key must have.
    pub(crate) fn mask_respelled(&self, shortest: usize, text: &str) -> String {
        let key = self.0.as_bytes();
        if key.len() < shortest.max(SHORTEST) {
            return text.to_owned();
        }
        let mut masked = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(next) = rest.chars().next() {
            // The longer one: what is left of the other would be the end of a key.
            let length = plain(key, rest.as_bytes()).max(escaped(key, rest.as_bytes()));
            match length.and_then(|length| rest.get(length..)) {
                Some(after) => {
                    masked.push_str(MASK);
                    rest = after;
                }
                None => {
                    masked.push(next);
                    rest = &rest[next.len_utf8()..];
                }
            }
        }
        masked
    }
}

/// How many bytes at the beginning are the key.
fn plain(key: &[u8], text: &[u8]) -> Option<usize> {
    text.get(..key.len())?
        .eq_ignore_ascii_case(key)
        .then_some(key.len())
}

/// How many bytes at the beginning are the key when some of it is escaped.
fn escaped(key: &[u8], text: &[u8]) -> Option<usize> {
    let mut at = 0;
    for wanted in key {
        let rest = text.get(at..)?;
        let same = |byte: u8| byte.eq_ignore_ascii_case(wanted);
        let in_url = || {
            let ways = [of_url(rest, true), of_url(rest, false)];
            ways.into_iter().flatten().find(|(byte, _)| same(*byte))
        };
        let in_json = || of_json(rest).filter(|(byte, _)| same(*byte));
        let as_it_is = || {
            let byte = *rest.first()?;
            let is_space = byte == b'+' && *wanted == b' ';
            (same(byte) || is_space).then_some((byte, 1))
        };
        at += in_url().or_else(in_json).or_else(as_it_is)?.1;
    }
    Some(at)
}

/// `%2B` and, escaped `again`, `%252B`: the byte and how much of the text it takes.
fn of_url(text: &[u8], again: bool) -> Option<(u8, usize)> {
    let mut at = text.starts_with(b"%").then_some(1)?;
    // Of a key's own `%`, escaped, the last `25` is the byte itself.
    while again && text[at..].starts_with(b"25") && number(text.get(at + 2..at + 4)).is_some() {
        at += 2;
    }
    let byte = number(text.get(at..at + 2))?;
    Some((u8::try_from(byte).ok()?, at + 2))
}

/// `\/` and `\u002b`.
fn of_json(text: &[u8]) -> Option<(u8, usize)> {
    match text {
        [b'\\', b'u', ..] => Some((u8::try_from(number(text.get(2..6))?).ok()?, 6)),
        [b'\\', byte, ..] => Some((*byte, 2)),
        _ => None,
    }
}

/// The number that digits of base 16 say.
fn number(digits: Option<&[u8]>) -> Option<u32> {
    let mut number = 0;
    for digit in digits? {
        number = number * 16 + char::from(*digit).to_digit(16)?;
    }
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_however_it_is_spelled() {
        let key = Secret::new("K3y+with/odd=signs é%");
        for text in [
            "K3y+with/odd=signs é%",
            "k3Y+WITH/ODD=signs é%",
            "K3y%2Bwith%2Fodd%3Dsigns+%C3%A9%25",
            "k3y%2bwith%2fodd%3dsigns%20%c3%a9%25",
            "K3y%252Bwith%252Fodd%253Dsigns%2520%25C3%25A9%2525",
            "%4B%33%79+with/odd=signs é%",
            r"K3y+with\/odd=signs é%",
            r"\u004b3y\u002Bwith\/odd=signs é%",
        ] {
            let around = format!("é{text}é K3y");
            assert_eq!(key.mask_respelled(8, &around), "é[key]é K3y", "{text}");
        }
    }

    #[test]
    fn what_is_no_key_stays() {
        let key = Secret::new("%2541abc");
        assert_eq!(key.mask_respelled(4, "%2541ABC"), "[key]");
        for text in [
            "", "%", "%2", "%25", r"\", r"\u", r"\u00", "%zz", "é", "%2541ab",
        ] {
            assert_eq!(key.mask_respelled(4, text), text);
        }
        assert_eq!(key.mask_respelled(9, "%2541abc"), "%2541abc");
        assert_eq!(Secret::new("abc").mask_respelled(0, "abc"), "abc");
    }
}
