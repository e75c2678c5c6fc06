//! The rule that a package which is published is called after its folder, with a prefix that is free in the registry, and
//! inherits the lints of the workspace.
//!
//! The names `agent-runtime`, `gram-cli`, `gram-lsp` and `gram-types` belong to others. Of the prefixes that were looked
//! up in November 2026, no name with `gramwork-` was taken in the registries of Rust, Python and npm.

use crate::breach::Breach;
use crate::workspace::{members, read, root};

/// The prefix of the names of packages.
const PREFIX: &str = "gramwork-";

/// Finds the packages with other names, and those without the lints.
pub(crate) fn breaches() -> Vec<Breach> {
    let workspace = read(&root().join("Cargo.toml"));
    let mut found = Vec::new();
    for member in members() {
        let place = format!("{member}/Cargo.toml");
        let manifest = read(&root().join(&place));
        let has = |line: &str| manifest.lines().any(|own| own == line);
        let mut breach = |rule, key| {
            let place = place.clone();
            found.push(Breach { rule, key, place });
        };
        if !manifest.contains("[lints]\nworkspace = true") {
            breach(
                "lints",
                "the lints of the workspace, which forbid unsafe code".to_owned(),
            );
        }
        let Some(name) = member.strip_prefix("agent-") else {
            if !has("publish.workspace = true") {
                breach(
                    "publish",
                    "a package that is not a product is published".to_owned(),
                );
            }
            continue;
        };
        for line in [
            format!("name = \"{PREFIX}{name}\""),
            format!("name = \"agent_{name}\""),
            "license.workspace = true".to_owned(),
        ] {
            if !has(&line) {
                breach("package-name", format!("no line `{line}`"));
            }
        }
        // The command is no dependency of others.
        let dependency = format!("agent-{name} = {{ package = \"{PREFIX}{name}\"");
        if name != "cli" && !workspace.contains(&dependency) {
            breach(
                "package-name",
                format!("Cargo.toml does not have `{dependency}`"),
            );
        }
    }
    found
}
