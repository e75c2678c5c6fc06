//! Reading what a command is given: files, and standard input under the name `-`.

use crate::outcome::Trouble;
use crate::shown::harmless;
use std::fmt;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// A text and where it came from.
#[derive(Clone)]
pub(crate) struct Source {
    /// The name as it was given on the command line; `-` for standard input.
    pub(crate) name: String,
    /// The text, without a byte-order mark.
    pub(crate) text: String,
    /// Whether there was a byte-order mark before the text.
    pub(crate) has_byte_order_mark: bool,
}

impl Source {
    /// A text that was itself given on the command line.
    pub(crate) fn inline(name: &str, text: &str) -> Self {
        Self {
            name: name.to_owned(),
            text: text.to_owned(),
            has_byte_order_mark: false,
        }
    }

    /// The name as people read it.
    pub(crate) fn shown_name(&self) -> String {
        shown(&self.name)
    }
}

/// A name in one line, and without what steers a terminal: files may have any name.
fn shown(name: &str) -> String {
    match name {
        "-" => "<stdin>".to_owned(),
        name => harmless(name).replace(['\n', '\t'], " "),
    }
}

/// Whether a path means standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Refuses to read standard input more than once: the second time it would be empty.
///
/// # Errors
/// When several of the paths are `-`.
pub(crate) fn refuse_stdin_twice<'a>(
    paths: impl IntoIterator<Item = &'a PathBuf>,
) -> Result<(), Trouble> {
    if paths.into_iter().filter(|path| is_stdin(path)).count() > 1 {
        return Err(Trouble::new("`-`, standard input, can be read only once"));
    }
    Ok(())
}

/// Reads one input.
///
/// # Errors
/// Why it cannot be read, in one line.
pub(crate) fn read(path: &Path) -> Result<Source, InputError> {
    let name = path.display().to_string();
    let bytes = if is_stdin(path) {
        read_stdin()
    } else {
        read_file(path)
    };
    let (text, has_byte_order_mark) = bytes.and_then(text_of).map_err(|reason| InputError {
        name: name.clone(),
        reason,
    })?;
    Ok(Source {
        name,
        text,
        has_byte_order_mark,
    })
}

/// Reads several inputs.
///
/// # Errors
/// Every one that cannot be read.
pub(crate) fn read_all(paths: &[PathBuf]) -> Result<Vec<Source>, Vec<InputError>> {
    read_all_by(paths, read)
}

/// Reads several inputs, each in this way.
///
/// # Errors
/// Every one that cannot be read.
pub(crate) fn read_all_by(
    paths: &[PathBuf],
    read: impl Fn(&Path) -> Result<Source, InputError>,
) -> Result<Vec<Source>, Vec<InputError>> {
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
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(Reason::Io)?;
    Ok(bytes)
}

fn read_file(path: &Path) -> Result<Vec<u8>, Reason> {
    // Not every system says of a directory that it is one when it is read.
    if path.is_dir() {
        return Err(Reason::Directory);
    }
    std::fs::read(path).map_err(Reason::Io)
}

/// The text, and whether a byte-order mark was before it.
fn text_of(bytes: Vec<u8>) -> Result<(String, bool), Reason> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let before = &error.as_bytes()[..offset];
        Reason::NotUtf8 {
            offset,
            line: before.iter().filter(|byte| **byte == b'\n').count() + 1,
            byte: error.as_bytes()[offset],
        }
    })?;
    // A byte-order mark is no character of the text, so that columns count from what is seen. Before
    // a second one it stays: whoever parses the text takes one away, too, and two are a mistake.
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) if !rest.starts_with('\u{feff}') => (rest.to_owned(), true),
        _ => (text, false),
    })
}

/// Why an input cannot be read.
#[derive(Debug)]
pub(crate) struct InputError {
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

impl fmt::Display for InputError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = shown(&self.name);
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
                _ => write!(out, "{error}"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bad_byte_is_named() {
        let reason = text_of(b"ab\nc\xffd".to_vec()).unwrap_err();
        let error = InputError {
            name: "x.gram".to_owned(),
            reason,
        };
        let text = error.to_string();
        assert!(text.contains("byte 0xff at offset 4 (line 2)"), "{text}");
    }

    #[test]
    fn a_byte_order_mark_is_dropped() {
        for (bytes, had_mark) in [("\u{feff}(a)", true), ("(a)", false)] {
            let read = text_of(bytes.into()).unwrap();
            assert_eq!(read, ("(a)".to_owned(), had_mark));
        }
    }

    #[test]
    fn a_second_byte_order_mark_is_left_for_the_parser_to_find() {
        let doubled = "\u{feff}\u{feff}(a)";
        let (text, _) = text_of(doubled.into()).unwrap();
        assert!(!agent_gram::parse(&text).errors.is_empty());
    }
}
