//! Writing the images, documents and audio of answers to files.

use crate::display::media_line;
use crate::output::error_to_stderr;
use agent_runtime::conversation::{Media, Part};
use agent_spec::terminal;
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// The folder of `--save-media`, if it is given.
#[derive(Clone, Debug, Default)]
pub(crate) struct MediaFolder {
    path: Option<PathBuf>,
    has_failed: bool,
}

impl MediaFolder {
    pub(crate) fn new(path: Option<PathBuf>) -> Self {
        Self {
            path,
            has_failed: false,
        }
    }

    /// Whether a file could not be written. The error was printed.
    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// Saves the media among the parts of an answer, and returns a line about each.
    pub(crate) fn save(&mut self, parts: &[Part]) -> Vec<String> {
        let media = parts
            .iter()
            .filter_map(|part| Some((part, media_line(part)?)));
        let lines = media.map(|(part, line)| match (&self.path, part.media()) {
            (Some(folder), Some(media)) if media.bytes().is_some() => match write(folder, media) {
                Ok(path) => format!("{line}, saved as `{}`", shown(&path)),
                Err(error) => {
                    error_to_stderr(&format!("cannot write to `{}`: {error}", shown(folder)));
                    self.has_failed = true;
                    line
                }
            },
            (None, Some(media)) if media.bytes().is_some() => {
                format!("{line}; --save-media FOLDER writes it to a file")
            }
            _ => line,
        });
        lines.collect()
    }
}

/// Writes media to a file that has the beginning of their digest as its name. If that file has something else, such
/// as the beginning of bytes that were not written completely, the name is the whole digest.
fn write(folder: &Path, media: &Media) -> io::Result<PathBuf> {
    let (Some(bytes), Some(sha256)) = (media.bytes(), media.sha256()) else {
        return Err(ErrorKind::InvalidInput.into());
    };
    std::fs::create_dir_all(folder)?;
    let (sha256, extension) = (sha256.to_string(), extension(media));
    let path = folder.join(format!("{sha256:.16}.{extension}"));
    match OpenOptions::new().write(true).create_new(true).open(&path) {
        Ok(mut file) => file.write_all(bytes).map(|()| path),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            // Usually the same bytes were saved before.
            if std::fs::read(&path)? == bytes {
                return Ok(path);
            }
            let path = folder.join(format!("{sha256}.{extension}"));
            std::fs::write(&path, bytes).map(|()| path)
        }
        Err(error) => Err(error),
    }
}

fn extension(media: &Media) -> &'static str {
    match media.media_type().unwrap_or_default() {
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        "application/pdf" => "pdf",
        "audio/wav" => "wav",
        "audio/mpeg" => "mp3",
        "audio/aac" => "aac",
        "audio/ogg" => "ogg",
        "audio/flac" => "flac",
        "text/plain" => "txt",
        _ => "bin",
    }
}

fn shown(path: &Path) -> String {
    terminal::line(&path.display().to_string(), 1000)
}
