//! Attributes and the literals in them, laid out as rustfmt does it.

use crate::line_width::{LINE, width_of};
use agent_gram::Value;
use agent_spec::compare::value_key;
use agent_spec::terminal::controls_terminal;
use agent_spec::types::Bound;
use std::collections::HashSet;

/// The maximum width of a list of several arguments on one line.
const LIST_WIDTH: usize = 70;

/// An argument of an attribute, `word = value`.
struct AttributeArg {
    word: &'static str,
    value: Literal,
}

/// The arguments of an attribute.
#[derive(Default)]
pub(crate) struct AttributeArgs(Vec<AttributeArg>);

impl AttributeArgs {
    /// Adds an argument.
    pub(crate) fn add(&mut self, word: &'static str, value: Literal) {
        self.0.push(AttributeArg { word, value });
    }

    /// Adds an argument, if it has a value.
    pub(crate) fn add_if(&mut self, word: &'static str, value: Option<Literal>) {
        if let Some(value) = value {
            self.add(word, value);
        }
    }

    /// Adds more arguments at the end.
    pub(crate) fn extend(&mut self, more: AttributeArgs) {
        self.0.extend(more.0);
    }

    /// Whether there are no arguments.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Writes the lines of `#[name(…)]` without their indentation. Without arguments there are no lines.
    pub(crate) fn lines(&self, name: &str, indent: usize) -> Vec<String> {
        let texts: Vec<String> = self.0.iter().map(AttributeArg::text).collect();
        let list = texts.join(", ");
        let line = format!("#[{name}({list})]");
        let fits = match self.0.as_slice() {
            [] => return Vec::new(),
            // Inside an item, rustfmt keeps room for a comma.
            [only] if only.value.is_plain => {
                indent + width_of(&line) + usize::from(indent > 0) <= LINE
            }
            _ => width_of(&list) <= LIST_WIDTH,
        };
        if fits {
            vec![line]
        } else {
            self.many_lines(name)
        }
    }

    /// Writes `#[name(…)]` on at least two lines, for a parameter that does not fit beside it: after one
    /// line, rustfmt would break the parameter's type. `None` if rustfmt joins the lines.
    pub(crate) fn several_lines(&self, name: &str, indent: usize) -> Option<Vec<String>> {
        let lines = self.lines(name, indent);
        if lines.len() != 1 {
            return Some(lines);
        }
        if self.0.iter().any(|arg| !arg.value.is_plain) {
            return Some(self.many_lines(name));
        }
        let (first, rest) = self.0.split_first().filter(|(_, rest)| !rest.is_empty())?;
        let rest: Vec<String> = rest.iter().map(AttributeArg::text).collect();
        Some(vec![
            format!("#[{name}({})]", first.text()),
            format!("#[{name}({})]", rest.join(", ")),
        ])
    }

    /// Writes a line for each argument.
    fn many_lines(&self, name: &str) -> Vec<String> {
        let mut lines = vec![format!("#[{name}(")];
        for (at, arg) in self.0.iter().enumerate() {
            let comma = if at + 1 == self.0.len() { "" } else { "," };
            let text = arg.text();
            match &arg.value.items {
                Some(items) if width_of(&text) > LIST_WIDTH => {
                    lines.push(format!("    {} = [", arg.word));
                    lines.extend(items.iter().map(|item| format!("        {item},")));
                    lines.push(format!("    ]{comma}"));
                }
                _ => lines.push(format!("    {text}{comma}")),
            }
        }
        lines.push(")]".to_owned());
        lines
    }
}

impl AttributeArg {
    fn text(&self) -> String {
        format!("{} = {}", self.word, self.value.text)
    }
}

/// A Rust literal in an attribute.
pub(crate) struct Literal {
    /// The literal on one line.
    text: String,
    /// The items of a list.
    items: Option<Vec<String>>,
    /// Whether rustfmt parses the value as a literal. It leaves attributes with other values as they are.
    is_plain: bool,
}

impl Literal {
    /// Creates a string literal. Invisible characters, and those that change the direction of text, are
    /// escaped.
    pub(crate) fn text(text: &str) -> Self {
        let mut literal = String::new();
        // The debug form leaves some invisible letters as they are.
        for c in format!("{text:?}").chars() {
            match controls_terminal(c) {
                true => literal.extend(c.escape_unicode()),
                false => literal.push(c),
            }
        }
        Self::plain(literal)
    }

    /// Creates `true` or `false`.
    pub(crate) fn flag(is: bool) -> Self {
        Self::plain(is.to_string())
    }

    /// Creates the literal of a length or count.
    pub(crate) fn count(count: u64) -> Self {
        Self::plain(count.to_string())
    }

    /// Creates the literal of a minimum or maximum.
    pub(crate) fn bound(bound: &Bound) -> Self {
        Self::plain(match bound {
            Bound::Int(value) => value.to_string(),
            // The debug form, such as `1.0` or `1e21`, is a Rust literal.
            Bound::Double(value) => format!("{:?}", value.value()),
        })
    }

    /// Creates the literal of a gram value. `None` for values without a literal, such as records.
    pub(crate) fn of(value: &Value) -> Option<Self> {
        Some(match value {
            Value::String(text) => Self::text(text.as_str()),
            // A call has a tagged text as plain text.
            Value::Tagged(tagged) => Self::text(tagged.content()),
            Value::Boolean(flag) => Self::plain(flag.to_string()),
            Value::Integer(value) => Self::plain(value.to_string()),
            Value::Decimal(value) => Self::plain(format!("{:?}", value.value())),
            Value::Array(array) => Self::list(array.as_slice().iter())?,
            _ => return None,
        })
    }

    /// Creates the list of an `enum`, each value once. `None` if a value has no literal.
    pub(crate) fn choices(values: &[Value]) -> Option<Self> {
        let mut seen = HashSet::new();
        Self::list(values.iter().filter(|value| seen.insert(value_key(value))))
    }

    fn list<'v>(values: impl Iterator<Item = &'v Value>) -> Option<Self> {
        let items: Option<Vec<String>> = values
            .map(|value| Self::of(value).map(|literal| literal.text))
            .collect();
        let items = items?;
        Some(Self {
            text: format!("[{}]", items.join(", ")),
            items: Some(items),
            is_plain: false,
        })
    }

    fn plain(text: String) -> Self {
        Self {
            is_plain: !text.starts_with('-'),
            text,
            items: None,
        }
    }
}
