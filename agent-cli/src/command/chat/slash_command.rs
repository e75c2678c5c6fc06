//! The commands of a chat, which begin with a slash.

use agent_spec::names::nearest;

/// A command of a chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SlashCommand {
    /// Shows the commands.
    Help,
    /// Shows the agent's tools.
    Tools,
    /// Attaches a file to the next message.
    Attach {
        /// The file as typed.
        path: String,
    },
    /// Lists the files that are attached to the next message.
    Attached,
    /// Removes the files that are attached to the next message.
    Detach,
    /// Shows the requests, tokens and cost of the chat.
    Usage,
    /// Writes the conversation to a file.
    Save {
        /// The file as typed.
        path: String,
        /// Whether an existing file is replaced.
        overwrite: bool,
    },
    /// Begins the conversation anew.
    Reset {
        /// Whether the stored conversation is deleted.
        stored: bool,
    },
    /// Ends the chat.
    Quit,
}

/// A parsed line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ParsedLine {
    /// A blank line.
    Empty,
    /// A message to the agent.
    Message(String),
    /// A command.
    Command(SlashCommand),
    /// An invalid command, with the error message.
    Invalid(String),
}

/// Each command with its argument and its description.
const COMMANDS: [(&str, &str, &str); 7] = [
    ("help", "", "show this"),
    ("tools", "", "show the agent's tools, with their signatures"),
    (
        "attach",
        "FILE",
        "attach a file or a URL to the next message; `/attach` lists them, `/attach --drop` removes them",
    ),
    (
        "usage",
        "",
        "show the requests, tokens and dollars of this chat",
    ),
    (
        "save",
        "FILE",
        "write the conversation, as .json or .gram; `/save --overwrite FILE` replaces a file",
    ),
    (
        "reset",
        "",
        "start again from the initial conversation; with --conversation, `/reset --stored` also deletes the stored one",
    ),
    ("quit", "", "leave, as Ctrl-D does"),
];

/// Parses a typed line.
pub(super) fn parse(line: &str) -> ParsedLine {
    let line = line.trim();
    if line.is_empty() {
        return ParsedLine::Empty;
    }
    let Some(command) = line.strip_prefix('/') else {
        return ParsedLine::Message(line.to_owned());
    };
    if command.starts_with('/') {
        return ParsedLine::Message(command.to_owned());
    }
    let (name, rest) = command
        .split_once(char::is_whitespace)
        .unwrap_or((command, ""));
    match parse_command(name, rest.trim()) {
        Ok(command) => ParsedLine::Command(command),
        Err(mistake) => ParsedLine::Invalid(mistake),
    }
}

fn parse_command(name: &str, rest: &str) -> Result<SlashCommand, String> {
    let command = match (name, rest) {
        ("save", rest) => return parse_save(rest),
        ("attach", "") => return Ok(SlashCommand::Attached),
        ("attach", "--drop") => return Ok(SlashCommand::Detach),
        ("attach", path) => {
            let path = path.to_owned();
            return Ok(SlashCommand::Attach { path });
        }
        ("reset", "--stored") => SlashCommand::Reset { stored: true },
        ("reset", "") => SlashCommand::Reset { stored: false },
        ("reset", other) => {
            return Err(format!(
                "`/reset` accepts `--stored` or nothing, not `{other}`"
            ));
        }
        ("help", _) => SlashCommand::Help,
        ("tools", _) => SlashCommand::Tools,
        ("usage", _) => SlashCommand::Usage,
        ("quit" | "exit", _) => SlashCommand::Quit,
        _ => {
            let names = COMMANDS.iter().map(|(name, ..)| *name);
            let instead = match nearest(name, names) {
                Some(meant) => format!("did you mean `/{meant}`?"),
                None => "`/help` lists the commands.".to_owned(),
            };
            return Err(format!(
                "there is no command `/{name}`; {instead} For a message that begins with a slash, type \
                 two: `//{name}`"
            ));
        }
    };
    if !rest.is_empty() && !matches!(command, SlashCommand::Reset { .. }) {
        return Err(format!("`/{name}` needs no argument, but has `{rest}`"));
    }
    Ok(command)
}

