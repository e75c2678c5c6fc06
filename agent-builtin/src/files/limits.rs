//! How much the tools for files take on at once.

use agent_runtime::ToolContext;

/// How large a file that `readFile` reads at once and a text that `writeFile` writes may be, in
/// bytes, when the host does not say.
pub const MAX_FILE_SIZE: usize = 16 * 1024 * 1024;

/// How many entries `listDirectory` lists when the host does not say.
pub const MAX_ENTRIES: usize = 1_000;

/// How much the tools for files take on at once. A host gives other limits to all calls of a runtime
/// with [`RuntimeBuilder::extension`](agent_runtime::RuntimeBuilder::extension).
///
/// ```
/// use agent_runtime::Runtime;
/// use agent_builtin::FileLimits;
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
    /// [`MAX_FILE_SIZE`] and [`MAX_ENTRIES`].
    #[must_use]
    pub const fn new() -> Self {
        Self {
            file_size: MAX_FILE_SIZE,
            entries: MAX_ENTRIES,
        }
    }

    /// How large a file that is read at once and a text that is written may be, in bytes.
    #[must_use]
    pub const fn max_file_size(mut self, bytes: usize) -> Self {
        self.file_size = bytes;
        self
    }

    /// How many entries are listed.
    #[must_use]
    pub const fn max_entries(mut self, entries: usize) -> Self {
        self.entries = entries;
        self
    }

    /// Those of a call.
    pub(super) fn of(context: &ToolContext) -> Self {
        context.extension().copied().unwrap_or_default()
    }
}

/// [`FileLimits::new`].
impl Default for FileLimits {
    fn default() -> Self {
        Self::new()
    }
}
