//! Limits of the tools for files.

use agent_tool::ToolContext;

/// The default maximum size in bytes of a file that `readFile` reads as a whole, and of the content of a `writeFile`. A
/// model can ask for a file of gigabytes, which would fill the memory.
pub const MAX_FILE_SIZE: usize = 16 * 1024 * 1024;

/// The default maximum number of entries of a `listDirectory`. A model can list a folder of millions of entries, which
/// would fill the memory.
pub const MAX_ENTRIES: usize = 1_000;

/// Limits of the tools for files, which a host sets with
/// `RuntimeBuilder::extension`.
///
/// ```
/// use agent_builtin::FileLimits;
/// use agent_runtime::Runtime;
///
/// let runtime = Runtime::builder().extension(FileLimits::new().max_entries(50_000));
/// # let _ = runtime;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileLimits {
    pub(super) file_size: usize,
    pub(super) entries: usize,
}

impl FileLimits {
    /// Returns the limits [`MAX_FILE_SIZE`] and [`MAX_ENTRIES`].
    #[must_use]
    pub const fn new() -> Self {
        Self {
            file_size: MAX_FILE_SIZE,
            entries: MAX_ENTRIES,
        }
    }

    /// Sets the maximum size in bytes of a file that is read as a whole and of content that is written.
    #[must_use]
    pub const fn max_file_size(mut self, bytes: usize) -> Self {
        self.file_size = bytes;
        self
    }

    /// Sets the maximum number of entries.
    #[must_use]
    pub const fn max_entries(mut self, entries: usize) -> Self {
        self.entries = entries;
        self
    }

    /// The limits of a call.
    pub(super) fn of(context: &ToolContext) -> Self {
        context.extension().copied().unwrap_or_default()
    }
}

impl Default for FileLimits {
    fn default() -> Self {
        Self::new()
    }
}
