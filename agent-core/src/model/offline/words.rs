//! Splitting texts into words, and synonyms.

/// Words without a meaning for the choice of a tool.
const STOP_WORDS: [&str; 60] = [
    "a", "about", "all", "an", "and", "any", "are", "as", "at", "be", "by", "can", "could", "do",
    "for", "from", "get", "give", "given", "i", "i'm", "if", "in", "into", "is", "it", "its", "me",
    "message", "my", "name", "of", "on", "one", "or", "please", "return", "returns", "say", "some",
    "tell", "text", "that", "the", "then", "this", "to", "tool", "up", "us", "use", "using",
    "what", "when", "which", "with", "would", "you", "your", "friendly",
];

/// Groups of synonyms. The first word stands for its group.
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

/// The word for a calculation such as `2 + 3`.
pub(super) const CALCULATION: &str = "calculate";

/// Returns the words of a text in lower case, without stop words and with one word for each group of
/// synonyms. Names in `camelCase`, `snake_case` and `kebab-case` are split into their words.
pub(super) fn meaningful(text: &str) -> Vec<String> {
    split(text)
        .into_iter()
        .map(|word| canonical(&word))
        .filter(|word| word.len() > 1 && !STOP_WORDS.contains(&word.as_str()))
        .collect()
}

/// Returns all words of a text, in lower case. An apostrophe inside a word is part of it.
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

/// Whether a word is a greeting or a farewell, and thus no name.
pub(super) fn is_greeting(word: &str) -> bool {
    let word = canonical(&word.to_lowercase());
    word == SYNONYMS[0][0] || word == SYNONYMS[1][0]
}
