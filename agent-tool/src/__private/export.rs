//! Writing the gram of tools and agents to files, in the tests that `export` adds.

use crate::tool::{StaticTools as _, Toolbox};
use agent_spec::{Agent, ToolSet};
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io;
use std::panic::Location;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The variable that sets the mode of the tests: `check` or `write`.
const MODE_VARIABLE: &str = "AGENT_GRAM";

/// The variable that CI services set.
const CI_VARIABLE: &str = "CI";

/// Writes `<folder>/<name>.gram` in the folder of the user's package. In check mode, compares the file.
///
/// The file has the style that the project file, `agent.gram`, sets.
///
/// # Panics
/// When the file is out of date in check mode, when it cannot be read or written, when another export of this
/// program writes the same file with another text, or when `AGENT_GRAM` has another value. The message
/// explains what to do.
#[track_caller]
pub fn export_gram(package: &str, folder: &str, name: &str, gram: &str) {
    export(package, folder, &[(name.to_owned(), file_text(gram))]);
}

/// Exports each tool as [`export_gram`] does.
///
/// # Panics
/// As [`export_gram`]; one message names every file.
#[track_caller]
pub fn export_tools(package: &str, folder: &str, tools: ToolSet) {
    let text = |tool: &agent_spec::ToolDescriptor| {
        Some((tool.name().to_owned(), file_text(&tool.to_gram()?)))
    };
    let files: Vec<_> = tools.iter().filter_map(text).collect();
    export(package, folder, &files);
}

/// Exports all tools of a toolbox in one file, as [`export_gram`] does.
///
/// # Panics
/// As [`export_gram`].
#[track_caller]
pub fn export_toolbox<B: Toolbox>(package: &str, folder: &str, name: &str) {
    export_gram(package, folder, name, &B::TOOLS.to_gram());
}

/// Exports an agent with all its tools, as [`export_gram`] does.
///
/// # Panics
/// As [`export_gram`].
#[track_caller]
pub fn export_agent(package: &str, folder: &str, agent: &Agent) {
    export_gram(package, folder, agent.name(), &agent.to_gram());
}

#[track_caller]
fn export(package: &str, folder: &str, files: &[(String, String)]) {
    let mode = std::env::var_os(MODE_VARIABLE);
    let ci = std::env::var_os(CI_VARIABLE);
    let mode = match Mode::of(mode.as_deref(), ci.as_deref()) {
        Ok(mode) => mode,
        Err(message) => panic!("{message}"),
    };
    assert!(
        stays_inside(folder),
        "`export` writes below the package's folder, and `{folder}` is outside of it"
    );
    let place = Location::caller();
    let problems: Vec<String> = files
        .iter()
        .filter_map(|(name, gram)| {
            let display_path = format!("{folder}/{name}.gram");
            let path = Path::new(package).join(&display_path);
            in_project_style(Path::new(package), folder, gram)
                .and_then(|gram| {
                    claim(&path, &display_path, &gram, place)?;
                    mode.apply(&path, &display_path, &gram)
                })
                .err()
        })
        .collect();
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

/// Whether a relative path stays below the package's folder. The macros reject other paths, too. This check
/// protects files elsewhere from other callers.
fn stays_inside(folder: &str) -> bool {
    Path::new(folder)
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// Returns a text in the style that the project file of its folder sets, if it sets one.
fn in_project_style(package: &Path, folder: &str, gram: &str) -> Result<String, String> {
    use agent_spec::project_file::{Project, find, leads_out};

    // The folder does not exist before the first file is written.
    let folder = Some(package.join(folder)).filter(|folder| folder.is_dir());
    let (path, text) = match find(folder.as_deref().unwrap_or(package)) {
        Ok(Some(found)) => found,
        Ok(None) => return Ok(gram.to_owned()),
        Err((path, error)) => {
            let path = path.display();
            return Err(format!("cannot read the project file `{path}`: {error}"));
        }
    };
    let project = Project::parse(&text).map_err(|found| {
        let shown = path.display();
        match leads_out(&path) {
            true => format!(
                "the project file `{shown}` is a link to a file outside of its folder, and has errors, which are not shown"
            ),
            false => format!("the project file `{shown}` has errors:\n{found}"),
        }
    })?;
    let Some(style) = project.style else {
        return Ok(gram.to_owned());
    };
    // The same steps as in `agent fmt`, so that `agent fmt` does not change the file.
    let restyled = agent_spec::restyle(gram, style).map_err(|found| found.to_string())?;
    agent_gram::format_source(&restyled.text).map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        errors.join("\n")
    })
}

/// Returns the text of a file, which ends with a line end.
fn file_text(gram: &str) -> String {
    format!("{}\n", gram.trim_end())
}

/// The action for a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Check,
    Write,
}

impl Mode {
    /// The mode that the variables set: the value of `AGENT_GRAM`, otherwise `check` if `CI` is set,
    /// otherwise `write`.
    fn of(mode: Option<&OsStr>, ci: Option<&OsStr>) -> Result<Self, String> {
        match mode.map(OsStr::to_string_lossy).as_deref() {
            Some("check") => Ok(Self::Check),
            Some("write") => Ok(Self::Write),
            None | Some("") => Ok(if is_true(ci) {
                Self::Check
            } else {
                Self::Write
            }),
            Some(other) => Err(format!(
                "{MODE_VARIABLE} is `{other}`; it is `check`, to compare the files, or `write`, to \
                 write them"
            )),
        }
    }

