//! `listDirectory`.

use super::folder_path::Place;
use super::gitignore::Rules;
use super::limits::FileLimits;
use super::walk::{Start, Walk};
use agent_runtime::ToolContext;
use agent_runtime::ToolError;
use agent_runtime::ToolOutput;
use agent_runtime::permissions::FileAccess;
use agent_runtime::{GramType, tool};
use cap_std::fs::{Dir, Metadata};
use serde_json::{Map, Value};
use std::io;
use std::path::Component;

/// What `listDirectory` gives.
#[derive(Clone, Debug, Default, PartialEq, Eq, GramType)]
pub struct Listing {
    #[serde(default)]
    entries: Vec<Entry>,
    #[serde(default)]
    #[gram(description = "Whether there are entries that are not listed")]
    truncated: bool,
}

impl Listing {
    /// What was found, sorted by name, what a folder holds right after the folder.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Whether there is more than the entries: more than may be listed, folders that could not be
    /// looked into, or names that are not UTF-8.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }
}

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq, GramType)]
pub struct Entry {
    #[serde(default)]
    name: String,
    #[serde(rename = "type")]
    kind: Option<EntryType>,
    #[serde(default)]
    size: u64,
}

impl Entry {
    pub(super) fn new(name: String, kind: Option<EntryType>, size: u64) -> Self {
        Self { name, kind, size }
    }

    /// Its path from the folder that is listed on, with `/` between names.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is; nothing for devices, pipes and sockets.
    #[must_use]
    pub fn entry_type(&self) -> Option<EntryType> {
        self.kind
    }

    /// How large it is, in bytes; of a folder and a link, what the system says of these themselves.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }
}

/// What an entry of a folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, GramType)]
#[serde(rename_all = "lowercase")]
pub enum EntryType {
    // No doc comments: they would become a description of the type.
    #[allow(missing_docs, reason = "the schema has none of its own")]
    File,
    #[allow(missing_docs, reason = "the schema has none of its own")]
    Directory,
    #[allow(missing_docs, reason = "the schema has none of its own")]
    Link,
}

impl EntryType {
    const fn word(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Directory => "directory",
            Self::Link => "link",
        }
    }

    pub(super) fn of(metadata: &Metadata) -> Option<Self> {
        let kind = metadata.file_type();
        if kind.is_file() {
            Some(Self::File)
        } else if kind.is_dir() {
            Some(Self::Directory)
        } else if kind.is_symlink() {
            Some(Self::Link)
        } else {
            None
        }
    }
}

// There may be many entries, and serde would copy all their names.
#[diagnostic::do_not_recommend]
impl ToolOutput for Listing {
    fn into_json(self) -> Result<Value, ToolError> {
        let entries: Vec<Value> = self.entries.into_iter().map(Entry::into_json).collect();
        let mut members = Map::new();
        members.insert("entries".to_owned(), entries.into());
        members.insert("truncated".to_owned(), self.truncated.into());
        Ok(members.into())
    }
}

impl Entry {
    fn into_json(self) -> Value {
        let mut members = Map::new();
        members.insert("name".to_owned(), self.name.into());
        if let Some(kind) = self.kind {
            members.insert("type".to_owned(), kind.word().into());
        }
        members.insert("size".to_owned(), self.size.into());
        members.into()
    }
}

/// Lists a folder, with `recursive` all below it, too, sorted, and at most
/// [`MAX_ENTRIES`](super::MAX_ENTRIES) entries. Links are listed and not followed. With `gitignore`,
/// what git ignores is left out: `.git`, and what the files `.gitignore` say, those of the folders
/// around the one that is listed included, as far as they are granted.
/// The folder that is asked for is listed whether or not git ignores it.
///
/// # Errors
/// Execution when it is not there, no directory, or cannot be read. Authorization outside of the
/// folders that are granted for reading.
#[tool(
    read_only,
    idempotent,
    description = "Lists files and directories in a directory."
)]
pub fn list_directory(
    path: &str,
    #[tool(default = false)] recursive: bool,
    #[tool(default = false, description = "Whether to leave out what git ignores")] gitignore: bool,
    context: &ToolContext,
) -> Result<Listing, ToolError> {
    let place = Place::find(path, FileAccess::List, context)?;
    let folder = place.open_folder()?;
    let walk = Walk {
        most: FileLimits::of(context).entries,
        recursive,
        is_stopped: || context.is_cancelled(),
    };
    let found = place.start(folder, gitignore);
    let found = found.and_then(|start| walk.through(start));
    match found.map_err(|error| place.failed(&error))? {
        found if found.is_stopped => Err(ToolError::Timeout),
        found => Ok(Listing {
            entries: found.entries,
            truncated: found.is_part,
        }),
    }
}

impl Place<'_> {
    /// The place as where a walk begins.
    fn start(&self, folder: Dir, gitignore: bool) -> io::Result<Start> {
        let mut start = Start {
            folder,
            path: String::new(),
            rules: None,
        };
        if gitignore {
            start.rules = Some(Rules::around(self)?);
            for part in self.inner().components() {
                if let Component::Normal(name) = part {
                    start.path.push_str(&name.to_string_lossy());
                    start.path.push('/');
                }
            }
        }
        Ok(start)
    }
}
