//! The texts of servers, which nobody has checked.

/// The maximum number of bytes of a text of a server in an error.
pub(crate) const ERROR_TEXT: usize = 4 << 10;

/// Cuts a text at a number of bytes, on a character boundary. A text that was cut ends with `…`.
pub(crate) fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(most);
    format!("{}…", &text[..end])
}

/// Returns an error with its causes on one line.
pub(crate) fn with_causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.contains(&next) {
            text.push_str(": ");
            text.push_str(&next);
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn cuts_on_a_character_boundary() {
        assert_eq!(cut("short", 5), "short");
        assert_eq!(cut("aé", 2), "a…");
    }
}
