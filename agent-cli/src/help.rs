//! The help of the command line: groups of commands and options, and topics.

#[cfg(test)]
mod tests;

use clap::builder::StyledStr;
use clap::{Arg, Command};

/// The commands in the order in which the help lists them.
const COMMANDS: [(&str, &[&str]); 4] = [
    ("Start", &["new", "init"]),
    (
        "Check",
        &[
            "check",
            "fmt",
            "diff",
            "audit",
            "explain",
            "schema",
            "graph",
            "parse",
            "new-tools",
            "lsp",
        ],
    ),
    (
        "Run",
        &[
            "run",
            "chat",
            "dev",
            "serve",
            "eval",
            "replay",
            "runs",
            "conversations",
        ],
    ),
    (
        "More",
        &["mcp", "models", "tools", "completions", "man", "help"],
    ),
];

/// The options that `-h` leaves out, by the heading under which `--help` lists them.
const OPTIONS: [(&str, &[&str]); 7] = [
    (
        "Models and providers",
        &[
            "models",
            "price",
            "base-url",
            "allow-base-url",
            "allow-key-host",
            "max-attempts",
            "provider",
        ],
    ),
    (
        "Conversations",
        &[
            "store",
            "history",
            "keep-turns",
            "keep-tokens",
            "compact-above",
            "no-input-history",
            "no-journal",
        ],
    ),
    (
        "Limits",
        &[
            "max-requests",
            "max-tool-calls",
            "max-input-tokens",
            "max-output-tokens",
            "max-total-tokens",
            "per-owner-runs",
            "per-owner-dollars",
        ],
    ),
    (
        "Access of tools",
        &[
            "allow-read",
            "allow-write",
            "allow-net",
            "allow-env",
            "allow-env-to",
            "untrusted",
            "tools",
        ],
    ),
    (
        "Batches",
        &["concurrency", "requests-per-minute", "tokens-per-minute"],
    ),
    (
        "Clients",
        &["allow-host", "allow-origin", "may-decide", "wait-for-turn"],
    ),
    (
        "Output",
        &[
            "save-media",
            "media-data",
            "debug",
            "color",
            "deny-warnings",
        ],
    ),
];

/// A text of `agent help`. Its first line is `# ` and its title.
pub(crate) struct Topic {
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
}

macro_rules! topics {
    ($($name:literal),* $(,)?) => {
        &[$(Topic { name: $name, text: include_str!(concat!("../help/", $name, ".md")) }),*]
    };
}

/// The topics of `agent help`. A command's name is no topic, because `agent help COMMAND` is the command's help.
pub(crate) const TOPICS: &[Topic] = topics![
    "access",
    "attachments",
    "batch",
    "catalogue",
    "formats",
    "history",
    "journal",
    "keys",
    "limits",
    "output",
    "project-file",
    "server",
];

impl Topic {
    /// The sentence that the list of topics shows.
    fn summary(&self) -> &'static str {
        let title = self.text.lines().next().unwrap_or_default();
        title.trim_start_matches("# ")
    }
}

/// Gives the command line its help.
pub(crate) fn with_help(root: Command) -> Command {
    // Without the name, the help on Windows says `agent.exe`.
    let mut root = group_options(root.bin_name("agent"))
        .after_help("`agent help COMMAND` explains a command; `agent help` lists topics");
    // Usage lines name the whole command only once it is built.
    root.build();
    let commands = listed_commands(&root);
    root.help_template(format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{commands}\nOptions:\n{{options}}{{after-help}}"
    ))
}

/// Moves options under their headings, and names the headings that `-h` leaves out.
fn group_options(command: Command) -> Command {
    let mut headings = Vec::new();
    let command = command.mut_args(|argument| match heading_of(&argument) {
        Some(heading) => {
            if !headings.contains(&heading) {
                headings.push(heading);
            }
            argument.help_heading(heading).hide_short_help(true)
        }
        None => with_short_help(argument),
    });
    let command = command.mut_subcommands(group_options);
    let Some(about) = about_headings(&headings) else {
        return command;
    };
    let text = command
        .get_after_help()
        .map(StyledStr::to_string)
        .unwrap_or_default();
    let long = command
        .get_after_long_help()
        .map_or_else(|| text.clone(), StyledStr::to_string);
    command
        .after_help(format!("{text}\n\n{about}").trim_start().to_owned())
        .after_long_help(long)
}

/// Lets `-h` show the first clause of an option's description, and `--help` all of it.
fn with_short_help(argument: Arg) -> Arg {
    let Some(help) = argument.get_help().map(ToString::to_string) else {
        return argument;
    };
    let end = [". ", "; "].iter().filter_map(|mark| help.find(mark)).min();
    match end {
        Some(end) if argument.get_long_help().is_none() => {
            argument.help(help[..end].to_owned()).long_help(help)
        }
        _ => argument,
    }
}

fn heading_of(argument: &Arg) -> Option<&'static str> {
    let long = argument.get_long()?;
    let group = OPTIONS.iter().find(|(_, options)| options.contains(&long));
    group.map(|(heading, _)| *heading)
}

fn about_headings(headings: &[&str]) -> Option<String> {
    let (last, others) = headings.split_last()?;
    let names = match others {
        [] => (*last).to_lowercase(),
        _ => format!(
            "{} and {}",
            others.join(", ").to_lowercase(),
            last.to_lowercase()
        ),
    };
    Some(format!("More options, which --help lists: {names}"))
}

/// The commands, by group.
fn listed_commands(root: &Command) -> String {
    let mut text = String::new();
    for (group, names) in COMMANDS {
        text += &format!("{group}:\n");
        for name in names {
            let command = root.find_subcommand(name);
            let about = command.and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            text += &format!("  {name:<13}  {about}\n");
        }
    }
    text
}

/// The topics, a line each.
pub(crate) fn listed_topics() -> String {
    let lines = TOPICS
        .iter()
        .map(|topic| format!("  {:<13}  {}\n", topic.name, topic.summary()));
    lines.collect()
}
