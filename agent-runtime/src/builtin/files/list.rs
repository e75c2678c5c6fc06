//! `listDirectory`.

use super::gitignore::Rules;
use super::limits::FileLimits;
use super::place::{Action, Place};
use super::walk::{Start, Walk};
use crate::context::ToolContext;
use crate::tool::ToolError;
use agent_macros::{GramType, tool};
use cap_std::fs::{Dir, Metadata};
use serde::Serialize;
use std::io;
use std::path::Component;

/// What `listDirectory` gives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, GramType)]
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

    /// Whether there is more than the entries: more than may be listed, or folders that could not be
    /// looked into.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }
}

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, GramType)]
pub struct Entry {
    #[serde(default)]
    name: String,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<EntryType>,
    #[serde(default)]
    size: u64,
}

impl Entry {
    pub(super) fn new(name: &str, metadata: &Metadata) -> Self {
        Self {
            name: name.to_owned(),
            kind: EntryType::of(metadata),
            size: metadata.len(),
        }
    }

    /// Its path from the folder that is listed on, with `/` between names. What is not UTF-8 is
    /// replaced by U+FFFD.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, GramType)]
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
    fn of(metadata: &Metadata) -> Option<Self> {
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

/// Lists a folder, with `recursive` all below it, too, sorted, and at most
/// [`MAX_ENTRIES`](super::MAX_ENTRIES) entries. Links are listed and not followed. With `gitignore`,
/// what git ignores is left out: `.git`, and what the files `.gitignore` say, those of the folders
/// around the one that is listed included, as far as they are granted.
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
    let place = Place::find(path, Action::List, context)?;
    let folder = place.open_folder()?;
    let walk = Walk {
        most: FileLimits::of(context).entries,
        recursive,
        is_stopped: || context.is_cancelled(),
    };
    let found = place.start(folder, gitignore);
    let found = found.and_then(|start| walk.through(start));
    match found.map_err(|error| place.asked.failed(&error))? {
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
        let mut path = String::new();
        for part in self.inner.components() {
            if let Component::Normal(name) = part {
                path.push_str(&name.to_string_lossy());
                path.push('/');
            }
        }
        let rules = match gitignore {
            true => Some(Rules::around(self)?),
            false => None,
        };
        Ok(Start {
            folder,
            path,
            rules,
        })
    }
}
