//! Colours of findings, and links from their codes.

use agent_project::report::docs_link;
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
    /// The address of the published page of `book/src/reference/diagnostics.md`, if there is one.
    docs_page: Option<String>,
}

impl Style {
    /// Reads the style from the command line and the environment. The command line takes precedence, as
    /// <https://no-color.org> asks.
    pub(crate) fn new(color: Color, environment: &Environment) -> Self {
        Self {
            color,
            allowed: environment.get("NO_COLOR").is_none()
                && environment.get("TERM").as_deref() != Some("dumb"),
            docs_page: docs_page(environment),
        }
    }

    /// Whether standard error is in colour.
    pub(crate) fn has_colour(&self) -> bool {
        self.has_colour_on(io::stderr().is_terminal())
    }

    /// Whether an output is in colour. `terminal` is whether the output is a terminal.
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
        let page = self.docs_page.as_deref().filter(|_| self.has_colour());
        page.map(|page| docs_link(page, code))
    }
}

/// The environment variable with the address of the published page of `book/src/reference/diagnostics.md`. There is no default,
/// because the page may not be published.
const DOCS_PAGE: &str = "AGENT_DOCS_URL";

/// Reads the address of the published page from the environment. A value that is not an address is ignored, because
/// the address becomes part of an escape sequence for the terminal.
pub(crate) fn docs_page(environment: &Environment) -> Option<String> {
    let is_address = |text: &String| text.bytes().all(|byte| byte.is_ascii_graphic());
    let page = environment.get(DOCS_PAGE);
    page.filter(is_address)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(page: &str) -> Option<String> {
        let environment = Environment::from_pairs([(DOCS_PAGE, page)]);
        Style::new(Color::Always, &environment).link(Code::UnknownType)
    }

    #[test]
    fn links_to_the_section_of_a_code() {
        assert_eq!(
            link("https://example.org/diagnostics.html").as_deref(),
            Some("https://example.org/diagnostics.html#agent-unknown-type")
        );
    }

    #[test]
    fn has_no_links_without_a_valid_address() {
        for page in [
            "",
            " ",
            "https://example.org/\u{1b}]8;;",
            "https://é.org",
            "two words",
        ] {
            assert_eq!(link(page), None, "{page:?}");
        }
        assert_eq!(docs_page(&Environment::empty()), None);
    }
}
