//! The person that a message names.

use super::words;

/// What a name follows, in lower case, and whether a name in lower case is taken there.
const LEADS: [(&[&str], bool); 6] = [
    (&["my", "name", "is"], true),
    (&["my", "name's"], true),
    (&["call", "me"], false),
    (&["i'm"], false),
    (&["i", "am"], false),
    (&["to"], false),
];

/// The name of a person in a message: after "I'm" and the like, else the first capitalised word
/// that begins no sentence. Capitalised words in a row are one name.
pub(super) fn name(message: &str) -> Option<String> {
    let words = spoken(message);
    for (lead, any_case) in LEADS {
        for start in 0..words.len() {
            let after = start + lead.len();
            let follows = words.len() > after
                && lead
                    .iter()
                    .zip(&words[start..])
                    .all(|(lead, word)| *lead == word.text.to_lowercase());
            if follows && (any_case || words[after].is_name()) {
                return Some(full_name(&words[after..]));
            }
        }
    }
    let first = words
        .iter()
        .position(|word| !word.begins_sentence && word.is_name())?;
    Some(full_name(&words[first..]))
}

struct Word<'a> {
    text: &'a str,
    begins_sentence: bool,
    /// Whether a comma or the like separates it from the next.
    ends_phrase: bool,
}

impl Word<'_> {
    fn is_name(&self) -> bool {
        self.text.chars().next().is_some_and(char::is_uppercase)
            && self.text != "I"
            && !self.text.starts_with("I'")
            && !words::is_greeting(self.text)
    }
}

fn spoken(message: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut begins_sentence = true;
    for piece in message.split_whitespace() {
        let text = piece.trim_matches(|c: char| !c.is_alphanumeric());
        let after = piece.rsplit(char::is_alphanumeric).next().unwrap_or("");
        let ends_sentence = after.contains(['.', '!', '?', ':']);
        if !text.is_empty() {
            words.push(Word {
                text,
                begins_sentence,
                ends_phrase: !after.is_empty(),
            });
            begins_sentence = ends_sentence;
        }
    }
    words
}

fn full_name(words: &[Word<'_>]) -> String {
    let mut name = words[0].text.to_owned();
    let mut last = &words[0];
    for word in &words[1..] {
        if last.ends_phrase || !word.is_name() {
            break;
        }
        name.push(' ');
        name.push_str(word.text);
        last = word;
    }
    let name = name.strip_suffix("'s").unwrap_or(&name);
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn names_are_found_and_not_invented() {
        for (message, expected) in [
            ("Hello, I'm Ada", Some("Ada")),
            ("Hello! I’m Ada.", Some("Ada")),
            ("I am Ada Lovelace, hello", Some("Ada Lovelace")),
            ("my name is bob", Some("bob")),
            ("Say hi to Bob", Some("Bob")),
            ("Goodbye, Ada", Some("Ada")),
            ("Hi Zoë!", Some("Zoë")),
            ("Please greet Bob's friend", Some("Bob")),
            ("Hello!", None),
            ("I'm happy to be here", None),
            ("Hello. Nice to meet you", None),
            ("", None),
        ] {
            let message = message.replace('’', "'");
            assert_eq!(name(&message).as_deref(), expected, "{message}");
        }
    }
}
