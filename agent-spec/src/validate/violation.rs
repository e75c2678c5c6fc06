//! What is wrong with a value.

use agent_gram::value::is_symbol;
use serde_json::Value;
use std::{fmt, io};

/// One way in which a value is not what its type asks for: where, what was expected and what was
/// found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    path: String,
    expected: String,
    found: String,
    help: Option<String>,
}

impl Violation {
    pub(super) fn new(
        path: &Path<'_>,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Self {
            path: path.to_string(),
            expected: expected.into(),
            found: found.into(),
            help: None,
        }
    }

    pub(super) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Where it is, such as `$.user.tags[2]`.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What should stand there.
    #[must_use]
    pub fn expected(&self) -> &str {
        &self.expected
    }

    /// What stands there, shortened when it is long.
    #[must_use]
    pub fn found(&self) -> &str {
        &self.found
    }

    /// How to put it right, when more can be said.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            path,
            expected,
            found,
            help,
        } = self;
        write!(out, "`{path}`: expected {expected}, found {found}")?;
        match help {
            Some(help) => write!(out, "; {help}"),
            None => Ok(()),
        }
    }
}

/// The most violations that are kept: a model can send a list of a million wrong items, and each
/// violation takes more room than the item.
pub(super) const MOST_VIOLATIONS: usize = 1_000;

/// What is wrong with a value: at least one violation, and at most a thousand.
#[must_use]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violations {
    list: Vec<Violation>,
}

impl Violations {
    /// How many violations are printed. A long list of wrong items would fill a model's context
    /// without telling it more; [`Violations::iter`] gives all that were kept.
    pub const PRINTED: usize = 50;

    /// Nothing wrong when there are no violations.
    pub(super) fn from_list(list: Vec<Violation>) -> Result<(), Violations> {
        if list.is_empty() {
            Ok(())
        } else {
            Err(Self { list })
        }
    }

    /// A single violation.
    pub(super) fn one(violation: Violation) -> Self {
        Self {
            list: vec![violation],
        }
    }

    /// The violations.
    pub fn iter(&self) -> std::slice::Iter<'_, Violation> {
        self.list.iter()
    }

    /// The first violation; there is always one.
    #[must_use]
    pub fn first(&self) -> &Violation {
        &self.list[0]
    }

    /// How many there are: at least one.
    #[must_use]
    #[expect(
        clippy::len_without_is_empty,
        reason = "a list that is never empty has no use for the question"
    )]
    pub fn len(&self) -> usize {
        self.list.len()
    }
}

/// One a line; see [`Violations::PRINTED`].
impl fmt::Display for Violations {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, violation) in self.list.iter().take(Self::PRINTED).enumerate() {
            if at > 0 {
                out.write_str("\n")?;
            }
            violation.fmt(out)?;
        }
        match self.list.len().saturating_sub(Self::PRINTED) {
            0 => Ok(()),
            more => write!(out, "\nand {more} more"),
        }
    }
}

impl std::error::Error for Violations {}

impl IntoIterator for Violations {
    type Item = Violation;
    type IntoIter = std::vec::IntoIter<Violation>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

impl<'a> IntoIterator for &'a Violations {
    type Item = &'a Violation;
    type IntoIter = std::slice::Iter<'a, Violation>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}

/// A place in a JSON value, printed like `$.user.tags[2]`. It lives on the stack of whoever walks
/// the value, so a place that nothing is wrong with costs no memory.
#[derive(Clone, Copy)]
pub(crate) enum Path<'a> {
    /// The whole value.
    Root,
    /// A member of an object.
    Key(&'a Path<'a>, &'a str),
    /// An item of a list.
    Index(&'a Path<'a>, usize),
}

impl<'a> Path<'a> {
    /// The place of a member of the object at this place.
    pub(crate) fn key(&'a self, key: &'a str) -> Path<'a> {
        Path::Key(self, key)
    }

    /// The place of an item of the list at this place.
    pub(crate) fn index(&'a self, at: usize) -> Path<'a> {
        Path::Index(self, at)
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Root => out.write_str("$"),
            Path::Key(parent, key) if is_plain(key) => write!(out, "{parent}.{key}"),
            Path::Key(parent, key) => write!(out, "{parent}[{}]", shorten(key)),
            Path::Index(parent, at) => write!(out, "{parent}[{at}]"),
        }
    }
}

/// Whether a key needs no quotes. A dot in a key would look like two steps.
fn is_plain(key: &str) -> bool {
    // The keywords of JSON Schema may start with `$`.
    let word = key.strip_prefix('$').unwrap_or(key);
    key.len() <= 60 && is_symbol(word) && !key.contains(['.', '@'])
}

/// How many characters of a value a message shows.
const SHOWN: usize = 60;

/// A value in words, such as `the text "x"`.
pub(crate) fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the text {}", shorten(text)),
        Value::Array(_) => format!("the list {}", json_start(value)),
        Value::Object(_) => format!("the object {}", json_start(value)),
    }
}

/// A text in quotes, cut when it is long.
pub(super) fn shorten(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    Value::String(shown).to_string()
}

/// The start of a value's JSON text. Writing stops when there is enough to show, so neither a huge
/// nor a deeply nested value costs anything.
fn json_start(value: &Value) -> String {
    let mut start = Start(Vec::new());
    let complete = serde_json::to_writer(&mut start, value).is_ok();
    let text = match std::str::from_utf8(&start.0) {
        Ok(text) => text,
        // The cut may have fallen inside a character.
        Err(error) => std::str::from_utf8(&start.0[..error.valid_up_to()]).unwrap_or_default(),
    };
    let mut shown: String = text.chars().take(SHOWN).collect();
    if !complete || shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// Takes as many bytes as could be shown, then refuses.
struct Start(Vec<u8>);

impl io::Write for Start {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        /// A character has at most four bytes.
        const ROOM: usize = 4 * SHOWN + 4;
        let taken = bytes.len().min(ROOM - self.0.len());
        if taken == 0 && !bytes.is_empty() {
            return Err(io::ErrorKind::WriteZero.into());
        }
        self.0.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
