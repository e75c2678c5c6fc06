//! The capabilities of the terminal, if a chat has one.

use crate::style::Style;
use agent_runtime::Environment;
use std::io::{self, IsTerminal};

/// The source of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// A terminal whose lines can be edited.
    Editor,
    /// A terminal without escape sequences, or with standard output elsewhere.
    PlainTerminal,
    /// A pipe or a file.
    Pipe,
}

/// The capabilities of standard input and output, determined once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terminal {
    pub(super) input: Input,
    /// Whether a line can be redrawn.
    pub(super) can_redraw: bool,
    pub(super) has_colours: bool,
}

impl Terminal {
    /// Determines the capabilities from the standard streams, the command line and the environment.
    pub(super) fn new(environment: &Environment, style: &Style) -> Self {
        let (is_typed, is_shown) = (io::stdin().is_terminal(), io::stdout().is_terminal());
        // Terminals on Windows have no names and support escape sequences. Elsewhere, a terminal without a
        // name may not support them.
        let has_escapes = match environment.get("TERM") {
            Some(term) => !["dumb", "cons25", "emacs"].contains(&&*term.to_ascii_lowercase()),
            None => cfg!(windows),
        };
        let can_redraw = is_typed && is_shown && has_escapes;
        Self {
            input: match (is_typed, can_redraw) {
                (true, true) => Input::Editor,
                (true, false) => Input::PlainTerminal,
                (false, _) => Input::Pipe,
            },
            can_redraw,
            has_colours: style.has_colour_on(is_shown && has_escapes),
        }
    }

    /// Whether a user can be asked.
    pub(super) fn is_interactive(self) -> bool {
        self.input != Input::Pipe
    }

    /// Dims a text, if there are colours.
    pub(super) fn dim(self, text: &str) -> String {
        if self.has_colours {
            format!("\u{1b}[2m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }
}
