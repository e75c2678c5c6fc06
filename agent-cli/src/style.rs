//! Colours of findings, and links from their codes.

use crate::docs::Docs;
use agent_runtime::Environment;
use agent_spec::Code;
use clap::ValueEnum;
use std::io::{self, IsTerminal};

/// The value of `--color`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// When standard error is a terminal, unless NO_COLOR is set or TERM is `dumb`
    #[default]
    Auto,
    /// Also in files and pipes
    Always,
    /// Not at all
    Never,
}

/// The style of findings, which is decided once for each run of the program.
pub(crate) struct Style {
    color: Color,
    /// Whether the environment allows colours on a terminal.
    allowed: bool,
    docs: Docs,
}

impl Style {
    /// Reads the style from the command line and the environment. The command line takes precedence, as
    /// <https://no-color.org> asks.
    pub(crate) fn new(color: Color, environment: &Environment) -> Self {
        Self {
            color,
            allowed: environment.get("NO_COLOR").is_none()
                && environment.get("TERM").as_deref() != Some("dumb"),
            docs: Docs::of(environment),
        }
    }

    /// Whether standard error is in colour.
    pub(crate) fn has_colour(&self) -> bool {
        self.has_colour_on(io::stderr().is_terminal())
    }

    /// Whether an output is in colour that is a terminal or not.
    pub(crate) fn has_colour_on(&self, terminal: bool) -> bool {
        match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && self.allowed,
        }
    }

    /// Returns the link of a code. There are links only where there are colours, because both are escape
    /// sequences.
    pub(crate) fn link(&self, code: Code) -> Option<String> {
        self.docs.link(code).filter(|_| self.has_colour())
    }
}
