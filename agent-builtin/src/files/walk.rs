//! Walking through a folder and what is below it, in the order of names.

use super::gitignore::Rules;
use super::kind::is_made_up;
use super::list::{Entry, EntryType};
use super::open::open_inner_folder;
use super::trouble::is_loop;
use cap_std::fs::{Dir, DirEntry};
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::rc::Rc;
use std::vec::IntoIter;

/// How many folders deep. Each on the way is open, and a process can have only so many.
const MAX_DEPTH: usize = 64;

/// How many names of a folder are read before those that cannot be listed are dropped.
const SPARE_NAMES: usize = 1024;

/// What is walked through.
pub(super) struct Start {
    pub(super) folder: Dir,
    /// Its path as patterns see it, with a `/` at the end if it has one.
    pub(super) path: String,
    /// The patterns of the folders around it, when patterns count.
    pub(super) rules: Option<Option<Rc<Rules>>>,
}

/// How one walks.
pub(super) struct Walk<S> {
    /// How many entries are listed.
    pub(super) most: usize,
    pub(super) recursive: bool,
    /// Whether nobody wants it any longer.
    pub(super) is_stopped: S,
}

/// What was found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) entries: Vec<Entry>,
    /// Whether there is more.
    pub(super) is_part: bool,
    /// Whether nobody wanted it any longer.
    pub(super) is_stopped: bool,
}

/// A folder, of which some entries are still to be listed.
struct Level {
    folder: Dir,
    path: String,
    rules: Option<Rc<Rules>>,
    rest: IntoIter<Seen>,
}

/// An entry of a folder.
struct Seen {
    name: OsString,
    kind: Option<EntryType>,
    size: u64,
}

impl<S: Fn() -> bool> Walk<S> {
    /// Walks. That a folder below cannot be looked into is no error.
    pub(super) fn through(&self, start: Start) -> io::Result<Found> {
        let mut found = Found::default();
        let listed = start.path.len();
        let rules = match start.rules {
            Some(around) => Some(Rules::within(&start.folder, listed, around)?),
            None => None,
        };
        let mut levels = vec![self.level(start.folder, start.path, rules, &mut found)?];
        while let Some(level) = levels.last_mut() {
            let Some(seen) = level.rest.next() else {
                levels.pop();
                continue;
            };
            if (self.is_stopped)() {
                found.is_stopped = true;
                break;
            }
            if found.entries.len() == self.most {
                found.is_part = true;
                break;
            }
            let mut path = joined(&level.path, &seen.name);
            let enters = self.recursive && seen.kind == Some(EntryType::Directory);
            let shown = match listed {
                // Most often its path is the name that is shown, and there may be very many.
                0 if !enters => std::mem::take(&mut path),
                _ => path[listed..].to_owned(),
            };
            found.entries.push(Entry::new(shown, seen.kind, seen.size));
            if enters {
                path.push('/');
                let depth = levels.len();
                let inner = self.enter(&levels[depth - 1], &seen.name, path, depth, &mut found)?;
                levels.extend(inner);
            }
        }
        Ok(found)
    }

    /// A folder in another one, unless it cannot be looked into.
    fn enter(
        &self,
        parent: &Level,
        name: &OsStr,
        path: String,
        depth: usize,
        found: &mut Found,
    ) -> io::Result<Option<Level>> {
        let folder = match depth {
            MAX_DEPTH => None,
            _ => match open_inner_folder(&parent.folder, name) {
                Err(error) if is_gone(&error) => return Ok(None),
                Ok(folder) if !is_made_up(&folder)? => Some(folder),
                _ => None,
            },
        };
        let Some(folder) = folder else {
            found.is_part = true;
            return Ok(None);
        };
        let rules = match &parent.rules {
            Some(rules) => Some(Rules::within(&folder, path.len(), Some(Rc::clone(rules)))?),
            None => None,
        };
        match self.level(folder, path, rules, found) {
            Ok(level) => Ok(Some(level)),
            Err(_) => {
                found.is_part = true;
                Ok(None)
            }
        }
    }

    fn level(
        &self,
        folder: Dir,
        path: String,
        rules: Option<Rc<Rules>>,
        found: &mut Found,
    ) -> io::Result<Level> {
        // One more than fit, so that it shows that there is more.
        let room = (self.most - found.entries.len()).saturating_add(1);
        let mut names: Vec<(OsString, DirEntry)> = Vec::new();
        for entry in folder.entries()? {
            let Ok(entry) = entry else {
                found.is_part = true;
                break;
            };
            if (self.is_stopped)() {
                break;
            }
            let name = entry.file_name();
            let is_ignored =
                |rules: &Rc<Rules>| rules.ignore(&joined(&path, &name), is_dir(&entry));
            if rules.as_ref().is_some_and(is_ignored) {
                continue;
            }
            // A name that is not text cannot be given, and another one in its place leads nowhere.
            if name.to_str().is_none() {
                found.is_part = true;
                continue;
            }
            names.push((name, entry));
            if names.len() / 2 >= room.saturating_add(SPARE_NAMES) {
                keep_first(&mut names, room);
                found.is_part = true;
            }
        }
        if names.len() > room {
            keep_first(&mut names, room);
            found.is_part = true;
        }
        // The entries keep the folder open, so that what is wanted of them is asked now.
        let mut seen: Vec<Seen> = names.into_iter().filter_map(Seen::of).collect();
        seen.sort_unstable_by(|left, right| left.name.cmp(&right.name));
        Ok(Level {
            folder,
            path,
            rules,
            rest: seen.into_iter(),
        })
    }
}

impl Seen {
    /// Nothing when it has gone since, and is no part of the folder any more.
    fn of((name, entry): (OsString, DirEntry)) -> Option<Self> {
        let metadata = entry.metadata().ok()?;
        Some(Self {
            name,
            kind: EntryType::of(&metadata),
            size: metadata.len(),
        })
    }
}

/// Keeps so many names of those that come first.
fn keep_first(names: &mut Vec<(OsString, DirEntry)>, count: usize) {
    names.select_nth_unstable_by(count, |left, right| left.0.cmp(&right.0));
    names.truncate(count);
}

fn joined(folder: &str, name: &OsStr) -> String {
    let name = name.to_string_lossy();
    // With room for a `/` after it.
    let mut path = String::with_capacity(folder.len() + name.len() + 1);
    path.push_str(folder);
    path.push_str(&name);
    path
}

/// Whether an entry is a folder, which not every file system says with its name.
fn is_dir(entry: &DirEntry) -> bool {
    match entry.file_type() {
        Ok(kind) if kind.is_file() || kind.is_symlink() => false,
        Ok(kind) if kind.is_dir() => true,
        _ => entry.metadata().is_ok_and(|metadata| metadata.is_dir()),
    }
}

/// Whether something else is there now.
fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) || is_loop(error)
}
