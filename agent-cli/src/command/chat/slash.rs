//! Commands for the chat itself, which begin with a slash.

use agent_spec::names::nearest;

/// A command for the chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Slash {
    /// Shows the commands.
    Help,
    /// Shows the agent's tools.
    Tools,
    /// Shows what the chat has used up.
    Usage,
    /// Writes the conversation to a file.
    Save {
        /// The file, as it was typed.
        path: String,
        /// Whether what is there may go.
        overwrite: bool,
    },
    /// Begins the conversation anew.
    Reset {
        /// Whether the stored conversation is forgotten with it.
        stored: bool,
    },
    /// Leaves.
    Quit,
}

/// What was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Typed {
    /// Nothing.
    Nothing,
    /// Something to say to the agent.
    Message(String),
    /// A command.
    Slash(Slash),
    /// What looks like a command and is none: what to say of it.
    Mistake(String),
}

/// The names, with what stands behind them and what they do.
const COMMANDS: [(&str, &str, &str); 6] = [
    ("help", "", "show this"),
    ("tools", "", "show the agent's tools, with their signatures"),
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
        "begin anew, as at the start; with --conversation `/reset --stored`, which deletes what is stored",
    ),
    ("quit", "", "leave, as Ctrl-D does"),
];

/// Reads what was typed.
pub(super) fn read(line: &str) -> Typed {
    let line = line.trim();
    if line.is_empty() {
        return Typed::Nothing;
    }
    let Some(command) = line.strip_prefix('/') else {
        return Typed::Message(line.to_owned());
    };
    if command.starts_with('/') {
        return Typed::Message(command.to_owned());
    }
    let (name, rest) = command
        .split_once(char::is_whitespace)
        .unwrap_or((command, ""));
    match slash(name, rest.trim()) {
        Ok(slash) => Typed::Slash(slash),
        Err(mistake) => Typed::Mistake(mistake),
    }
}

fn slash(name: &str, rest: &str) -> Result<Slash, String> {
    let slash = match (name, rest) {
        ("save", rest) => return save(rest),
        ("reset", "--stored") => Slash::Reset { stored: true },
        ("reset", "") => Slash::Reset { stored: false },
        ("reset", other) => {
            return Err(format!(
                "`/reset` takes `--stored` or nothing, not `{other}`"
            ));
        }
        ("help", _) => Slash::Help,
        ("tools", _) => Slash::Tools,
        ("usage", _) => Slash::Usage,
        ("quit" | "exit", _) => Slash::Quit,
        _ => {
            let names = COMMANDS.iter().map(|(name, ..)| *name);
            let instead = match nearest(name, names) {
                Some(meant) => format!("did you mean `/{meant}`?"),
                None => "`/help` shows those that there are.".to_owned(),
            };
            return Err(format!(
                "there is no command `/{name}`; {instead} A message that begins with a slash is \
                 typed with two: `//{name}`"
            ));
        }
    };
    if !rest.is_empty() && !matches!(slash, Slash::Reset { .. }) {
        return Err(format!("`/{name}` takes nothing, not `{rest}`"));
    }
    Ok(slash)
}

fn save(rest: &str) -> Result<Slash, String> {
    let behind = rest.strip_prefix("--overwrite");
    let flag = behind.filter(|behind| behind.is_empty() || behind.starts_with(char::is_whitespace));
    let path = flag.unwrap_or(rest).trim();
    if path.is_empty() {
        return Err("`/save` needs a file, such as `/save talk.json` or `/save talk.gram`".into());
    }
    Ok(Slash::Save {
        path: path.to_owned(),
        overwrite: flag.is_some(),
    })
}

/// The commands that what was typed of a line may be meant to become.
pub(super) fn meant(typed: &str) -> Vec<String> {
    let Some(begun) = typed.strip_prefix('/') else {
        return Vec::new();
    };
    let names = COMMANDS.iter().filter(|(name, ..)| name.starts_with(begun));
    names
        .map(|(name, argument, _)| {
            let blank = if argument.is_empty() { "" } else { " " };
            format!("/{name}{blank}")
        })
        .collect()
}

/// The commands as people read them.
pub(super) fn help() -> String {
    let mut text = String::new();
    for (name, argument, does) in COMMANDS {
        let command = format!("/{name} {argument}");
        text.push_str(&format!("{command:<12} {does}\n"));
    }
    text.push_str(
        "Ctrl-C stops the agent while it answers. A message that begins with a slash is ",
    );
    text.push_str("typed with two.");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn save(path: &str, overwrite: bool) -> Typed {
        let path = path.to_owned();
        Typed::Slash(Slash::Save { path, overwrite })
    }

    #[test]
    fn lines_are_messages_or_commands() {
        let message = |text: &str| Typed::Message(text.to_owned());
        for (line, expected) in [
            ("", Typed::Nothing),
            (" \t", Typed::Nothing),
            (" Hello ", message("Hello")),
            (
                "//etc/hosts, what is it?",
                message("/etc/hosts, what is it?"),
            ),
            ("/help", Typed::Slash(Slash::Help)),
            ("/quit ", Typed::Slash(Slash::Quit)),
            ("/exit", Typed::Slash(Slash::Quit)),
            ("/reset", Typed::Slash(Slash::Reset { stored: false })),
            (
                "/reset --stored",
                Typed::Slash(Slash::Reset { stored: true }),
            ),
            ("/save my talk.gram", save("my talk.gram", false)),
            ("/save --overwrite a.json", save("a.json", true)),
            (
                "/save --overwritten.json",
                save("--overwritten.json", false),
            ),
        ] {
            assert_eq!(read(line), expected, "{line}");
        }
    }

    #[test]
    fn mistakes_say_what_would_be_right() {
        for (line, words) in [
            ("/tool", "did you mean `/tools`?"),
            ("/xyzzy", "`/help` shows"),
            ("/", "no command `/`"),
            ("/etc/hosts", "`//etc/hosts`"),
            ("/save", "needs a file"),
            ("/save --overwrite", "needs a file"),
            ("/reset all", "`--stored` or nothing"),
            ("/tools all", "takes nothing, not `all`"),
        ] {
            match read(line) {
                Typed::Mistake(text) => assert!(text.contains(words), "{line}: {text}"),
                other => panic!("{line}: {other:?}"),
            }
        }
    }

    #[test]
    fn commands_are_completed() {
        assert_eq!(meant("/re"), ["/reset"]);
        assert_eq!(meant("/s"), ["/save "]);
        assert_eq!(meant("/").len(), COMMANDS.len());
        for typed in ["", "re", "//re", "/reset ", "/x"] {
            assert!(meant(typed).is_empty(), "{typed}");
        }
    }

    #[test]
    fn every_command_of_the_help_is_one() {
        for (name, ..) in COMMANDS {
            match read(&format!("/{name}")) {
                Typed::Slash(_) => {}
                Typed::Mistake(text) => assert!(text.contains("needs a file"), "{name}: {text}"),
                other => panic!("{name}: {other:?}"),
            }
        }
    }
}
