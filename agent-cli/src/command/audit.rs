//! `agent audit`: what a message to an agent can cause, what its tools can reach, and where its data can leak.

mod document;
mod human;

use crate::command::fmt::FoundFiles;
use crate::document::{Document, ToolFiles, print_errors};
use crate::input::refuse_stdin_twice;
use crate::mcp_server::name_documents;
use crate::models::ModelFiles;
use crate::outcome::{CommandError, Outcome};
use crate::output::{document_to_stdout, error_to_stderr, json_to_stdout, text_to_stdout};
use crate::projects::unreadable;
use crate::report::DiagnosticsDocument;
use crate::style::Style;
use agent_catalog::Catalog;
use agent_project::loaded_project::{folder_of, has_project_name, load_found};
use agent_project::reach::{Reach, Servers};
use agent_project::report::Report;
use agent_project::source;
use agent_runtime::Environment;
use agent_spec::audit::audit as audit_agents;
use agent_spec::check::ModelRules;
use agent_spec::effects::audit::AgentAudit;
use agent_spec::project_file::{find, is_project};
use clap::ValueEnum;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

const LONG_ABOUT: &str = "\
Show what a message to an agent can cause, what its tools can reach, and where its data can leak

For each agent of the documents:
  message      the most requests, calls and dollars that one message can cause, or `unbounded` with the setting that
               would bound it
  reach        the folders, hosts and variables that its `grants` allow, and the MCP servers that have its tools
  leak         the shortest way on which private data, words of strangers and a tool that sends come together in its
               conversation, and what would cut it
  destructive  tools that do what cannot be undone, and whose calls nobody must approve
  unknown      tools that say nothing of their effects, and count as all of them

An audit goes by what documents say: the labels of tools (`reads`, `untrusted`, `sends`, `writes`, `destructive`), the types
of results, and the settings of agents. It does not know what a tool does. A built-in tool and a tool of an MCP server's
document (--mcp) have labels of their own; a document cannot see those of Rust functions, which `agent! {deny: […]}` checks.

A message counts the answers of the agent and of the agents that it calls, each asked for at most twice, and 256 calls in an
answer. A request costs at most a full context window and the longest answer, at the prices of the catalogue. Not counted
are retries, answers that a provider pauses, summaries (`compactAbove`), what is said during a run, agents that the bodies of
tools call, and what a vendor charges beside tokens. `agent run --max-requests` and the like can set lower limits.

Words of strangers also stand in the errors of a tool, whatever its type; `whenTainted` looks at those, and this audit does
not. A message of the user counts as neither private nor of a stranger.

