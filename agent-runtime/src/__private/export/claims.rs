//! Which export writes which file. The tests of a program run in one process and in any order, so two
//! exports of one name would take turns in overwriting each other's file.

use std::collections::BTreeMap;
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The files of this process's exports.
static FILES: Mutex<Claims> = Mutex::new(Claims::new());

/// Files with what they are to say, and the export that says it.
pub(super) struct Claims {
    files: BTreeMap<PathBuf, (String, &'static Location<'static>)>,
}

/// Reports a file that another export of this process writes, with another text.
pub(super) fn claim(
    path: &Path,
    shown: &str,
    text: &str,
    place: &'static Location<'static>,
) -> Result<(), String> {
    // A test that panicked has left the list whole.
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    files.claim(path, shown, text, place)
}

impl Claims {
    pub(super) const fn new() -> Self {
        Self {
            files: BTreeMap::new(),
        }
    }

    pub(super) fn claim(
        &mut self,
        path: &Path,
        shown: &str,
        text: &str,
        place: &'static Location<'static>,
    ) -> Result<(), String> {
        match self.files.get(path) {
            Some((known, other)) if known != text => {
                let (first, second) = (place.min(other), place.max(other));
                Err(format!(
                    "two exports write `{shown}` and would overwrite each other: the one at {first} \
                     and the one at {second}; set another name or another folder for one of them"
                ))
            }
            Some(_) => Ok(()),
            None => {
                self.files.insert(path.to_owned(), (text.to_owned(), place));
                Ok(())
            }
        }
    }
}
