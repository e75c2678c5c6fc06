//! Writing the images, documents and audio of answers to files.

use crate::display::media_line;
use crate::output::error_to_stderr;
use agent_runtime::__private::write_new_file;
use agent_runtime::conversation::{Media, Part};
use agent_spec::{file, terminal};
use std::io::{self, ErrorKind};
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

/// Writes media to a file, unless the file has their bytes already. The name of the file is the beginning of
/// the digest of the bytes. If a file of this name has other contents, which a user may have changed, the
/// name is the whole digest.
fn write(folder: &Path, media: &Media) -> io::Result<PathBuf> {
    let (Some(bytes), Some(sha256)) = (media.bytes(), media.sha256()) else {
        return Err(ErrorKind::InvalidInput.into());
    };
    std::fs::create_dir_all(folder)?;
    let (sha256, extension) = (sha256.to_string(), extension(media));
    let mut path = folder.join(format!("{sha256:.16}.{extension}"));
    if is_other(&path, bytes) {
        path = folder.join(format!("{sha256}.{extension}"));
    }
    if read_saved(&path, bytes).is_none_or(|saved| saved != bytes) {
        write_new_file(&path, bytes)?;
    }
    Ok(path)
}

/// Whether a path has other contents than these bytes or a beginning of them. A process that was killed may
/// have left a beginning.
fn is_other(path: &Path, bytes: &[u8]) -> bool {
    match read_saved(path, bytes) {
        Some(saved) => !bytes.starts_with(&saved),
        None => path.symlink_metadata().is_ok(),
    }
}

/// Reads an ordinary file that is not longer than these bytes.
fn read_saved(path: &Path, bytes: &[u8]) -> Option<Vec<u8>> {
    file::read_up_to(path, bytes.len() as u64).ok()
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
