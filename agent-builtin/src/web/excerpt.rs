//! The beginning of a long text, for messages.

/// Returns a text cut at `max` bytes, before the character that does not fit, with `…` where it was cut.
pub(super) fn excerpt(text: &str, max: usize) -> String {
    match text.len() {
        length if length <= max => text.to_owned(),
        _ => format!("{}…", &text[..text.floor_char_boundary(max)]),
    }
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    #[test]
    fn cuts_between_characters() {
        assert_eq!(excerpt("short", 10), "short");
        assert_eq!(excerpt("aé", 2), "a…");
        assert_eq!(excerpt("ééé", 4), "éé…");
    }
}
