//! Texts in a `const`.

/// Whether two texts are equal. It compares many bytes in one step, because a `const` may run a limited
/// number of steps.
#[must_use]
pub const fn same_text(left: &str, right: &str) -> bool {
    let (mut left, mut right) = (left.as_bytes(), right.as_bytes());
    if left.len() != right.len() {
        return false;
    }
    while let (Some((a, left_rest)), Some((b, right_rest))) =
        (left.split_first_chunk(), right.split_first_chunk())
    {
        if u128::from_ne_bytes(*a) != u128::from_ne_bytes(*b) {
            return false;
        }
        (left, right) = (left_rest, right_rest);
    }
    if let (Some((a, left_rest)), Some((b, right_rest))) =
        (left.split_first_chunk(), right.split_first_chunk())
    {
        if u64::from_ne_bytes(*a) != u64::from_ne_bytes(*b) {
            return false;
        }
        (left, right) = (left_rest, right_rest);
    }
    let mut at = 0;
    while at < left.len() {
        if left[at] != right[at] {
            return false;
        }
        at += 1;
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
