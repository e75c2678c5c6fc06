//! `agent fmt`: formats documents in the canonical layout.

mod find;
mod report;

use crate::input::refuse_stdin_twice;
use crate::outcome::{CommandError, Outcome};
use crate::output_format::FindingsFormat;
use crate::projects::unreadable;
use crate::replace;
use crate::style::Style;
use agent_project::loaded_project::{ByProject, folder_of, has_project_name, load_found};
use agent_project::report::Report;
use agent_project::source::{self, is_stdin};
use agent_spec::project_file::is_project;
use agent_spec::{Diagnostic, Style as TypeStyle, restyle};
use clap::builder::{PossibleValuesParser, TypedValueParser};
pub(crate) use find::FoundFiles;
use report::{Action, FormattedFile, Reporter};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

const LONG_ABOUT: &str = "\
Format documents in the canonical layout

Only blanks and line ends change, so a document keeps its meaning; comments stay between the same tokens.
A formatted file is not written. Other files are replaced atomically and named on standard error; for a
symbolic link, its target is replaced. A file with syntax errors is not changed and is reported as by
`agent check`, and the exit code is 1. If a file cannot be read or written, the exit code is 2. The other
files are formatted in both cases.

A directory means the `*.gram` files in it, at any depth, without hidden files, links, and files that git
ignores (.gitignore, .git/info/exclude, the user's own file). A file that is given itself can have any
name. `-` is standard input; its formatted text goes to standard output.

--check writes no file and prints the names of those that would change on standard output. The exit code
is 1 if there are any.

--diff writes no file and prints the changes as a unified diff on standard output. In a file or pipe, the diff has
the bytes of the document, because `patch` needs them; on a terminal, characters that control it are replaced. The
exit code depends on the changes only with --check.

--style list and --style portable write the types of signatures in one of two equivalent forms:
`fields: [{name: \"age\", type: \"Int\"}]`, or `fields: {age: \"Int\"}`, which the official gram tools can
read, too. Parts that the style cannot express are not changed, with a warning. The signatures of the
document must not have errors. Without --style, the project file (`agent.gram` in the folder of the document
or above) sets the style: {style: \"portable\"}. Without both, and in a document whose signatures have errors,
each type keeps its form.

With --format short, standard output has one line for each finding. With --format json, it has one
document, and nothing else:
  {\"files\":[{\"file\",\"changed\",\"text\"?,\"diff\"?}],\"diagnostics\":[…]}
The document lists the files without errors: whether each changed or would change, its diff with --diff,
and the formatted text of standard input without --check and --diff. The diagnostics are those of
`agent check`.";

const AFTER_HELP: &str = "\
Examples:
  agent fmt agents/hello.gram tools/
  agent fmt --check .
  agent fmt --diff agents/hello.gram
  agent fmt --style portable agents/
  echo '[a|b,(c) --> (d)]' | agent fmt -";

/// Format documents in the canonical layout
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The documents, or directories of them; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write no file, print the names of those that would change, and exit with 1 if there are any
    #[arg(long)]
    check: bool,
    /// Write no file, and print the changes
    #[arg(long)]
    diff: bool,
    /// The form of the types in signatures; without this, that of the project file
    #[arg(long, value_name = "STYLE", value_parser = style_values())]
    style: Option<TypeStyle>,
    /// The format of the findings
    #[arg(long, value_enum, default_value_t)]
    format: FindingsFormat,
}

fn style_values() -> impl TypedValueParser<Value = TypeStyle> {
    let names = TypeStyle::ALL.iter().map(|style| style.as_str());
    PossibleValuesParser::new(names).try_map(|name| name.parse::<TypeStyle>())
}

/// The result of formatting one file.
enum Formatted {
    /// The formatted text.
    File(FormattedFile),
    /// The errors of a text that was left as it is.
    Errors(Report),
}

/// Formats documents.
pub(crate) fn fmt(args: Args, style: &Style) -> Result<Outcome, CommandError> {
    refuse_stdin_twice(&args.files)?;
    let action = match (args.diff, args.check) {
        (true, _) => Action::Diff,
        (false, true) => Action::Name,
        (false, false) => Action::Write,
    };
    let FoundFiles { files, errors, .. } = FoundFiles::of(&args.files);
    let mut troubles = errors;
    let mut reporter = Reporter::new(args.format, action, style);
    let mut project_styles = ProjectStyles::default();
    for path in &files {
        match format_file(path, action, args.style, &mut project_styles) {
            Ok(Formatted::File(file)) => reporter.formatted(file)?,
            Ok(Formatted::Errors(report)) => reporter.errors(report)?,
            Err(trouble) => troubles.push(trouble),
        }
    }
    let summary = reporter.finish()?;
    if !troubles.is_empty() {
        return Err(CommandError::from_messages(troubles));
    }
    Ok(Outcome::of_errors(
        summary.has_errors || args.check && summary.has_changes,
    ))
}

/// Formats one file, and writes it if the action is to write.
fn format_file(
    path: &Path,
    action: Action,
    style: Option<TypeStyle>,
    project_styles: &mut ProjectStyles,
) -> Result<Formatted, String> {
    let source = source::read(path).map_err(|error| error.to_string())?;
    let formatted = match style {
        Some(style) => format_text(&source.text, Some(style)),
        None => format_in_project(path, &source.text, project_styles)?,
    };
    let (formatted, warnings) = match formatted {
        Ok(formatted) => formatted,
        Err(diagnostics) => return Ok(Formatted::Errors(Report::new(source, diagnostics))),
    };
    let changed = source.has_byte_order_mark || source.text != formatted;
    if changed && action == Action::Write && !is_stdin(path) {
        replace::replace(path, &formatted)
            .map_err(|error| format!("cannot write `{}`: {error}", source.name))?;
    }
    Ok(Formatted::File(FormattedFile {
        source,
        formatted,
        warnings,
        changed,
        is_stdin: is_stdin(path),
    }))
}

/// The styles that project files set, or the reasons why the files cannot be read.
type ProjectStyles = ByProject<Result<Option<TypeStyle>, String>>;

/// Formats a text in the style of its project. The style is left out if signatures have errors, because it
/// was not asked for.
fn format_in_project(
    path: &Path,
    text: &str,
    styles: &mut ProjectStyles,
) -> Result<FormatResult, String> {
    if has_project_name(path) && is_project(text) {
        return Ok(format_text(text, None));
    }
    let style = styles.of(folder_of(path), |found| match load_found(found) {
        Ok(project) => Ok(project.and_then(|project| project.settings.style)),
        Err(error) => {
            let messages: Vec<String> = unreadable(error).messages().map(str::to_owned).collect();
            Err(messages.join("; "))
        }
    })?;
    let formatted = format_text(text, style);
    Ok(match formatted {
        Err(_) if style.is_some() => format_text(text, None),
        formatted => formatted,
    })
}

/// The formatted text with warnings about the parts that a style cannot express, or the errors.
type FormatResult = Result<(String, Vec<Diagnostic>), Vec<Diagnostic>>;

/// Returns the formatted text, and warnings about the parts that the style cannot express.
fn format_text(text: &str, style: Option<TypeStyle>) -> FormatResult {
    let (text, warnings) = match style {
        None => (Cow::Borrowed(text), Vec::new()),
        Some(style) => {
            let restyled = restyle(text, style);
            let restyled = restyled.map_err(|found| found.iter().cloned().collect::<Vec<_>>())?;
            (Cow::Owned(restyled.text), restyled.warnings)
        }
    };
    match agent_gram::format_source(&text) {
        Ok(formatted) => Ok((formatted, warnings)),
        Err(errors) => Err(errors.iter().map(Diagnostic::from).collect()),
    }
}
