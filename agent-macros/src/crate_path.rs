//! The path by which generated code names the crate that it calls: agent-tool, or agent-runtime, which
//! contains all of agent-tool.
//!
//! A package may depend on the crate under another name. `agent!` and `tools!` are `macro_rules!`
//! macros that pass `$crate` on. An attribute or a derive has no `$crate`, so the name is read from the
//! package's manifest. If a manifest cannot be read, agent-runtime is named.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;
use toml::{Table, Value};

/// A package of ours that generated code can name. Its library has another name than the package, because the name
/// `agent-runtime` belongs to somebody else in the registry.
struct Package {
    name: &'static str,
    library: &'static str,
}

/// The package that has everything that tools need.
const TOOL: Package = Package {
    name: "gramwork-tool",
    library: "agent_tool",
};

/// The package that runs agents, and contains all of agent-tool.
const RUNTIME: Package = Package {
    name: "gramwork-runtime",
    library: "agent_runtime",
};

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

/// Returns the path of a dependency. If none was found, returns the usual path of agent-runtime.
fn crate_path(found: Option<&Dependency>) -> TokenStream {
    let name = found.map_or(RUNTIME.library, |found| &found.name);
    match syn::parse_str::<Ident>(name) {
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

/// A dependency, or the package itself. The least dependency in the order of the fields is chosen. A
/// dependency of tests comes last, because a library cannot name it, and the library's own name comes before
/// another name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Dependency {
    is_dev: bool,
    is_renamed: bool,
    /// The name of the crate in code.
    name: String,
}

/// Returns the names in the manifest of the package, read once for each state of the file, because a package
/// has many tools, and the macro server of an editor lives for days.
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
    let own = read(&manifest).unwrap_or_default();
    let inherited = workspace_dependencies(&manifest, &own).unwrap_or_default();
    let names = Names::of(&own, &inherited);
    cache.insert(manifest, (modified, names.clone()));
    Some(names)
}

fn read(manifest: &Path) -> Option<Table> {
    std::fs::read_to_string(manifest).ok()?.parse().ok()
}

/// Returns the dependencies of the workspace that a package is in.
fn workspace_dependencies(manifest: &Path, own: &Table) -> Option<Table> {
    let folder = manifest.parent()?;
    let given = own
        .get("package")
        .and_then(|package| package.get("workspace"));
    let given = given.and_then(Value::as_str).map(|root| folder.join(root));
    let above = folder.ancestors().map(Path::to_owned);
    let mut roots = given.into_iter().chain(above);
    let workspace = roots.find_map(|root| read(&root.join("Cargo.toml"))?.remove("workspace"))?;
    workspace.get("dependencies")?.as_table().cloned()
}

impl Names {
    /// Returns the names in a manifest. `inherited` are the dependencies of its workspace.
    fn of(own: &Table, inherited: &Table) -> Self {
        let mut names = Self::default();
        let name = |table: &str| own.get(table)?.get("name")?.as_str();
        if let Some(package) = name("package") {
            names.add(package, package, false);
        }
        names.crates.extend(name("lib").map(crate_name));
        let targets = own.get("target").and_then(Value::as_table);
        let targets = targets.into_iter().flat_map(Table::values);
        for table in [own].into_iter().chain(targets.filter_map(Value::as_table)) {
            for (key, is_dev) in [("dependencies", false), ("dev-dependencies", true)] {
                let dependencies = table.get(key).and_then(Value::as_table);
                for (name, dependency) in dependencies.into_iter().flatten() {
                    let is_inherited = dependency.get("workspace") == Some(&Value::Boolean(true));
                    let declared = match is_inherited {
                        true => inherited.get(name),
                        false => Some(dependency),
                    };
                    let package = declared.and_then(|declared| declared.get("package")?.as_str());
                    names.add(package.unwrap_or(name), name, is_dev);
                }
            }
        }
        names
    }

    /// Adds a package that code can name. `key` is its name in the table of dependencies, which renames the crate
    /// if the package has another name.
    fn add(&mut self, package: &str, key: &str, is_dev: bool) {
        let is_renamed = key != package;
        let ours = [(&mut self.tool, TOOL), (&mut self.runtime, RUNTIME)];
        let Some((known, ours)) = ours.into_iter().find(|(_, ours)| ours.name == package) else {
            self.crates.push(crate_name(key));
            return;
        };
        let found = Dependency {
            is_dev,
            is_renamed,
            name: match is_renamed {
                true => crate_name(key),
                false => ours.library.to_owned(),
            },
        };
        self.crates.push(found.name.clone());
        if known.as_ref().is_none_or(|known| found < *known) {
            *known = Some(found);
        }
    }