With --format json the audit is one document on standard output:
  {\"agents\":[{\"file\",\"agent\",\"line\",\"column\",\"requests\",\"calls\",\"dollars\",\"unbounded\",\"reach\",\"leak\",\"destructive\",
             \"unknown\",\"whenTainted\"}],
   \"denied\":[{\"file\",\"agent\",\"word\",\"text\"}]}
  requests, calls, dollars  the most by the settings and their defaults; dollars is null if a price is not known
  unbounded    a list of reasons; empty if the settings bound all three
  reach        {\"grants\",\"servers\"}; grants is null if the agent has what the host grants
  leak         {\"isOpen\",\"private\",\"words\",\"wayOut\",\"cuts\",\"text\"} or null; private and words are the tool and the
               agents that the data passes
  destructive  a list of {\"tool\",\"text\"}
With --format gram it is a pattern for each agent, labelled Audit. If a document has errors, there is no audit.

Exit codes: 0, 1 if a document has errors or something of --deny is found, 2 for wrong usage or unreadable input.";

const AFTER_HELP: &str = "\
Examples:
  agent audit agents/mail.gram
  agent audit agents --deny leak,unbounded,destructive
  agent audit agents/files.gram --mcp mcp/files.gram
  agent audit agents/*.gram --format json";

/// Show what a message to an agent can cause, what its tools can reach, and where its data can leak
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The documents; `-` is standard input. Of a folder, the `.gram` files in it and below that are neither hidden nor
    /// ignored by git
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Exit with 1 if an agent has this; several words are separated by commas
    #[arg(long, value_enum, value_name = "WORD", value_delimiter = ',')]
    deny: Vec<Denial>,
    #[command(flatten)]
    tools: ToolFiles,
    #[command(flatten)]
    models: ModelFiles,
    /// The format of the audit
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// A finding that can be denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Denial {
    /// A leak that nothing closes
    Leak,
    /// A message whose requests, calls or dollars are not bounded
    Unbounded,
    /// A destructive tool whose calls nobody must approve
    Destructive,
}

/// The format of an audit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    #[default]
    Human,
    /// For programs: one JSON document on standard output, and nothing else there
    Json,
    /// For storing: a gram document on standard output, and nothing else there
    Gram,
}

/// An agent with its audit.
struct Audited<'a> {
    file: String,
    line: usize,
    column: usize,
    audit: AgentAudit,
    reach: Reach<'a>,
}

impl Audited<'_> {
    /// Returns the texts about what is denied.
    fn denied(&self, denial: Denial) -> Vec<&str> {
        let audit = &self.audit;
        match denial {
            Denial::Leak => audit
                .open_leak()
                .map(|leak| leak.text.as_str())
                .into_iter()
                .collect(),
            Denial::Unbounded => audit.unbounded.iter().map(String::as_str).collect(),
            Denial::Destructive => audit
                .destructive
                .iter()
                .map(|(_, text)| text.as_str())
                .collect(),
        }
    }
}

/// Something that an agent has and that is denied.
struct Denied<'a> {
    audited: &'a Audited<'a>,
    word: String,
    text: &'a str,
}

/// Audits documents.
pub(crate) fn audit(
    args: Args,
    environment: &Environment,
    style: &Style,
) -> Result<Outcome, CommandError> {
    let FoundFiles { files, errors, .. } = FoundFiles::of(&args.files);
    if !errors.is_empty() {
        return Err(CommandError::from_messages(errors));
    }
    refuse_stdin_twice(
        files
            .iter()
            .chain(args.tools.paths())
            .chain(args.models.paths()),
    )?;
    let files = without_projects(files)?;
    let (models, documents, mut reports) =
        match args.models.read(environment, args.tools.providers())? {
            Ok(models) => {
                let (documents, reports) = args.tools.check_documents(&files, None)?;
                (Some(models), documents, reports)
            }
            Err(reports) => (None, Vec::new(), reports),
        };
    let Some(models) = models.filter(|_| !has_errors(&documents, &reports)) else {
        reports.extend(documents.into_iter().map(|(source, checked)| {
            let mut report = Report::of(source, checked);
            name_documents(&mut report);
            report
        }));
        match args.format {
            Format::Json => json_to_stdout(&DiagnosticsDocument::new(&reports))?,
            Format::Human | Format::Gram => print_errors(&reports, style),
        }
        return Ok(Outcome::Failed);
    };
    let servers = read_servers(&args.tools, &files, &documents)?;
    let (mut audited, mut own, mut folder) = (Vec::new(), None, None);
    for (file, document) in files.iter().zip(&documents) {
        // The files of a folder are beside each other, and have the same project file.
        if folder != Some(folder_of(file)) {
            own = args.models.catalog(file)?;
            folder = Some(folder_of(file));
        }
        let rules = ModelRules {
            elsewhere: &models.elsewhere,
            ..ModelRules::new(own.as_ref().unwrap_or(Catalog::builtin()))
        };
        audited.extend(audit_document(document, &rules, &servers));
    }
    let denied: Vec<Denied<'_>> = denied(&audited, &args.deny);
    match args.format {
        Format::Human => {
            let has_colour = style.has_colour_on(io::stdout().is_terminal());
            text_to_stdout(&human::text(&audited, has_colour))?;
            for found in &denied {
                let Audited {
                    file, line, audit, ..
                } = found.audited;
                let (word, text) = (&found.word, found.text);
                error_to_stderr(&format!(
                    "{file}:{line}: {word} of `{}`: {text}",
                    audit.name
                ));
            }
        }
        Format::Json => json_to_stdout(&document::json(&audited, &denied))?,
        Format::Gram => {
            let gram = document::gram(&audited);
            document_to_stdout(&gram.map_err(|error| CommandError::new(error.to_string()))?)?;
        }
    }
    Ok(Outcome::of_errors(!denied.is_empty()))
}

/// Returns the files without project files, which declare no agents and are no documents.
fn without_projects(files: Vec<PathBuf>) -> Result<Vec<PathBuf>, CommandError> {
    let mut documents = Vec::new();
    for file in files {
        if !has_project_name(&file) || !is_project(&source::read(&file)?.text) {
            documents.push(file);
        }
    }
    Ok(documents)
}

/// Reads the MCP servers of the documents, of `--tools` and `--mcp`, and of the tool files of projects.
fn read_servers(
    tools: &ToolFiles,
    files: &[PathBuf],
    documents: &[Document],
) -> Result<Servers, CommandError> {
    let mut servers = Servers::default();
    servers.add_files(&tools.paths().cloned().collect::<Vec<_>>())?;
    let mut folders: Vec<_> = files.iter().map(|file| folder_of(file)).collect();
    folders.dedup();
    for folder in folders {
        if let Some(project) = load_found(find(folder)).map_err(unreadable)? {
            servers.add_files(&project.tool_files)?;
        }
    }
    documents
        .iter()
        .for_each(|(_, checked)| servers.add(&checked.servers));
    Ok(servers)
}

fn has_errors(documents: &[Document], reports: &[Report]) -> bool {
    let has_errors = reports.iter().any(Report::has_errors);
    has_errors || documents.iter().any(|(_, checked)| checked.has_errors())
}

fn audit_document<'a>(
    (source, checked): &'a Document,
    rules: &ModelRules<'_>,
    servers: &'a Servers,
) -> Vec<Audited<'a>> {
    let index = agent_gram::LineIndex::new(&source.text);
    let audits = audit_agents(&checked.agents, Some(rules));
    let nodes = checked.agents.iter().zip(audits);
    nodes
        .map(|(node, audit)| {
            let place = index.position(node.name.start);
            Audited {
                file: source.display_name(),
                line: place.line,
                column: place.column,
                audit,
                reach: servers.reach_of(node),
            }
        })
        .collect()
}

fn denied<'a>(audited: &'a [Audited<'a>], denials: &[Denial]) -> Vec<Denied<'a>> {
    let mut found = Vec::new();
    for audited in audited {
        for denial in denials {
            let word = denial.to_possible_value();
            let word = word.map_or_else(String::new, |word| word.get_name().to_owned());
            found.extend(audited.denied(*denial).into_iter().map(|text| Denied {
                audited,
                word: word.clone(),
                text,
            }));
        }
    }
    found
}
