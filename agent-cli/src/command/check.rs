//! `agent check`: checks documents.

use crate::command::fmt::FoundFiles;
use crate::document::{ToolFiles, tools_of};
use crate::input::refuse_stdin_twice;
use crate::mcp_server::name_documents;
use crate::models::ModelFiles;
use crate::outcome::{CommandError, Outcome};
use crate::output::{json_to_stdout, line_to_stdout, text_to_stdout, to_stderr};
use crate::output_format::FindingsFormat;
use crate::projects::{Projects, unreadable};
use crate::report::{DiagnosticsDocument, Printer, print_unlisted};
use crate::style::Style;
use agent_project::known_tools::KnownModels;
use agent_project::loaded_project::{self, ProjectError, has_project_name};
use agent_project::report::{Report, counted, short_lines};
use agent_project::source::{self, Source};
use agent_runtime::Environment;
use agent_spec::check::{Checked, check_gram, check_signature, is_catalog};
use agent_spec::model::Model;
use agent_spec::project_file::is_project;
use clap::ValueEnum;
use std::path::{Path, PathBuf};

const LONG_ABOUT: &str = "\
Check the agents and tools of documents

Checks every Agent and every Tool of each document, at any depth. A document without agents and tools is
an error; other patterns are ignored. An agent can name the tools and the other agents of its own document,
the built-in tools and the tools of --tools. A model can name the built-in providers and those of --provider.

