//! The rule that the root modules of a crate do not import each other in a circle.
//!
//! Imports are read from the text: paths that start with `crate::`, or with as many `super::` as lead to
//! the root. Names that the root re-exports count as imports of the module that they come from. Tests
//! are left out.

use crate::breach::Breach;
use crate::rust_tokens::{Kind, Token, after_group, after_test_item, tokens};
use crate::workspace::{files_below, members, read, relative, root};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Finds the imports between root modules that are part of a circle.
pub(crate) fn breaches() -> Vec<Breach> {
    let mut found = Vec::new();
    for member in members() {
        let source = root().join(&member).join("src");
        let Some(root_file) = ["lib.rs", "main.rs"]
            .map(|name| source.join(name))
            .into_iter()
            .find(|path| path.exists())
        else {
            continue;
        };
        for (from, to, place) in imports_in_circles(&imports(&source, &root_file)) {
            found.push(Breach {
                rule: "import-circle",
                key: format!("{member}: {from} -> {to}"),
                place,
            });
        }
    }
    found
}

/// For each root module, the root modules that it imports, and where.
type Imports = BTreeMap<String, BTreeMap<String, String>>;

fn imports(source: &Path, root_file: &Path) -> Imports {
    let root = Root::read(&read(root_file));
    let mut imports = Imports::new();
    for module in &root.modules {
        let mut seen = BTreeMap::new();
        let mut test_files: BTreeSet<PathBuf> = BTreeSet::new();
        let folder = source.join(module);
        let mut files = vec![source.join(format!("{module}.rs"))];
        files.extend(files_below(&folder, &["rs"]));
        files.retain(|file| file.exists());
        let scans: Vec<(PathBuf, Scan)> = files
            .into_iter()
            .map(|file| {
                let modules = module_path(source, &file);
                let scan = Scan::read(&read(&file), modules.len());
                let own_folder = modules
                    .iter()
                    .fold(source.to_owned(), |path, m| path.join(m));
                for name in &scan.test_modules {
                    test_files.insert(own_folder.join(name));
                }
                (file, scan)
            })
            .collect();
        for (file, scan) in scans {
            let is_test = test_files
                .iter()
                .any(|test| file.with_extension("").starts_with(test));
            if is_test {
                continue;
            }
            for (name, line) in scan.root_names {
                let Some(target) = root.module_of(&name).filter(|target| target != module) else {
                    continue;
                };
                let place = || format!("{}:{line}", relative(&file));
                seen.entry(target).or_insert_with(place);
            }
        }
        imports.insert(module.clone(), seen);
    }
    imports
}

/// The names of the modules that lead to a file: `["model", "wire"]` for `src/model/wire.rs`.
fn module_path(source: &Path, file: &Path) -> Vec<String> {
    let path = file.strip_prefix(source).unwrap_or(file).with_extension("");
    let mut names: Vec<String> = path
        .iter()
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.pop_if(|last| last == "mod");
    names
}

/// The root of a crate.
struct Root {
    modules: BTreeSet<String>,
    /// The module that each re-exported name comes from.
    exports: BTreeMap<String, String>,
}

impl Root {
    fn read(source: &str) -> Self {
        let tokens = tokens(source);
        let mut root = Self {
            modules: BTreeSet::new(),
            exports: BTreeMap::new(),
        };
        let mut at = 0;
        while at < tokens.len() {
            if let Some(after) = after_test_item(&tokens, at) {
                at = after.0;
                continue;
            }
            match tokens[at].kind {
                Kind::Word("mod") => {
                    if let Some(Kind::Word(name)) = tokens.get(at + 1).map(|token| token.kind) {
                        root.modules.insert(name.to_owned());
                    }
                }
                Kind::Word("use") => {
                    let end = tokens[at..].iter().position(|t| t.kind.is_mark(";"));
                    let tree = &tokens[at + 1..at + end.unwrap_or(1).max(1)];
                    root.add_exports(tree);
                }
                _ => {}
            }
            at += 1;
        }
        root
    }

    /// Notes the names of a `use`: every word that no path goes on behind.
    fn add_exports(&mut self, tree: &[Token<'_>]) {
        let mut words = tree.iter().enumerate().filter_map(|(at, token)| {
            let follower = tree.get(at + 1).map(|token| token.kind);
            match token.kind {
                Kind::Word("crate" | "self" | "as") => None,
                Kind::Word(word) => Some((word, follower)),
                _ => None,
            }
        });
        let Some((module, _)) = words.next() else {
            return;
        };
        for (word, follower) in words {
            let is_name = !follower.is_some_and(|kind| kind.is_mark("::") || kind.is_word("as"));
            if is_name {
                self.exports.insert(word.to_owned(), module.to_owned());
            }
        }
    }

    /// The root module that a name at the root means or comes from.
    fn module_of(&self, name: &str) -> Option<String> {
        if self.modules.contains(name) {
            return Some(name.to_owned());
        }
        let module = self.exports.get(name)?;
        self.modules.contains(module).then(|| module.clone())
    }
}

/// The imports and modules of one file.
#[derive(Default)]
struct Scan {
    /// The names that follow a path to the root, with their lines.
    root_names: Vec<(String, usize)>,
    /// The modules in files of their own that are compiled for tests only.
    test_modules: Vec<String>,
}

impl Scan {
    /// Reads a file whose module is `depth` modules below the root.
    fn read(source: &str, depth: usize) -> Self {
        let tokens = tokens(source);
        let kind = |at: usize| tokens.get(at).map(|token| token.kind);
        let mut scan = Self::default();
        // Where the modules end that are open at this place, in braces.
        let mut inline_ends: Vec<usize> = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            inline_ends.retain(|end| *end > at);
            if let Some((after, module)) = after_test_item(&tokens, at) {
                scan.test_modules.extend(module);
                at = after;
                continue;
            }
            match tokens[at].kind {
                Kind::Word("mod") if kind(at + 2).is_some_and(|kind| kind.is_mark("{")) => {
                    inline_ends.push(after_group(&tokens, at + 2));
                }
                Kind::Word("crate") if starts_path(&tokens, at) => {
                    scan.add_names(&tokens, at + 1);
                }
                Kind::Word("super") if starts_path(&tokens, at) => {
                    let mut end = at;
                    while kind(end + 1).is_some_and(|kind| kind.is_mark("::"))
                        && kind(end + 2).is_some_and(|kind| kind.is_word("super"))
                    {
                        end += 2;
                    }
                    let supers = (end - at) / 2 + 1;
                    if supers == depth + inline_ends.len() {
                        scan.add_names(&tokens, end + 1);
                    }
                    at = end;
                }
                _ => {}
            }
            at += 1;
        }
        scan
    }

