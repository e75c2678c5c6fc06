//! The rule that the files of a crate do not name each other in a circle.
//!
//! Modules beside each other, each with all files below it, name each other in one direction only. A file and the files below it
//! may name each other, because a child implements its parent's types; a circle with a written reason is in [`EXCEPTIONS`].
//!
//! Names are read from the text: imports, and paths of two or more words. A re-exported name counts as a name of the file that
//! it comes from. Tests, and names that are imported with `*`, do not count.

use crate::breach::Breach;
use crate::rust_tokens::{Kind, Token, after_group, after_test_item, tokens};
use crate::workspace::{files_below, members, read, relative, root};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The circles that are allowed: the crate, the modules in the circle, and the reason.
const EXCEPTIONS: &[(&str, &[&str], &str)] = &[
    (
        "agent-gram",
        &["syntax::record", "syntax::subject", "syntax::value"],
        "the syntax tree is recursive: a value can be a record, a record has values, and a subject has a record",
    ),
    (
        "agent-core",
        &[
            "conversation::json",
            "conversation::message",
            "conversation::pattern",
        ],
        "a message has methods that write it as JSON and as a pattern, and reading either form creates messages",
    ),
];

/// Finds the names between modules that are part of a circle without a reason.
pub(crate) fn breaches() -> Vec<Breach> {
    let mut found = Vec::new();
    for member in members() {
        for (from, to, place) in names_in_circles(&member) {
            if !is_exception(&member, &from, &to) {
                found.push(Breach {
                    rule: "import-circle",
                    key: format!("{member}: {from} -> {to}"),
                    place,
                });
            }
        }
    }
    found
}

fn is_exception(member: &str, from: &str, to: &str) -> bool {
    EXCEPTIONS.iter().any(|(crate_name, modules, _)| {
        *crate_name == member && modules.contains(&from) && modules.contains(&to)
    })
}

/// The pairs of modules in a circle, and the first place where the left one names the right one.
fn names_in_circles(member: &str) -> Vec<(String, String, String)> {
    let source = root().join(member).join("src");
    let names = names_between_modules(&Sources::read(&source));
    let mut found = Vec::new();
    for (from, targets) in &names {
        for (to, place) in targets {
            if leads_to(&names, to, from) {
                found.push((from.join("::"), to.join("::"), place.clone()));
            }
        }
    }
    found
}

/// The names of the modules that lead to a module: `["model", "wire"]` for `src/model/wire.rs`.
type Module = Vec<String>;

/// For each module, the modules beside it that it names, and where.
type Names = BTreeMap<Module, BTreeMap<Module, String>>;

fn names_between_modules(sources: &Sources) -> Names {
    let mut names = Names::new();
    for (from, file) in &sources.0 {
        for path in &file.paths {
            let Some(to) = sources.target(from, path) else {
                continue;
            };
            let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
            if shared < from.len().min(to.len()) {
                let targets = names.entry(from[..=shared].to_vec()).or_default();
                let place = || format!("{}:{}", file.name, path.line);
                targets.entry(to[..=shared].to_vec()).or_insert_with(place);
            }
        }
    }
    names
}

fn leads_to(names: &Names, from: &Module, wanted: &Module) -> bool {
    let mut seen = BTreeSet::from([from]);
    let mut waiting = vec![from];
    while let Some(module) = waiting.pop() {
        if module == wanted {
            return true;
        }
        for target in names.get(module).into_iter().flat_map(BTreeMap::keys) {
            if seen.insert(target) {
                waiting.push(target);
            }
        }
    }
    false
}

/// The files of a crate, without its tests. The crate's root is the module without a name.
struct Sources(BTreeMap<Module, SourceFile>);

impl Sources {
    fn read(source: &Path) -> Self {
        let has_library = source.join("lib.rs").exists();
        let mut files = BTreeMap::new();
        for path in files_below(source, &["rs"]) {
            let mut module: Module = path
                .strip_prefix(source)
                .unwrap_or(&path)
                .with_extension("")
                .iter()
                .map(|name| name.to_string_lossy().into_owned())
                .collect();
            let is_program = module[0] == "main" || module[0] == "bin";
            if has_library && is_program {
                continue;
            }
            module.pop_if(|last| *last == "lib" || *last == "main");
            files.insert(module, SourceFile::read(relative(&path), &read(&path)));
        }
        Self::without_tests(files)
    }

    fn without_tests(mut files: BTreeMap<Module, SourceFile>) -> Self {
        let tests: Vec<Module> = files
            .iter()
            .flat_map(|(module, file)| file.test_modules.iter().map(|name| child(module, name)))
            .collect();
        files.retain(|module, _| !tests.iter().any(|test| module.starts_with(test)));
        Self(files)
    }

