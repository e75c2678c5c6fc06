//! How a chat looks, which depends on where it goes.

use crate::style::Style;
use agent_runtime::Environment;
use std::io::{self, IsTerminal};

/// Where lines come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// Somebody types, and can edit.
    Editor,
    /// Somebody types, into a terminal that knows no escapes or whose output goes elsewhere.
    Terminal,
    /// A pipe or a file.
    Pipe,
}

/// How a chat looks, decided once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    /// Where lines come from.
    pub(super) input: Input,
    /// Whether something may be written over what was written before.
    pub(super) moves: bool,
    /// Whether there are colours.
    pub(super) colours: bool,
}

impl Look {
    /// What the terminal, the command line and the environment ask for.
    pub(super) fn new(environment: &Environment, style: &Style) -> Self {
        let (typed, shown) = (io::stdin().is_terminal(), io::stdout().is_terminal());
        // On Windows terminals have no names; elsewhere one without is not known to know escapes.
        let knows_escapes = match environment.get("TERM") {
            Some(term) => !["dumb", "cons25", "emacs"].contains(&&*term.to_ascii_lowercase()),
            None => cfg!(windows),
        };
        let moves = typed && shown && knows_escapes;
        Self {
            input: match (typed, moves) {
                (true, true) => Input::Editor,
                (true, false) => Input::Terminal,
                (false, _) => Input::Pipe,
            },
            moves,
            colours: style.has_colour_on(shown && knows_escapes),
        }
    }

    /// Whether somebody is there to be asked.
    pub(super) fn is_interactive(self) -> bool {
        self.input != Input::Pipe
    }

    /// The text, less conspicuous where there are colours.
    pub(super) fn dim(self, text: &str) -> String {
        if self.colours {
            format!("\u{1b}[2m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }
}
