//! Gram in files, and diagnostics about text without tokens of its own.

use crate::report::Report;
use agent_spec::Diagnostic;
use agent_spec::diagnostic::snippet;
use agent_spec::names::nearness;
use proc_macro2::{Span, TokenStream};
use quote::quote;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The environment variable with a folder in which agent files are looked up first, before the folder of
/// the package. Tools that compile code elsewhere, such as trybuild, have no files there.
const ROOT_VARIABLE: &str = "AGENT_GRAM_ROOT";

/// A file that was read.
pub(crate) struct GramFile {
    absolute: String,
    pub(crate) text: String,
}

impl GramFile {
    /// Returns items that make cargo build again when the file or [`ROOT_VARIABLE`] changes.
    pub(crate) fn tracked(&self, rt: &TokenStream) -> TokenStream {
        let path = &self.absolute;
        quote! {
            const _: &[#rt::u8] = #rt::include_bytes!(#path);
            const _: #rt::Option<&#rt::str> = #rt::option_env!(#ROOT_VARIABLE);
        }
    }
}

/// Reads a file. Reports the reason if it cannot be read.
pub(crate) fn read(report: &Report, path: &str, span: Span) -> Option<GramFile> {
    let file = find(&roots(), path);
    let reason = match file.as_deref().map(agent_spec::file::read) {
        Some(Ok(bytes)) => match String::from_utf8(bytes) {
            Ok(text) => {
                let absolute = file.unwrap_or_default().to_string_lossy().into_owned();
                return Some(GramFile { absolute, text });
            }
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                report.error(
                    span,
                    format!("`{path}` is not UTF-8: byte {at} is not part of a character"),
                );
                return None;
            }
        },
        Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => match error.raw_os_error() {
            // The message omits the number of the error, because the number differs between systems.
            Some(_) => error.kind().to_string(),
            None => error.to_string(),
        },
        _ => "there is no such file".to_owned(),
    };
    let mut message = format!("cannot read `{path}`: {reason}");
    if let Some(meant) = roots().iter().find_map(|root| nearest(root, path)) {
        message.push_str(&format!("; did you mean `{meant}`?"));
    }
    message.push_str(&format!(
        "\nhelp: the path is relative to {ROOT_VARIABLE}, if that is set, or else to the folder of the \
         package's Cargo.toml"
    ));
    report.error(span, message);
    None
}

/// Returns the folders to which paths are relative, in order.
fn roots() -> Vec<PathBuf> {
    let variables = [ROOT_VARIABLE, "CARGO_MANIFEST_DIR"];
    let given = variables.into_iter().filter_map(std::env::var_os);
    given
        .filter(|root| !root.is_empty())
        // `include_bytes!` resolves a relative path from the folder of the source file.
        .filter_map(|root| std::path::absolute(root).ok())
        .collect()
}

/// Returns the path below the first folder that has it, or below the last one if none has it: a dependency
/// finds its own files although the variable names a folder of another package.
fn find(roots: &[PathBuf], path: &str) -> Option<PathBuf> {
    let paths = || roots.iter().map(|root| root.join(path));
    paths().find(|path| path.exists()).or(paths().next_back())
}

/// Returns the path with its first name that does not exist replaced by the nearest name in that folder, if
/// the result exists.
fn nearest(root: &Path, path: &str) -> Option<String> {
    let mut meant = PathBuf::new();
    let mut corrected = false;
    for component in Path::new(path).components() {
        let exists = root.join(&meant).join(component).exists();
        match component {
            Component::Normal(name) if !exists && !corrected => {
                meant.push(nearest_entry(&root.join(&meant), name.to_str()?)?);
                corrected = true;
            }
            _ => meant.push(component),
        }
    }
    let file = root.join(&meant);
    (corrected && file.is_file()).then(|| meant.to_string_lossy().into_owned())
}

/// Returns the entry of a folder whose name is nearest to a misspelt one, with or without its extension.
fn nearest_entry(folder: &Path, name: &str) -> Option<String> {
    let stem = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
    let entries = std::fs::read_dir(folder).ok()?;
    entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|entry| {
            let distance = nearness(&stem(name), &stem(&entry))?;
            Some((
                distance,
                nearness(name, &entry).unwrap_or(usize::MAX),
                entry,
            ))
        })
        .min()
        .map(|(_, _, entry)| entry)
}

/// Formats a diagnostic with its line.
pub(super) fn text_message(path: Option<&str>, source: &str, found: &Diagnostic) -> String {
    let mut message = format!("{}\n", found.message());
    message.push_str(&snippet(source, path, found.span(), ""));
    for (span, label) in found.labels() {
        message.push_str(&snippet(source, path, span, label));
    }
    if let Some(help) = found.help() {
        message.push_str(&format!("help: {help}"));
    }
    message.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of a test, which is removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn with(name: &str, files: &[&str]) -> Self {
            let folder = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
            for file in files {
                let file = folder.join(file);
                std::fs::create_dir_all(file.parent().expect("it is below the folder"))
                    .expect("a folder");
                std::fs::write(file, "").expect("a file");
            }
            Self(folder)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn looks_in_the_root_first_and_then_in_the_package() {
        let root = Folder::with("agent-root", &["both.gram", "root.gram"]);
        let package = Folder::with("agent-package", &["both.gram", "package.gram"]);
        let roots = [root.0.clone(), package.0.clone()];
        for (path, folder) in [
            ("both.gram", &root),
            ("root.gram", &root),
            ("package.gram", &package),
            ("none.gram", &package),
        ] {
            assert_eq!(find(&roots, path), Some(folder.0.join(path)), "{path}");
        }
        assert_eq!(find(&[], "a.gram"), None);
    }

    #[test]
    fn suggests_the_nearest_file() {
        let folder = Folder::with(
            "agent-near",
            &["agents/hello.gram", "agents/clock.gram", "x/y"],
        );
        for (path, expected) in [
            ("agents/helo.gram", Some("agents/hello.gram")),
            ("agent/hello.gram", Some("agents/hello.gram")),
            ("agents/hello.grm", Some("agents/hello.gram")),
            ("agents/hello", Some("agents/hello.gram")),
            ("./agents/Clock.gram", Some("./agents/clock.gram")),
            ("agents/weather.gram", None),
            ("agent/helo.gram", None),
            ("nowhere/hello.gram", None),
            ("agent", None),
        ] {
            let expected = expected.map(|path| path.trim_start_matches("./").to_owned());
            let found = nearest(&folder.0, path);
            let found = found.map(|path| path.trim_start_matches("./").to_owned());
            assert_eq!(found, expected, "{path}");
        }
    }

    #[test]
    fn expansion_tracks_the_file_and_the_variable() {
        let file = GramFile {
            absolute: "/a.gram".to_owned(),
            text: String::new(),
        };
        let tracked = file.tracked(&quote!(rt)).to_string();
        assert!(
            tracked.contains("include_bytes ! (\"/a.gram\")"),
            "{tracked}"
        );
        assert!(
            tracked.contains("option_env ! (\"AGENT_GRAM_ROOT\")"),
            "{tracked}"
        );
    }
}
