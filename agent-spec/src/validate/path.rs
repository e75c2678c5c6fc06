//! Where in a JSON value something stands.

use super::describe::shorten;
use agent_gram::value::is_symbol;
use std::fmt;

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
