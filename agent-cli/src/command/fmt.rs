//! `agent fmt`: formats documents in the canonical layout.

mod find;
mod replace;
mod report;

use crate::input::refuse_stdin_twice;
use crate::outcome::{CommandError, Outcome};
use crate::output_format::FindingsFormat;
use crate::style::Style;
use agent_lsp::report::Report;
use agent_lsp::source::{self, Source};
use agent_spec::{Diagnostic, Style as TypeStyle, restyle};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use find::{FoundFiles, Input};
use report::{Action, FormattedFile, Reporter};
use std::borrow::Cow;
use std::path::PathBuf;

const LONG_ABOUT: &str = "\
Lay out documents in the canonical way

Only blanks and line ends change, never what a document means; comments stay between the tokens that
they stood between. A file that is laid out already is not written. The others are replaced at once,
so that no half of one is ever seen, and named on standard error; a symbolic link stays one, and the
file that it leads to is replaced. A file with syntax errors is left as it is and reported as by
`agent check`, and the exit code is 1; the other files are formatted all the same. So they are when a
file cannot be read or written, and the exit code is 2.

A directory stands for the `*.gram` files in it, at any depth, without hidden ones, links, and those
that git ignores (.gitignore, .git/info/exclude, the user's own file). A file that is named itself is
formatted whatever its name. `-` is standard input; its formatted text goes to standard output.

--check writes no file and names each that would change, a line each, on standard output. The exit
code is 1 when there is one.

--diff writes no file and shows what would change, as a unified diff on standard output. The exit code
tells of the changes only with --check.

--style list and --style portable write the types of signatures in one of two ways that mean the same:
`fields: [{name: \"age\", type: \"Int\"}]`, or `fields: {age: \"Int\"}`, which the official tools of gram
can read, too. What the style has no words for stays as it is, with a warning. The document must then be
free of errors in its signatures. Without --style both stay as they are written.

With --format short findings are on standard output, a line each. With --format json one document is
there, and nothing else:
  {\"files\":[{\"file\",\"changed\",\"text\"?,\"diff\"?}],\"diagnostics\":[…]}
It lists the files without errors: whether each changed or would change; with --diff, how; and the
formatted text of standard input, unless --check or --diff is given. The diagnostics are those of
`agent check`.";

const AFTER_HELP: &str = "\
Examples:
  agent fmt agents/hello.gram tools/
  agent fmt --check .
  agent fmt --diff agents/hello.gram
  agent fmt --style portable agents/
  echo '[a|b,(c) --> (d)]' | agent fmt -";

/// Lay out documents in the canonical way
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The documents, or directories of them; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write no file, name those that would change, and exit with 1 when there are any
    #[arg(long)]
    check: bool,
    /// Write no file, and show what would change
    #[arg(long)]
    diff: bool,
    /// How the types of signatures are written; as they are when it is not given
    #[arg(long, value_name = "STYLE", value_parser = style_values())]
    style: Option<TypeStyle>,
    /// How findings are shown
    #[arg(long, value_enum, default_value_t)]
    format: FindingsFormat,
}

fn style_values() -> impl TypedValueParser<Value = TypeStyle> {
    let names = TypeStyle::ALL.iter().map(|style| style.as_str());
    PossibleValuesParser::new(names).try_map(|name| name.parse::<TypeStyle>())
}

/// The result of formatting one input.
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
    let FoundFiles {
        inputs,
        errors: mut troubles,
    } = find::find(&args.files);
    let mut reporter = Reporter::new(args.format, action, style);
    for input in &inputs {
        match format_input(input, action, args.style) {
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

/// Formats one input, and writes it if the action is to write.
fn format_input(
    input: &Input,
    action: Action,
    style: Option<TypeStyle>,
) -> Result<Formatted, String> {
    let source = source::read(&input.path).map_err(|error| error.to_string())?;
    let (formatted, warnings) = match format_text(&source.text, style) {
        Ok(formatted) => formatted,
        Err(diagnostics) => return Ok(Formatted::Errors(Report::new(source, diagnostics))),
    };
    let changed = is_changed(&source, &formatted);
    if changed && action == Action::Write && !input.is_stdin {
        replace::replace(&input.path, &formatted)
            .map_err(|error| format!("cannot write `{}`: {error}", source.name))?;
    }
    Ok(Formatted::File(FormattedFile {
        source,
        formatted,
        warnings,
        changed,
        is_stdin: input.is_stdin,
    }))
}

/// Returns the formatted text, and warnings about the parts that the style cannot express.
fn format_text(
    text: &str,
    style: Option<TypeStyle>,
) -> Result<(String, Vec<Diagnostic>), Vec<Diagnostic>> {
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

fn is_changed(source: &Source, formatted: &str) -> bool {
    source.has_byte_order_mark || source.text != formatted
}
