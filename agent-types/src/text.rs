//! Texts in a `const`.

/// Whether two texts are equal. A `const` may run a limited number of steps, and a call takes many of them.
/// Therefore the texts are compared without calls, and from their ends, because `field1` and `field2` differ
/// there.
#[must_use]
pub const fn same_text(left: &str, right: &str) -> bool {
    let (mut left, mut right) = (left.as_bytes(), right.as_bytes());
    if left.len() != right.len() {
        return false;
    }
    while let (
        [left_rest @ .., a1, a2, a3, a4, a5, a6, a7, a8],
        [right_rest @ .., b1, b2, b3, b4, b5, b6, b7, b8],
    ) = (left, right)
    {
        if *a8 != *b8
            || *a7 != *b7
            || *a6 != *b6
            || *a5 != *b5
            || *a4 != *b4
            || *a3 != *b3
            || *a2 != *b2
            || *a1 != *b1
        {
            return false;
        }
        (left, right) = (left_rest, right_rest);
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
