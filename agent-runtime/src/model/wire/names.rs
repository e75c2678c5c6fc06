//! Tool names as providers take them.

use std::borrow::Cow;

/// The longest name that every provider takes.
const LONGEST: usize = 64;

/// A name that providers take: `^[a-zA-Z0-9_-]{1,64}$`, as OpenAI's error texts have it.
///
/// Names of declared tools satisfy that. A model can invent one that does not, and what it said is
/// sent back to it: the service would refuse the whole request, and so end the run.
pub(in crate::model) fn wire_name(name: &str) -> Cow<'_, str> {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !name.is_empty() && name.len() <= LONGEST && name.chars().all(is_fine) {
        return Cow::Borrowed(name);
    }
    let mut fine: String = name
        .chars()
        .take(LONGEST)
        .map(|c| if is_fine(c) { c } else { '_' })
        .collect();
    if fine.is_empty() {
        fine.push('_');
    }
    Cow::Owned(fine)
}

#[cfg(test)]
mod tests {
    use super::wire_name;

    #[test]
    fn invented_names_are_made_to_fit() {
        let long = "x".repeat(80);
        for (name, wire) in [
            ("sayHello", "sayHello"),
            ("functions.bookTable", "functions_bookTable"),
            ("bookTable ", "bookTable_"),
            ("grüße", "gr__e"),
            ("", "_"),
            (long.as_str(), &long[..64]),
        ] {
            assert_eq!(wire_name(name), wire, "{name}");
        }
    }
}
