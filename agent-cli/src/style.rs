//! How findings look on standard error: whether in colour, and where their codes lead.

use crate::docs::Docs;
use agent_runtime::Environment;
use agent_spec::Code;
use clap::ValueEnum;
use std::io::{self, IsTerminal};

/// When findings are in colour.
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

/// How findings look, decided once for a run.
pub(crate) struct Style {
    color: Color,
    /// Whether the environment has nothing against colours on a terminal.
    allowed: bool,
    docs: Docs,
}

impl Style {
    /// What the command line and the environment ask for. The command line is asked first, as
    /// <https://no-color.org> has it.
    pub(crate) fn new(color: Color, environment: &Environment) -> Self {
        Self {
            color,
            allowed: environment.get("NO_COLOR").is_none()
                && environment.get("TERM").as_deref() != Some("dumb"),
            docs: Docs::of(environment),
        }
    }

    /// Whether there are colours on standard error.
    pub(crate) fn has_colour(&self) -> bool {
        self.has_colour_on(io::stderr().is_terminal())
    }

    /// Whether there are colours on what is a terminal or is not.
    pub(crate) fn has_colour_on(&self, terminal: bool) -> bool {
        match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && self.allowed,
        }
    }

    /// Where a code leads, when it leads anywhere. Links are written as colours are, by escape
    /// sequences, so they come and go with them.
    pub(crate) fn link(&self, code: Code) -> Option<String> {
        self.docs.link(code).filter(|_| self.has_colour())
    }
}
