//! `agent help`: explains a command or a topic.

use crate::help::{TOPICS, listed_topics};
use crate::outcome::{CommandError, Outcome};
use crate::output::text_to_stdout;
use agent_spec::names::nearest;
use std::io::{self, ErrorKind};

/// Explain a command or a topic
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agent help\n  agent help mcp import\n  agent help limits")]
pub(crate) struct Args {
    /// A command, such as `mcp import`, or a topic; without one, the topics are listed
    #[arg(value_name = "COMMAND|TOPIC")]
    words: Vec<String>,
}

/// Prints the help of a command, the text of a topic, or the list of topics.
pub(crate) fn help(args: &Args, mut root: clap::Command) -> Result<Outcome, CommandError> {
    if args.words.is_empty() {
        unless_closed(root.print_help())?;
        text_to_stdout(&format!(
            "\nTopics, for `agent help TOPIC`:\n{}",
            listed_topics()
        ))?;
        return Ok(Outcome::Fine);
    }
    let mut command = Some(&mut root);
    for word in &args.words {
        command = command.and_then(|command| command.find_subcommand_mut(word));
    }
    if let Some(command) = command {
        unless_closed(command.print_long_help())?;
        return Ok(Outcome::Fine);
    }
    let name = args.words.join(" ");
    match TOPICS.iter().find(|topic| topic.name == name) {
        Some(topic) => text_to_stdout(topic.text)?,
        None => {
            let commands = root.get_subcommands().map(clap::Command::get_name);
            let known = commands.chain(TOPICS.iter().map(|topic| topic.name));
            let instead = match nearest(&name, known) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "`agent help` lists them".to_owned(),
            };
            return Err(CommandError::new(format!(
                "there is no command and no topic `{name}`; {instead}"
            )));
        }
    }
    Ok(Outcome::Fine)
}

/// Passes over a closed pipe, such as that of `agent help run | head`.
fn unless_closed(printed: io::Result<()>) -> io::Result<()> {
    match printed {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        printed => printed,
    }
}
