//! Writing a file as a whole: readers see the old or the new content, even after a crash.

use std::io::{self, Write as _};
use std::path::Path;
use tempfile::{Builder, NamedTempFile};

/// Replaces the content of a file, or creates the file. It keeps its permissions, and its owner and group as far as the
/// process may set them. A group that cannot be kept loses its access, because its permissions would hold for the group
/// of the process. A new file can be read by its owner only. For a symbolic link, the target is replaced.
///
/// # Errors
/// Returns an error if the file cannot be written. It is then unchanged.
pub fn replace_file(path: &Path, content: &[u8]) -> io::Result<()> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let file = NamedTempFile::new_in(folder_of(&path))?;
    if let Ok(old) = path.metadata() {
        #[cfg_attr(
            not(unix),
            allow(unused_mut, reason = "only Unix has owners and modes")
        )]
        let mut permissions = old.permissions();
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
            let _ = fchown(file.as_file(), Some(old.uid()), None);
            if fchown(file.as_file(), None, Some(old.gid())).is_err() {
                permissions.set_mode(old.mode() & !0o070);
            }
        }
        file.as_file().set_permissions(permissions)?;
    }
    persist(file, &path, content)
}

/// Writes a new file with the permissions that the process gives to new files. Another file or link of its name is
/// replaced, in which case nothing of the old one is kept.
///
/// # Errors
/// Returns an error if the file cannot be written, or if a directory has its name.
pub fn write_new_file(path: &Path, content: &[u8]) -> io::Result<()> {
    #[cfg_attr(not(unix), allow(unused_mut, reason = "only Unix has modes"))]
    let mut builder = Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // The system removes the bits of the process's umask.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    persist(builder.tempfile_in(folder_of(path))?, path, content)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}

fn persist(mut file: NamedTempFile, path: &Path, content: &[u8]) -> io::Result<()> {
    file.write_all(content)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[cfg(unix)]
    #[test]
    fn a_new_file_replaces_whatever_has_its_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, other) = (folder.path().join("new"), folder.path().join("other"));
        fs::write(&other, "other").expect("a file");
        std::os::unix::fs::symlink(&other, &path).expect("a link");
        for bytes in [&b"first"[..], b"", b"second"] {
            write_new_file(&path, bytes).expect("it is written");
            assert_eq!(fs::read(&path).expect("a file"), bytes);
            assert!(path.symlink_metadata().expect("a file").is_file());
        }
        assert_eq!(fs::read(&other).expect("a file"), b"other");
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 2);
        let permissions = |path: &Path| path.metadata().expect("a file").permissions();
        assert_eq!(permissions(&path), permissions(&other));
    }
}
