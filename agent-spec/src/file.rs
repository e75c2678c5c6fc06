//! Reading the files of documents: ordinary files up to a maximum size.
//!
//! A pipe or a device under the name of a document would block its reader, or never end.

use std::fs::{File, FileType};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// The maximum number of bytes of a document. An editor and CI read the documents of other people unattended, and a checked
/// document takes many times the memory of its text.
pub const MAX_BYTES: u64 = 32 << 20;

/// Reads an ordinary file, or the one that a link leads to.
///
/// # Errors
/// Returns an error with a text for people if the file is a directory, a pipe or a device, if it has more than
/// [`MAX_BYTES`] bytes, or if it cannot be read.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_up_to(path, MAX_BYTES)
}

/// Reads an ordinary file, as [`read`] does, with at most `max` bytes. A file with a length of 0 is empty, and not read.
///
/// # Errors
/// Returns an error as [`read`] does.
pub fn read_up_to(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    // Opening a pipe waits for its writer.
    check_type(path.metadata()?.file_type())?;
    let file = File::open(path)?;
    // The file may have been replaced.
    check_type(file.metadata()?.file_type())?;
    let length = file.metadata()?.len();
    if length == 0 {
        // A virtual file such as `/proc/kmsg` has no length, and reading it can wait forever.
        return Ok(Vec::new());
    }
    if length > max {
        return Err(too_large(max));
    }
    // With room for the whole file, because a vector that grows takes up to three times as much.
    read_into(Vec::with_capacity(length as usize), file, max)
}

/// Reads a stream, such as standard input, to its end.
///
/// # Errors
/// Returns an error if the stream has more than [`MAX_BYTES`] bytes, or if it cannot be read.
pub fn read_from(stream: impl Read) -> io::Result<Vec<u8>> {
    read_into(Vec::new(), stream, MAX_BYTES)
}

/// Whether a path leads to a file of `/proc` or `/sys`. Such a file looks like an ordinary empty one, and reading some of
/// them, such as `/proc/kmsg`, waits forever.
#[must_use]
pub fn is_virtual(path: &Path) -> bool {
    let resolved = path.canonicalize();
    resolved.is_ok_and(|path| path.starts_with("/proc") || path.starts_with("/sys"))
}

fn read_into(mut bytes: Vec<u8>, stream: impl Read, max: u64) -> io::Result<Vec<u8>> {
    stream.take(max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max {
        return Err(too_large(max));
    }
    Ok(bytes)
}

fn too_large(max: u64) -> io::Error {
    let text = match max >> 20 {
        0 => format!("it has more than {max} bytes"),
        mebibytes => format!("it has more than {mebibytes} MiB"),
    };
    io::Error::new(ErrorKind::FileTooLarge, text)
}

fn check_type(found: FileType) -> io::Result<()> {
    if found.is_file() {
        return Ok(());
    }
    if found.is_dir() {
        return Err(io::Error::new(ErrorKind::IsADirectory, "it is a directory"));
    }
    let text = format!("it is {}, and only ordinary files are read", name(found));
    Err(io::Error::new(ErrorKind::InvalidInput, text))
}

#[cfg(unix)]
fn name(found: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;
    if found.is_fifo() {
        "a pipe"
    } else if found.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn name(_: FileType) -> &'static str {
    "a device"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_a_stream_without_end() {
        let error = read_from(io::repeat(b'x')).unwrap_err();
        assert_eq!(error.to_string(), "it has more than 32 MiB");
        assert_eq!(read_from(&b"(a)"[..]).unwrap(), b"(a)");
    }

    #[test]
    fn refuses_a_file_with_more_bytes_than_allowed() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let length = path.metadata().unwrap().len();
        assert!(read_up_to(&path, length).is_ok());
        let error = read_up_to(&path, length - 1).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("it has more than {} bytes", length - 1)
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_virtual_file_without_a_length_is_empty() {
        let path = Path::new("/proc/version");
        assert_eq!(path.metadata().unwrap().len(), 0);
        assert!(!std::fs::read(path).unwrap().is_empty());
        assert!(read(path).unwrap().is_empty());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn tells_virtual_files_from_ordinary_ones() {
        assert!(is_virtual(Path::new("/proc/version")));
        assert!(is_virtual(Path::new("/dev/../proc/version")));
        assert!(!is_virtual(Path::new(env!("CARGO_MANIFEST_DIR"))));
        assert!(!is_virtual(Path::new("/proc/missing")));
    }

    #[cfg(unix)]
    #[test]
    fn refuses_other_files_than_ordinary_ones() {
        for (path, why) in [
            (
                "/dev/zero",
                "it is a device, and only ordinary files are read",
            ),
            ("/", "it is a directory"),
        ] {
            assert_eq!(read(Path::new(path)).unwrap_err().to_string(), why);
        }
    }
}
