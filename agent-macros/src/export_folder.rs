//! The folder of `export`.

use crate::report::Report;
use syn::LitStr;

/// The folder when none is given.
pub(crate) const EXPORT_FOLDER: &str = "gram";

/// The folder that a literal names; reports one that is not below the package's, where a test has
/// nothing to write.
pub(crate) fn read_folder(report: &Report, literal: &LitStr, example: &str) -> Option<String> {
    let folder = literal.value();
    let stays_inside = !folder.trim().is_empty()
        && !folder.starts_with(['/', '\\'])
        && !folder.contains(':')
        && !folder.split(['/', '\\']).any(|part| part == "..");
    if !stays_inside {
        report.error(
            literal.span(),
            format!(
                "the folder stands below that of the package's `Cargo.toml`: write `{example}`"
            ),
        );
        return None;
    }
    Some(folder)
}
