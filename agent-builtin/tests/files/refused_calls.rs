//! Calls that must fail.

use crate::files::scene::{CANARY, Scene, error};
use agent_builtin::{list_directory, read_file, write_file};
use agent_runtime::{Tool, ToolError};
use serde_json::{Value, json};

/// Returns the tool of a letter.
pub(crate) fn tool(letter: char) -> &'static dyn Tool {
    match letter {
        'r' => &read_file {},
        'l' => &list_directory {},
        _ => &write_file {},
    }
}

/// Returns the arguments for a letter: `r` reads, `l` lists, `w` writes, `a` appends, `p` creates folders.
pub(crate) fn arguments(letter: char, path: &str) -> Value {
    match letter {
        'r' => json!({"path": path}),
        'l' => json!({"path": path, "recursive": true, "gitignore": true}),
        _ => json!({
            "path": path,
            "content": "written by a model",
            "append": letter == 'a',
            "createParents": letter == 'p',
        }),
    }
}

/// Checks the error of a call with a path, for each row of letters, path and error.
pub(crate) fn refused(scene: &Scene, rows: &[(&str, &str, &str)]) {
    for (letters, path, expected) in rows {
        for letter in letters.chars() {
            let result = scene.call(tool(letter), &arguments(letter, path));
            let (doing, done) = match letter {
                'r' => ("reading", "read"),
                'l' => ("listing", "listed"),
                _ => ("writing", "written"),
            };
            let found = error(scene, result);
            let path = error(scene, Err(ToolError::Execution(scene.filled(path))));
            let path = path.trim_start_matches("execution: ");
            let granted = match letter {
                'r' | 'l' => "granted for reading: `{IN}`",
                _ => "granted for writing: `{IN}`",
            };
            let expected = match expected.split_once(' ') {
                Some(("outside", because)) => {
                    format!("authorization: not allowed: {doing} `{path}`{because}; {granted}")
                }
                Some(("cannot", because)) => {
                    format!("execution: `{path}` cannot be {done}: {because}")
                }
                _ => expected.replace("{PATH}", path),
            };
            assert_eq!(found, expected, "{letter} {path:?}");
            scene.assert_untouched();
            assert!(!found.contains(CANARY));
        }
    }
}
