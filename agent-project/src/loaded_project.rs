//! The project file of a document, and the files that it names.

use crate::report::Report;
use crate::source::{Source, is_stdin, read};
use agent_spec::check::is_catalog;
use agent_spec::project_file::{FILE_NAME, FilePattern, Found, Project, find, leads_out};
use agent_spec::{Code, Diagnostic};
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};

/// The maximum number of names that are compared with the patterns of a project file. An editor reads the project file in
/// somebody else's folder unattended, and a pattern such as `**/*/**/*` visits the folders again and again.
const MAX_NAMES: usize = 100_000;

/// The maximum number of parts of a pattern, between its slashes. The search recurses once for each part, so that a long
/// pattern in somebody else's project file would exhaust the stack of an editor's server.
const MAX_PARTS: usize = 128;

/// A project file without errors.
#[derive(Clone, Debug)]
pub struct LoadedProject {
    /// The project file.
    pub path: PathBuf,
    /// The settings.
    pub settings: Project,
    /// The files that `tools` names, sorted in each pattern, each once.
    pub tool_files: Vec<PathBuf>,
    /// The files that `models` names, in the order of `tool_files`.
    pub model_files: Vec<PathBuf>,
}

/// The error of finding or reading a project file.
#[derive(Debug)]
pub enum ProjectError {
    /// The file cannot be read. The message is one line.
    Read(String),
    /// The file has errors.
    Findings(Box<Report>),
}

