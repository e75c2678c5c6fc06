//! The house rules that a program can check, as a test.

use crate::breach::Breach;
use crate::{
    diagnostic_codes, doc_openings, folders, import_circles, lines, package_names, retiring_models,
    security_page,
};

/// Finds everything that breaks a house rule.
pub(crate) fn breaches() -> Vec<Breach> {
    let mut found = doc_openings::breaches();
    found.extend(folders::breaches());
    found.extend(import_circles::breaches());
    found.extend(diagnostic_codes::breaches());
    found.extend(lines::breaches());
    found.extend(package_names::breaches());
    found.extend(retiring_models::breaches());
    found.extend(security_page::breaches());
    found
}

#[cfg(test)]
mod tests {
    use super::breaches;
    use crate::breach::Breach;

    #[test]
    fn house_rules_hold() {
        let found: Vec<String> = breaches().iter().map(Breach::to_string).collect();
        assert!(
            found.is_empty(),
            "{} breaches of the house rules:\n{}",
            found.len(),
            found.join("\n")
        );
    }
}
