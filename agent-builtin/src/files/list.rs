//! The tool `listDirectory`.

use super::folder_path::{FolderPath, is_loop, is_virtual, open_folder_nofollow};
use super::gitignore::Rules;
use super::limits::FileLimits;
use agent_tool::permissions::FileAccess;
use agent_tool::{GramType, ToolContext, ToolError, tool};
use cap_std::fs::{Dir, DirEntry, Metadata};
use serde::Serialize;
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::path::Component;
use std::rc::Rc;
use std::vec::IntoIter;

/// The maximum depth of folders. Every folder on the path is open, and a model can create folders of any depth, so that
/// the process would have too many open files.
const MAX_DEPTH: usize = 64;

/// The number of spare names. When `2 * (room + SPARE_NAMES)` names of a folder are in memory, only the first
/// `room` names in order are kept.
const SPARE_NAMES: usize = 1024;

/// The result of `listDirectory`.
#[derive(Clone, Debug, Default, PartialEq, Eq, GramType, Serialize)]
pub struct Listing {
    #[serde(default)]
    entries: Vec<Entry>,
    #[serde(default)]
    #[gram(description = "Whether there are entries that are not listed")]
    truncated: bool,
}

impl Listing {
    /// Returns the entries, sorted by name. The contents of a folder follow the folder.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Whether entries are missing: because of the maximum number, because a folder could not be read, or
    /// because a name is not UTF-8.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }
}

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq, GramType, Serialize)]
pub struct Entry {
    #[serde(default)]
    name: String,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<EntryType>,
    #[serde(default)]
    size: u64,
    // Left out when false, because most entries are no links and a model pays for every word.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[gram(description = "Whether the entry is a link, whose type is not listed")]
    link: bool,
}

impl Entry {
    /// Returns the path beneath the listed folder, with `/` between names.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the type; `None` for links, which are not followed, and for devices, pipes and sockets.
    #[must_use]
    pub fn entry_type(&self) -> Option<EntryType> {
        self.kind
    }

    /// Returns the size in bytes. For a folder or a link it is the size of the entry itself.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Whether the entry is a link.
    #[must_use]
    pub fn is_link(&self) -> bool {
        self.link
    }
}

/// The type of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, GramType, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryType {
    // Doc comments would become part of the tool's schema.
    #[allow(missing_docs, reason = "the schema has none of its own")]
    File,
    #[allow(missing_docs, reason = "the schema has none of its own")]
    Directory,
}

impl EntryType {
    fn of(metadata: &Metadata) -> Option<Self> {
        let kind = metadata.file_type();
        if kind.is_file() {
            Some(Self::File)
        } else if kind.is_dir() {
            Some(Self::Directory)
        } else {
            None
        }
    }
}

/// Lists a folder, sorted by name and at most [`MAX_ENTRIES`](super::MAX_ENTRIES) entries; with
/// `recursive`, all folders below it, too. Links are listed and not followed. With `gitignore`, `.git` and
/// the entries that the `.gitignore` files exclude are left out. The `.gitignore` files of the folders
/// around the listed one count as far as they are granted. The listed folder itself is never left out.
///
/// # Errors
/// Execution when the folder does not exist, is not a folder, or cannot be read. Authorization outside of
/// the folders that are granted for reading.
#[tool(
    read_only,
    idempotent,
    reads = "private",
    untrusted,
    description = "Lists files and directories in a directory."
)]
pub fn list_directory(
    path: &str,
    #[tool(default = false)] recursive: bool,
    #[tool(default = false, description = "Whether to leave out what git ignores")] gitignore: bool,
    context: &ToolContext,
) -> Result<Listing, ToolError> {
    let path = FolderPath::open(path, FileAccess::List, context)?;
    let folder = path.open_folder()?;
    let mut walk = Walk {
        max_entries: FileLimits::of(context).entries,
        recursive,
        is_cancelled: || context.is_cancelled(),
        listing: Listing::default(),
    };
    match walk.walk(&path, folder, gitignore) {
        Ok(()) => Ok(walk.listing),
        Err(WalkError::Cancelled) => Err(ToolError::Timeout),
        Err(WalkError::Io(error)) => Err(path.io_error(&error)),
    }
}

/// A walk through a folder and the folders below it, in the order of names.
struct Walk<C> {
    max_entries: usize,
    recursive: bool,
    is_cancelled: C,
    listing: Listing,
}

/// The reason why a walk fails.
enum WalkError {
    Cancelled,
    Io(io::Error),
}

impl From<io::Error> for WalkError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// An open folder, and its entries that are not listed yet.
struct Level {
    folder: Dir,
    /// The path from the granted folder, as patterns match it, with `/` at the end unless it is empty.
    path: String,
    rules: Option<Rc<Rules>>,
    rest: IntoIter<NamedEntry>,
}

/// An entry that is not listed yet.
struct NamedEntry {
    name: OsString,
    kind: Option<EntryType>,
    size: u64,
    is_link: bool,
}

