//! Reading documents from files, and from standard input under the name `-`.

use agent_spec::file;
use agent_spec::terminal::line;
use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// A text with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The name as it was given on the command line; `-` for standard input.
    pub name: String,
    /// The text, without a byte-order mark.
    pub text: String,
    /// Whether the file began with a byte-order mark.
    pub has_byte_order_mark: bool,
}

impl Source {
    /// Creates a source from a text that was not read from a file.
    #[must_use]
    pub fn inline(name: &str, text: &str) -> Self {
        Self {
            name: name.to_owned(),
            text: text.to_owned(),
            has_byte_order_mark: false,
        }
    }

    /// Returns the name for messages: one line without control characters, `<stdin>` for `-`.
    #[must_use]
    pub fn display_name(&self) -> String {
        display_name(&self.name)
    }
}

fn display_name(name: &str) -> String {
    match name {
        "-" => "<stdin>".to_owned(),
        // A file name can hold characters that control a terminal.
        name => line(name, usize::MAX),
    }
}

/// Returns whether a path means standard input.
#[must_use]
pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads a file, or standard input if the path is `-`.
///
/// # Errors
/// Returns an error if the file cannot be read or is not UTF-8.
pub fn read(path: &Path) -> Result<Source, ReadError> {
    let name = path.display().to_string();
    let bytes = if is_stdin(path) {
        read_stdin()
    } else {
        read_file(path)
    };
    let (text, has_byte_order_mark) = bytes.and_then(decode).map_err(|reason| ReadError {
        name: name.clone(),
        reason,
    })?;
    Ok(Source {
        name,
        text,
        has_byte_order_mark,
    })
}

/// Reads several files.
///
/// # Errors
/// Returns the errors of all files that cannot be read.
pub fn read_all(paths: &[PathBuf]) -> Result<Vec<Source>, Vec<ReadError>> {
    read_all_with(paths, read)
}

/// Reads several files with `read`.
///
/// # Errors
/// Returns the errors of all files that cannot be read.
pub fn read_all_with(
    paths: &[PathBuf],
    read: impl Fn(&Path) -> Result<Source, ReadError>,
) -> Result<Vec<Source>, Vec<ReadError>> {
    let mut sources = Vec::new();
    let mut errors = Vec::new();
    for path in paths {
        match read(path) {
            Ok(source) => sources.push(source),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() {
        Ok(sources)
    } else {
        Err(errors)
    }
}

fn read_stdin() -> Result<Vec<u8>, Reason> {
    file::read_from(io::stdin().lock()).map_err(Reason::Io)
}

fn read_file(path: &Path) -> Result<Vec<u8>, Reason> {
    file::read(path).map_err(|error| match error.kind() {
        ErrorKind::IsADirectory => Reason::Directory,
        _ => Reason::Io(error),
    })
}

/// Decodes UTF-8. Returns the text without its byte-order mark, and whether there was one.
fn decode(bytes: Vec<u8>) -> Result<(String, bool), Reason> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let before = &error.as_bytes()[..offset];
        Reason::NotUtf8 {
            offset,
            line: before.iter().filter(|byte| **byte == b'\n').count() + 1,
            byte: error.as_bytes()[offset],
        }
    })?;
    // A byte-order mark is removed, so that columns count visible characters. The first of two marks
    // stays, because the parser removes one as well and would not report the second.
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) if !rest.starts_with('\u{feff}') => (rest.to_owned(), true),
        _ => (text, false),
    })
}

/// The error for a file that cannot be read. Its text is one line.
#[derive(Debug)]
pub struct ReadError {
    name: String,
    reason: Reason,
}

#[derive(Debug)]
enum Reason {
    Directory,
    NotUtf8 {
        offset: usize,
        line: usize,
        byte: u8,
    },
    Io(io::Error),
}

impl std::error::Error for ReadError {}

impl fmt::Display for ReadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = display_name(&self.name);
        write!(out, "cannot read `{name}`: ")?;
        match &self.reason {
            Reason::Directory => {
                write!(
                    out,
                    "it is a directory; name the files in it, such as `{name}/*.gram`"
                )
            }
            Reason::NotUtf8 { offset, line, byte } => write!(
                out,
                "it is not UTF-8 text: byte 0x{byte:02x} at offset {offset} (line {line}) belongs to \
                 no character; save the file as UTF-8"
            ),
            Reason::Io(error) => match error.kind() {
                ErrorKind::NotFound => out.write_str("there is no such file"),
                ErrorKind::PermissionDenied => out.write_str("permission denied"),
                ErrorKind::InvalidInput => write!(
                    out,
                    "{error}; give its text on standard input, with the name `-`"
                ),
                _ => write!(out, "{error}"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_first_byte_that_is_not_utf8() {
        let reason = decode(b"ab\nc\xffd".to_vec()).unwrap_err();
        let error = ReadError {
            name: "x.gram".to_owned(),
            reason,
        };
        let text = error.to_string();
        assert!(text.contains("byte 0xff at offset 4 (line 2)"), "{text}");
    }

    #[test]
    fn removes_a_byte_order_mark() {
        for (bytes, had_mark) in [("\u{feff}(a)", true), ("(a)", false)] {
            let read = decode(bytes.into()).unwrap();
            assert_eq!(read, ("(a)".to_owned(), had_mark));
        }
    }

    #[test]
    fn keeps_the_first_of_two_byte_order_marks() {
        let doubled = "\u{feff}\u{feff}(a)";
        let (text, _) = decode(doubled.into()).unwrap();
        assert!(!agent_gram::parse(&text).errors.is_empty());
    }
}
