//! Where conversations are kept when nobody says where.

use crate::outcome::Trouble;
use agent_runtime::Environment;
use std::path::{Path, PathBuf};

/// The folder of this program among a user's data, and the file in it.
const FOLDER: &str = "agent";
const FILE: &str = "conversations.db";

/// The file with the lines that were typed in chats.
const LINES: &str = "chat-lines.txt";

/// The usual file: under `XDG_DATA_HOME` when it is set, else under what the system has for the
/// data of a user's programs.
///
/// # Errors
/// When nothing says where the user's data are.
pub(crate) fn usual_place(environment: &Environment) -> Result<PathBuf, Trouble> {
    let data = data_folder(environment).ok_or_else(|| {
        let variable = if cfg!(windows) {
            "LOCALAPPDATA"
        } else {
            "HOME"
        };
        Trouble::new(format!(
            "neither XDG_DATA_HOME nor {variable} says where conversations are kept; name a file \
             with --store FILE"
        ))
    })?;
    Ok(data.join(FOLDER).join(FILE))
}

/// The usual file, in a folder that is there.
///
/// # Errors
/// When the folder cannot be made.
pub(crate) fn made_place(environment: &Environment) -> Result<PathBuf, Trouble> {
    let path = usual_place(environment)?;
    if let Some(folder) = path.parent() {
        make_private(folder).map_err(|error| {
            let folder = folder.display();
            Trouble::new(format!("the folder `{folder}` cannot be made: {error}"))
        })?;
    }
    Ok(path)
}

/// The file with the lines that were typed in chats, in the same folder, which is there; nothing
/// when the user has no place for it.
pub(crate) fn made_place_of_lines(environment: &Environment) -> Option<PathBuf> {
    let path = data_folder(environment)?.join(FOLDER).join(LINES);
    make_private(path.parent()?).ok()?;
    Some(path)
}

fn data_folder(environment: &Environment) -> Option<PathBuf> {
    // The rule of XDG: what is not absolute counts as not set.
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

/// Makes a folder, and those it is in, that only the user can look into. Those that are there stay
/// as they are.
fn make_private(folder: &Path) -> std::io::Result<()> {
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
    fn the_usual_place_is_among_the_users_data() {
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
            let place = usual_place(&Environment::from_pairs(pairs)).expect("a place");
            assert_eq!(place, PathBuf::from(expected));
        }
        let nowhere = usual_place(&Environment::empty()).expect_err("nothing says where");
        assert!(nowhere.to_string().contains("--store FILE"), "{nowhere}");
    }
}
