//! `agent mcp import`: writes the tools of a server into a document.

use super::live::{Live, warn_about_hidden, warn_about_refused};
use crate::async_runtime::async_runtime;
use crate::mcp_server::usual_path;
use crate::outcome::{CommandError, Outcome};
use crate::output::{document_to_stdout, line_to_stdout};
use crate::session::refuse_plain_http;
use agent_project::report::counted;
use agent_project::source::is_stdin;
use agent_runtime::__private::write_new_file;
use agent_runtime::Environment;
use agent_spec::instruction::{InstructionPart, parts};
use agent_spec::mcp::{McpLock, McpTransport};
use agent_spec::secret::{known_keys, redacted};
use std::path::{Path, PathBuf};

const LONG_ABOUT: &str = "\
Write the tools of a server into a document

NAME is your name for the server; the names of its tools begin with it: the tool `read` of the server `files` is
files_read. After NAME follows the command of the server with its arguments, or --url is its address. Options stand
before the command.

The document is mcp/NAME.gram, unless --output names another file. A part of the arguments that gram cannot express stands
as JSON Schema in the keyword `schema` of an `Any`. A tool that cannot be used is left out, with a warning.

A document holds no keys: --env names variables that the command gets from the environment, and `{{NAME}}` in a --header
stands for the value of a variable. Arguments that look like keys are refused. A server that asks for a sign-in gets the
token of `agent mcp login`.";

const AFTER_HELP: &str = "\
Examples:
  agent mcp import files -- npx -y @modelcontextprotocol/server-filesystem@2026.8.31 .
  agent mcp import github --env GITHUB_PERSONAL_ACCESS_TOKEN -- github-mcp-server stdio
  agent mcp import docs --url https://docs.example/mcp --header 'authorization: Bearer {{DOCS_TOKEN}}'
  agent mcp login notes --url https://notes.example/mcp && agent mcp import notes --url https://notes.example/mcp
  agent mcp import files --output - -- mcp-server-files .";

/// Write the tools of a server into a document
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// Your name for the server
    name: String,
    /// The command of the server, and its arguments
    #[arg(
        trailing_var_arg = true,
        value_name = "COMMAND",
        required_unless_present = "url",
        conflicts_with = "url"
    )]
    command: Vec<String>,
    /// The address of a server that is reached by HTTP
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Give the command this variable of the environment; may be given several times
    #[arg(long = "env", value_name = "NAME", conflicts_with = "url")]
    env: Vec<String>,
    /// Send this header with each request; may be given several times. `{{NAME}}` stands for the value of a variable of the
    /// environment
    #[arg(long = "header", value_name = "NAME: VALUE", value_parser = header, requires = "url", conflicts_with = "command")]
    headers: Vec<(String, String)>,
    /// Write this file, in place of mcp/NAME.gram; `-` is standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Parses `NAME: VALUE`.
fn header(text: &str) -> Result<(String, String), &'static str> {
    match text.split_once(':') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_ascii_lowercase(), value.trim().to_owned()))
        }
        _ => Err("write a name, a colon and a value, such as `authorization: Bearer {{TOKEN}}`"),
    }
}

/// Imports the tools of a server.
pub(crate) fn import(args: Args, environment: &Environment) -> Result<Outcome, CommandError> {
    refuse_keys(&args.command)?;
    refuse_keys_of_http(args.url.as_deref(), &args.headers)?;
    let output = args.output.unwrap_or_else(|| usual_path(&args.name));
    let login = match &args.url {
        // An address may hold a key.
        Some(url) if !url.contains(['?', '@']) => {
            format!("agent mcp login {} --url {url}", args.name)
        }
        _ => format!("agent mcp login {} --url URL", args.name),
    };
    let texts = |texts: Vec<String>| texts.into_iter().map(Into::into).collect();
    let transport = match args.url {
        Some(url) => McpTransport::Http {
            url: url.into(),
            headers: args
                .headers
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        },
        None => McpTransport::Command {
            command: texts(args.command),
            env: texts(args.env),
        },
    };
    // The rules for documents also apply to the options.
    let lock = McpLock::new(args.name, transport, Vec::new());
    let lock = McpLock::parse(&lock.to_gram()).map_err(|found| {
        let messages = found.iter().map(|found| match found.help() {
            Some(help) => format!("{}; {help}", found.message()),
            None => found.message().to_owned(),
        });
        CommandError::from_messages(messages.collect())
    })?;
    // The options are the consent to send variables, which a document cannot give.
    refuse_plain_http(&lock)?;
    if !is_stdin(&output) {
        refuse_existing(&output)?;
    }
    let live = async_runtime()?.block_on(Live::ask(&lock, &login, environment))?;
    let text = live.lock.to_gram();
    let file = output.display().to_string();
    warn_about_refused(&file, &live.refused);
    warn_about_hidden(&file, &text);
    if is_stdin(&output) {
        document_to_stdout(&text)?;
        return Ok(Outcome::Fine);
    }
    write(&output, &text)?;
    let tools = counted(live.lock.tools().len(), "tool");
    line_to_stdout(&format!("{file}: {tools}"))?;
    Ok(Outcome::Fine)
}

