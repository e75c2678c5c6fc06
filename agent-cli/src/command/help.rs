//! `agent help`: explains a command or a topic.

use crate::help::{TOPICS, listed_topics};
use crate::outcome::{CommandError, Outcome};
use crate::output::text_to_stdout;

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
        root.print_help()?;
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
        command.print_long_help()?;
        return Ok(Outcome::Fine);
    }
    let name = args.words.join(" ");
    match TOPICS.iter().find(|topic| topic.name == name) {
        Some(topic) => text_to_stdout(topic.text)?,
        None => {
            return Err(CommandError::new(format!(
                "there is no command and no topic `{name}`; `agent help` lists them"
            )));
        }
    }
    Ok(Outcome::Fine)
}
