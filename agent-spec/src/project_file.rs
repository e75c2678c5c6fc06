//! Project files: what the documents of a folder may name, and the style of their signatures.
//!
//! A project file is named `agent.gram`. It holds one record, and applies to the documents of its folder
//! and of the folders below:
//!
//! ```
//! use agent_spec::{Style, project_file::Project};
//!
//! let project = Project::parse(
//!     "{tools: [\"gram/*.gram\"], style: \"portable\", providers: [\"Acme\"]}",
//! )?;
//! assert_eq!(project.tools[0].text, "gram/*.gram");
//! assert_eq!(project.style, Some(Style::Portable));
//! assert_eq!(project.providers, ["Acme"]);
//! # Ok::<(), agent_spec::Diagnostics>(())
//! ```
//!
//! A project file has names for checks only. It grants nothing, starts nothing and has no address, because
//! the folder may come from a stranger.

use crate::check::{Options, Reader, items};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use crate::model::PROVIDERS;
use crate::style::{Style, UnknownStyle};
use crate::vocabulary::{PROJECT_KEYS, RecordKind};
use agent_gram::Span;
use agent_gram::syntax::{Property, Record, Value};
use agent_types::names::nearest;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The name of project files.
pub const FILE_NAME: &str = "agent.gram";

/// The settings of a project file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Project {
    /// The files whose tools every document may name.
    pub tools: Vec<FilePattern>,
    /// The style of signatures, if it is set.
    pub style: Option<Style>,
    /// The providers that models may name besides [`PROVIDERS`].
    pub providers: Vec<String>,
    /// The catalogues of models with which agents are checked.
    pub models: Vec<FilePattern>,
}

/// Files below the folder of a project file: a relative path with `/`, in which `*` and `?` match
/// characters of a name, and `**` matches any number of folders.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FilePattern {
    /// The pattern.
    pub text: String,
    /// Its position in the project file.
    pub span: Span,
}

impl Project {
    /// Reads a project file.
    ///
    /// # Errors
    /// Returns the mistakes of the file.
    pub fn parse(source: &str) -> Result<Self, Diagnostics> {
        read_project(source).map_err(|found| Diagnostics::new(source, found))
    }
}

/// Whether the text of a file named [`FILE_NAME`] is that of a project file, with or without mistakes.
///
/// A document with agents or tools may have that name, too. It is no project file, unless it begins with
/// a record that has a setting of projects.
#[must_use]
pub fn is_project(source: &str) -> bool {
    let parsed = agent_gram::parse(source);
    let document = &parsed.document;
    let has_setting = |record: Record<'_>| {
        let mut keys = record.properties().map(|property| property.key().text());
        keys.any(|key| PROJECT_KEYS.contains(&key))
    };
    document.items().next().is_none() || document.header().is_some_and(has_setting)
}

/// The path and the text of a project file, if there is one; or the path of a file of that name that cannot be
/// read, or that is a directory, and the reason.
pub type Found = Result<Option<(PathBuf, String)>, (PathBuf, io::Error)>;

/// Returns the project file of a folder: the first one in the folder or in the folders above it.
///
/// # Errors
/// Returns the path of a file of that name that cannot be read, or that is a directory, and the reason.
pub fn find(folder: &Path) -> Found {
    let real = real_folder(folder);
    let mut found = real.ancestors().map(find_in);
    let first = found.find(|found| !matches!(found, Ok(None)));
    first.unwrap_or(Ok(None))
}

/// Whether a project file is a link that leads out of its folder. Errors do not show the text of such a file, because the
/// folder may come from others, and the file be one that they cannot read.
#[must_use]
pub fn leads_out(path: &Path) -> bool {
    let is_link = path
        .symlink_metadata()
        .is_ok_and(|found| found.is_symlink());
    let folder = path.parent().unwrap_or(path);
    let folder = match folder == Path::new("") {
        true => Path::new("."),
        false => folder,
    };
    is_link
        && match (path.canonicalize(), folder.canonicalize()) {
            (Ok(target), Ok(folder)) => !target.starts_with(folder),
            _ => true,
        }
}

/// Returns the path of a folder without links and `..`, because a project file applies to the folders below its
/// real path.
fn real_folder(folder: &Path) -> PathBuf {
    let real = folder
        .canonicalize()
        .or_else(|_| std::path::absolute(folder));
    real.unwrap_or_else(|_| folder.to_owned())
}

/// Returns the project file in a folder itself.
fn find_in(folder: &Path) -> Found {
    let path = folder.join(FILE_NAME);
    match read(&path) {
        Ok(text) if is_project(&text) => Ok(Some((path, text))),
        Ok(_) => Ok(None),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err((path, error)),
    }
}

/// Reads a file without its byte order mark.
fn read(path: &Path) -> io::Result<String> {
    // Not every system fails with a clear error when a directory is read.
    if path.is_dir() {
        let text = "it is a directory, and a project file has this name; rename the directory";
        return Err(io::Error::new(ErrorKind::IsADirectory, text));
    }
    let bytes = crate::file::read(path)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let text =
            format!("it is not UTF-8 text: the byte at offset {offset} belongs to no character");
        io::Error::new(ErrorKind::InvalidData, text)
    })?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