/// Returns the folder whose project file applies to a document: that of the document, or the current
/// folder for standard input.
#[must_use]
pub fn folder_of(document: &Path) -> &Path {
    match document.parent() {
        Some(folder) if !is_stdin(document) && folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// Outcomes for projects, failures included. Each project is read once, because the search for its tool files may take a
/// second.
#[derive(Clone, Debug)]
pub struct ByProject<T> {
    /// The outcomes by the paths of project files; `None` where there is no project file.
    files: HashMap<Option<PathBuf>, T>,
}

impl<T> Default for ByProject<T> {
    fn default() -> Self {
        Self {
            files: HashMap::new(),
        }
    }
}

impl<T: Clone> ByProject<T> {
    /// Returns the outcome for the project of a folder: the one that `read` returned for the project file in the folder
    /// or in the first folder above it that has one.
    pub fn of(&mut self, folder: &Path, read: impl FnOnce(Found) -> T) -> T {
        let found = find(folder);
        let file = match &found {
            Ok(found) => found.as_ref().map(|(file, _)| file),
            Err((file, _)) => Some(file),
        };
        let outcome = self.files.entry(file.cloned());
        outcome.or_insert_with(|| read(found)).clone()
    }

    /// Returns the outcomes so far.
    pub fn outcomes(&self) -> impl Iterator<Item = &T> {
        self.files.values()
    }
}

/// Reads the project file that was found for a folder.
///
/// # Errors
/// Returns an error if the file cannot be read or has errors. A pattern without a file is an error, too.
pub fn load_found(found: Found) -> Result<Option<LoadedProject>, ProjectError> {
    match found {
        Ok(None) => Ok(None),
        Ok(Some((path, text))) => load(&path, &text).map(Some),
        Err((path, error)) => {
            let name = Source::inline(&short(&path), "").display_name();
            let message = format!("cannot read the project file `{name}`: {error}");
            Err(ProjectError::Read(message))
        }
    }
}

/// Reads the text of a project file, and finds the files that it names.
///
/// # Errors
/// Returns an error if the file has errors.
pub fn load(path: &Path, text: &str) -> Result<LoadedProject, ProjectError> {
    let name = short(path);
    let is_hidden = leads_out(path);
    let failed = |found: Vec<Diagnostic>| {
        let source = Source::inline(&name, text);
        if is_hidden {
            let name = source.display_name();
            return ProjectError::Read(format!(
                "the project file `{name}` is a link to a file outside of its folder, and has errors, which are not shown; \
                 copy the file into the folder"
            ));
        }
        ProjectError::Findings(Box::new(Report::new(source, found)))
    };
    let settings = Project::parse(text).map_err(|found| failed(found.iter().cloned().collect()))?;
    // The real path is used, because links that lead out of the folder are found by it.
    let folder = folder_of(path);
    let folder = &folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let mut models = Search::new("models", &[]);
    let mut found = models.add_all(folder, path, &settings.models);
    // A pattern such as "**/*.gram" in `tools` also matches what `models` names.
    let mut tools = Search::new("tools", &models.files);
    found.extend(tools.add_all(folder, path, &settings.tools));
    if !found.is_empty() {
        found.sort_by_key(|found| found.span().start);
        return Err(failed(found));
    }
    Ok(LoadedProject {
        path: path.to_owned(),
        settings,
        tool_files: tools.files,
        model_files: models.files,
    })
}

/// Returns a path relative to the current folder, if it is below it.
fn short(path: &Path) -> String {
    let current = std::env::current_dir().and_then(|folder| folder.canonicalize());
    let below = current
        .ok()
        .and_then(|folder| path.strip_prefix(folder).ok().map(Path::to_owned));
    below.as_deref().unwrap_or(path).display().to_string()
}

/// The search for the files that a setting of a project names.
struct Search {
    /// The setting.
    key: &'static str,
    /// Files that are left out: those of another setting, and those that were found already.
    taken: HashSet<PathBuf>,
    /// The number of names that were compared.
    names: usize,
    files: Vec<PathBuf>,
}

/// The reason why the search of a pattern ended.
enum Stop {
    /// A folder or a file cannot be read.
    Io(PathBuf, io::Error),
    /// There are more than [`MAX_NAMES`] names to compare.
    TooMany,
}

impl Search {
    fn new(key: &'static str, others: &[PathBuf]) -> Self {
        Self {
            key,
            taken: others.iter().cloned().collect(),
            names: 0,
            files: Vec::new(),
        }
    }

    /// Adds the files of all patterns. Returns the mistakes.
    fn add_all(
        &mut self,
        folder: &Path,
        project_file: &Path,
        patterns: &[FilePattern],
    ) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for pattern in patterns {
            found.extend(self.add(folder, project_file, pattern).err());
        }
        found
    }

    /// Adds the files of a pattern.
    fn add(
        &mut self,
        folder: &Path,
        project_file: &Path,
        pattern: &FilePattern,
    ) -> Result<(), Diagnostic> {
        let wrong = |message: String| Diagnostic::new(Code::BadValue, pattern.span, message);
        let (key, text) = (self.key, &pattern.text);
        let mut parts: Vec<&str> = text.split('/').filter(|part| *part != ".").collect();
        parts.dedup_by(|next, part| *part == "**" && next == part);
        if parts.len() > MAX_PARTS {
            let found = wrong(format!("a path in `{key}` has more than {MAX_PARTS} parts"));
            return Err(found.with_help("write `**` for folders at any depth"));
        }
        let mut files = Vec::new();
        self.walk(folder, &parts, &mut files)
            .map_err(|stop| match stop {
                Stop::Io(path, error) => wrong(format!(
                    "`{text}` in `{key}` cannot be read: `{}`: {error}",
                    short(&path)
                )),
                Stop::TooMany => wrong(format!(
                    "`{text}` in `{key}` matches in folders with more than {MAX_NAMES} names"
                ))
                .with_help("name the folders with the files"),
            })?;
        if files.is_empty() {
            let found = wrong(format!("`{text}` in `{key}` names no file"));
            return Err(found.with_help(
                "the path is relative to the folder of the project file; correct it, or remove it",
            ));
        }
        files.sort();
        for file in files {
            // The real path also identifies a file that two patterns name.
            let real = file.canonicalize().map_err(|error| {
                wrong(format!(
                    "`{text}` in `{key}` cannot be read: `{}`: {error}",
                    short(&file)
                ))
            })?;
            if !real.starts_with(folder) {
                let message = format!(
                    "`{text}` in `{key}` leads through a link to `{}`, outside of the project",
                    real.display()
                );
                return Err(wrong(message).with_help("copy the file into the project"));
            }
            if real == project_file || !self.taken.insert(real.clone()) {
                continue;
            }
            self.files.push(real.clone());
            if let Some((kind, help)) = self.wrong_kind(&real) {
                let message = format!("`{text}` in `{key}` names `{}`, {kind}", short(&real));
                return Err(wrong(message).with_help(help));
            }
        }
        Ok(())
    }

    /// Returns the kind of a file that belongs into another setting, and advice.
    fn wrong_kind(&self, file: &Path) -> Option<(&'static str, &'static str)> {
        // A file that cannot be read is reported when it is read.
        let text = read(file).ok()?.text;
        let is_models = self.key == "models";
        match is_catalog(&text) {
            true if !is_models => Some(("which is a catalogue of models", "name it in `models`")),
            false if is_models && is_other_document(&text) => Some((
                "which is no catalogue of models",
                "a catalogue holds patterns such as `[OpenAI:Catalog | [gpt-6-luna:Model {…}]]`; files with tools are \
                 named in `tools`",
            )),
            _ => None,
        }
    }

    /// Collects the files below a folder that match the rest of a pattern.
    fn walk(
        &mut self,
        folder: &Path,
        parts: &[&str],
        files: &mut Vec<PathBuf>,
    ) -> Result<(), Stop> {
        let Some((part, rest)) = parts.split_first() else {
            return Ok(());
        };
        if *part == "**" {
            // `**` matches no folder, or a folder and then `**` again.
            self.walk(folder, rest, files)?;
        } else if !part.contains(['*', '?']) {
            let path = folder.join(part);
            match fs::metadata(&path) {
                Ok(found) if rest.is_empty() && found.is_file() => files.push(path),
                Ok(found) if !rest.is_empty() && found.is_dir() => self.walk(&path, rest, files)?,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(Stop::Io(path, error)),
            }
            return Ok(());
        }
        for (name, kind) in self.entries(folder)? {
            let path = folder.join(&name);
            let Some(name) = name.to_str() else {
                continue;
            };
            // A wildcard does not match a hidden name, as in a shell.
            let is_hidden = name.starts_with('.') && !part.starts_with('.');
            if is_hidden {
                continue;
            }
            if *part == "**" {
                // A link is not followed, so that the search ends.
                if kind.is_dir() {
                    self.walk(&path, parts, files)?;
                }
            } else if is_match(part.as_bytes(), name.as_bytes()) {
                // The kind of a link is that of its target.
                let is = |of_target: fn(&Path) -> bool, is_kind: bool| match kind.is_symlink() {
                    true => of_target(&path),
                    false => is_kind,
                };
                match rest {
                    [] if is(Path::is_file, kind.is_file()) => files.push(path),
                    [_, ..] if is(Path::is_dir, kind.is_dir()) => self.walk(&path, rest, files)?,
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Returns the names in a folder.
    fn entries(&mut self, folder: &Path) -> Result<Vec<(std::ffi::OsString, FileType)>, Stop> {
        let failed = |error| Stop::Io(folder.to_owned(), error);
        let mut entries = Vec::new();
        for entry in fs::read_dir(folder).map_err(failed)? {
            self.names += 1;
            if self.names > MAX_NAMES {
                return Err(Stop::TooMany);
            }
            let entry = entry.map_err(failed)?;
            entries.push((entry.file_name(), entry.file_type().map_err(failed)?));
        }
        Ok(entries)
    }
}

/// Whether a text that is not a catalogue has patterns. A text with syntax errors does not count, because its
/// errors are reported in the file.
fn is_other_document(text: &str) -> bool {
    let parsed = agent_gram::parse(text);
    parsed.errors.is_empty() && parsed.document.items().next().is_some()
}

/// Whether a name matches a pattern with `*` and `?`.
fn is_match(pattern: &[u8], name: &[u8]) -> bool {
    // The position after the last `*`, and the number of bytes that this `*` matches so far.
    let (mut at, mut of, mut star) = (0, 0, None);
    while of < name.len() {
        match pattern.get(at) {
            Some(b'*') => {
                at += 1;
                star = Some((at, of));
            }
            Some(b'?') => {
                at += 1;
                of += 1;
                // The other bytes of the character.
                while name.get(of).is_some_and(|byte| byte & 0xc0 == 0x80) {
                    of += 1;
                }
            }
            Some(byte) if *byte == name[of] => {
                at += 1;
                of += 1;
            }
            _ => match &mut star {
                Some((after, begun)) => {
                    *begun += 1;
                    at = *after;
                    of = *begun;
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

/// Whether a path has the name of project files.
#[must_use]
pub fn has_project_name(path: &Path) -> bool {
    path.file_name() == Some(OsStr::new(FILE_NAME))
}

#[cfg(test)]
mod tests {
    use super::{ByProject, is_match, load_found};
    use std::fs;

    #[test]
    fn each_project_is_read_once() {
        let folder =
            std::env::temp_dir().join(format!("agent-lsp-projects-{}", std::process::id()));
        let below = |name: &str| folder.join(name);
        for name in [
            "good/a/b",
            "good/c",
            "bad/a",
            "bad/b",
            "neither/a",
            "good/missing",
        ] {
            fs::create_dir_all(below(name)).expect("a folder");
        }
        fs::write(below("agent.gram"), "{tools: [\"**/*/**/*/x.gram\"]}").expect("a file");
        fs::write(below("good/agent.gram"), "{style: \"list\"}").expect("a file");
        fs::write(below("bad/agent.gram"), [0xff]).expect("a file");
        let mut read = 0;
        let mut projects = ByProject::default();
        let mut outcome = |name: &str| {
            projects.of(&below(name), |found| {
                read += 1;
                match load_found(found) {
                    Ok(project) => format!("{:?}", project.map(|project| project.settings.style)),
                    Err(error) => format!("{error:?}")
                        .split('(')
                        .next()
                        .unwrap_or_default()
                        .to_owned(),
                }
            })
        };
        for _ in 0..2 {
            for name in [
                "good/a/b",
                "good/c",
                "good",
                "good/a",
                "good/missing/further",
            ] {
                assert!(outcome(name).contains("List"), "{name}");
            }
            for (name, error) in [
                ("bad/a", "Read"),
                ("bad/b", "Read"),
                ("neither/a", "Findings"),
                ("", "Findings"),
            ] {
                assert_eq!(outcome(name), error, "{name}");
            }
        }
        assert_eq!(read, 3);
        fs::remove_dir_all(folder).expect("the folder");
    }

    #[cfg(unix)]
    #[test]
    fn errors_do_not_show_a_file_outside_of_the_folder_of_its_link() {
        use super::{ProjectError, load};
        use std::os::unix::fs::symlink;

        let folder = std::env::temp_dir().join(format!("agent-links-{}", std::process::id()));
        let project = folder.join("project");
        fs::create_dir_all(project.join("inner")).expect("a folder");
        let text = "{style: \"lsit\", password: \"hunter2\"}";
        let good = "{style: \"list\"}";
        fs::write(folder.join("secret.gram"), text).expect("a file");
        fs::write(project.join("inner/own.gram"), text).expect("a file");
        for (target, text, is_shown) in [
            ("../secret.gram", text, false),
            ("inner/own.gram", text, true),
            ("../project/inner/own.gram", text, true),
            ("../secret.gram", "{tools: [\"hunter2/*\"]}", false),
            ("missing.gram", text, false),
        ] {
            let link = project.join("agent.gram");
            let _ = fs::remove_file(&link);
            symlink(target, &link).expect("a link");
            let error = load(&link, text).expect_err(target);
            assert_eq!(
                matches!(error, ProjectError::Findings(_)),
                is_shown,
                "{target}"
            );
            let shown = format!("{error:?}");
            assert_eq!(shown.contains("hunter2"), is_shown, "{target}: {shown}");
            load(&link, good).expect(target);
        }
        fs::remove_dir_all(folder).expect("the folder");
    }

    #[test]
    fn stars_and_question_marks_match_names() {
        for (pattern, name, expected) in [
            ("*.gram", "a.gram", true),
            ("*.gram", ".gram", true),
            ("*.gram", "a.gram.md", false),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxbyy", false),
            ("*", "", true),
            ("?.gram", "é.gram", true),
            ("?.gram", "ab.gram", false),
            ("**a", "ba", true),
            ("a", "ab", false),
            ("ab", "a", false),
        ] {
            assert_eq!(
                is_match(pattern.as_bytes(), name.as_bytes()),
                expected,
                "{pattern} {name}"
            );
        }
    }
}
