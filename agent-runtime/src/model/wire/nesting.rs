//! Whether a JSON text that comes in pieces has come to its end.

/// How deep an object or a list that comes in pieces stands open.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Nesting {
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    was_open: bool,
}

impl Nesting {
    pub(super) fn push(&mut self, piece: &str) {
        for byte in piece.bytes() {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' if self.in_string => self.is_escaped = true,
                b'"' => self.in_string = !self.in_string,
                _ if self.in_string => {}
                b'{' | b'[' => {
                    self.depth += 1;
                    self.was_open = true;
                }
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
    }

    /// Whether everything that was opened is closed again.
    pub(super) fn is_over(self) -> bool {
        self.was_open && self.depth == 0 && !self.in_string
    }
}

#[cfg(test)]
mod tests {
    use super::Nesting;

    #[test]
    fn an_object_is_over_where_its_last_brace_closes() {
        for (text, is_over) in [
            ("", false),
            (" ", false),
            ("{", false),
            ("{}", true),
            ("{\"a\": [1, {}]} ", true),
            ("{\"a\": \"}\"", false),
            ("{\"a\": \"\\\"}\"", false),
            ("{\"a\": \"\\\\\"}", true),
            ("}", false),
        ] {
            let mut nesting = Nesting::default();
            for piece in text.split_inclusive(char::is_alphabetic) {
                nesting.push(piece);
            }
            assert_eq!(nesting.is_over(), is_over, "{text}");
        }
    }
}