const EXAMPLE: &str = "write a record such as `{tools: [\"gram/*.gram\"], style: \"portable\", providers: [\"Acme\"]}`";

/// Reads a project file.
///
/// # Errors
/// Returns the mistakes of the file, in source order.
fn read_project(source: &str) -> Result<Project, Vec<Diagnostic>> {
    let parsed = agent_gram::parse(source);
    let document = &parsed.document;
    let mut reader = Reader::new(Options::default());
    reader.report_syntax_errors(&parsed.errors);
    let mut project = Project::default();
    match document.header() {
        Some(record) => {
            reader.refuse_duplicate_keys(record.properties());
            for property in record.properties() {
                read_setting(&mut reader, property, &mut project);
            }
        }
        None if parsed.errors.is_empty() => {
            let found = Diagnostic::new(
                Code::BadProjectFile,
                Span::at(0),
                "the project file has no settings",
            );
            reader.report(found.with_help(EXAMPLE));
        }
        None => {}
    }
    if let Some(item) = document.items().next()
        && parsed.errors.is_empty()
    {
        let message =
            "a project file holds its settings only; this pattern belongs into a document";
        let found = Diagnostic::new(Code::BadProjectFile, item.span(), message);
        reader.report(found.with_help(
            "move it to another file, and name that file in `tools` if documents use its tools",
        ));
    }
    let (found, _) = reader.findings.into_sorted();
    let is_wrong = found
        .iter()
        .any(|found| found.severity() == Severity::Error);
    if is_wrong { Err(found) } else { Ok(project) }
}

fn read_setting(reader: &mut Reader<'_>, property: Property<'_>, project: &mut Project) {
    let value = property.value();
    match property.key().text() {
        "tools" => {
            for item in items(value) {
                project.tools.extend(read_pattern(reader, item, "tools"));
            }
        }
        "models" => {
            for item in items(value) {
                project.models.extend(read_pattern(reader, item, "models"));
            }
        }
        "style" => project.style = read_style(reader, value),
        "providers" => {
            for item in items(value) {
                project.providers.extend(read_provider(reader, item));
            }
        }
        _ => {
            reader.unknown_key(property.key(), RecordKind::Project.owner(), &PROJECT_KEYS);
        }
    }
}

/// Reads a pattern of files below the folder of the project file.
fn read_pattern(reader: &mut Reader<'_>, value: Value<'_>, key: &str) -> Option<FilePattern> {
    let text = reader.text(value, &format!("`{key}`"))?;
    let is_drive = text.as_bytes().get(1) == Some(&b':');
    let mistake = if text.is_empty() {
        "is empty"
    } else if text.contains('\\') {
        "has a `\\`; write `/` between folders, on Windows, too"
    } else if text.starts_with('/') || is_drive {
        "is an absolute path"
    } else if text.split('/').any(|part| part == "..") {
        "leads out of the folder of the project file"
    } else if text.split('/').any(str::is_empty) {
        "has a folder without a name"
    } else {
        return Some(FilePattern {
            text: text.to_owned(),
            span: value.span(),
        });
    };
    let message = format!("the path {text:?} in `{key}` {mistake}");
    let found = Diagnostic::new(Code::BadValue, value.span(), message);
    reader.report(found.with_help(format!(
        "name files below the folder of the project file, such as \"gram/*.gram\"; other files are \
         given with `--{key}`"
    )));
    None
}

fn read_style(reader: &mut Reader<'_>, value: Value<'_>) -> Option<Style> {
    let name = reader.text(value, "`style`")?;
    match name.parse() {
        Ok(style) => Some(style),
        Err(error) => {
            let error: UnknownStyle = error;
            let found = Diagnostic::new(Code::BadValue, value.span(), error.to_string());
            let known = Style::ALL.iter().map(|style| style.as_str());
            reader.report(match nearest(name, known) {
                Some(meant) => found.with_help(format!("did you mean \"{meant}\"?")),
                None => found,
            });
            None
        }
    }
}

/// Reads the name of a provider. The same names are refused as for `--provider`.
fn read_provider(reader: &mut Reader<'_>, value: Value<'_>) -> Option<String> {
    let name = reader.text(value, "`providers`")?;
    let known = PROVIDERS
        .iter()
        .find(|known| known.eq_ignore_ascii_case(name));
    let (message, help) = match known {
        Some(known) if *known != name => (
            format!("`{name}` is too similar to the built-in provider `{known}`"),
            format!("models name it `{known}`, and it is always known"),
        ),
        _ if name.contains('=') || name.contains("://") => (
            "a project file holds no address of a provider".to_owned(),
            "write the name alone; the address is given with `--provider NAME=URL`".to_owned(),
        ),
        _ if name.trim() != name
            || name.is_empty()
            || name.contains('/')
            || name.contains(char::is_control) =>
        {
            (
                format!("{name:?} is not the name of a provider"),
                "write the name before the `/` of a model, such as \"Acme\"".to_owned(),
            )
        }
        _ => return Some(name.to_owned()),
    };
    reader.report(Diagnostic::new(Code::BadValue, value.span(), message).with_help(help));
    None
}
