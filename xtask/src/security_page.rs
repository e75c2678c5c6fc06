//! The rule that each test which `SECURITY.md` names exists.

use crate::breach::Breach;
use crate::workspace::{read, root};
use std::fs;

/// Finds the tests that are not there.
pub(crate) fn breaches() -> Vec<Breach> {
    let mut found = Vec::new();
    for row in read(&root().join("SECURITY.md")).lines() {
        let Some(tests) = row
            .strip_prefix("| ")
            .and_then(|row| row.split(" | ").nth(1))
        else {
            continue;
        };
        // A name without a file is in the file before it.
        let mut source = String::new();
        for name in tests.split('`').skip(1).step_by(2) {
            let (file, test) = name
                .split_once("::")
                .map_or((None, name), |(file, test)| (Some(file), test));
            if let Some(file) = file {
                source = fs::read_to_string(root().join(file)).unwrap_or_default();
            }
            // A program that tests is named by its path alone.
            let is_program = file.is_none() && root().join(test).exists();
            if !is_program && !source.contains(&format!("fn {test}(")) {
                found.push(Breach {
                    rule: "security-test",
                    key: format!("there is no test `{name}`"),
                    place: "SECURITY.md".to_owned(),
                });
            }
        }
    }
    found
}
