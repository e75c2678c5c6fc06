//! Names of a document as identifiers of Rust.

use std::collections::{HashMap, HashSet};

/// The longest identifier that is made of the name of a parameter or field, so that lines stay
/// within the width that rustfmt wants. The whole name stands in an attribute then.
const LONGEST: usize = 34;

/// The words that cannot be identifiers as they are; of edition 2024, which has all of them.
const KEYWORDS: [&str; 48] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return",
    "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

/// The keywords that cannot even be raw identifiers.
const NEVER: [&str; 4] = ["self", "Self", "super", "crate"];

/// Identifiers of one scope: each is given once.
#[derive(Default)]
pub(super) struct Scope {
    taken: HashSet<String>,
    /// The next number for a name that is taken.
    next: HashMap<String, usize>,
}

impl Scope {
    /// A scope in which some names have a meaning already.
    pub(super) fn with(taken: &[&str]) -> Self {
        Self {
            taken: taken.iter().map(|name| (*name).to_owned()).collect(),
            next: HashMap::new(),
        }
    }

    /// The first of these names that is free, or the last one with a number; it is taken then.
    pub(super) fn take(&mut self, candidates: &[String], between: &str) -> String {
        for name in candidates {
            if self.taken.insert(name.clone()) {
                return name.clone();
            }
        }
        let name = candidates.last().map_or("", String::as_str);
        let next = self.next.entry(name.to_owned()).or_insert(2);
        loop {
            let numbered = format!("{name}{between}{next}");
            *next += 1;
            if self.taken.insert(numbered.clone()) {
                return numbered;
            }
        }
    }

    /// An identifier for a variable, field or function of this name.
    pub(super) fn snake(&mut self, name: &str, otherwise: &str) -> String {
        let words = words_of(name);
        let mut text = cut(&words.join("_").to_lowercase(), LONGEST);
        // Lower case can bring characters that are no part of a word.
        text.retain(is_part);
        let start = name.len() - name.trim_start_matches('_').len();
        let begins_well = text.starts_with(unicode_ident::is_xid_start);
        if text.is_empty() {
            text = otherwise.to_owned();
        } else if start > 0 {
            text.insert_str(0, &"_".repeat(start.min(4)));
        } else if !begins_well {
            text.insert(0, '_');
        }
        let mut between = "_";
        if NEVER.contains(&text.as_str()) {
            text.push('_');
            // Two underscores in a row are not the style of Rust; rustc warns of them.
            between = "";
        }
        let ident = self.take(&[text], between);
        if KEYWORDS.contains(&ident.as_str()) {
            format!("r#{ident}")
        } else {
            ident
        }
    }
}

/// A name as the name of a type or variant; nothing when it holds no word that can begin one.
pub(super) fn pascal(name: &str) -> Option<String> {
    let mut out = String::new();
    for word in words_of(name) {
        let mut chars = word.chars();
        out.extend(chars.next().into_iter().flat_map(char::to_uppercase));
        out.extend(chars.flat_map(char::to_lowercase));
    }
    out.retain(is_part);
    out.starts_with(char::is_uppercase).then_some(out)
}

/// The beginning of a name, which may be of any length.
pub(super) fn cut(name: &str, longest: usize) -> String {
    let short: String = name.chars().take(longest).collect();
    short.trim_end_matches('_').to_owned()
}

/// The words of a name: parted by whatever is neither letter nor digit, and where capitals begin.
fn words_of(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let chars: Vec<char> = name.chars().collect();
    for (at, c) in chars.iter().copied().enumerate() {
        if !is_part(c) || c == '_' {
            words.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty()));
            continue;
        }
        let after_capital = at > 0 && chars[at - 1].is_uppercase();
        let before_small = chars.get(at + 1).is_some_and(|next| next.is_lowercase());
        if c.is_uppercase() && !word.is_empty() && (!after_capital || before_small) {
            words.push(std::mem::take(&mut word));
        }
        word.push(c);
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    words
}

/// Whether a character can stand in a word. Marks that join the letter before them are left out:
/// rustc joins them, and two names could become one.
fn is_part(c: char) -> bool {
    c == '_' || c.is_ascii_digit() || unicode_ident::is_xid_start(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_identifiers() {
        for (name, ident) in [
            ("sayHello", "say_hello"),
            ("get-weather", "get_weather"),
            ("getURL", "get_url"),
            ("HTTPServer", "http_server"),
            ("get2Things", "get2_things"),
            ("_hidden", "_hidden"),
            ("a__b_", "a_b"),
            ("type", "r#type"),
            ("self", "self_"),
            ("2nd", "_2nd"),
            ("größe", "größe"),
            ("名前", "名前"),
            ("person name", "person_name"),
            ("🙂", "param"),
            ("_", "param"),
        ] {
            assert_eq!(Scope::default().snake(name, "param"), ident, "{name}");
        }
        let long = "very_long_name_that_goes_on_and_on_and_on_and_on";
        assert_eq!(
            Scope::default().snake(long, "param"),
            "very_long_name_that_goes_on_and_on"
        );
    }

    #[test]
    fn names_that_become_one_are_kept_apart() {
        let mut scope = Scope::with(&["not_written"]);
        for (name, ident) in [
            ("user_name", "user_name"),
            ("userName", "user_name_2"),
            ("UserName", "user_name_3"),
            ("notWritten", "not_written_2"),
            ("user_name_2", "user_name_2_2"),
            ("self", "self_"),
            ("Self", "self_2"),
            ("self_2", "self_2_2"),
        ] {
            assert_eq!(scope.snake(name, "param"), ident, "{name}");
        }
    }

    #[test]
    fn types_begin_with_a_capital() {
        for (name, ident) in [
            ("user_address", Some("UserAddress")),
            ("light-blue", Some("LightBlue")),
            ("SI", Some("Si")),
            ("2nd", None),
            ("+", None),
            ("名前", None),
        ] {
            assert_eq!(pascal(name).as_deref(), ident, "{name}");
        }
    }
}