    /// Whether the package may have agent-runtime: it depends on agent-runtime, or no dependency on
    /// agent-tool is known.
    fn can_run(&self) -> bool {
        self.runtime.is_some() || self.tool.is_none()
    }

    /// The dependency that has what tools need.
    fn for_tools(&self) -> Option<&Dependency> {
        let found = [&self.tool, &self.runtime].into_iter().flatten();
        found.min_by_key(|found| found.is_dev)
    }
}

fn crate_name(package: &str) -> String {
    package.replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names in a manifest; none if the manifest cannot be parsed.
    fn names(manifest: &str, inherited: &str) -> Names {
        let table = |text: &str| text.parse().unwrap_or_default();
        Names::of(&table(manifest), &table(inherited))
    }

    /// The name that a manifest without a workspace gives gramwork-runtime, if it differs from the usual name.
    fn name(manifest: &str) -> Option<String> {
        let found = names(manifest, "").runtime?;
        found.is_renamed.then_some(found.name)
    }

    #[test]
    fn finds_the_name_in_every_form_of_a_dependency() {
        for manifest in [
            "[dependencies]\nrt = { package = \"gramwork-runtime\", version = \"1\" }",
            "[dependencies]\nrt = { path = '../x', package = 'gramwork-runtime' } # a comment",
            "[dependencies.rt]\nversion = \"1\"\npackage = \"gramwork-runtime\"",
            "[dependencies]\nrt.version = \"1\"\nrt.package = \"gramwork-runtime\"",
            "dependencies.rt.package = \"gramwork-runtime\"",
            "[dependencies]\n\"rt\" = {\n  features = [\n    \"a\", # first\n    \"b\",\n  ],\n  \
             package = \"gramwork-runtime\",\n}",
            "[dev-dependencies]\nrt = { package = \"gramwork-runtime\" }",
            "[target.'cfg(unix)'.dependencies]\nrt = { package = \"gramwork-runtime\" }",
            "[target.\"cfg(any(unix, windows))\".dependencies.rt]\npackage = \"gramwork-runtime\"",
            "[[bin]]\nname = \"a\"\n[dependencies]\r\nrt = { package = \"gramwork-runtime\" }\r\n",
            "\u{feff}[dependencies]\nrt = { package = \"gramwork-runtime\" }",
            "[package]\ndescription = \"\"\"He said \"hi\"\"\"\"\n\
             [dependencies]\nrt = { package = \"gramwork-runtime\" }",
            "[package.metadata]\nwhen = 1979-05-27 07:32:00 # a date\n\
             [dependencies]\nrt = { package = \"gramwork-runtime\" }",
            "[package]\ndescription = \"\"\"\n[dependencies]\nx = 1\n\"\"\"\n\
             [dependencies]\nrt = { package = \"gramwork-runtime\" }",
        ] {
            assert_eq!(name(manifest).as_deref(), Some("rt"), "{manifest}");
        }
    }

    #[test]
    fn uses_the_usual_name_when_there_is_one_or_nothing_is_found() {
        for manifest in [
            "[dependencies]\ngramwork-runtime = \"1\"",
            "[dependencies]\ngramwork-runtime = { workspace = true }",
            "[dependencies]\ngramwork-runtime.workspace = true",
            "[dependencies.gramwork-runtime]\npath = \"x\"",
            // With both names, the library's own name works.
            "[dependencies]\ngramwork-runtime = \"1\"\nrt = { package = \"gramwork-runtime\" }",
            "[build-dependencies]\nrt = { package = \"gramwork-runtime\" }",
            "[package]\nname = \"gramwork-runtime\"",
            "[package.metadata]\nlist = [{ rt = { package = \"gramwork-runtime\" } }]",
            "[dependencies]\nrt = { package = \"another\" }",
            // Not understood.
            "[dependencies\nrt = { package = \"gramwork-runtime\" }",
            "[dependencies]\nrt = { package = \"gramwork-runtime\"",
            "[package]\nversion =\n[dependencies]\nrt = { package = \"gramwork-runtime\" }",
            "= 1",
            "",
        ] {
            assert_eq!(name(manifest), None, "{manifest}");
        }
    }

    #[test]
    fn names_the_library_of_a_package_under_its_own_name() {
        for (manifest, expected) in [
            (
                "[dependencies]\ngramwork-runtime = \"0.1\"",
                ":: agent_runtime",
            ),
            ("[dependencies]\ngramwork-tool = \"0.1\"", ":: agent_tool"),
            (
                "[dependencies]\nagent-runtime = { package = \"gramwork-runtime\", version = \"0.1\" }",
                ":: agent_runtime",
            ),
            (
                "[dependencies]\nmy-agents = { package = \"gramwork-runtime\", version = \"0.1\" }",
                ":: my_agents",
            ),
            // Somebody else's package.
            ("[dependencies]\nagent-tool = \"1\"", ":: agent_runtime"),
        ] {
            let path = crate_path(names(manifest, "").for_tools());
            assert_eq!(path.to_string(), expected, "{manifest}");
        }
    }

    #[test]
    fn takes_agent_tool_if_the_code_can_name_it() {
        for (manifest, expected) in [
            ("[dependencies]\ngramwork-tool = \"1\"", "agent_tool"),
            (
                "[dependencies]\ngramwork-tool = \"1\"\ngramwork-runtime = \"1\"",
                "agent_tool",
            ),
            (
                "[dependencies]\ntools = { package = \"gramwork-tool\" }\n[dev-dependencies]\ngramwork-runtime = \"1\"",
                "tools",
            ),
            (
                "[dependencies]\ngramwork-runtime = \"1\"\n[dev-dependencies]\ngramwork-tool = \"1\"",
                "agent_runtime",
            ),
            (
                "[dev-dependencies]\ngramwork-tool = \"1\"\ngramwork-runtime = \"1\"",
                "agent_tool",
            ),
            ("[package]\nname = \"gramwork-tool\"", "agent_tool"),
        ] {
            let names = names(manifest, "");
            assert_eq!(
                names.can_run(),
                manifest.contains(RUNTIME.name),
                "{manifest}"
            );
            assert_eq!(
                names.for_tools().expect(manifest).name,
                expected,
                "{manifest}"
            );
        }
    }

    #[test]
    fn takes_the_package_of_an_inherited_dependency_from_the_workspace() {
        let workspace = "rt = { package = \"gramwork-runtime\" }\nother = \"1\"";
        for manifest in [
            "[dependencies]\nother.workspace = true\nrt.workspace = true",
            "[dependencies]\nrt = { workspace = true, features = [\"x\"] }",
            "[dependencies.rt]\nworkspace = true",
        ] {
            let found = names(manifest, workspace).runtime;
            assert_eq!(found.expect(manifest).name, "rt", "{manifest}");
        }
    }

    #[test]
    fn reads_the_manifest_of_a_workspace_above_the_package() {
        let folder = std::env::temp_dir().join(format!("runtime-path-{}", std::process::id()));
        let package = folder.join("package");
        std::fs::create_dir_all(&package).expect("a folder");
        let text = "[workspace.dependencies]\nrt = { package = \"gramwork-runtime\" }";
        std::fs::write(folder.join("Cargo.toml"), text).expect("a file");
        let manifest = package.join("Cargo.toml");
        let found = workspace_dependencies(&manifest, &Table::new());
        std::fs::remove_dir_all(&folder).expect("it is there");
        assert!(found.expect("it is there").contains_key("rt"));
    }

    #[test]
    fn finds_the_crates_that_code_of_a_package_can_name() {
        let manifest = "[package]\nname = \"my-agents\"\n[lib]\nname = \"agents\"\n\
             [dependencies]\ntime = \"1\"\nserde-json = { version = \"1\" }\n\
             [dev-dependencies.rand]\nversion = \"1\"\n[build-dependencies]\ncc = \"1\"\n\
             [target.'cfg(unix)'.dependencies]\nnix.workspace = true";
        let mut crates = names(manifest, "").crates;
        crates.sort_unstable();
        assert_eq!(
            crates,
            ["agents", "my_agents", "nix", "rand", "serde_json", "time"]
        );
    }
}