    fn apply(self, path: &Path, display_path: &str, gram: &str) -> Result<(), String> {
        let found = match std::fs::read(path) {
            Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(format!("cannot read `{display_path}`: {error}")),
        };
        // Git may have converted the line ends.
        let is_same = |found: &String| found.replace("\r\n", "\n") == gram;
        if found.as_ref().is_some_and(is_same) {
            return Ok(());
        }
        match self {
            Self::Check => Err(stale(display_path, found.as_deref(), gram)),
            Self::Write => {
                write(path, gram).map_err(|error| format!("cannot write `{display_path}`: {error}"))
            }
        }
    }
}

/// Whether a variable is set to a value that means true.
fn is_true(value: Option<&OsStr>) -> bool {
    let value = value.map(|value| value.to_string_lossy().to_ascii_lowercase());
    !matches!(
        value.as_deref(),
        None | Some("" | "0" | "false" | "no" | "off")
    )
}

fn stale(display_path: &str, found: Option<&str>, gram: &str) -> String {
    let what = match found {
        Some(_) => "is out of date",
        None => "is missing",
    };
    let diff = unified(
        display_path,
        &found.unwrap_or_default().replace("\r\n", "\n"),
        gram,
    );
    format!("`{display_path}` {what}; to write it: {MODE_VARIABLE}=write cargo test\n\n{diff}")
}

/// Writes a file under another name, then renames it, so that no test reads an incomplete file.
fn write(path: &Path, gram: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let part = part_of(path);
    let written = std::fs::write(&part, gram).and_then(|()| std::fs::rename(&part, path));
    if written.is_err() {
        // Best effort: the error that matters is the first one.
        let _ = std::fs::remove_file(&part);
    }
    written
}

/// Returns a path beside the file that only this thread uses.
fn part_of(path: &Path) -> PathBuf {
    let thread: String = format!("{:?}", std::thread::current().id())
        .chars()
        .filter(char::is_ascii_digit)
        .collect();
    path.with_extension(format!("gram.{}-{thread}.part", std::process::id()))
}

/// The files of this process's exports. The tests of a program run in one process and in any order, so two
/// exports with one name would overwrite each other's file in turns.
static FILES: Mutex<Claims> = Mutex::new(Claims::new());

/// Files with their texts and the exports that write them.
struct Claims {
    files: Vec<(PathBuf, String, &'static Location<'static>)>,
}

/// Reports a file that another export of this process writes, with another text.
fn claim(
    path: &Path,
    display_path: &str,
    text: &str,
    place: &'static Location<'static>,
) -> Result<(), String> {
    // After a panic of a test, the list is still valid.
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    files.claim(path, display_path, text, place)
}

impl Claims {
    const fn new() -> Self {
        Self { files: Vec::new() }
    }

    fn claim(
        &mut self,
        path: &Path,
        display_path: &str,
        text: &str,
        place: &'static Location<'static>,
    ) -> Result<(), String> {
        match self.files.iter().find(|(other, ..)| other == path) {
            Some((_, known, other)) if known != text => {
                let (first, second) = (place.min(other), place.max(other));
                Err(format!(
                    "two exports write `{display_path}` and would overwrite each other: the one at {first} \
                     and the one at {second}; set another name or another folder for one of them"
                ))
            }
            Some(_) => Ok(()),
            None => {
                self.files.push((path.to_owned(), text.to_owned(), place));
                Ok(())
            }
        }
    }
}

/// Lines of context around a change.
const CONTEXT: usize = 3;

/// Returns a unified diff with one hunk: all lines between the common beginning and the common end, with a few
/// lines of context. The files are short, so this is enough.
fn unified(name: &str, old: &str, new: &str) -> String {
    let (old, new) = (lines(old), lines(new));
    let before = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[before..], &new[before..]);
    let after = old_rest
        .iter()
        .rev()
        .zip(new_rest.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let from = before.saturating_sub(CONTEXT);
    let context = after.min(CONTEXT);
    let (old_end, new_end) = (old.len() - after, new.len() - after);
    let mut diff = format!("--- {name}\n+++ {name} (as the code says it)\n");
    let _ = writeln!(
        diff,
        "@@ -{} +{} @@",
        range(from, old_end + context),
        range(from, new_end + context)
    );
    let mut put = |mark: char, lines: &[&str]| {
        for line in lines {
            let _ = write!(diff, "{mark}{line}");
            if !line.ends_with('\n') {
                diff.push_str("\n\\ No newline at end of file\n");
            }
        }
    };
    put(' ', &old[from..before]);
    put('-', &old[before..old_end]);
    put('+', &new[before..new_end]);
    put(' ', &old[old_end..old_end + context]);
    diff
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Formats a range of lines as a diff does: the first line and their number. An empty range has the number of the
/// line before it.
fn range(from: usize, to: usize) -> String {
    let first = if to > from { from + 1 } else { from };
    format!("{first},{}", to - from)
}

#[cfg(test)]
mod tests;