    /// Returns the module of the file with the item that a path in the file of `from` names.
    fn target(&self, from: &Module, path: &ItemPath) -> Option<Module> {
        let place = [from.as_slice(), path.inline.as_slice()].concat();
        match self.resolve(&place, &path.words, 0)? {
            Found::Item(file) => Some(file),
            Found::Module(_) => None,
        }
    }

    /// Finds the thing that a path in the module `place` leads to. Returns `None` for the names of other crates, and for names
    /// that are imported with `*`.
    fn resolve(&self, place: &[String], path: &[String], imports: usize) -> Option<Found> {
        let mut module = place.to_vec();
        for (at, word) in path.iter().enumerate() {
            match word.as_str() {
                "crate" => module.clear(),
                "self" => {}
                "super" => drop(module.pop()),
                _ if self.0.contains_key(&child(&module, word)) => module.push(word.clone()),
                _ => {
                    let file = self.file_of(module);
                    let import = self.0.get(&file)?.imports.get(word);
                    // The number of imports is limited, because a crate can have the name of its only item: `use a::a`.
                    match import.filter(|_| imports < 9) {
                        Some(import) => match self.resolve(&file, import, imports + 1)? {
                            Found::Module(found) => module = found,
                            item @ Found::Item(_) => return Some(item),
                        },
                        None => return (at > 0).then_some(Found::Item(file)),
                    }
                }
            }
        }
        Some(Found::Module(module))
    }

    /// The file of a module, which can be written in braces within the file.
    fn file_of(&self, mut module: Module) -> Module {
        while !module.is_empty() && !self.0.contains_key(&module) {
            module.pop();
        }
        module
    }
}

/// The thing that a path leads to.
enum Found {
    Module(Module),
    /// An item in the file of this module.
    Item(Module),
}

fn child(module: &[String], name: &str) -> Module {
    let mut child = module.to_vec();
    child.push(name.to_owned());
    child
}

/// The paths in the text of one file.
#[derive(Default)]
struct SourceFile {
    name: String,
    paths: Vec<ItemPath>,
    /// The path that each imported name refers to.
    imports: BTreeMap<String, Vec<String>>,
    /// The modules in files of their own that are compiled for tests only.
    test_modules: Vec<String>,
}

struct ItemPath {
    words: Vec<String>,
    line: usize,
    /// The modules in braces that the path is written in.
    inline: Vec<String>,
}

impl SourceFile {
    fn read(name: String, source: &str) -> Self {
        let tokens = tokens(source);
        let mut file = Self {
            name,
            ..Self::default()
        };
        // The modules in braces that are open at this place, and where each ends.
        let mut open: Vec<(usize, String)> = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            open.retain(|(end, _)| *end > at);
            if let Some((after, module)) = after_test_item(&tokens, at) {
                file.test_modules.extend(module);
                at = after;
                continue;
            }
            let line = tokens[at].line;
            let mut paths = Vec::new();
            match word(&tokens, at) {
                Some("mod") if mark(&tokens, at + 2) == Some("{") => {
                    let name = word(&tokens, at + 1).unwrap_or_default();
                    open.push((after_group(&tokens, at + 2), name.to_owned()));
                    at += 1;
                }
                Some("use") => {
                    let mut imports = Vec::new();
                    at = read_imports(&tokens, at + 1, &[], &mut imports);
                    for (name, words) in imports {
                        if open.is_empty() {
                            file.imports.insert(name, words.clone());
                        }
                        paths.push(words);
                    }
                }
                Some(_) if mark(&tokens, at + 1) == Some("::") && starts_path(&tokens, at) => {
                    let (words, after) = read_path(&tokens, at);
                    paths.push(words);
                    at = after;
                }
                _ => at += 1,
            }
            file.paths.extend(paths.into_iter().map(|words| ItemPath {
                words,
                line,
                inline: open.iter().map(|(_, name)| name.clone()).collect(),
            }));
        }
        file
    }
}

/// Reads the path at `at`, and returns it with the index behind it.
fn read_path(tokens: &[Token<'_>], mut at: usize) -> (Vec<String>, usize) {
    let mut words = Vec::new();
    while let Some(word) = word(tokens, at) {
        words.push(word.to_owned());
        at += 1;
        if mark(tokens, at) != Some("::") {
            break;
        }
        at += 1;
    }
    (words, at)
}

/// Reads the imports below the path `parent` that start at `at`, each with its name, and returns the index behind them.
fn read_imports(
    tokens: &[Token<'_>],
    at: usize,
    parent: &[String],
    imports: &mut Vec<(String, Vec<String>)>,
) -> usize {
    let (words, mut at) = read_path(tokens, at);
    let mut path = [parent, &words].concat();
    match mark(tokens, at) {
        Some("{") => {
            let end = after_group(tokens, at);
            at += 1;
            while at + 1 < end {
                // Behind an import there is a comma, or the end of the group.
                at = read_imports(tokens, at, &path, imports) + 1;
            }
            return end;
        }
        Some("*") => return at + 1,
        _ => {}
    }
    path.pop_if(|last| last == "self");
    let mut name = path.last().cloned();
    if word(tokens, at) == Some("as") {
        name = word(tokens, at + 1).map(str::to_owned);
        at += 2;
    }
    imports.extend(name.map(|name| (name, path)));
    at
}

/// Whether a path starts at the word at `at`: not `$crate`, not within a path, and not the place of a visibility,
/// `pub(in crate::model)`.
fn starts_path(tokens: &[Token<'_>], at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else {
        return true;
    };
    let is_visibility =
        word(tokens, before) == Some("in") && mark(tokens, before.saturating_sub(1)) == Some("(");
    !is_visibility && !matches!(mark(tokens, before), Some("$" | "::"))
}

fn word<'s>(tokens: &[Token<'s>], at: usize) -> Option<&'s str> {
    match tokens.get(at)?.kind {
        Kind::Word(word) => Some(word),
        _ => None,
    }
}

