//! The patterns that apply to a folder.

use super::REPOSITORY;
use super::pattern::{Budget, Pattern};
use std::error::Error;
use std::fmt;
use std::rc::Rc;

/// The maximum size of a file with patterns in bytes.
pub const MAX_FILE_SIZE: usize = 128 * 1024;

/// The maximum size of a pattern in bytes, that of the longest path of most systems.
pub const MAX_PATTERN_SIZE: usize = 4096;

/// The maximum size in bytes of the files with patterns in a folder and the folders around it. Those outside of the
/// folder's repository count as well, because a walk through folders keeps them.
pub const MAX_SIZE: usize = 512 * 1024;

/// The patterns of a folder and of the folders around it.
///
/// All matched paths begin at the same folder and have `/` between names.
///
/// ```
/// use agent_gitignore::{Budget, IgnoreRules};
///
/// let mut budget = Budget::default();
/// let rules = IgnoreRules::parse(b"*.log\n!kept.log\n", 0, None, &mut budget)?;
/// assert!(rules.ignores("sub/a.log", false, &mut budget)?);
/// assert!(!rules.ignores("kept.log", false, &mut budget)?);
/// # Ok::<(), agent_gitignore::IgnoreError>(())
/// ```
#[derive(Debug)]
pub struct IgnoreRules {
    patterns: Vec<Pattern>,
    /// The text of the patterns.
    text: String,
    /// The size of this text and of those around it.
    size: usize,
    /// The length of the folder's path with the last `/`.
    prefix_length: usize,
    outer: Option<Rc<IgnoreRules>>,
    /// Whether the outer patterns do not apply.
    is_repository: bool,
}

impl IgnoreRules {
    /// Parses the patterns of a folder. `prefix_length` is the number of bytes of the folder's path with the last
    /// `/`, and `outer` has the patterns that apply where none of these matches.
    ///
    /// # Errors
    /// Returns an error if the file, a pattern of it, or all files together are too large, or if the budget of steps
    /// is spent.
    pub fn parse(
        bytes: &[u8],
        prefix_length: usize,
        outer: Option<Rc<Self>>,
        budget: &mut Budget,
    ) -> Result<Rc<Self>, IgnoreError> {
        if bytes.len() > MAX_FILE_SIZE {
            return Err(IgnoreError::File);
        }
        budget.take(bytes.len());
        check(budget)?;
        let is_long = |line: &[u8]| line.len() > MAX_PATTERN_SIZE && !line.starts_with(b"#");
        if bytes.split(|byte| *byte == b'\n').any(is_long) {
            return Err(IgnoreError::Pattern);
        }
        let text = String::from_utf8_lossy(bytes);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned();
        let size = text.len() + outer.as_ref().map_or(0, |outer| outer.size);
        if size > MAX_SIZE {
            return Err(IgnoreError::Files);
        }
        Ok(Rc::new(Self {
            patterns: Pattern::parse_all(&text),
            text,
            size,
            prefix_length,
            outer,
            is_repository: false,
        }))
    }

    /// Returns the rules of a repository whose patterns are not read yet. Those around it do not apply; their size
    /// counts, so that repositories inside of each other cannot take any amount of memory.
    #[must_use]
    pub fn repository(outer: Rc<Self>) -> Rc<Self> {
        Rc::new(Self {
            patterns: Vec::new(),
            text: String::new(),
            size: outer.size,
            prefix_length: outer.prefix_length,
            outer: Some(outer),
            is_repository: true,
        })
    }

    /// Whether git ignores a path in the folder. The last matching pattern of the innermost folder that has one
    /// decides.
    ///
    /// # Errors
    /// Returns an error if the budget of steps is spent.
    pub fn ignores(
        &self,
        path: &str,
        is_folder: bool,
        budget: &mut Budget,
    ) -> Result<bool, IgnoreError> {
        if path.rsplit('/').next() == Some(REPOSITORY) {
            return Ok(true);
        }
        let mut next = Some(self);
        while let Some(rules) = next {
            budget.take(1);
            let path = &path[rules.prefix_length..];
            let mut patterns = rules.patterns.iter().rev();
            let found =
                patterns.find(|pattern| pattern.matches(&rules.text, path, is_folder, budget));
            check(budget)?;
            match found {
                Some(pattern) => return Ok(!pattern.is_negated()),
                None if rules.is_repository => break,
                None => next = rules.outer.as_deref(),
            }
        }
        Ok(false)
    }
}

/// Checks that there are steps left.
fn check(budget: &Budget) -> Result<(), IgnoreError> {
    match budget.is_spent() {
        true => Err(IgnoreError::Steps),
        false => Ok(()),
    }
}

/// The bound that patterns exceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IgnoreError {
    /// A file has more than [`MAX_FILE_SIZE`] bytes.
    File,
    /// A pattern has more than [`MAX_PATTERN_SIZE`] bytes.
    Pattern,
    /// The files in a folder and the folders around it have more than [`MAX_SIZE`] bytes together.
    Files,
    /// The patterns take too many steps to match.
    Steps,
}

impl fmt::Display for IgnoreError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => write!(out, "it has more than {MAX_FILE_SIZE} bytes"),
            Self::Pattern => write!(
                out,
                "a pattern of it has more than {MAX_PATTERN_SIZE} bytes"
            ),
            Self::Files => write!(
                out,
                "with the patterns of the folders around it, it has more than {MAX_SIZE} bytes"
            ),
            Self::Steps => out.write_str("the patterns take too many steps to match"),
        }
    }
}

impl Error for IgnoreError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_patterns_around_a_repository_count_and_do_not_apply() {
        let mut budget = Budget::default();
        let mut parse = |text: &str, outer| {
            let rules = IgnoreRules::parse(text.as_bytes(), 0, outer, &mut budget);
            rules.map(IgnoreRules::repository)
        };
        let comments = format!("#{}", "-".repeat(MAX_FILE_SIZE - 1));
        let mut rules = parse("*.log\n", None).expect("rules");
        for _ in 0..MAX_SIZE / MAX_FILE_SIZE - 1 {
            rules = parse(&comments, Some(rules)).expect("rules");
        }
        let error = parse(&comments, Some(Rc::clone(&rules))).expect_err("they are too large");
        assert_eq!(error, IgnoreError::Files);
        let inner = parse("*.txt\n", Some(rules)).expect("rules");
        let inner = inner.outer.as_deref().expect("rules");
        let ignores = |path: &str| inner.ignores(path, false, &mut Budget::default());
        assert_eq!(ignores("a.txt"), Ok(true));
        assert_eq!(ignores("a.log"), Ok(false));
    }

    #[test]
    fn files_without_patterns_take_steps() {
        let mut budget = Budget::default();
        let mut rules = None;
        for _ in 0..100 {
            rules = IgnoreRules::parse(b"", 0, rules, &mut budget).ok();
        }
        let rules = rules.expect("rules");
        let mut budget = Budget::with_steps(150);
        assert_eq!(rules.ignores("a", false, &mut budget), Ok(false));
        let error = rules.ignores("a", false, &mut budget);
        assert_eq!(error, Err(IgnoreError::Steps));
    }
}
