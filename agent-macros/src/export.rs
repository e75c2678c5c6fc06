//! `export`: a test that writes gram to a file of the package.

use crate::report::Report;
use crate::settings::{Setting, SettingsReader};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::{Attribute, LitStr};

/// The folder of `export` without a value.
pub(crate) const EXPORT_FOLDER: &str = "gram";

/// Reads `export` or `export = "folder"` in an attribute.
pub(crate) fn read_export(reader: &SettingsReader<'_>, setting: &Setting) -> Option<String> {
    if setting.value.is_none() {
        return Some(EXPORT_FOLDER.to_owned());
    }
    let literal: LitStr = reader.value(setting, "\"gram\"")?;
    read_folder(reader.report(), &literal, "export = \"gram\"")
}

/// Reads a folder from a literal. Reports a folder that is not below the package's own, because the
/// export test must not write elsewhere.
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
                "the folder must be below that of the package's `Cargo.toml`: write `{example}`"
            ),
        );
        return None;
    }
    Some(folder)
}

/// Returns the test, which calls a function of `rt` with the package's folder and the arguments. It is an item of its
/// own, because the test runner does not find tests inside of other items.
pub(crate) fn expand_export(
    rt: &TokenStream,
    place: Span,
    conditions: &[Attribute],
    test: &Ident,
    function: &TokenStream,
    arguments: &TokenStream,
) -> TokenStream {
    quote_spanned! {place=>
        #(#conditions)*
        #[cfg(test)]
        #[#rt::test]
        #[allow(non_snake_case)]
        fn #test() {
            #rt::#function(#rt::env!("CARGO_MANIFEST_DIR"), #arguments);
        }
    }
}