fn mark<'s>(tokens: &[Token<'s>], at: usize) -> Option<&'s str> {
    match tokens.get(at)?.kind {
        Kind::Mark(mark) => Some(mark),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{EXCEPTIONS, SourceFile, Sources, names_between_modules, names_in_circles};

    /// Checks which modules name which, `from -> to`, in files that are given with their modules.
    #[track_caller]
    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let files = files
            .iter()
            .map(|(module, source)| {
                let module = module.split("::").filter(|name| !name.is_empty());
                let file = SourceFile::read(String::new(), source);
                (module.map(str::to_owned).collect(), file)
            })
            .collect();
        let names = names_between_modules(&Sources::without_tests(files));
        let pairs: Vec<String> = names
            .iter()
            .flat_map(|(from, targets)| targets.keys().map(move |to| (from, to)))
            .map(|(from, to)| format!("{} -> {}", from.join("::"), to.join("::")))
            .collect();
        assert_eq!(pairs, expected);
    }

    /// Checks which of the modules `b`, `c` and `m::d` are named in the text of `m::a`.
    #[track_caller]
    fn check_text(source: &str, expected: &[&str]) {
        let (b, c, d) = (("b", ""), ("c", ""), ("m::d", ""));
        check(&[("", ""), b, c, ("m", ""), ("m::a", source), d], expected);
    }

    #[test]
    fn imports_and_paths_are_read() {
        check_text(
            "use crate::b::B; fn f() { crate::c::d() }",
            &["m -> b", "m -> c"],
        );
        check_text(
            "use crate::{b::{B, e}, c::f as g, h};",
            &["m -> b", "m -> c"],
        );
        check_text(
            "use super::d::D; use super::super::b::B;",
            &["m -> b", "m::a -> m::d"],
        );
        check_text("mod n { use super::super::d::D; }", &["m::a -> m::d"]);
        check_text("use super::d; fn f() { d::g() }", &["m::a -> m::d"]);
    }

    #[test]
    fn paths_that_import_nothing_are_not_read() {
        check_text(
            "pub(in crate::b) fn f() { $crate::b::B; \"crate::c::D\" }",
            &[],
        );
        check_text(
            "/// [`crate::b::B`]\nstruct A; // crate::b::B\npub(crate) struct B;",
            &[],
        );
        check_text("use serde; use b::B; use std::fmt::{self, Display};", &[]);
    }

    #[test]
    fn tests_are_not_read() {
        let source = "#[cfg(test)]\nmod tests { use crate::b::B; }\n#[cfg(test)] use crate::b::B;\n\
                      #[cfg(test)]\nmod more;\nuse super::c::C;";
        let test = "use crate::b::B;";
        check(
            &[
                ("", ""),
                ("a", source),
                ("a::more", test),
                ("b", ""),
                ("c", ""),
            ],
            &["a -> c"],
        );
    }

    #[test]
    fn re_exported_names_count_as_their_files() {
        let root = "pub use a::{B, c::D as E};";
        let user = "use crate::{B, E};";
        check(
            &[("", root), ("a", "mod c;"), ("a::c", ""), ("d", user)],
            &["d -> a"],
        );
        check(
            &[("m", "use d::D;"), ("m::a", "use super::D;"), ("m::d", "")],
            &["m::a -> m::d"],
        );
    }

    #[test]
    fn a_file_and_the_files_below_it_may_name_each_other() {
        check(
            &[("a", "use b::f; struct A;"), ("a::b", "use super::A;")],
            &[],
        );
        check(
            &[("a", "use b::f;"), ("a::b", "use crate::c::C;"), ("c", "")],
            &["a -> c"],
        );
    }

    #[test]
    fn every_exception_is_a_circle() {
        for (member, modules, _) in EXCEPTIONS {
            let circles = names_in_circles(member);
            for module in *modules {
                assert!(
                    circles
                        .iter()
                        .any(|(from, to, _)| from == module && modules.contains(&to.as_str())),
                    "{member}: {module}"
                );
            }
        }
    }
}
