//! Creating pipes and devices.

use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::path::Path;

pub(crate) fn pipe(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RWXU, 0).expect("a pipe");
}

/// Creates a device like `/dev/zero`. Returns `false` without the rights of root.
pub(crate) fn endless(path: &Path) -> bool {
    let device = rustix::fs::makedev(1, 5);
    mknodat(CWD, path, FileType::CharacterDevice, Mode::RWXU, device).is_ok()
}
