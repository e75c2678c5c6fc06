//! The exchanges of an open cassette: finding the one for a request, or recording them.

use super::exchange::Exchange;
use super::file;
use agent_spec::terminal;
use agent_tool::__private::{ErrorKind, shortened};
use serde_json::Value;

/// The exchanges of a file that is replayed.
pub(super) struct Player {
    exchanges: Vec<Exchange>,
    used: Vec<bool>,
}

impl Player {
    pub(super) fn new(exchanges: Vec<Exchange>) -> Self {
        let used = vec![false; exchanges.len()];
        Self { exchanges, used }
    }

    /// Takes the first unused exchange with an equal request. Concurrent runs thus find their own exchanges,
    /// and equal requests get their answers in the recorded order.
    pub(super) fn take(&mut self, request: &Value) -> Result<Exchange, String> {
        // A parsed number may differ from the written one in the last digit, so the request is parsed, too.
        let read: Option<Value> = serde_json::from_str(&request.to_string()).ok();
        let request = read.as_ref().unwrap_or(request);
        let mut unused = self.exchanges.iter().zip(&self.used);
        match unused.position(|(exchange, used)| !used && exchange.request == *request) {
            Some(index) => {
                self.used[index] = true;
                Ok(self.exchanges[index].clone())
            }
            None => Err(self.explain_missing(request)),
        }
    }

    /// Returns the provider of all requests, if it is only one.
    pub(super) fn provider(&self) -> Option<&str> {
        let mut providers = self.exchanges.iter().map(|exchange| {
            let model = exchange.request["model"].as_str()?;
            Some(model.split_once('/')?.0)
        });
        let first = providers.next()??;
        providers.all(|other| other == Some(first)).then_some(first)
    }

    fn explain_missing(&self, request: &Value) -> String {
        let equal = self.exchanges.iter();
        let equal = equal.filter(|exchange| exchange.request == *request);
        match equal.count() {
            0 => {}
            1 => return "it was recorded once, and comes once more".to_owned(),
            times => return format!("it was recorded {times} times, and comes once more"),
        }
        let nearest = (1..).zip(&self.exchanges).zip(&self.used);
        // Among equally near exchanges, an unused exchange is preferred.
        let nearest = nearest
            .filter_map(|((number, exchange), used)| {
                let Difference { count, first } = compare(&exchange.request, request)?;
                Some((count, used, number, first))
            })
            .min_by_key(|(count, used, number, _)| (*count, **used, *number));
        match nearest {
            None => "it holds none at all".to_owned(),
            Some((_, _, number, first)) => format!(
                "the nearest of its {}, number {number}, differs at {first}",
                self.exchanges.len()
            ),
        }
    }

    /// Describes the unused exchanges: the first [`MAX_UNUSED`], and the number of the others. `None` if there are none.
    pub(super) fn unused(&self) -> Option<String> {
        let all = (1..).zip(&self.exchanges).zip(&self.used);
        let unused = all
            .filter(|(_, used)| !**used)
            .map(|(exchange, _)| exchange);
        let mut described: Vec<String> = unused
            .clone()
            .take(MAX_UNUSED)
            .map(|(number, exchange)| {
                let last = exchange.request["messages"].as_array();
                let text = last
                    .and_then(|messages| messages.last()?["content"].as_str())
                    .unwrap_or_default();
                let text = terminal::line(&shortened(text, SHOWN), SHOWN);
                format!("number {number}, after \"{text}\"")
            })
            .collect();
        let more = unused.count() - described.len();
        if more > 0 {
            described.push(format!("and {more} more"));
        }
        (!described.is_empty()).then(|| described.join("; "))
    }
}

/// The exchanges of a file that is recorded, in the order of their requests. `None` is a pending or cancelled
/// request.
#[derive(Default)]
pub(super) struct Recorder(Vec<Option<Recorded>>);

struct Recorded {
    exchange: Exchange,
    /// The text in the file, which is written again after each exchange.
    text: String,
}

impl Recorder {
    /// Reserves the index of a request.
    pub(super) fn begin(&mut self) -> usize {
        self.0.push(None);
        self.0.len() - 1
    }

    /// Keeps an exchange, if it is recorded. Returns the number of bytes of its text in the file.
    pub(super) fn keep(&mut self, index: usize, exchange: Exchange) -> usize {
        if !self.is_answer(&exchange) {
            return 0;
        }
        let text = file::exchange(&exchange.to_json());
        let bytes = text.len();
        self.0[index] = Some(Recorded { exchange, text });
        bytes
    }

    /// Whether an exchange is recorded. An error in the setup of this machine, such as a missing key, is no
    /// answer of a model. But after a model that was unavailable, it is the reason why a fallback model was
    /// skipped, and the replayed run must skip that model, too.
    fn is_answer(&self, exchange: &Exchange) -> bool {
        match &exchange.outcome {
            Err(failed) if failed.kind == ErrorKind::Configuration => {
                let before = self.0.iter().flatten();
                before.map(|recorded| &recorded.exchange).any(|before| {
                    let down = matches!(&before.outcome, Err(failed) if failed.is_unavailable());
                    down && is_same_but_for_the_model(&before.request, &exchange.request)
                })
            }
            _ => true,
        }
    }

    /// Returns the texts of the exchanges.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flatten().map(|recorded| &*recorded.text)
    }
}

fn is_same_but_for_the_model(one: &Value, other: &Value) -> bool {
    let without_model = |request: &Value| {
        let mut request = request.clone();
        request["model"] = Value::Null;
        request
    };
    without_model(one) == without_model(other)
}

/// The maximum number of unused exchanges in a message.
const MAX_UNUSED: usize = 10;

/// The maximum number of bytes of a text in a message.
const SHOWN: usize = 80;

