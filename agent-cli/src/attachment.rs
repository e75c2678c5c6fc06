//! Files and URLs that are attached to messages.

use crate::outcome::CommandError;
use agent_project::source::is_stdin;
use agent_runtime::Message;
use agent_runtime::conversation::Part;
use agent_runtime::runtime::Input;
use agent_spec::{file, terminal};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

/// The maximum number of bytes of all files that the lines of a batch attach. They are read before anything is sent.
pub(crate) const MAX_ATTACHED: usize = 1 << 30;

/// The option `--attach`, which is read before anything is sent.
#[derive(Debug, clap::Args)]
pub(crate) struct AttachArgs {
    /// Attach this file to the first message: an image, audio, a PDF file or a text of at most 32 MiB; may be given
    /// several times. `-` is standard input. A URL is passed on to a provider that fetches it, and else fetched if
    /// its host is granted with --allow-net
    #[arg(long = "attach", value_name = "FILE")]
    pub(crate) paths: Vec<PathBuf>,
}

impl AttachArgs {
    /// Reads the attachments.
    ///
    /// # Errors
    /// Returns an error with a message for each file that cannot be attached.
    pub(crate) fn read(&self) -> Result<Vec<Part>, CommandError> {
        let mut parts = Vec::new();
        let mut problems = Vec::new();
        for path in &self.paths {
            match read(path) {
                Ok(part) => parts.push(part),
                Err(problem) => problems.push(problem),
            }
        }
        match problems.is_empty() {
            true => Ok(parts),
            false => Err(CommandError::from_messages(problems)),
        }
    }
}

/// Reads a file, standard input or a URL as a part of a message.
///
/// # Errors
/// Returns a message that names the file.
pub(crate) fn read(path: &Path) -> Result<Part, String> {
    if let Some(url) = path.to_str().filter(|path| is_url(path)) {
        let cannot = |error| format!("cannot attach `{}`: {error}", terminal::line(url, 200));
        return Part::from_url(url).map_err(cannot);
    }
    let fail = |problem: &dyn std::fmt::Display| {
        let shown = terminal::line(&path.display().to_string(), 200);
        format!("cannot attach `{shown}`: {problem}")
    };
    if is_stdin(path) {
        let bytes = file::read_from(io::stdin().lock()).map_err(|error| fail(&error))?;
        return Part::from_file("", bytes).map_err(|error| fail(&error));
    }
    let bytes = file::read(path).map_err(|error| fail(&error))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Part::from_file(name, bytes).map_err(|error| fail(&error))
}

/// The files that the lines of a batch attach. A file of several lines is read once, however its path is written.
#[derive(Default)]
pub(crate) struct Files {
    parts: HashMap<PathBuf, Part>,
    bytes: usize,
}

impl Files {
    /// Reads a file or a URL as a part of a message.
    ///
    /// # Errors
    /// Returns a message that names the file, or the limit of all files.
    pub(crate) fn read(&mut self, path: &str) -> Result<Part, String> {
        if is_stdin(Path::new(path)) {
            return Err("a line attaches files, and `-` is none".to_owned());
        }
        let key = key(path);
        if let Some(part) = self.parts.get(&key) {
            return Ok(part.clone());
        }
        let part = read(Path::new(path))?;
        let bytes = part.media().and_then(|media| media.bytes());
        self.bytes += bytes.map_or(0, <[u8]>::len);
        if self.bytes > MAX_ATTACHED {
            return Err(format!(
                "the attached files have more than {} MiB in all; divide the batch",
                MAX_ATTACHED >> 20
            ));
        }
        self.parts.insert(key, part.clone());
        Ok(part)
    }
}

/// Returns one path for all spellings of a file. The name stays, because providers show it to the model.
fn key(path: &str) -> PathBuf {
    let given = Path::new(path);
    let folder = given
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize();
    match (is_url(path), folder, given.file_name()) {
        (false, Ok(folder), Some(name)) => folder.join(name),
        _ => given.to_owned(),
    }
}

/// Whether a text begins with the scheme of a URL. One with a single letter is a drive of Windows.
fn is_url(path: &str) -> bool {
    path.split_once("://").is_some_and(|(scheme, _)| {
        let mut letters = scheme.chars();
        scheme.len() > 1 && letters.all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    })
}

/// Returns the input of a run: a text with its attachments.
pub(crate) fn input(text: &str, attached: &[Part]) -> Input {
    attached.iter().cloned().fold(Input::new(text), Input::part)
}

/// Returns the message of a text with its attachments.
pub(crate) fn message(text: &str, attached: &[Part]) -> Message {
    Message::user_parts(input(text, attached).parts().iter().cloned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_with_several_spellings_is_read_once() {
        let name = format!("agent-cli-attachment-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(folder.join("inner")).expect("a folder");
        let spelled = |path: &str| folder.join(path).display().to_string();
        fs::write(spelled("a.txt"), "first").expect("a file");
        let mut files = Files::default();
        let first = files.read(&spelled("a.txt")).expect("a part");
        fs::write(spelled("a.txt"), "second").expect("a file");
        for path in ["./a.txt", "inner/../a.txt", "././/a.txt"] {
            assert_eq!(files.read(&spelled(path)), Ok(first.clone()), "{path}");
        }
        assert_eq!(files.bytes, "first".len());
        fs::remove_dir_all(folder).expect("it is there");
    }
}
