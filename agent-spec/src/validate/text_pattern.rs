//! Regular expressions.

use regex_lite::Regex;

/// The expressions of one validation, each compiled once: an expression may stand at the element
/// of a long list.
#[derive(Default)]
pub(super) struct Patterns<'t> {
    compiled: Vec<(&'t str, Result<Regex, String>)>,
}

impl<'t> Patterns<'t> {
    /// Whether a text matches somewhere, or why the pattern is none.
    pub(super) fn is_match(&mut self, pattern: &'t str, text: &str) -> Result<bool, String> {
        let held = self.compiled.iter().position(|(held, _)| *held == pattern);
        let at = held.unwrap_or_else(|| {
            self.compiled.push((pattern, compile(pattern)));
            self.compiled.len() - 1
        });
        match &self.compiled[at].1 {
            Ok(regex) => Ok(regex.is_match(text)),
            Err(error) => Err(error.clone()),
        }
    }
}

/// Whether a text is a regular expression that can be validated against.
///
/// The syntax is that of the crate `regex-lite`: what JSON Schema recommends, without
/// look-around and back-references, which no engine can match in linear time.
///
/// # Errors
/// What is wrong with it, in words.
pub fn is_valid_pattern(pattern: &str) -> Result<(), String> {
    compile(pattern).map(drop)
}

fn compile(pattern: &str) -> Result<Regex, String> {
    Regex::new(pattern).map_err(|error| error.to_string())
}