The project file, named agent.gram, adds to both, and to the catalogue of models, for the documents of its folder and of
those below:
  {tools: [\"gram/*.gram\"], style: \"portable\", providers: [\"Acme\"], models: [\"models.gram\"]}
It holds names for checks only. If it has errors, the documents are not checked. `agent check agent.gram`
checks the file itself.

The settings of an agent are checked against its model, and the model against the catalogue of models (see `agent
models --help`). Nothing is checked of a model whose agent has a baseUrl or whose provider's requests go elsewhere:
--provider NAME=URL, or a variable such as OPENAI_BASE_URL. With --model, the agents are checked as if each had this
model. The variable AGENT_TODAY, such as 2027-03-01, replaces today's date, with which the ends of models are
compared; --deny-warnings does not count warnings about these.

With --var, an instruction can have these variables, such as {{city}}, and any other is an error. Without
it, the program that runs the agent is trusted to fill them.

Findings are printed on standard error with excerpts of the text, at most 100 in one run. Then there is
one line for each file: `FILE: ok (1 agent, 2 tools)` on standard output if it has no errors, or
`FILE: 2 errors, 1 warning` on standard error. `agent explain CODE` explains a finding in full.

With --format short, standard output has one line for each finding, and nothing else:
  FILE:LINE:COLUMN: CODE: MESSAGE
--format json says which findings are errors.

With --format json, standard output has one document with all findings:
  {\"diagnostics\":[{\"code\",\"severity\",\"message\",\"file\",\"line\",\"column\",\"endLine\",\"endColumn\",\"help\"}]}
If a file has more than 10000 errors or warnings, the rest is counted: \"more\" is their number, and
--format short writes it on standard error.
Lines and columns count from 1, columns in characters; endColumn is after the last character;
severity is \"error\" or \"warning\"; help is null if there is none; file is the name as given.

If a file cannot be read, nothing is checked, and the exit code is 2.";

const AFTER_HELP: &str = "\
Examples:
  agent check agents/*.gram
  agent check agents
  agent check agents/hello.gram --tools tools/more.gram --deny-warnings
  agent check agents/acme.gram --provider Acme
  agent check agents/*.gram --model OpenAI/gpt-6-luna
  agent check agents/tuned.gram --models models.gram
  agent check agents/guide.gram --var user --var city
  agent check agents/hello.gram --format json
  agent check agents/hello.gram --format short
  echo '(a)-->(b)' | agent check --as gram -
  echo '(name::Text)==>(::String)' | agent check --as signature -";

/// Check the agents and tools of documents
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The documents; `-` is standard input. Of a folder, the `.gram` files in it and below that are neither hidden nor
    /// ignored by git
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Check only the notation, or a signature
    #[arg(long = "as", value_name = "WHAT", conflicts_with = "files_of_tools")]
    kind: Option<Kind>,
    /// A variable that instructions can have; may be given several times. A value, as for `run`, is ignored
    #[arg(long = "var", value_name = "NAME", value_parser = variable_name, conflicts_with = "kind")]
    variables: Vec<String>,
    /// Treat warnings as errors
    #[arg(long)]
    deny_warnings: bool,
    #[command(flatten)]
    tools: ToolFiles,
    #[command(flatten)]
    models: ModelFiles,
    /// Check the agents as if each had this model
    #[arg(long, value_name = "MODEL", value_parser = model, conflicts_with = "kind")]
    model: Option<Model>,
    /// The format of the findings
    #[arg(long, value_enum, default_value_t)]
    format: FindingsFormat,
}

/// Parses `NAME` or `NAME=VALUE`.
fn variable_name(text: &str) -> Result<String, &'static str> {
    let name = text.split_once('=').map_or(text, |(name, _)| name).trim();
    if name.is_empty() {
        return Err("write the name of a variable, such as city");
    }
    Ok(name.to_owned())
}

/// Parses `Provider/model`.
pub(crate) fn model(text: &str) -> Result<Model, String> {
    Model::parse(text).map_err(|error| error.to_string())
}

/// A kind of file other than a document of agents and tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Any gram: the notation only.
    Gram,
    /// One bare signature, such as `(name::Text)==>(::String)`.
    Signature,
}

/// A checked file.
struct CheckedFile {
    report: Report,
    /// The number of agents and tools, such as `1 agent, 2 tools`.
    contents: Option<String>,
}

/// Checks documents.
pub(crate) fn check(
    args: Args,
    environment: &Environment,
    style: &Style,
) -> Result<Outcome, CommandError> {
    let given = args.tools.paths().chain(args.models.paths());
    refuse_stdin_twice(args.files.iter().chain(given))?;
    let FoundFiles { files, errors, .. } = FoundFiles::of(&args.files);
    if !errors.is_empty() {
        return Err(CommandError::from_messages(errors));
    }
    let sources = source::read_all(&files)?;
    let (mut reports, files) = match args.kind {
        None => check_documents(&args, &files, sources, environment)?,
        Some(kind) => (Vec::new(), check_as(sources, kind)),
    };
    let mut contents = vec![None; reports.len()];
    for file in files {
        reports.push(file.report);
        contents.push(Some(file.contents));
    }
    for report in &mut reports {
        report.deny_warnings = args.deny_warnings;
    }
    match args.format {
        FindingsFormat::Json => json_to_stdout(&DiagnosticsDocument::new(&reports))?,
        FindingsFormat::Short => {
            text_to_stdout(&short_lines(&reports))?;
            print_unlisted(&reports);
        }
        FindingsFormat::Human => {
            let mut printer = Printer::new(style);
            for (report, contents) in reports.iter().zip(&contents) {
                print(&mut printer, report, contents.as_ref())?;
            }
            printer.finish();
        }
    }
    Ok(Outcome::of_errors(reports.iter().any(Report::has_errors)))
}

/// Checks documents of agents and tools. Returns the reports about files of `--tools` and of projects
/// separately.
fn check_documents(
    args: &Args,
    paths: &[PathBuf],
    sources: Vec<Source>,
    environment: &Environment,
) -> Result<(Vec<Report>, Vec<CheckedFile>), CommandError> {
    let (mut known, mut reports) = args.tools.read()?;
    match args.models.read(environment, args.tools.providers())? {
        Ok(models) => {
            let instead = args.model.clone();
            known = known.with_models(KnownModels { instead, ..models });
        }
        Err(found) => reports.extend(found),
    }
    if reports.iter().any(Report::has_errors) {
        // References cannot be checked while tools are missing.
        let skipped: Vec<String> = sources.iter().map(Source::display_name).collect();
        to_stderr(&format!(
            "not checked, because a file of --tools, --mcp or --models has errors: {}\n",
            skipped.join(", ")
        ));
        return Ok((reports, Vec::new()));
    }
    let variables: Vec<&str> = args.variables.iter().map(String::as_str).collect();
    let variables = (!variables.is_empty()).then_some(&variables[..]);
    let mut projects = Projects::new(known);
    let (mut files, mut skipped) = (Vec::new(), Vec::new());
    for (path, source) in paths.iter().zip(sources) {
        if has_project_name(path) && is_project(&source.text) {
            files.push(check_project(path, source)?);
        } else if let Some(known) = projects.known_for(path)? {
            let checked = known.check_with_variables(&source.text, variables);
            let contents = Some(match is_catalog(&source.text) {
                true => "catalogue of models".to_owned(),
                false => contents_of(&checked),
            });
            let mut report = Report::of(source, checked);
            name_documents(&mut report);
            files.push(CheckedFile { report, contents });
        } else {
            skipped.push(source.display_name());
        }
    }
    if !skipped.is_empty() {
        to_stderr(&format!(
            "not checked, because the project file has errors: {}\n",
            skipped.join(", ")
        ));
    }
    // The findings in a file that was given itself are in its own report.
    let given: Vec<PathBuf> = paths
        .iter()
        .filter_map(|path| path.canonicalize().ok())
        .collect();
    let is_other = |report: &Report| match Path::new(&report.source.name).canonicalize() {
        Ok(real) => !given.contains(&real),
        Err(_) => true,
    };
    reports.extend(projects.into_reports().into_iter().filter(is_other));
    Ok((reports, files))
}

/// Checks a project file.
fn check_project(path: &Path, source: Source) -> Result<CheckedFile, CommandError> {
    let diagnostics = match loaded_project::load(path, &source.text) {
        Ok(_) => Vec::new(),
        Err(ProjectError::Findings(report)) => report.diagnostics,
        Err(error) => return Err(unreadable(error)),
    };
    Ok(CheckedFile {
        report: Report::new(source, diagnostics),
        contents: Some("project file".to_owned()),
    })
}

/// Checks files of another kind.
fn check_as(sources: Vec<Source>, kind: Kind) -> Vec<CheckedFile> {
    let files = sources.into_iter().map(|source| {
        let report = match kind {
            Kind::Gram => {
                let checked = check_gram(&source.text);
                Report::of(source, checked)
            }
            Kind::Signature => {
                let checked = check_signature(&source.text).err().unwrap_or_default();
                Report::of(source, checked)
            }
        };
        CheckedFile {
            report,
            contents: None,
        }
    });
    files.collect()
}

/// Counts the agents and tools of a document: `1 agent, 2 tools`. Tools that are only named count, too.
fn contents_of(checked: &Checked) -> String {
    format!(
        "{}, {}",
        counted(checked.agents.len(), "agent"),
        counted(tools_of(checked).len(), "tool")
    )
}

/// Prints the findings of a file. Files of `--tools` and of projects have no contents, and without errors no line of their
/// own.
fn print(
    printer: &mut Printer<'_>,
    report: &Report,
    contents: Option<&Option<String>>,
) -> Result<(), CommandError> {
    if report.has_errors() {
        printer.print_with_counts(report);
        return Ok(());
    }
    printer.print(report);
    let Some(contents) = contents else {
        return Ok(());
    };
    let mut line = format!("{}: ok", report.source.display_name());
    if let Some(contents) = contents {
        line.push_str(&format!(" ({contents})"));
    }
    if !report.diagnostics.is_empty() {
        line.push_str(&format!(", {}", report.counts()));
    }
    line_to_stdout(&line)?;
    Ok(())
}