fn parse_save(rest: &str) -> Result<SlashCommand, String> {
    let behind = rest.strip_prefix("--overwrite");
    let flag = behind.filter(|behind| behind.is_empty() || behind.starts_with(char::is_whitespace));
    let path = flag.unwrap_or(rest).trim();
    if path.is_empty() {
        return Err("`/save` needs a file, such as `/save talk.json` or `/save talk.gram`".into());
    }
    Ok(SlashCommand::Save {
        path: path.to_owned(),
        overwrite: flag.is_some(),
    })
}

/// Returns the commands that begin with the typed text.
pub(super) fn completions(typed: &str) -> Vec<String> {
    let Some(prefix) = typed.strip_prefix('/') else {
        return Vec::new();
    };
    let names = COMMANDS
        .iter()
        .filter(|(name, ..)| name.starts_with(prefix));
    names
        .map(|(name, argument, _)| {
            let blank = if argument.is_empty() { "" } else { " " };
            format!("/{name}{blank}")
        })
        .collect()
}

/// Returns the text of `/help`.
pub(super) fn help() -> String {
    let mut text = String::new();
    for (name, argument, does) in COMMANDS {
        let command = format!("/{name} {argument}");
        text.push_str(&format!("{command:<12} {does}\n"));
    }
    text.push_str(
        "Ctrl-C stops the agent while it answers. For a message that begins with a slash, type two.",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn save(path: &str, overwrite: bool) -> ParsedLine {
        let path = path.to_owned();
        ParsedLine::Command(SlashCommand::Save { path, overwrite })
    }

    #[test]
    fn parses_messages_and_commands() {
        let message = |text: &str| ParsedLine::Message(text.to_owned());
        for (line, expected) in [
            ("", ParsedLine::Empty),
            (" \t", ParsedLine::Empty),
            (" Hello ", message("Hello")),
            (
                "//etc/hosts, what is it?",
                message("/etc/hosts, what is it?"),
            ),
            ("/help", ParsedLine::Command(SlashCommand::Help)),
            ("/quit ", ParsedLine::Command(SlashCommand::Quit)),
            ("/exit", ParsedLine::Command(SlashCommand::Quit)),
            (
                "/reset",
                ParsedLine::Command(SlashCommand::Reset { stored: false }),
            ),
            (
                "/reset --stored",
                ParsedLine::Command(SlashCommand::Reset { stored: true }),
            ),
            ("/attach", ParsedLine::Command(SlashCommand::Attached)),
            ("/attach --drop", ParsedLine::Command(SlashCommand::Detach)),
            (
                "/attach my photo.png",
                ParsedLine::Command(SlashCommand::Attach {
                    path: "my photo.png".to_owned(),
                }),
            ),
            ("/save my talk.gram", save("my talk.gram", false)),
            ("/save --overwrite a.json", save("a.json", true)),
            (
                "/save --overwritten.json",
                save("--overwritten.json", false),
            ),
        ] {
            assert_eq!(parse(line), expected, "{line}");
        }
    }

    #[test]
    fn invalid_commands_give_advice() {
        for (line, words) in [
            ("/tool", "did you mean `/tools`?"),
            ("/xyzzy", "`/help` lists"),
            ("/", "no command `/`"),
            ("/etc/hosts", "`//etc/hosts`"),
            ("/save", "needs a file"),
            ("/save --overwrite", "needs a file"),
            ("/reset all", "`--stored` or nothing"),
            ("/tools all", "needs no argument, but has `all`"),
        ] {
            match parse(line) {
                ParsedLine::Invalid(text) => assert!(text.contains(words), "{line}: {text}"),
                other => panic!("{line}: {other:?}"),
            }
        }
    }

    #[test]
    fn completes_commands() {
        assert_eq!(completions("/re"), ["/reset"]);
        assert_eq!(completions("/s"), ["/save "]);
        assert_eq!(completions("/a"), ["/attach "]);
        assert_eq!(completions("/").len(), COMMANDS.len());
        for typed in ["", "re", "//re", "/reset ", "/x"] {
            assert!(completions(typed).is_empty(), "{typed}");
        }
    }

    #[test]
    fn parses_every_command_of_the_help() {
        for (name, ..) in COMMANDS {
            match parse(&format!("/{name}")) {
                ParsedLine::Command(_) => {}
                ParsedLine::Invalid(text) => {
                    assert!(text.contains("needs a file"), "{name}: {text}")
                }
                other => panic!("{name}: {other:?}"),
            }
        }
    }
}
