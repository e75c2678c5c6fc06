//! Names that nobody uses.

/// A name that is none of these.
pub(super) fn unused<'a>(names: impl Iterator<Item = &'a str> + Clone) -> String {
    const WORDS: [&str; 4] = ["extra", "other", "undeclared", "zzz"];
    let free = |word: &str| names.clone().all(|name| name != word);
    let plain = WORDS.into_iter().find(|word| free(word));
    match plain {
        Some(word) => word.to_owned(),
        None => (1..)
            .map(|at| format!("extra{at}"))
            .find(|word| free(word))
            .unwrap_or_default(),
    }
}

/// Another spelling of a name, which the validator takes for a slip of the pen.
pub(super) fn slip(name: &str) -> String {
    format!("{name}_")
}