/// The number of bytes of a text in a message that precede a difference.
const BEFORE: usize = 24;

/// The differences between two requests.
struct Difference {
    count: usize,
    /// The path of the first difference, and both values there.
    first: String,
}

/// Compares a request with a recorded one.
fn compare(recorded: &Value, now: &Value) -> Option<Difference> {
    let mut walk = Walk::default();
    walk.compare("", Some(recorded), Some(now));
    let first = walk.first?;
    let count = walk.count;
    Some(Difference { count, first })
}

#[derive(Default)]
struct Walk {
    count: usize,
    first: Option<String>,
}

impl Walk {
    fn compare(&mut self, path: &str, recorded: Option<&Value>, now: Option<&Value>) {
        if recorded == now {
            return;
        }
        match (recorded, now) {
            (Some(Value::Object(recorded)), Some(Value::Object(now))) => {
                let new = now.iter().filter(|(key, _)| !recorded.contains_key(*key));
                for (key, _) in file::in_order(recorded.iter().chain(new)) {
                    let dot = if path.is_empty() { "" } else { "." };
                    let path = self.path(|| format!("{path}{dot}{key}"));
                    self.compare(&path, recorded.get(key), now.get(key));
                }
            }
            (Some(Value::Array(recorded)), Some(Value::Array(now))) => {
                for index in 0..recorded.len().max(now.len()) {
                    let path = self.path(|| format!("{path}[{index}]"));
                    self.compare(&path, recorded.get(index), now.get(index));
                }
            }
            (recorded, now) => {
                self.count += 1;
                self.first.get_or_insert_with(|| {
                    let path = terminal::line(path, usize::MAX);
                    let (before, after) = describe(recorded, now);
                    format!("`{path}`: recorded {before}, now {after}")
                });
            }
        }
    }

    /// Returns the path of a value, or an empty path after the first difference, because only the first
    /// difference is shown.
    fn path(&self, path: impl FnOnce() -> String) -> String {
        match self.first {
            None => path(),
            Some(_) => String::new(),
        }
    }
}

/// Describes two values, shortened to where they differ.
fn describe(recorded: Option<&Value>, now: Option<&Value>) -> (String, String) {
    let (Some(Value::String(recorded)), Some(Value::String(now))) = (recorded, now) else {
        let side = |side: Option<&Value>| match side {
            Some(value) => shortened(&terminal::json(&file::line(value)), SHOWN),
            None => "nothing".to_owned(),
        };
        return (side(recorded), side(now));
    };
    let pairs = recorded.char_indices().zip(now.chars());
    let same = pairs
        .take_while(|((_, one), other)| one == other)
        .last()
        .map_or(0, |((at, one), _)| at + one.len_utf8());
    let start = match same.saturating_sub(BEFORE) {
        // An ellipsis would not be shorter.
        0..4 => 0,
        start => recorded.ceil_char_boundary(start),
    };
    let side = |text: &str| {
        let rest = shortened(&text[start..], SHOWN);
        let ellipsis = if start == 0 { "" } else { "…" };
        format!("{:?}", format!("{ellipsis}{rest}"))
    };
    (side(recorded), side(now))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(recorded: &Value, now: &Value, count: usize, first: &str) {
        let found = compare(recorded, now).expect("a difference");
        assert_eq!((found.count, found.first.as_str()), (count, first));
    }

    #[test]
    fn describes_the_first_difference_with_both_values() {
        let hello = json!({"messages": [{"role": "user", "content": "Hello, I'm Ada"}]});
        assert!(compare(&hello, &hello).is_none());
        let bob = json!({"messages": [{"role": "user", "content": "Hello, I'm Bob"}]});
        let first = r#"`messages[0].content`: recorded "Hello, I'm Ada", now "Hello, I'm Bob""#;
        check(&hello, &bob, 1, first);
        let more =
            json!({"model": "a/b", "messages": [{"role": "user", "content": "Hello, I'm Ada"}, 1]});
        check(&hello, &more, 2, "`model`: recorded nothing, now \"a/b\"");
    }

    #[test]
    fn the_first_difference_has_no_control_characters() {
        let key = "\u{9b}";
        let now = json!({"a": {(key): [1, 2]}, "b": 1});
        let Difference { count, first } = compare(&json!({"a": {}}), &now).expect("a difference");
        assert_eq!(count, 2);
        assert!(first.starts_with("`a.\\u{9b}"), "{first}");
        let (_, after) = describe(None, Some(&json!("\u{9b}\u{202e}")));
        assert_eq!(after, "\"\\u009b\\u202e\"");
    }

    #[test]
    fn describes_a_bounded_number_of_unused_exchanges() {
        let content = json!([{"content": "Hi \u{9b}"}]);
        let json =
            json!({"request": {"messages": content}, "error": {"kind": "llm", "text": "no"}});
        let player = |count: usize| {
            let exchange = Exchange::from_json(&json).expect("an exchange");
            Player::new(vec![exchange; count])
        };
        assert_eq!(player(0).unused(), None);
        let one = "number 1, after \"Hi \\u{9b}\"";
        assert_eq!(player(1).unused().as_deref(), Some(one));
        let many = player(1000).unused().expect("unused exchanges");
        assert!(many.ends_with("; and 990 more"), "{many}");
        assert_eq!(many.matches("number").count(), MAX_UNUSED);
    }

    #[test]
    fn shortens_long_texts_to_where_they_differ() {
        let text = |end: &str| json!(format!("{}{end}", "é".repeat(100)));
        let (one, other) = describe(Some(&text("1")), Some(&text("2")));
        assert_eq!(one, format!("\"…{}1\"", "é".repeat(12)));
        assert_eq!(other, format!("\"…{}2\"", "é".repeat(12)));
    }
}
