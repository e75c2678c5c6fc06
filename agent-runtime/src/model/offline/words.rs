//! The words of a text, and which of them mean the same.

/// Words that say nothing about what is wanted.
const EMPTY: [&str; 60] = [
    "a", "about", "all", "an", "and", "any", "are", "as", "at", "be", "by", "can", "could", "do",
    "for", "from", "get", "give", "given", "i", "i'm", "if", "in", "into", "is", "it", "its", "me",
    "message", "my", "name", "of", "on", "one", "or", "please", "return", "returns", "say", "some",
    "tell", "text", "that", "the", "then", "this", "to", "tool", "up", "us", "use", "using",
    "what", "when", "which", "with", "would", "you", "your", "friendly",
];

/// Words that mean the same; the first stands for all.
const SYNONYMS: [&[&str]; 3] = [
    &[
        "hello",
        "hi",
        "hey",
        "hallo",
        "howdy",
        "greet",
        "greeting",
        "greetings",
        "greets",
        "welcome",
    ],
    &["goodbye", "bye", "farewell", "cheerio", "ciao"],
    &[
        "calculate",
        "calculator",
        "calculates",
        "compute",
        "computes",
        "evaluate",
        "evaluates",
        "math",
        "mathematical",
        "arithmetic",
        "plus",
        "minus",
    ],
];

/// What stands for a sum such as `2 + 3`.
pub(super) const RECKONING: &str = "calculate";

/// The words of a text that say something, in lower case, each as the one that stands for it.
/// `camelCase`, `snake_case` and `kebab-case` names fall into their words.
pub(super) fn of(text: &str) -> Vec<String> {
    split(text)
        .into_iter()
        .map(|word| canonical(&word))
        .filter(|word| word.len() > 1 && !EMPTY.contains(&word.as_str()))
        .collect()
}

/// All words of a text, in lower case. An apostrophe inside a word belongs to it.
pub(super) fn split(text: &str) -> Vec<String> {
    let text = text.replace('’', "'").replace("good bye", "goodbye");
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before_lower = false;
    for c in text.chars() {
        let inside = c.is_alphanumeric() || (c == '\'' && !word.is_empty());
        if !inside || (c.is_uppercase() && before_lower) {
            words.push(std::mem::take(&mut word));
        }
        if inside {
            word.extend(c.to_lowercase());
        }
        before_lower = c.is_lowercase();
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

fn canonical(word: &str) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word);
    if let Some(group) = SYNONYMS.iter().find(|group| group.contains(&word)) {
        return group[0].to_owned();
    }
    match word.strip_suffix('s') {
        Some(singular) if singular.len() > 2 && !singular.ends_with('s') => singular.to_owned(),
        _ => word.to_owned(),
    }
}

/// Whether a word is a greeting or a farewell, which is nobody's name.
pub(super) fn is_greeting(word: &str) -> bool {
    let word = canonical(&word.to_lowercase());
    word == SYNONYMS[0][0] || word == SYNONYMS[1][0]
}
