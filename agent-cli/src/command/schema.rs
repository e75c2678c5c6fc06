//! `agent schema`: prints tools and agents as JSON with the schemas of their parameters.

use crate::document::{ToolFiles, known_instead, tools_of};
use crate::outcome::{CommandError, Outcome};
use crate::output::json_to_stdout;
use crate::report::Printer;
use crate::style::Style;
use agent_project::report::Report;
use agent_project::source::Source;
use agent_spec::check::{check_signature, choose_agent};
use agent_spec::schema::Schema;
use agent_spec::{Agent, Signature, ToolSpec};
use serde::Serialize;
use std::path::PathBuf;

const LONG_ABOUT: &str = "\
Print the tools of a document as JSON, with the JSON Schemas of their parameters

Each tool is {\"name\",\"description\",\"typeSignature\",\"schema\"}, followed by its settings. All tools of
the document are printed as an array; those that its agents only name are at the end. --tool prints one
tool, and --signature prints only the schema of the parameters of a signature.

--agent prints an agent with the schemas of its parameters and of its result:
  {\"name\",\"description\",\"typeSignature\",\"schema\",\"returnSchema\"}
An agent without a signature of its own takes one text and returns a text.";

const AFTER_HELP: &str = "\
Examples:
  agent schema agents/hello.gram
  agent schema agents/hello.gram --tool sayHello
  agent schema agents/translate.gram --agent translate
  agent schema --signature '(city::Text)==>(::Double)'";

/// Print the tools of a document as JSON, with the JSON Schemas of their parameters
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The document; `-` is standard input
    #[arg(required_unless_present = "signature")]
    file: Option<PathBuf>,
    /// Print this tool only
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// Print this agent, with the schemas of its parameters and of its result
    #[arg(long, value_name = "NAME", conflicts_with = "tool")]
    agent: Option<String>,
    /// Print the schema of this signature's parameters
    #[arg(long, value_name = "SIG", conflicts_with_all = ["file", "tool", "agent", "files_of_tools"])]
    signature: Option<String>,
    #[command(flatten)]
    tools: ToolFiles,
}

/// Prints the tools of a document, or the schema of a signature.
pub(crate) fn schema(args: Args, style: &Style) -> Result<Outcome, CommandError> {
    if let Some(text) = &args.signature {
        return signature_schema(text, style);
    }
    let file = args.file.unwrap_or_default();
    let Some((source, checked)) = args.tools.read_document(&file, style)? else {
        return Ok(Outcome::Failed);
    };
    if let Some(name) = &args.agent {
        let node = choose_agent(&checked.agents, Some(name)).map_err(|none| {
            CommandError::new(format!("`{}` {}", source.display_name(), none.reason))
        })?;
        json_to_stdout(&AgentDocument::of(&node.agent))?;
        return Ok(Outcome::Fine);
    }
    let tools = tools_of(&checked);
    match &args.tool {
        Some(name) => json_to_stdout(choose(name, &tools, &source)?)?,
        None => json_to_stdout(&tools)?,
    }
    Ok(Outcome::Fine)
}

/// An agent as JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AgentDocument<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    type_signature: String,
    schema: Schema,
    return_schema: Schema,
}

impl<'a> AgentDocument<'a> {
    fn of(agent: &'a Agent) -> Self {
        let signature = agent.signature();
        Self {
            name: agent.name(),
            description: agent.description(),
            type_signature: signature.to_string(),
            schema: signature.schema(),
            return_schema: signature.return_schema(),
        }
    }
}

fn signature_schema(text: &str, style: &Style) -> Result<Outcome, CommandError> {
    match check_signature(text) {
        Ok((signature, _)) => {
            json_to_stdout(&Signature::schema(&signature))?;
            Ok(Outcome::Fine)
        }
        Err(checked) => {
            let report = Report::of(Source::inline("--signature", text), checked);
            let mut printer = Printer::new(style);
            printer.print_with_counts(&report);
            printer.finish();
            Ok(Outcome::Failed)
        }
    }
}

/// Returns the tool with this name.
///
/// # Errors
/// Returns an error if there is no such tool.
fn choose<'a>(
    name: &str,
    tools: &[&'a ToolSpec],
    source: &Source,
) -> Result<&'a ToolSpec, CommandError> {
    if let Some(tool) = tools.iter().find(|tool| tool.name() == name) {
        return Ok(tool);
    }
    let names: Vec<&str> = tools.iter().map(|tool| tool.name()).collect();
    Err(CommandError::new(format!(
        "`{}` has no tool `{name}`; {}",
        source.display_name(),
        known_instead(name, &names)
    )))
}
