//! The house rules that a program can check, as a test.

use crate::breach::Breach;
use crate::{diagnostic_codes, doc_openings, folders, import_circles};

/// Finds everything that breaks a house rule.
pub(crate) fn breaches() -> Vec<Breach> {
    let mut found = doc_openings::breaches();
    found.extend(folders::breaches());
    found.extend(import_circles::breaches());
    found.extend(diagnostic_codes::breaches());
    found
}

#[cfg(test)]
mod tests {
    use super::breaches;
    use crate::breach::Breach;
    use crate::exceptions::known;
    use std::collections::BTreeSet;

    /// Whether an exception that is no longer needed fails the test, instead of being reported only.
    const MUST_BE_MINIMAL: bool = false;

    #[test]
    fn house_rules_hold() {
        let known = known();
        let found = breaches();
        let new: Vec<String> = found
            .iter()
            .filter(|breach| !known.contains(&breach.exception()))
            .map(Breach::to_string)
            .collect();
        assert!(
            new.is_empty(),
            "{} new breaches of the house rules:\n{}",
            new.len(),
            new.join("\n")
        );
    }

    #[test]
    fn exceptions_are_needed() {
        let needed: BTreeSet<String> = breaches().iter().map(Breach::exception).collect();
        let known = known();
        let obsolete: Vec<&String> = known.difference(&needed).collect();
        if obsolete.is_empty() {
            return;
        }
        let message = format!(
            "{} exceptions are no longer needed; `cargo xtask exceptions` removes them",
            obsolete.len()
        );
        if MUST_BE_MINIMAL {
            panic!("{message}:\n{obsolete:#?}");
        }
        println!("warning: {message}");
    }
}
