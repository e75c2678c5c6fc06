//! Texts of which only some words are allowed, as the variants of an enum.

use super::describe::is_plain;
use super::identifier::pascal;
use agent_gram::Value;
use agent_spec::{Kind, Type};
use std::collections::HashSet;

/// The longest word that becomes a variant.
const LONGEST: usize = 40;

/// The variants of the enum that a type is, in Rust and in the document; nothing when it is none, as
/// when a word makes no name.
pub(super) fn variants_of(ty: &Type) -> Option<Vec<(String, String)>> {
    let by = ty.constraints();
    let is_narrowed_further = by.format.is_some()
        || by.pattern.is_some()
        || by.min_length.is_some()
        || by.max_length.is_some();
    if !matches!(ty.kind(), Kind::Text) || by.enumeration().is_empty() || is_narrowed_further {
        return None;
    }
    let mut words = HashSet::new();
    let mut names = HashSet::new();
    let mut variants = Vec::new();
    for value in by.enumeration() {
        let word = match value {
            Value::String(text) => text.as_str(),
            Value::Tagged(tagged) => tagged.content(),
            _ => return None,
        };
        if !words.insert(word) {
            continue;
        }
        let name = pascal(word).filter(|name| name != "Self")?;
        let fits = word.chars().count() <= LONGEST && is_plain(word);
        if !fits || !names.insert(name.clone()) {
            return None;
        }
        variants.push((name, word.to_owned()));
    }
    Some(variants)
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_spec::Signature;

    fn variants(parameter: &str) -> Option<Vec<String>> {
        let signature = Signature::parse(&format!("({parameter})==>(::Null)")).expect("correct");
        let variants = variants_of(signature.params()[0].ty())?;
        Some(variants.into_iter().map(|(name, _)| name).collect())
    }

    #[test]
    fn words_that_make_names_are_variants() {
        for (parameter, names) in [
            (
                "a::Text {enum: [\"red\", \"light-blue\"]}",
                Some(&["Red", "LightBlue"][..]),
            ),
            ("a::Text {enum: [\"red\", \"red\"]}", Some(&["Red"])),
            ("a::Text {enum: [\"red\", \"Red\"]}", None),
            ("a::Text {enum: [\"self\"]}", None),
            ("a::Text {enum: [\"1\", \"2\"]}", None),
            ("a::Text {enum: [\"red\"], minLength: 1}", None),
            ("a::Any {enum: [\"red\"]}", None),
            ("a::Text", None),
        ] {
            let names = names.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
            assert_eq!(variants(parameter), names, "{parameter}");
        }
    }
}
