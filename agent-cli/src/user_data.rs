//! The folder of this program among a user's data, and the files in it.

use crate::outcome::CommandError;
use agent_runtime::Environment;
use std::io;
use std::path::{Path, PathBuf};

/// The name of the folder.
const FOLDER: &str = "agent";

/// The file with the stored conversations.
const CONVERSATIONS: &str = "conversations.db";

/// The folder with the tokens of MCP servers.
const TOKENS: &str = "mcp-tokens";

/// The file with the lines that were typed in chats.
const CHAT_LINES: &str = "chat-lines.txt";

/// Returns the path of the usual file for conversations. The file may not exist.
///
/// # Errors
/// Returns an error if the environment names no folder for the user's data.
pub(crate) fn conversations_file(environment: &Environment) -> Result<PathBuf, CommandError> {
    let data = data_folder(environment).ok_or_else(|| {
        let variable = if cfg!(windows) {
            "LOCALAPPDATA"
        } else {
            "HOME"
        };
        CommandError::new(format!(
            "neither XDG_DATA_HOME nor {variable} is set to an absolute path, so there is no usual file \
             for conversations and runs; name a file with --store FILE, or with --journal FILE for `agent runs` \
             and `agent serve`"
        ))
    })?;
    Ok(data.join(FOLDER).join(CONVERSATIONS))
}

/// Creates the folder of the usual file for conversations, and returns the path of the file.
///
/// # Errors
/// Returns an error if the folder cannot be created.
pub(crate) fn create_conversations_folder(
    environment: &Environment,
) -> Result<PathBuf, CommandError> {
    let path = conversations_file(environment)?;
    if let Some(folder) = path.parent() {
        create_private(folder).map_err(|error| {
            let folder = folder.display();
            CommandError::new(format!("the folder `{folder}` cannot be created: {error}"))
        })?;
    }
    Ok(path)
}

/// Creates the folder of the file with typed lines, and returns the path of the file. `None` if there is
/// no such folder, because a chat works without the file.
pub(crate) fn create_chat_lines_folder(environment: &Environment) -> Option<PathBuf> {
    let path = data_folder(environment)?.join(FOLDER).join(CHAT_LINES);
    create_private(path.parent()?).ok()?;
    Some(path)
}

/// Returns the path of the folder with the tokens of MCP servers. The folder may not exist. `None` if the environment names
/// no folder for the user's data.
pub(crate) fn tokens_folder(environment: &Environment) -> Option<PathBuf> {
    Some(data_folder(environment)?.join(FOLDER).join(TOKENS))
}

fn data_folder(environment: &Environment) -> Option<PathBuf> {
    // XDG requires that relative paths are ignored.
    let folder = |name: &str| {
        let path = PathBuf::from(environment.get(name)?);
        path.is_absolute().then_some(path)
    };
    folder("XDG_DATA_HOME").or_else(|| {
        if cfg!(windows) {
            folder("LOCALAPPDATA")
        } else if cfg!(target_os = "macos") {
            Some(folder("HOME")?.join("Library/Application Support"))
        } else {
            Some(folder("HOME")?.join(".local/share"))
        }
    })
}

/// Creates a folder and its missing parents with access for the user only. Existing folders keep their
/// permissions.
fn create_private(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(not(any(windows, target_os = "macos")))]
    #[test]
    fn conversations_are_among_the_users_data() {
        for (pairs, expected) in [
            (
                vec![("XDG_DATA_HOME", "/data"), ("HOME", "/home/ada")],
                "/data/agent/conversations.db",
            ),
            (
                vec![("XDG_DATA_HOME", "data"), ("HOME", "/home/ada")],
                "/home/ada/.local/share/agent/conversations.db",
            ),
            (
                vec![("HOME", "/home/ada")],
                "/home/ada/.local/share/agent/conversations.db",
            ),
        ] {
            let path = conversations_file(&Environment::from_pairs(pairs)).expect("a path");
            assert_eq!(path, PathBuf::from(expected));
        }
        let error = conversations_file(&Environment::empty()).expect_err("no variable");
        assert!(error.to_string().contains("--store FILE"), "{error}");
    }
}
