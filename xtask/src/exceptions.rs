//! The known breaches of the house rules, which `exceptions.txt` lists.

use crate::breach::Breach;
use crate::workspace::{read, root};
use std::collections::BTreeSet;
use std::{fs, io};

const FILE: &str = "xtask/exceptions.txt";

const HEADER: &str = "\
# Known breaches of the house rules: a rule and what breaks it, a line each.
# Mend them rather than adding to them. `cargo xtask exceptions` rewrites this file.
";

/// The exceptions in the form in which the file lists them.
pub(crate) fn known() -> BTreeSet<String> {
    read(&root().join(FILE))
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Writes these breaches to the file, and prints those that it did not list before.
pub(crate) fn rewrite(breaches: &[Breach]) -> io::Result<()> {
    let before = known();
    let now: BTreeSet<String> = breaches.iter().map(Breach::exception).collect();
    let mut text = HEADER.to_owned();
    for line in &now {
        text.push_str(line);
        text.push('\n');
    }
    fs::write(root().join(FILE), text)?;
    for breach in breaches {
        if !before.contains(&breach.exception()) {
            println!("new: {breach}");
        }
    }
    let removed = before.difference(&now).count();
    println!("{FILE}: {} exceptions, {removed} removed", now.len());
    Ok(())
}
