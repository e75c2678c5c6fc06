//! The rule that each test which `SECURITY.md` names exists.

use crate::breach::Breach;
use crate::workspace::{read, root};

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
            let is_there = match file {
                Some(file) => {
                    let path = root().join(file);
                    source = if path.exists() {
                        read(&path)
                    } else {
                        String::new()
                    };
                    source.contains(&format!("fn {test}("))
                }
                None => root().join(test).exists() || source.contains(&format!("fn {test}(")),
            };
            if !is_there {
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
