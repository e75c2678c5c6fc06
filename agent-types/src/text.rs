//! Texts in a `const`.

/// Whether two texts are equal, in a `const` as well as at run time.
///
/// The texts are compared from their ends, because `field1` and `field2` differ there, and a `const` may run a
/// limited number of steps.
#[must_use]
pub const fn same_text(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    if left.len() != right.len() {
        return false;
    }
    let mut at = left.len();
    while at > 0 {
        at -= 1;
        if left[at] != right[at] {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::same_text;

    #[test]
    fn compares_texts_of_any_length() {
        for length in 0..60 {
            let text = "x".repeat(length);
            assert!(same_text(&text, &text.clone()));
            assert!(!same_text(&text, &format!("{text}x")));
            for at in 0..length {
                let mut other = text.clone();
                other.replace_range(at..=at, "y");
                assert!(
                    !same_text(&text, &other),
                    "{length} bytes, differing at {at}"
                );
            }
        }
    }
}
