//! Writing the conversation to a file.

use agent_gram::print;
use agent_runtime::{Conversation, Environment};
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Writes a conversation, in the form that the name of the file asks for. Either form is one that
/// `--history` reads.
///
/// # Errors
/// What to tell the user.
pub(super) fn save(
    conversation: &Conversation,
    path: &Path,
    overwrite: bool,
) -> Result<(), String> {
    let shown = path.display();
    let extension = path.extension().and_then(|extension| extension.to_str());
    let text = match extension {
        Some("json") => serde_json::to_string_pretty(conversation)
            .map(|text| text + "\n")
            .map_err(|error| error.to_string())?,
        Some("gram") => match conversation.to_pattern() {
            Ok(pattern) => print(&[pattern]),
            Err(error) => {
                return Err(format!(
                    "the conversation cannot be written as gram, but as json: {error}"
                ));
            }
        },
        _ => {
            return Err(format!(
                "`{shown}` says no form; write a name that ends in `.json` or `.gram`"
            ));
        }
    };
    let mut options = OpenOptions::new();
    if overwrite {
        options.write(true).create(true).truncate(true);
    } else {
        // Asked of the system, so that a file that appears meanwhile is safe as well.
        options.write(true).create_new(true);
    }
    let written = options
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            format!("there is a file `{shown}`; `/save --overwrite {shown}` replaces it")
        }
        _ => format!("cannot write `{shown}`: {error}"),
    })
}

/// The file that is meant; `~/` is the user's home, as in a shell.
pub(super) fn path_of(typed: &str, environment: &Environment) -> PathBuf {
    match (typed.strip_prefix("~/"), environment.get("HOME")) {
        (Some(rest), Some(home)) => Path::new(&home).join(rest),
        _ => PathBuf::from(typed),
    }
}
