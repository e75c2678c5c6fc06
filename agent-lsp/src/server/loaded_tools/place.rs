//! Whether an address is that of a file of `--tools`.

use crate::server::uri::file_of;
use gen_lsp_types::Uri;
use std::path::{Component, Path, PathBuf, absolute};

/// Whether an address is that of a file of `--tools`.
pub(in crate::server) fn is_file_of(files: &[PathBuf], uri: &Uri) -> bool {
    given_as(files, uri).is_some()
}

/// The path by which the file of an address was given with `--tools`.
///
/// A file may have several names, and need not be there any more.
pub(in crate::server) fn given_as<'f>(files: &'f [PathBuf], uri: &Uri) -> Option<&'f Path> {
    let path = file_of(uri)?;
    let (plain, real) = (plain(&path), real(&path));
    let mut given = files.iter();
    given
        .find(|given| self::plain(given) == plain || self::real(given) == real)
        .map(PathBuf::as_path)
}

/// A path from the root, without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let whole = absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut plain = PathBuf::new();
    for component in whole.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

/// The path without symbolic links; those of its folder, where the file is gone.
fn real(path: &Path) -> PathBuf {
    let path = plain(path);
    path.canonicalize().unwrap_or_else(|_| {
        let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
        match (folder, path.file_name()) {
            (Some(folder), Some(name)) => folder.join(name),
            _ => path,
        }
    })
}
