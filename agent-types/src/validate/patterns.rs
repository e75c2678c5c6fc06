//! The keyword `pattern`: regular expressions, and the work that they may take.
//!
//! An expression and a text of a few kilobytes each can take minutes to match, because the time is
//! proportional to the product of their sizes. So compiling and matching use up a limited amount of work.

#[cfg(feature = "pattern")]
use regex_lite::{Regex, RegexBuilder};
use std::borrow::Cow;
use std::collections::HashMap;

/// The work for the expressions of one document, schema or value: a sum of the size of an expression times that of the
/// text, both in bytes. `regex-lite` does 5 to 14 GB² a second, so that an MCP server's expression and a model's long
/// text would occupy a thread for hours.
const MAX_WORK: u64 = 8 << 30;

/// The work of compiling an expression, by its size. Compiling takes as long as matching a text of 20 to 50
/// bytes, and the compiled expression takes memory.
#[cfg(feature = "pattern")]
const COMPILING: u64 = 64;

/// The maximum size of a compiled expression times the number of its groups and one, in bytes. The memory for matching
/// is about that product, because `regex-lite` keeps the places of all groups for each state. An expression of somebody
/// else, such as `(a{1000}){1000}`, would fill the memory.
#[cfg(feature = "pattern")]
const MAX_COMPILED: usize = 4 << 20;

/// The maximum number of compiled expressions that are kept, because a document of somebody else can have a million. A
/// further expression takes the place of all of them.
const MOST_KEPT: usize = 4_096;

/// The maximum number of characters of an expression in a message.
const MOST_SHOWN: usize = 1_000;

/// The expressions of one document, schema or value, each compiled once, because an expression may be on the
/// element of a long list.
pub struct Patterns {
    compiled: HashMap<String, Result<Compiled, String>>,
    /// The work that may still be done.
    work: u64,
}

impl Default for Patterns {
    fn default() -> Self {
        Self {
            compiled: HashMap::new(),
            work: MAX_WORK,
        }
    }
}

/// A compiled expression.
struct Compiled {
    regex: Regex,
    /// A bound of the size of the compiled expression in bytes: at least that size, and at most twice that
    /// size.
    size: usize,
}

/// The reason why a text was not matched.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unmatched {
    /// The expression is invalid, or too large together with those before it.
    Invalid(String),
    /// The text has more bytes than may still be matched with the expression.
    TooLong { most: u64 },
}

impl Patterns {
    /// Checks that an expression is valid, and not too large together with those before it.
    ///
    /// # Errors
    /// Returns the mistake in words.
    pub fn check(&mut self, pattern: &str) -> Result<(), String> {
        self.compile(pattern);
        match &self.compiled[pattern] {
            Ok(_) => Ok(()),
            Err(error) => Err(error.clone()),
        }
    }

    /// Returns whether a text matches somewhere.
    pub(super) fn is_match(&mut self, pattern: &str, text: &str) -> Result<bool, Unmatched> {
        self.compile(pattern);
        let compiled = match &self.compiled[pattern] {
            Ok(compiled) => compiled,
            Err(error) => return Err(Unmatched::Invalid(error.clone())),
        };
        // The end of the text takes a step, too.
        let steps = text.len() as u64 + 1;
        let size = compiled.size as u64;
        match self.work.checked_sub(size.saturating_mul(steps)) {
            Some(left) => self.work = left,
            None => {
                let most = (self.work / size).saturating_sub(1);
                return Err(Unmatched::TooLong { most });
            }
        }
        Ok(compiled.regex.is_match(text))
    }

    /// Compiles an expression, unless it is compiled already.
    fn compile(&mut self, pattern: &str) {
        if self.compiled.contains_key(pattern) {
            return;
        }
        if self.compiled.len() == MOST_KEPT {
            self.compiled.clear();
        }
        let compiled = compile(pattern, &mut self.work);
        self.compiled.insert(pattern.to_owned(), compiled);
    }
}

/// The start of an expression for a message. An expression of megabytes would otherwise be in each violation.
pub(crate) fn shown_pattern(pattern: &str) -> Cow<'_, str> {
    match pattern.char_indices().nth(MOST_SHOWN) {
        None => Cow::Borrowed(pattern),
        Some((end, _)) => Cow::Owned(format!("{}…", &pattern[..end])),
    }
}

/// Checks that a text is a regular expression that validation can use.
///
/// The syntax is that of the crate `regex-lite`: what JSON Schema recommends, without
/// look-around and back-references, which no engine can match in linear time. The compiled form of a pattern
/// has at most 4 MiB, divided by the number of its groups and one. A text that takes too long to match with the
/// pattern is refused as if it did not match.
///
/// # Errors
/// Returns the mistake in words.
pub fn is_valid_pattern(pattern: &str) -> Result<(), String> {
    Patterns::default().check(pattern)
}

/// Compiles an expression, and subtracts the work of compiling from `work`.
#[cfg(feature = "pattern")]
fn compile(pattern: &str, work: &mut u64) -> Result<Compiled, String> {
    let parts = 1 + pattern.matches('(').count() - pattern.matches("(?:").count();
    let affordable = usize::try_from(*work / COMPILING).unwrap_or(usize::MAX);
    let limit = affordable.min(MAX_COMPILED) / parts;
    // The crate does not report the size of a compiled expression, only that a limit was exceeded. A pattern
    // compiles to more bytes than it has, with rare exceptions.
    let mut size = pattern.len().next_power_of_two().max(128).min(limit);
    let compiled = loop {
        match RegexBuilder::new(pattern).size_limit(size).build() {
            Err(error) if is_too_large(&error) && size < limit => size = (size * 2).min(limit),
            compiled => break compiled,
        }
    };
    *work = work.saturating_sub((size * parts) as u64 * COMPILING);
    match compiled {
        Ok(regex) => Ok(Compiled { regex, size }),
        Err(error) if !is_too_large(&error) => Err(error.to_string()),
        Err(_) if affordable < MAX_COMPILED => Err(
            "it and the patterns before it are too large together when they are compiled".to_owned(),
        ),
        Err(_) => Err(
            "it is too large when it is compiled; write fewer groups, `(?:…)` in place of `(…)`, or \
             smaller repetitions"
                .to_owned(),
        ),
    }
}

#[cfg(feature = "pattern")]
fn is_too_large(error: &regex_lite::Error) -> bool {
    error.to_string().contains("exceeded size limit")
}

#[cfg(not(feature = "pattern"))]
fn compile(_: &str, _: &mut u64) -> Result<Compiled, String> {
    Err("this program was built without the feature `pattern` of gramwork-runtime".to_owned())
}

/// A regular expression, which does not exist without the feature `pattern`.
#[cfg(not(feature = "pattern"))]
enum Regex {}

#[cfg(not(feature = "pattern"))]
impl Regex {
    fn is_match(&self, _: &str) -> bool {
        match *self {}
    }
}