fn refuse_existing(output: &Path) -> Result<(), CommandError> {
    if output.symlink_metadata().is_err() {
        return Ok(());
    }
    let name = output.display();
    Err(CommandError::new(format!(
        "`{name}` exists; `agent mcp update {name}` writes its tools anew, and --output names another file"
    )))
}

fn write(output: &Path, text: &str) -> Result<(), CommandError> {
    let cannot = |error: std::io::Error| {
        CommandError::new(format!("cannot write `{}`: {error}", output.display()))
    };
    if let Some(folder) = output.parent().filter(|folder| *folder != Path::new("")) {
        std::fs::create_dir_all(folder).map_err(cannot)?;
    }
    write_new_file(output, text.as_bytes()).map_err(cannot)
}

/// Whether the name of a value marks the value as a key.
fn is_named_key(name: &str, value: &str) -> bool {
    let name = name.trim_start_matches('-').replace('-', "_");
    let written = format!("{{{name}: {value:?}}}");
    redacted(&written) != written
}

/// Refuses an address or a header with what looks like a key, because the document would hold it.
fn refuse_keys_of_http(
    url: Option<&str>,
    headers: &[(String, String)],
) -> Result<(), CommandError> {
    let query = url.and_then(|url| url.split_once('?'));
    let mut pairs = query
        .into_iter()
        .flat_map(|(_, query)| query.split(['&', '#']));
    let is_in_query = pairs.any(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or_default();
        is_named_key(name, value)
    });
    if is_in_query || url.is_some_and(|url| !known_keys(url).is_empty()) {
        return Err(CommandError::new(
            "the address holds what looks like a key, and the document would hold it; send the key in a header, as \
             `{{NAME}}`",
        ));
    }
    for (name, value) in headers {
        let has_key = parts(value).iter().any(|part| match part {
            InstructionPart::Text(text) | InstructionPart::Malformed(text) => {
                !known_keys(text).is_empty()
            }
            _ => false,
        });
        if has_key {
            return Err(CommandError::new(format!(
                "the header `{name}` holds what looks like a key, and the document would hold it; write `{{{{NAME}}}}` \
                 in its place, for a variable of the environment"
            )));
        }
    }
    Ok(())
}

/// Refuses arguments with what looks like a key, because the document would hold it.
fn refuse_keys(command: &[String]) -> Result<(), CommandError> {
    let next = command.iter().skip(1).map(Some).chain([None]);
    for (argument, next) in command.iter().zip(next) {
        let is_key = match (argument.split_once('='), next) {
            _ if !known_keys(argument).is_empty() => true,
            (Some((name, value)), _) => is_named_key(name, value),
            (None, Some(value)) => {
                argument.starts_with('-')
                    && !value.starts_with('-')
                    && is_named_key(argument, value)
            }
            (None, None) => false,
        };
        if is_key {
            return Err(CommandError::new(
                "an argument of the command looks like a key, and the document would hold it; let the server read \
                 it from a variable, which --env names",
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::refuse_keys;

    #[test]
    fn keys_among_arguments_are_refused() {
        let refuses = |command: &[&str]| {
            let command: Vec<String> = command.iter().map(|text| (*text).to_owned()).collect();
            refuse_keys(&command).is_err()
        };
        for command in [
            &["server", "sk-proj-0123456789abcdef"][..],
            &["server", "--token", "0123456789abcdef"],
            &["server", "--api-key=0123456789abcdef"],
            &["env", "GITHUB_ACCESS_TOKEN=0123456789abcdef", "server"],
        ] {
            assert!(refuses(command), "{command:?}");
        }
        for command in [
            &["npx", "-y", "server@1.2"][..],
            &["server", "--token-file", "/run/token"],
            &["server", "--folder=/srv"],
            &["server", "--token", "--verbose"],
            &[],
        ] {
            assert!(!refuses(command), "{command:?}");
        }
    }
}
