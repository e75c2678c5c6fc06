//! The patterns of `.gitignore` files, with bounds on their size and on the work of matching them.
//!
//! Nothing here reads files: the reader decides where a file may be. The patterns are matched as they are
//! written, and not compiled, because what they compile to can be a thousand times as large.

mod pattern;
mod rules;

pub use pattern::Budget;
pub use rules::{IgnoreError, IgnoreRules, MAX_FILE_SIZE, MAX_PATTERN_SIZE, MAX_SIZE};

/// The name of the files with patterns.
pub const FILE_NAME: &str = ".gitignore";

/// The name by which the root of a repository is found. Git ignores the entry itself.
pub const REPOSITORY: &str = ".git";