impl<C: Fn() -> bool> Walk<C> {
    /// Lists the entries of a folder and, if `recursive`, of the folders below it. A folder below it that
    /// cannot be read is not an error.
    fn walk(
        &mut self,
        path: &FolderPath<'_>,
        folder: Dir,
        gitignore: bool,
    ) -> Result<(), WalkError> {
        let (prefix, rules) = match gitignore {
            true => {
                let prefix = pattern_path(path);
                let rules = Rules::within(&folder, &prefix, Rules::around(path)?)?;
                (prefix, Some(rules))
            }
            false => (String::new(), None),
        };
        let prefix_length = prefix.len();
        let mut levels = vec![self.level(folder, prefix, rules)?];
        while let Some(level) = levels.last_mut() {
            let Some(entry) = level.rest.next() else {
                levels.pop();
                continue;
            };
            if (self.is_cancelled)() {
                return Err(WalkError::Cancelled);
            }
            if self.listing.entries.len() == self.max_entries {
                self.listing.truncated = true;
                break;
            }
            let mut path = join(&level.path, &entry.name);
            let enters = self.recursive && entry.kind == Some(EntryType::Directory);
            let name = match prefix_length {
                // The common case, without a copy, because there may be many entries.
                0 if !enters => std::mem::take(&mut path),
                _ => path[prefix_length..].to_owned(),
            };
            self.listing.entries.push(Entry {
                name,
                kind: entry.kind,
                size: entry.size,
                link: entry.is_link,
            });
            if enters {
                path.push('/');
                let depth = levels.len();
                let inner = self.enter(&levels[depth - 1], &entry.name, path, depth)?;
                levels.extend(inner);
            }
        }
        Ok(())
    }

    /// Opens a folder inside another one. Returns `None` if it cannot be read.
    fn enter(
        &mut self,
        parent: &Level,
        name: &OsStr,
        path: String,
        depth: usize,
    ) -> io::Result<Option<Level>> {
        let folder = match depth {
            MAX_DEPTH => None,
            _ => match open_folder_nofollow(&parent.folder, name) {
                Err(error) if is_replaced(&error) => return Ok(None),
                Ok(folder) if !is_virtual(&folder)? => Some(folder),
                _ => None,
            },
        };
        let Some(folder) = folder else {
            self.listing.truncated = true;
            return Ok(None);
        };
        let rules = match &parent.rules {
            Some(rules) => Some(Rules::within(&folder, &path, Some(Rc::clone(rules)))?),
            None => None,
        };
        let level = self.level(folder, path, rules);
        self.listing.truncated |= level.is_err();
        Ok(level.ok())
    }

    /// Reads the entries of a folder.
    fn level(&mut self, folder: Dir, path: String, rules: Option<Rc<Rules>>) -> io::Result<Level> {
        // One more name than can be listed, so that the walk notices that entries are missing.
        let room = (self.max_entries - self.listing.entries.len()).saturating_add(1);
        let mut names: Vec<(OsString, DirEntry)> = Vec::new();
        for entry in folder.entries()? {
            let Ok(entry) = entry else {
                self.listing.truncated = true;
                break;
            };
            if (self.is_cancelled)() {
                break;
            }
            let name = entry.file_name();
            if let Some(rules) = &rules
                && rules.ignores(&join(&path, &name), is_folder(&entry))
            {
                continue;
            }
            // A name that is not UTF-8 cannot be returned, and a replacement would name no file.
            if name.to_str().is_none() {
                self.listing.truncated = true;
                continue;
            }
            names.push((name, entry));
            if names.len() / 2 >= room.saturating_add(SPARE_NAMES) {
                keep_first(&mut names, room);
                self.listing.truncated = true;
            }
        }
        if names.len() > room {
            keep_first(&mut names, room);
            self.listing.truncated = true;
        }
        // The metadata is read now, because each `DirEntry` keeps the folder open.
        let mut entries: Vec<NamedEntry> = names.into_iter().filter_map(NamedEntry::read).collect();
        entries.sort_unstable_by(|left, right| left.name.cmp(&right.name));
        Ok(Level {
            folder,
            path,
            rules,
            rest: entries.into_iter(),
        })
    }
}

impl NamedEntry {
    /// Reads the metadata of an entry. Returns `None` if the entry has been removed.
    fn read((name, entry): (OsString, DirEntry)) -> Option<Self> {
        let metadata = entry.metadata().ok()?;
        Some(Self {
            name,
            kind: EntryType::of(&metadata),
            size: metadata.len(),
            is_link: metadata.is_symlink(),
        })
    }
}

/// The path of the listed folder from the granted one, as patterns match it: `a/b/`, or empty.
fn pattern_path(path: &FolderPath<'_>) -> String {
    let mut prefix = String::new();
    for part in path.path().components() {
        if let Component::Normal(name) = part {
            prefix.push_str(&name.to_string_lossy());
            prefix.push('/');
        }
    }
    prefix
}

/// Keeps the `count` names that are first in order.
fn keep_first(names: &mut Vec<(OsString, DirEntry)>, count: usize) {
    names.select_nth_unstable_by(count, |left, right| left.0.cmp(&right.0));
    names.truncate(count);
}

fn join(folder: &str, name: &OsStr) -> String {
    let name = name.to_string_lossy();
    // With room for a `/` after the name.
    let mut path = String::with_capacity(folder.len() + name.len() + 1);
    path.push_str(folder);
    path.push_str(&name);
    path
}

/// Whether an entry is a folder. Not every file system returns the type with the name.
fn is_folder(entry: &DirEntry) -> bool {
    match entry.file_type() {
        Ok(kind) if kind.is_file() || kind.is_symlink() => false,
        Ok(kind) if kind.is_dir() => true,
        _ => entry.metadata().is_ok_and(|metadata| metadata.is_dir()),
    }
}

/// Whether a folder has been removed or replaced since its name was read.
fn is_replaced(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) || is_loop(error)
}
