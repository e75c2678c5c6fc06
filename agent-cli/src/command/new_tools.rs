//! `agent new-tools`: prints Rust functions for the tools and agents of a document.

use crate::document::{ToolFiles, known_instead, tools_of};
use crate::outcome::{CommandError, Outcome};
use crate::output::{document_to_stdout, warning_to_stderr};
use crate::style::Style;
use agent_codegen::{AgentFunction, generate_module};
use agent_project::source::{Source, is_stdin};
use agent_spec::ToolSpec;
use agent_spec::check::{AgentElement, Checked, choose_agent};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

const LONG_ABOUT: &str = "\
Print Rust functions for the tools and agents of a document

For each tool a function with #[tool] is printed, and for each record and each list of words in its
signature a struct or an enum. `agent!` accepts these functions for the document. Tools that an agent only
names are printed too, if they are built in or defined in a file of --tools.

Replace the last lines of each function with your code. A function can be async, and can return its value
alone or an error of your own. Until then it returns an error, so that you can run an agent while some of
its tools are missing.

For each agent with a signature a function with #[agent_fn] is printed, which names the file and the functions of the
agent's tools. It is complete: its body is the agent. From standard input, only tools are printed.

Some rules of a document cannot be expressed as Rust attributes, for example a record as a default. They
are still checked, because the document is checked before a function is called.";

const AFTER_HELP: &str = "\
Examples:
  agent new-tools agents/hello.gram > src/tools.rs
  agent new-tools agents/hello.gram --tool sayHello
  agent new-tools agents/translate.gram > src/translate.rs
  agent new-tools agents/all.gram --agent greeter";

/// Print Rust functions for the tools and agents of a document
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The document; `-` is standard input
    file: PathBuf,
    /// Print this agent and its tools only
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Print this tool only; may be given several times
    #[arg(long, value_name = "NAME")]
    tool: Vec<String>,
    #[command(flatten)]
    tools: ToolFiles,
}

/// Prints the functions of the chosen tools.
pub(crate) fn new_tools(args: Args, style: &Style) -> Result<Outcome, CommandError> {
    let Some((source, checked)) = args.tools.read_document(&args.file, style)? else {
        return Ok(Outcome::Failed);
    };
    let file = args.file.to_string_lossy();
    let agents = match args.tool.as_slice() {
        [] => agent_functions(&checked, args.agent.as_deref(), &file),
        _ => Vec::new(),
    };
    let has_agents = !agents.is_empty();
    let chosen = choose(
        &checked,
        args.agent.as_deref(),
        &args.tool,
        &source,
        has_agents,
    )?;
    let module = generate_module(&chosen, &agents);
    for warning in &module.warnings {
        warning_to_stderr(warning);
    }
    document_to_stdout(&module.text)?;
    Ok(Outcome::Fine)
}

/// Returns the agents that have signatures of their own: all of a document, or the agent of a name.
fn agent_functions<'a>(
    checked: &'a Checked,
    name: Option<&str>,
    file: &'a str,
) -> Vec<AgentFunction<'a>> {
    // The function of an agent names the file.
    if is_stdin(Path::new(file)) {
        return Vec::new();
    }
    let agents = checked.agents.iter().map(|node| &node.agent);
    let chosen = agents.filter(|agent| agent.has_own_signature());
    let chosen = chosen.filter(|agent| name.is_none_or(|name| agent.name() == name));
    let is_only = checked.agents.len() == 1;
    let functions = chosen.map(|agent| AgentFunction {
        agent,
        file,
        is_only,
    });
    functions.collect()
}

/// Returns the tools of a document or of one agent in it, in order. With `names`, returns only the tools of
/// these names.
///
/// # Errors
/// Returns an error if an agent or tool of a name does not exist, or if there is no tool at all.
fn choose<'a>(
    checked: &'a Checked,
    agent: Option<&str>,
    names: &[String],
    source: &Source,
    has_agents: bool,
) -> Result<Vec<&'a ToolSpec>, CommandError> {
    let (place, tools) = match agent {
        None => (format!("`{}`", source.display_name()), tools_of(checked)),
        Some(name) => (
            format!("the agent `{name}`"),
            tools_of_agent(checked, name, source)?,
        ),
    };
    if tools.is_empty() && has_agents {
        return Ok(tools);
    }
    if tools.is_empty() {
        return Err(CommandError::new(format!(
            "{place} has no tools, so there is nothing to write"
        )));
    }
    if names.is_empty() {
        return Ok(tools);
    }
    let by_name: HashMap<&str, &ToolSpec> = tools.iter().map(|tool| (tool.name(), *tool)).collect();
    let unknown: Vec<String> = names
        .iter()
        .filter(|name| !by_name.contains_key(name.as_str()))
        .map(|name| {
            let known: Vec<&str> = tools.iter().map(|tool| tool.name()).collect();
            format!(
                "{place} has no tool `{name}`; {}",
                known_instead(name, &known)
            )
        })
        .collect();
    if !unknown.is_empty() {
        return Err(CommandError::from_messages(unknown));
    }
    let wanted: HashSet<&str> = names.iter().map(String::as_str).collect();
    Ok(tools
        .into_iter()
        .filter(|tool| wanted.contains(tool.name()))
        .collect())
}

fn tools_of_agent<'a>(
    checked: &'a Checked,
    name: &str,
    source: &Source,
) -> Result<Vec<&'a ToolSpec>, CommandError> {
    let node = choose_agent(&checked.agents, Some(name)).map_err(|none| {
        CommandError::new(format!("`{}` {}", source.display_name(), none.reason))
    })?;
    let tools = node.elements.iter().filter_map(|element| match element {
        AgentElement::Tool { tool, .. } => Some(&tool.spec),
        _ => None,
    });
    Ok(tools.collect())
}