    /// Notes the name behind the `::` at `at`, or the first name of each member of a group there.
    fn add_names(&mut self, tokens: &[Token<'_>], at: usize) {
        if !tokens.get(at).is_some_and(|token| token.kind.is_mark("::")) {
            return;
        }
        let Some(next) = tokens.get(at + 1) else {
            return;
        };
        match next.kind {
            Kind::Word(name) => self.root_names.push((name.to_owned(), next.line)),
            Kind::Mark("{") => {
                let end = after_group(tokens, at + 1);
                let mut member = at + 2;
                while member < end {
                    if let Kind::Word(name) = tokens[member].kind {
                        self.root_names.push((name.to_owned(), tokens[member].line));
                    }
                    while member < end && !tokens[member].kind.is_mark(",") {
                        member = if tokens[member].kind.is_mark("{") {
                            after_group(tokens, member)
                        } else {
                            member + 1
                        };
                    }
                    member += 1;
                }
            }
            _ => {}
        }
    }
}

/// Whether a path starts at the word `crate` or `super`: not `$crate`, not within a path, and not the
/// place of a visibility, `pub(in crate::model)`.
fn starts_path(tokens: &[Token<'_>], at: usize) -> bool {
    let before = |back: usize| {
        at.checked_sub(back)
            .and_then(|at| tokens.get(at))
            .map(|token| token.kind)
    };
    let is_visibility = before(1).is_some_and(|kind| kind.is_word("in"))
        && before(2).is_some_and(|kind| kind.is_mark("("))
        && before(3).is_some_and(|kind| kind.is_word("pub"));
    !is_visibility && !before(1).is_some_and(|kind| kind.is_mark("$") || kind.is_mark("::"))
}

/// The imports whose target leads back to where they start.
fn imports_in_circles(imports: &Imports) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    for (from, targets) in imports {
        for (to, place) in targets {
            if leads_to(imports, to, from) {
                found.push((from.clone(), to.clone(), place.clone()));
            }
        }
    }
    found
}

fn leads_to(imports: &Imports, from: &str, wanted: &str) -> bool {
    let mut seen = BTreeSet::from([from]);
    let mut waiting = vec![from];
    while let Some(module) = waiting.pop() {
        if module == wanted {
            return true;
        }
        for target in imports.get(module).into_iter().flat_map(BTreeMap::keys) {
            if seen.insert(target) {
                waiting.push(target);
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{Root, Scan};

    #[track_caller]
    fn check(source: &str, depth: usize, expected: &[&str]) {
        let scan = Scan::read(source, depth);
        let names: Vec<&str> = scan
            .root_names
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(names, expected, "{source}");
    }

    #[test]
    fn imports_and_paths_are_read() {
        check("use crate::a::B; fn f() { crate::c::d() }", 1, &["a", "c"]);
        check("use crate::{a::{B, c}, d, e::f as g};", 1, &["a", "d", "e"]);
        check("use super::a; use super::super::b;", 1, &["a"]);
        check("use super::a; use super::super::b;", 2, &["b"]);
        check(
            "mod m { use super::super::b; } use super::c;",
            1,
            &["b", "c"],
        );
    }

    #[test]
    fn paths_that_import_nothing_are_not_read() {
        check(
            "pub(in crate::a) fn f() { $crate::b(); \"crate::c\" }",
            1,
            &[],
        );
        check(
            "/// [`crate::a`]\nstruct A; // crate::b\npub(crate) struct B;",
            1,
            &[],
        );
    }

    #[test]
    fn tests_are_not_read() {
        let source = "#[cfg(test)]\nmod tests { use crate::a; }\n#[cfg(test)] use crate::b;\n\
                      #[cfg(test)]\nmod more;\nuse crate::c;";
        check(source, 1, &["c"]);
        assert_eq!(Scan::read(source, 1).test_modules, ["more"]);
    }

    #[test]
    fn names_of_the_root_come_from_its_modules() {
        let root = Root::read("mod a; pub mod b; pub use a::{B, c::D as E}; pub use serde;");
        assert_eq!(root.module_of("B").as_deref(), Some("a"));
        assert_eq!(root.module_of("E").as_deref(), Some("a"));
        assert_eq!(root.module_of("b").as_deref(), Some("b"));
        assert_eq!(root.module_of("serde"), None);
    }
}
