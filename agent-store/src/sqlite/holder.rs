//! The processes that hold runs, as locked files beside the store.
//!
//! The system frees the lock of a process that dies, so that its runs can be recovered at once.

use agent_core::conversation::StoreError;
use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

/// The part of the names of the files between the name of the store and that of the holder.
const INFIX: &str = "-holder-";

/// The locked file of one open journal.
pub(super) struct Holder {
    name: String,
    path: PathBuf,
    /// Locked until it is closed.
    _file: File,
}

impl Holder {
    /// Creates and locks a file beside a store, and removes the files of processes that have ended.
    pub(super) fn new(store: &Path) -> Result<Self, StoreError> {
        remove_abandoned(store);
        loop {
            let holder = Self::create(store)?;
            // Another process may have removed the file as an abandoned one before it was locked.
            if holder.path.exists() {
                return Ok(holder);
            }
        }
    }

    fn create(store: &Path) -> Result<Self, StoreError> {
        let random = RandomState::new().build_hasher().finish();
        let name = format!("{:x}-{random:016x}", std::process::id());
        let path = path_of(store, &name);
        let to_error = |error: io::Error| {
            let path = path.display();
            StoreError::unavailable(format!("`{path}` cannot be created")).with_source(error)
        };
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).map_err(to_error)?;
        file.lock().map_err(to_error)?;
        Ok(Self {
            name,
            path,
            _file: file,
        })
    }

    /// The name, which no other holder has.
    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        // If this fails, the next process that opens the journal removes the file.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Whether a holder is alive. A file that cannot be opened counts as that of a living holder, until its lease
/// ends.
pub(super) fn is_alive(store: &Path, name: &str) -> bool {
    match File::open(path_of(store, name)) {
        Err(error) => error.kind() != io::ErrorKind::NotFound,
        Ok(file) => is_locked(&file),
    }
}

fn is_locked(file: &File) -> bool {
    // A shared lock, so that two processes that look at the same time do not see each other.
    match file.try_lock_shared() {
        Ok(()) => false,
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => true,
    }
}

fn path_of(store: &Path, name: &str) -> PathBuf {
    let mut path = OsString::from(store);
    path.push(INFIX);
    path.push(name);
    PathBuf::from(path)
}

fn remove_abandoned(store: &Path) {
    let prefix = path_of(store, "");
    let (Some(folder), Some(prefix)) = (prefix.parent(), prefix.file_name()) else {
        return;
    };
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_ours = name
            .as_encoded_bytes()
            .starts_with(prefix.as_encoded_bytes());
        if !is_ours || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        // The file stays locked while it is removed, so that a process that has just created it finds it
        // missing once it has the lock.
        if let Ok(file) = File::open(entry.path())
            && !is_locked(&file)
        {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process that opens a journal removes abandoned files, and may see one that is created and not locked yet.
    #[test]
    fn a_holder_that_begins_is_not_taken_for_an_abandoned_one() {
        let folder = std::env::temp_dir().join(format!("holders-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let store = folder.join("runs.db");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        let holder = Holder::new(&store).expect("a holder");
                        assert!(is_alive(&store, holder.name()));
                    }
                });
            }
        });
        std::fs::remove_dir_all(&folder).expect("the folder");
    }
}
