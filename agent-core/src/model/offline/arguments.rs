//! Finding a tool's arguments in a message.

use super::words;
use agent_spec::json::value_to_json;
use agent_spec::{Kind, Param, Signature, Type};
use serde_json::{Map, Value};

/// 2^53, up to which an `f64` represents every whole number.
const EXACT_INTEGERS: f64 = 9_007_199_254_740_992.0;

/// Finds values of parameters in a message.
pub(super) fn find(message: &str, signature: &Signature) -> Map<String, Value> {
    let message = message.replace('’', "'");
    let mut candidates = Candidates {
        quoted: quoted(&message).into_iter(),
        numbers: numbers(&message).into_iter(),
        message: &message,
    };
    let mut arguments = Map::new();
    for param in signature.named_and_further().0 {
        if let Some(value) = candidates.take_value(param) {
            arguments.insert(param.name().to_owned(), value);
        }
    }
    arguments
}

/// The parts of a message that may be values.
struct Candidates<'a> {
    message: &'a str,
    quoted: std::vec::IntoIter<String>,
    numbers: std::vec::IntoIter<f64>,
}

impl Candidates<'_> {
    fn take_value(&mut self, param: &Param) -> Option<Value> {
        self.take_value_of(param.ty(), param.name())
    }

    /// Finds a value of a type for the parameter of a name. For a union, this is a value of the first of its
    /// types that has one.
    fn take_value_of(&mut self, ty: &Type, name: &str) -> Option<Value> {
        let allowed = ty.constraints().enumeration();
        if !allowed.is_empty() {
            let spoken = words::split(self.message);
            return allowed.iter().filter_map(value_to_json).find(|value| {
                let text = value.as_str().map(str::to_lowercase);
                text.is_some_and(|text| spoken.contains(&text))
            });
        }
        match ty.kind() {
            Kind::Text => self.take_text(name).map(Value::from),
            Kind::Int => {
                let number = self.numbers.next()?;
                // Above `EXACT_INTEGERS`, several whole numbers are one `f64`.
                let is_exact = number.fract() == 0.0 && number.abs() < EXACT_INTEGERS;
                is_exact.then(|| Value::from(number as i64))
            }
            Kind::Double => self.numbers.next().map(Value::from),
            Kind::Tuple(types) => {
                let items = types.iter().map(|ty| self.take_value_of(ty, name));
                items.collect::<Option<Vec<_>>>().map(Value::Array)
            }
            Kind::Union(types) => types.iter().find_map(|ty| self.take_value_of(ty, name)),
            _ => None,
        }
    }

    fn take_text(&mut self, param: &str) -> Option<String> {
        let param = words::split(param);
        let like = |names: &[&str]| {
            names
                .iter()
                .any(|name| param.iter().any(|word| word == name))
        };
        if like(&["expression", "formula"]) {
            return find_calculation(self.message);
        }
        if like(&["file", "path", "tool"]) {
            return self.quoted.next();
        }
        if like(&["name", "person", "user", "who", "recipient"]) {
            return find_person(self.message);
        }
        self.quoted.next()
    }
}

/// Returns the texts between double quotes.
fn quoted(message: &str) -> Vec<String> {
    let message = message.replace(['“', '”'], "\"");
    let pieces: Vec<&str> = message.split('"').collect();
    // Every second piece is inside quotes, except for a last one whose quote is not closed.
    let closed = if pieces.len().is_multiple_of(2) {
        pieces.len() - 1
    } else {
        pieces.len()
    };
    pieces[..closed]
        .iter()
        .skip(1)
        .step_by(2)
        .map(|piece| (*piece).to_owned())
        .collect()
}

/// Returns the numbers of a message, in order.
fn numbers(message: &str) -> Vec<f64> {
    message
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '-')))
        .filter_map(|piece| piece.trim_end_matches('.').parse().ok())
        .filter(|number: &f64| number.is_finite())
        .collect()
}

/// Returns the first calculation in a message: digits, operators and parentheses, with a digit on both sides
/// of an operator.
pub(super) fn find_calculation(message: &str) -> Option<String> {
    let part = |c: char| c.is_ascii_digit() || c.is_whitespace() || "+-*/^%().".contains(c);
    message
        .split(|c: char| !part(c))
        .map(|piece| piece.trim().trim_end_matches('.').trim())
        .find(|piece| {
            let mut rest = piece.trim_start_matches(['(', '-', ' ']).chars();
            let starts = rest.next().is_some_and(|c| c.is_ascii_digit());
            let ends = piece
                .trim_end_matches([')', ' '])
                .ends_with(|c: char| c.is_ascii_digit());
            starts && ends && rest.any(|c| "+-*/^%".contains(c))
        })
        .map(str::to_owned)
}

/// The words before a name, and whether the name may be in lower case.
const LEADS: [(&[&str], bool); 6] = [
    (&["my", "name", "is"], true),
    (&["my", "name's"], true),
    (&["call", "me"], false),
    (&["i'm"], false),
    (&["i", "am"], false),
    (&["to"], false),
];

/// Returns a person's name in a message: after "I'm" and the like, else the first capitalised word that
/// begins no sentence. Consecutive capitalised words are one name.
fn find_person(message: &str) -> Option<String> {
    let words = words_in(message);
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
    /// Whether punctuation separates the word from the next.
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

fn words_in(message: &str) -> Vec<Word<'_>> {
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
    use super::*;
    use serde_json::json;

    fn check(signature: &str, message: &str, expected: Value) {
        let signature = agent_spec::parse_signature(signature).expect("a signature");
        assert_eq!(
            Value::Object(find(message, &signature)),
            expected,
            "{message}"
        );
    }

    #[test]
    fn finds_arguments_of_every_type_and_invents_none() {
        let hello = "(personName::Text)==>(::String)";
        check(hello, "Hello, I'm Ada", json!({"personName": "Ada"}));
        check(hello, "Hello!", json!({}));
        let add = "(a::Int)==>(b::Double)==>(::Double)";
        check(add, "Add 2 and -3.5.", json!({"a": 2, "b": -3.5}));
        check(add, "Add 2.5 please", json!({}));
        check(add, "Add 1e30 and 1e30", json!({"b": 1e30}));
        check(add, "Add 9007199254740993", json!({}));
        check(
            add,
            "Add -9007199254740991",
            json!({"a": -9_007_199_254_740_991_i64}),
        );
        let sum = "(expression::Text)==>(::Double)";
        check(
            sum,
            "What is 2 + 3 * (4 - 1)?",
            json!({"expression": "2 + 3 * (4 - 1)"}),
        );
        check(sum, "What is 2?", json!({}));
        let file = "(path::Text)==>(content::Text)==>(::String)";
        check(
            file,
            "Write \"hi there\" no, \"x",
            json!({"path": "hi there"}),
        );
        let either = "(size::Any {anyOf: [\"Int\", \"Text\"]})==>(::String)";
        check(either, "Make it 3 wide", json!({"size": 3}));
        check(either, "Make it \"wide\"", json!({"size": "wide"}));
        let point = "(at::Array {items: [\"Double\", \"Double\"]})==>(::String)";
        check(point, "Go to 1.5 and 2", json!({"at": [1.5, 2.0]}));
        check(point, "Go to 1.5", json!({}));
        let unit = "(unit::Text {enum: [\"celsius\", \"kelvin\"]})==>(::String)";
        check(unit, "in Kelvin, please", json!({"unit": "kelvin"}));
    }

    #[test]
    fn finds_names_and_invents_none() {
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
            assert_eq!(find_person(&message).as_deref(), expected, "{message}");
        }
    }
}
