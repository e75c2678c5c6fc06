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

/// The option `--attach`, which is read before anything is sent.
#[derive(Debug, clap::Args)]
pub(crate) struct AttachArgs {
    /// Attach an image, audio, a PDF file or a text to the first message; at most 32 MiB; may be given
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

/// The files that the lines of a batch attach. A file that several lines attach is read once.
#[derive(Default)]
pub(crate) struct Files(HashMap<String, Part>);

impl Files {
    /// Reads a file or a URL as a part of a message.
    ///
    /// # Errors
    /// Returns a message that names the file.
    pub(crate) fn read(&mut self, path: &str) -> Result<Part, String> {
        if is_stdin(Path::new(path)) {
            return Err("a line attaches files, and `-` is none".to_owned());
        }
        if let Some(part) = self.0.get(path) {
            return Ok(part.clone());
        }
        let part = read(Path::new(path))?;
        self.0.insert(path.to_owned(), part.clone());
        Ok(part)
    }
}

/// Whether a text begins with the scheme of a URL. A scheme with a single letter is a drive of Windows.
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
