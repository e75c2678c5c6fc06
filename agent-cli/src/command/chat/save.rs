//! The command `/save`: writes the conversation to a file.

use crate::output::json_text;
use agent_gram::print;
use agent_runtime::{Conversation, Environment};
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Writes a conversation as JSON or gram, depending on the extension of the file. `--history` reads both. JSON has
/// the bytes of images, documents and audio.
///
/// # Errors
/// Returns a message if the file exists or cannot be written, or if gram cannot express the conversation.
pub(super) fn save(
    conversation: &Conversation,
    path: &Path,
    overwrite: bool,
) -> Result<(), String> {
    let shown = path.display();
    let extension = path.extension().and_then(|extension| extension.to_str());
    let text = match extension {
        Some("json") => {
            json_text(&conversation.to_json_with_data()).map_err(|error| error.to_string())?
        }
        Some("gram") => match conversation.to_pattern() {
            Ok(pattern) => print(&[pattern]),
            Err(error) => {
                return Err(format!(
                    "the conversation cannot be written as gram; save it as `.json`: {error}"
                ));
            }
        },
        _ => {
            return Err(format!(
                "`{shown}` has no known extension; write a name that ends in `.json` or `.gram`"
            ));
        }
    };
    let mut options = OpenOptions::new();
    if overwrite {
        options.write(true).create(true).truncate(true);
    } else {
        // `create_new` also protects a file that another program creates at the same time.
        options.write(true).create_new(true);
    }
    // A conversation can hold what tools read, so other users of the machine cannot read it.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(path).and_then(|mut file| {
        // A file that is replaced keeps the mode that somebody else gave it, so the mode is set here.
        #[cfg(unix)]
        if file.metadata()?.is_file() {
            let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
            file.set_permissions(private)?;
        }
        file.write_all(text.as_bytes())
    });
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            format!("the file `{shown}` exists; `/save --overwrite {shown}` replaces it")
        }
        _ => format!("cannot write `{shown}`: {error}"),
    })
}

/// Returns the path of a typed file name. A leading `~/` is the user's home, as in a shell.
pub(super) fn resolve_path(typed: &str, environment: &Environment) -> PathBuf {
    match (typed.strip_prefix("~/"), environment.get("HOME")) {
        (Some(rest), Some(home)) => Path::new(&home).join(rest),
        _ => PathBuf::from(typed),
    }
}
