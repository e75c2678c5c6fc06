//! Rust identifiers for the names of a document.

use agent_spec::case::camel_case;
use agent_spec::terminal::controls_terminal;
use std::collections::{HashMap, HashSet};

/// The maximum length of an identifier, so that lines stay within the width of rustfmt. If a name is longer,
/// an attribute contains the whole name.
const IDENTIFIER_WIDTH: usize = 34;

/// The keywords, which must be raw identifiers. Edition 2024 has all of them.
const KEYWORDS: [&str; 48] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return",
    "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

/// The keywords that cannot be raw identifiers.
const NEVER_RAW: [&str; 4] = ["self", "Self", "super", "crate"];

/// Whether a word is a keyword of Rust.
///
/// ```
/// use agent_codegen::is_keyword;
///
/// assert!(is_keyword("async") && is_keyword("self") && !is_keyword("shop"));
/// ```
#[must_use]
pub fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word) || NEVER_RAW.contains(&word)
}

/// The identifiers of one scope, each of which is used once.
#[derive(Default)]
pub(crate) struct Scope {
    taken: HashSet<String>,
    /// The next number for each name that is taken.
    next: HashMap<String, usize>,
}

impl Scope {
    /// Creates a scope in which some names are taken.
    pub(crate) fn with(taken: &[&str]) -> Self {
        Self {
            taken: taken.iter().map(|name| (*name).to_owned()).collect(),
            next: HashMap::new(),
        }
    }

    /// Reserves the first candidate that is free. If none is free, reserves the last candidate, followed by
    /// the separator and a number.
    pub(crate) fn take(&mut self, candidates: &[String], separator: &str) -> String {
        for name in candidates {
            if self.taken.insert(name.clone()) {
                return name.clone();
            }
        }
        let name = candidates.last().map_or("", String::as_str);
        let next = self.next.entry(name.to_owned()).or_insert(2);
        loop {
            let numbered = format!("{name}{separator}{next}");
            *next += 1;
            if self.taken.insert(numbered.clone()) {
                return numbered;
            }
        }
    }

    /// Reserves an identifier in snake case for a variable, field or function. A name without letters and
    /// digits gets the fallback.
    pub(crate) fn snake(&mut self, name: &str, fallback: &str) -> String {
        let words = words_of(name);
        let mut text = cut(&words.join("_").to_lowercase(), IDENTIFIER_WIDTH);
        // Lower case letters can have marks that are not allowed.
        text.retain(is_part);
        let start = name.len() - name.trim_start_matches('_').len();
        let begins_well = text.starts_with(unicode_ident::is_xid_start);
        if text.is_empty() {
            text = fallback.to_owned();
        } else if start > 0 {
            text.insert_str(0, &"_".repeat(start.min(4)));
        } else if !begins_well {
            text.insert(0, '_');
        }
        let mut separator = "_";
        if NEVER_RAW.contains(&text.as_str()) {
            text.push('_');
            // rustc warns about two underscores in a row.
            separator = "";
        }
        let ident = self.take(&[text], separator);
        if KEYWORDS.contains(&ident.as_str()) {
            format!("r#{ident}")
        } else {
            ident
        }
    }
}

/// Returns a name in Pascal case for a type or variant. `None` if the name does not begin with a letter
/// that has an upper case.
pub(crate) fn pascal(name: &str) -> Option<String> {
    let mut out = String::new();
    for word in words_of(name) {
        let mut chars = word.chars();
        out.extend(chars.next().into_iter().flat_map(char::to_uppercase));
        out.extend(chars.flat_map(char::to_lowercase));
    }
    out.retain(is_part);
    out.starts_with(char::is_uppercase).then_some(out)
}

/// Cuts a name to a length.
pub(crate) fn cut(name: &str, max_length: usize) -> String {
    let short: String = name.chars().take(max_length).collect();
    short.trim_end_matches('_').to_owned()
}

/// Whether `#[tool]` derives this name from an identifier. Names outside ASCII do not count, because rustc
/// normalizes their letters.
pub(crate) fn derives_name(ident: &str, name: &str) -> bool {
    name.is_ascii() && camel_case(ident) == name
}

/// Splits a name into words at capitals and at characters that are neither letters nor digits.
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

/// Whether a character is kept in a word. Combining marks are left out, because rustc normalizes them, so
/// that two names could become equal. Letters that nobody sees, such as U+3164, are left out for the same reason.
fn is_part(c: char) -> bool {
    let is_letter = unicode_ident::is_xid_start(c) && !controls_terminal(c);
    c == '_' || c.is_ascii_digit() || is_letter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makes_identifiers_of_names() {
        for (name, ident) in [
            ("sayHello", "say_hello"),
            ("get-weather", "get_weather"),
            ("getURL", "get_url"),
            ("HTTPServer", "http_server"),
            ("get2Things", "get2_things"),
            ("_hidden", "_hidden"),
            ("a\u{115f}b\u{1160}\u{3164}c\u{ffa0}", "a_b_c"),
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
    fn numbers_equal_identifiers() {
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
    fn makes_type_names_of_names() {
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
