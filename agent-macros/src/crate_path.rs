//! The path by which generated code names the crate that it calls: agent-tool, or agent-runtime, which has all of it.
//!
//! A package may depend on the crate under another name. `agent!` and `tools!` are `macro_rules!`
//! macros that pass `$crate` on; an attribute or a derive has no such path, so the name is read from the
//! package's manifest. A crate that reads TOML would be most of what a user of the macros builds, so this
//! file has a small reader. If it cannot read a manifest, agent-runtime is named.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

/// The package that has all that tools need.
const TOOL: &str = "agent-tool";

/// The package that runs agents, and has all of the other one.
const RUNTIME: &str = "agent-runtime";

/// The tables of a manifest that hold dependencies of the code that a macro expands in.
const TABLES: [&str; 2] = ["dependencies", "dev-dependencies"];

/// The maximum nesting of values in a manifest. Real manifests have two levels.
const MAX_DEPTH: usize = 32;

/// Returns the path of the crate that tools need: the one that an attribute gives with `crate = …`, or the name that
/// the manifest of the package gives agent-tool, or else agent-runtime.
pub(crate) fn tool_path(given: Option<&syn::Path>) -> TokenStream {
    match given {
        Some(path) => quote!(#path),
        None => crate_path(manifest().unwrap_or_default().for_tools()),
    }
}

/// Returns the path of agent-runtime, which runs agents: the one that an attribute gives, or the name in the manifest.
/// `None` for a package that depends on agent-tool alone.
pub(crate) fn runtime_path(given: Option<&syn::Path>) -> Option<TokenStream> {
    if let Some(path) = given {
        return Some(quote!(#path));
    }
    let names = manifest().unwrap_or_default();
    names.can_run().then(|| crate_path(names.runtime.as_ref()))
}

/// Returns the path of a dependency, and that of agent-runtime by its usual name if none was found.
fn crate_path(found: Option<&Dependency>) -> TokenStream {
    let name = found.map_or(RUNTIME, |found| &found.name);
    match syn::parse_str::<Ident>(&name.replace('-', "_")) {
        Ok(mut name) => {
            name.set_span(Span::call_site());
            quote!(::#name)
        }
        Err(_) => quote!(::agent_runtime),
    }
}

/// Whether the package depends on a crate of this name, or has the name itself.
pub(crate) fn is_crate(name: &str) -> bool {
    manifest().is_some_and(|manifest| manifest.crates.iter().any(|krate| krate == name))
}

/// The names in a manifest.
#[derive(Clone, Debug, Default)]
struct Names {
    tool: Option<Dependency>,
    runtime: Option<Dependency>,
    /// The names of the crates that code of the package can name.
    crates: Vec<String>,
}

impl Names {
    /// Whether the package may have agent-runtime: it depends on it, or nothing is known of the manifest.
    fn can_run(&self) -> bool {
        self.runtime.is_some() || self.tool.is_none()
    }

    /// The dependency that has what tools need. One that only tests have comes last, because a library cannot name it.
    fn for_tools(&self) -> Option<&Dependency> {
        let found = [&self.tool, &self.runtime].into_iter().flatten();
        found.min_by_key(|found| found.is_dev)
    }
}

/// A dependency, or the package itself. The lesser one is taken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Dependency {
    is_dev: bool,
    is_renamed: bool,
    name: String,
}

/// The names in the manifest of the package, read once for each state of the file: a package has many tools,
/// and the macro server of an editor lives for days.
fn manifest() -> Option<Names> {
    type Cache = HashMap<PathBuf, (SystemTime, Names)>;
    static CACHE: Mutex<Option<Cache>> = Mutex::new(None);

    let folder = std::env::var_os("CARGO_MANIFEST_DIR")?;
    let manifest = Path::new(&folder).join("Cargo.toml");
    let modified = std::fs::metadata(&manifest).ok()?.modified().ok()?;
    let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    let cache = cache.get_or_insert_default();
    if let Some((at, names)) = cache.get(&manifest)
        && *at == modified
    {
        return Some(names.clone());
    }
    let names = read_names(&manifest);
    cache.insert(manifest, (modified, names.clone()));
    Some(names)
}

/// The names in a manifest; none if it cannot be read.
fn read_names(manifest: &Path) -> Names {
    let text = std::fs::read_to_string(manifest).ok();
    let Some(own) = text.and_then(|text| entries(&text)) else {
        return Names::default();
    };
    let inherited = if own.iter().any(|(path, value)| {
        path.last().is_some_and(|key| key == "workspace") && *value == Value::True
    }) {
        workspace_entries(manifest, &own).unwrap_or_default()
    } else {
        Vec::new()
    };
    Names {
        tool: find_package(TOOL, &own, &inherited),
        runtime: find_package(RUNTIME, &own, &inherited),
        crates: crate_names(&own),
    }
}

/// Returns the names of the dependencies in the entries of a manifest, of the package and of its library.
fn crate_names(own: &[Entry]) -> Vec<String> {
    let mut names: Vec<String> = own
        .iter()
        .filter_map(|(path, value)| match (dependency(path), value) {
            (Some((_, name, _)), _) => Some(name),
            (None, Value::Text(name))
                if *path == ["package", "name"] || *path == ["lib", "name"] =>
            {
                Some(name.as_str())
            }
            _ => None,
        })
        .map(|name| name.replace('-', "_"))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Finds a package in the entries of a manifest and of its workspace: among the dependencies, or as the package itself.
fn find_package(package: &str, own: &[Entry], workspace: &[Entry]) -> Option<Dependency> {
    let is_itself = own
        .iter()
        .any(|(path, value)| *path == ["package", "name"] && is_text(value, package));
    let itself = is_itself.then(|| Dependency {
        is_dev: false,
        is_renamed: false,
        name: package.to_owned(),
    });
    let found = own.iter().filter_map(|(path, value)| {
        let (table, name, rest) = dependency(path)?;
        let is_it = match rest {
            [key] if key == "package" => is_text(value, package),
            [key] if key == "workspace" && *value == Value::True => {
                let key = ["workspace", "dependencies", name, "package"];
                let other = workspace.iter().find(|(path, _)| *path == key);
                other.map_or(name == package, |(_, other)| is_text(other, package))
            }
            _ => name == package && !own.iter().any(|(other, _)| is_package_of(other, path)),
        };
        is_it.then(|| Dependency {
            is_dev: table != TABLES[0],
            is_renamed: name != package,
            name: name.to_owned(),
        })
    });
    found.chain(itself).min()
}

fn is_text(value: &Value, text: &str) -> bool {
    matches!(value, Value::Text(found) if found == text)
}

/// Splits the path of an entry into the table, the name of a dependency and the rest: `dependencies.rt.package` and
/// `target.'cfg(unix)'.dependencies.rt.package` have the name `rt`.
fn dependency(path: &[String]) -> Option<(&str, &str, &[String])> {
    let path = match path {
        [target, _, rest @ ..] if target == "target" => rest,
        _ => path,
    };
    match path {
        [table, name, rest @ ..] if TABLES.contains(&table.as_str()) => Some((table, name, rest)),
        _ => None,
    }
}

/// Whether an entry is the key `package` of the dependency that another entry is of.
fn is_package_of(entry: &[String], other: &[String]) -> bool {
    match (dependency(entry), dependency(other)) {
        (Some((_, name, [key])), Some((_, other, _))) => name == other && key == "package",
        _ => false,
    }
}

/// The entries of the manifest of the workspace that a package is in.
fn workspace_entries(manifest: &Path, own: &[Entry]) -> Option<Vec<Entry>> {
    let folder = manifest.parent()?;
    let named = own.iter().find_map(|(path, value)| match value {
        Value::Text(root) if *path == ["package", "workspace"] => Some(folder.join(root)),
        _ => None,
    });
    let roots = named
        .into_iter()
        .chain(folder.ancestors().map(Path::to_owned));
    for root in roots {
        let Ok(text) = std::fs::read_to_string(root.join("Cargo.toml")) else {
            continue;
        };
        let entries = entries(&text)?;
        if entries.iter().any(|(path, _)| path[0] == "workspace") {
            return Some(entries);
        }
    }
    None
}

/// A key of a manifest with all the tables it is in, and its value.
type Entry = (Vec<String>, Value);

/// A value of a manifest, as far as the name of a dependency depends on it.
#[derive(Debug, PartialEq)]
enum Value {
    Text(String),
    True,
    Other,
}

/// Reads the entries of a manifest; `None` when it is not understood.
fn entries(text: &str) -> Option<Vec<Entry>> {
    let mut reader = ManifestReader {
        rest: text.strip_prefix('\u{feff}').unwrap_or(text),
        entries: Vec::new(),
    };
    let mut table = Vec::new();
    loop {
        reader.skip_blank_lines();
        if reader.rest.is_empty() {
            return Some(reader.entries);
        }
        if reader.take("[") {
            let is_list = reader.take("[");
            table = reader.key()?;
            let end = if is_list { "]]" } else { "]" };
            reader.skip_blanks();
            reader.take(end).then_some(())?;
            // A workspace may have no entries of its own.
            reader.entries.push((table.clone(), Value::Other));
        } else {
            reader.entry(&table, 0)?;
        }
        reader.skip_blanks();
        reader.skip_comment();
        let ends = reader.rest.is_empty() || reader.rest.starts_with(['\n', '\r']);
        ends.then_some(())?;
    }
}

/// Reads TOML. Each method returns `None` when the text is not understood.
struct ManifestReader<'t> {
    rest: &'t str,
    entries: Vec<Entry>,
}

impl ManifestReader<'_> {
    fn take(&mut self, prefix: &str) -> bool {
        match self.rest.strip_prefix(prefix) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    fn skip_comment(&mut self) {
        if self.rest.starts_with('#') {
            let end = self.rest.find('\n').unwrap_or(self.rest.len());
            self.rest = &self.rest[end..];
        }
    }

    /// Skips blanks, line ends and comments.
    fn skip_blank_lines(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            if !self.rest.starts_with('#') {
                return;
            }
            self.skip_comment();
        }
    }

    /// Reads `a.b."c" = value` in a table.
    fn entry(&mut self, table: &[String], depth: usize) -> Option<()> {
        let mut path = table.to_vec();
        path.extend(self.key()?);
        self.skip_blanks();
        self.take("=").then_some(())?;
        self.skip_blanks();
        let value = self.value(&path, depth)?;
        self.entries.push((path, value));
        Some(())
    }

    /// Reads a key, whose parts are separated by dots.
    fn key(&mut self) -> Option<Vec<String>> {
        let mut parts = Vec::new();
        loop {
            self.skip_blanks();
            if self.rest.starts_with(['"', '\'']) {
                parts.push(self.string()?);
            } else {
                let in_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
                let end = self.rest.find(|c| !in_key(c)).unwrap_or(self.rest.len());
                if end == 0 {
                    return None;
                }
                parts.push(self.rest[..end].to_owned());
                self.rest = &self.rest[end..];
            }
            self.skip_blanks();
            if !self.take(".") {
                return Some(parts);
            }
        }
    }

    /// Reads a value; the entries of an inline table are those of the table at `path`.
    fn value(&mut self, path: &[String], depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        if self.rest.starts_with(['"', '\'']) {
            return Some(Value::Text(self.string()?));
        }
        if self.take("{") {
            self.list("}", |reader| reader.entry(path, depth + 1))?;
            return Some(Value::Other);
        }
        if self.take("[") {
            // Entries of tables in an array are no entries of this table.
            let count = self.entries.len();
            self.list("]", |reader| reader.value(&[], depth + 1).map(drop))?;
            self.entries.truncate(count);
            return Some(Value::Other);
        }
        let ends = |c: char| c.is_whitespace() || matches!(c, ',' | ']' | '}' | '#');
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        // A blank may separate a date from its time.
        if word.contains('-')
            && let Some(time) = rest.strip_prefix(' ')
            && time.starts_with(|c: char| c.is_ascii_digit())
        {
            self.rest = &time[time.find(ends).unwrap_or(time.len())..];
        }
        match word {
            "" => None,
            "true" => Some(Value::True),
            _ => Some(Value::Other),
        }
    }

    /// Reads items separated by commas, up to the closing bracket.
    fn list(&mut self, end: &str, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        loop {
            self.skip_blank_lines();
            if self.take(end) {
                return Some(());
            }
            item(self)?;
            self.skip_blank_lines();
            if !self.take(",") {
                return self.take(end).then_some(());
            }
        }
    }

    /// Reads a string of one of TOML's four forms. Escapes are kept as they are written: no name of a
    /// package has any.
    fn string(&mut self) -> Option<String> {
        for (quote, escapes) in [("\"\"\"", true), ("'''", false), ("\"", true), ("'", false)] {
            if !self.take(quote) {
                continue;
            }
            let mut end = 0;
            loop {
                let rest = self.rest.get(end..)?;
                if rest.starts_with(quote) {
                    break;
                }
                let next = rest.chars().next()?;
                end += next.len_utf8();
                if escapes && next == '\\' {
                    end += self.rest.get(end..)?.chars().next()?.len_utf8();
                }
                if next == '\n' && quote.len() == 1 {
                    return None;
                }
            }
            // One or two quotes may stand before the three that end a text of several lines.
            while quote.len() == 3 && self.rest[end + 1..].starts_with(quote) {
                end += 1;
            }
            let text = self.rest[..end].to_owned();
            self.rest = &self.rest[end + quote.len()..];
            return Some(text);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The name that a manifest without a workspace gives agent-runtime, if it is another one.
    fn name(manifest: &str) -> Option<String> {
        let found = find_package(RUNTIME, &entries(manifest).unwrap_or_default(), &[])?;
        found.is_renamed.then_some(found.name)
    }

    #[test]
    fn finds_the_name_in_every_form_of_a_dependency() {
        for manifest in [
            "[dependencies]\nrt = { package = \"agent-runtime\", version = \"1\" }",
            "[dependencies]\nrt = { path = '../x', package = 'agent-runtime' } # a comment",
            "[dependencies.rt]\nversion = \"1\"\npackage = \"agent-runtime\"",
            "[dependencies]\nrt.version = \"1\"\nrt.package = \"agent-runtime\"",
            "dependencies.rt.package = \"agent-runtime\"",
            "[dependencies]\n\"rt\" = {\n  features = [\n    \"a\", # first\n    \"b\",\n  ],\n  \
             package = \"agent-runtime\",\n}",
            "[dev-dependencies]\nrt = { package = \"agent-runtime\" }",
            "[target.'cfg(unix)'.dependencies]\nrt = { package = \"agent-runtime\" }",
            "[target.\"cfg(any(unix, windows))\".dependencies.rt]\npackage = \"agent-runtime\"",
            "[[bin]]\nname = \"a\"\n[dependencies]\r\nrt = { package = \"agent-runtime\" }\r\n",
            "\u{feff}[dependencies]\nrt = { package = \"agent-runtime\" }",
            "[package]\ndescription = \"\"\"He said \"hi\"\"\"\"\n\
             [dependencies]\nrt = { package = \"agent-runtime\" }",
            "[package.metadata]\nwhen = 1979-05-27 07:32:00 # a date\n\
             [dependencies]\nrt = { package = \"agent-runtime\" }",
            "[package]\ndescription = \"\"\"\n[dependencies]\nx = 1\n\"\"\"\n\
             [dependencies]\nrt = { package = \"agent-runtime\" }",
        ] {
            assert_eq!(name(manifest).as_deref(), Some("rt"), "{manifest}");
        }
    }

    #[test]
    fn uses_the_usual_name_when_there_is_one_or_nothing_is_found() {
        for manifest in [
            "[dependencies]\nagent-runtime = \"1\"",
            "[dependencies]\nagent-runtime = { workspace = true }",
            "[dependencies]\nagent-runtime.workspace = true",
            "[dependencies.agent-runtime]\npath = \"x\"",
            // Under both names, the usual one works.
            "[dependencies]\nagent-runtime = \"1\"\nrt = { package = \"agent-runtime\" }",
            "[build-dependencies]\nrt = { package = \"agent-runtime\" }",
            "[package]\nname = \"agent-runtime\"",
            "[package.metadata]\nlist = [{ rt = { package = \"agent-runtime\" } }]",
            "[dependencies]\nrt = { package = \"another\" }",
            // Not understood.
            "[dependencies\nrt = { package = \"agent-runtime\" }",
            "[dependencies]\nrt = { package = \"agent-runtime\"",
            "[package]\nversion =\n[dependencies]\nrt = { package = \"agent-runtime\" }",
            "= 1",
            "",
        ] {
            assert_eq!(name(manifest), None, "{manifest}");
        }
    }

    #[test]
    fn takes_agent_tool_if_the_code_can_name_it() {
        for (manifest, expected) in [
            ("[dependencies]\nagent-tool = \"1\"", "agent-tool"),
            (
                "[dependencies]\nagent-tool = \"1\"\nagent-runtime = \"1\"",
                "agent-tool",
            ),
            (
                "[dependencies]\ntools = { package = \"agent-tool\" }\n[dev-dependencies]\nagent-runtime = \"1\"",
                "tools",
            ),
            (
                "[dependencies]\nagent-runtime = \"1\"\n[dev-dependencies]\nagent-tool = \"1\"",
                "agent-runtime",
            ),
            (
                "[dev-dependencies]\nagent-tool = \"1\"\nagent-runtime = \"1\"",
                "agent-tool",
            ),
            ("[package]\nname = \"agent-tool\"", "agent-tool"),
        ] {
            let own = entries(manifest).expect("a manifest");
            let names = Names {
                tool: find_package(TOOL, &own, &[]),
                runtime: find_package(RUNTIME, &own, &[]),
                crates: Vec::new(),
            };
            assert_eq!(names.can_run(), manifest.contains(RUNTIME), "{manifest}");
            assert_eq!(
                names.for_tools().expect(manifest).name,
                expected,
                "{manifest}"
            );
        }
    }

    #[test]
    fn takes_the_package_of_an_inherited_dependency_from_the_workspace() {
        let workspace =
            "[workspace.dependencies]\nrt = { package = \"agent-runtime\" }\nother = \"1\"";
        let workspace = entries(workspace).expect("a manifest");
        for manifest in [
            "[dependencies]\nother.workspace = true\nrt.workspace = true",
            "[dependencies]\nrt = { workspace = true, features = [\"x\"] }",
            "[dependencies.rt]\nworkspace = true",
        ] {
            let own = entries(manifest).expect("a manifest");
            let found = find_package(RUNTIME, &own, &workspace);
            assert_eq!(found.expect(manifest).name, "rt", "{manifest}");
        }
    }

    #[test]
    fn reads_the_manifest_of_a_workspace_above_the_package() {
        let folder = std::env::temp_dir().join(format!("runtime-path-{}", std::process::id()));
        let package = folder.join("package");
        std::fs::create_dir_all(&package).expect("a folder");
        let write = |path: &Path, text: &str| std::fs::write(path, text).expect("a file");
        write(
            &folder.join("Cargo.toml"),
            "[workspace.dependencies]\nrt = { package = \"agent-runtime\" }",
        );
        let manifest = package.join("Cargo.toml");
        write(&manifest, "[dependencies]\nrt.workspace = true");
        let found = read_names(&manifest).runtime;
        std::fs::remove_dir_all(&folder).expect("it is there");
        assert_eq!(found.expect("it is there").name, "rt");
    }

    #[test]
    fn finds_the_crates_that_code_of_a_package_can_name() {
        let manifest = "[package]\nname = \"my-agents\"\n[lib]\nname = \"agents\"\n\
             [dependencies]\ntime = \"1\"\nserde-json = { version = \"1\" }\n\
             [dev-dependencies.rand]\nversion = \"1\"\n[build-dependencies]\ncc = \"1\"\n\
             [target.'cfg(unix)'.dependencies]\nnix.workspace = true";
        let names = crate_names(&entries(manifest).expect("a manifest"));
        assert_eq!(
            names,
            ["agents", "my_agents", "nix", "rand", "serde_json", "time"]
        );
    }

    #[test]
    fn never_panics_on_a_text_that_is_cut() {
        let text = "[target.'cfg(unix)'.dependencies]\nrt = { package = \"é\\\"\", f = ['''x''', 1] } # é\n";
        for end in 0..=text.len() {
            if let Some(cut) = text.get(..end) {
                let _ = entries(cut);
            }
        }
        assert_eq!(entries(&"[[".repeat(10_000)), None);
        assert_eq!(entries(&format!("a = {}", "[".repeat(100_000))), None);
    }
}
