//! Arguments in the order in which they are asked for: that of the signature, which is the order in
//! which models write them. None of them is looked at twice then.

/// A place in the text of an object: before its first member, or after one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'t> {
    rest: &'t str,
    /// What stands before the next member.
    before: u8,
}

impl<'t> Cursor<'t> {
    /// Before the first member.
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            rest: text,
            before: b'{',
        }
    }

    /// After a member; the rest of the text begins there.
    pub(super) fn after(rest: &'t str) -> Self {
        Self { rest, before: b',' }
    }

    /// The text from the value of the next member on, when the member has this name. A name that is
    /// written with escapes is not known here.
    pub(super) fn value_of(self, name: &str) -> Option<&'t str> {
        let bytes = self.rest.as_bytes();
        let at = after_byte(bytes, 0, self.before)?;
        let at = after_byte(bytes, at, b'"')?;
        let end = at + name.len();
        if bytes.get(at..end)? != name.as_bytes() || *bytes.get(end)? != b'"' {
            return None;
        }
        let at = after_byte(bytes, end + 1, b':')?;
        self.rest.get(after_blanks(bytes, at)..)
    }

    /// Whether the object, and the text, end here.
    pub(super) fn is_at_end(self) -> bool {
        let bytes = self.rest.as_bytes();
        let at = match self.before {
            b'{' => after_byte(bytes, 0, b'{'),
            _ => Some(0),
        };
        let end = at.and_then(|at| after_byte(bytes, at, b'}'));
        end.is_some_and(|end| after_blanks(bytes, end) == bytes.len())
    }
}

/// Where the text goes on after a byte that stands at the place, or after blanks.
fn after_byte(bytes: &[u8], at: usize, byte: u8) -> Option<usize> {
    let at = after_blanks(bytes, at);
    (*bytes.get(at)? == byte).then_some(at + 1)
}

/// JSON knows fewer blanks than `str::trim_start`.
fn after_blanks(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\t' | b'\r') = bytes.get(at) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_in_order_up_to_the_end() {
        let start = Cursor::new("\n{ \"a\" : 1 , \"b\":[2]}\t");
        let value = start.value_of("a").expect("a is the first");
        assert_eq!(value, "1 , \"b\":[2]}\t");
        assert!(start.value_of("b").is_none() && !start.is_at_end());
        let second = Cursor::after(&value[1..]);
        assert_eq!(second.value_of("b"), Some("[2]}\t"));
        assert!(!second.is_at_end());
        assert!(Cursor::after("}\t").is_at_end());
    }

    #[test]
    fn only_whole_objects_have_an_end() {
        for (text, is_whole) in [
            ("{}", true),
            (" { } ", true),
            ("{", false),
            ("{} {}", false),
        ] {
            assert_eq!(Cursor::new(text).is_at_end(), is_whole, "{text}");
        }
        for text in [",}", "", "} x", "\u{a0}}"] {
            assert!(!Cursor::after(text).is_at_end(), "{text}");
        }
        assert!(Cursor::new("{\"ab\": 1}").value_of("a").is_none());
        assert!(Cursor::new("{,\"a\": 1}").value_of("a").is_none());
    }
}
