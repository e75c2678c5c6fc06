//! The published page of `docs/diagnostics.md`.

use agent_project::report::docs_link;
use agent_runtime::Environment;
use agent_spec::Code;

/// The environment variable with the address of the page. There is no default, because the page may not be
/// published.
const VARIABLE: &str = "AGENT_DOCS_URL";

/// The address of the published page, if there is one.
pub(crate) struct Docs(Option<String>);

impl Docs {
    /// Reads the address from the environment. A value that is not an address is ignored, because the address
    /// becomes part of an escape sequence for the terminal.
    pub(crate) fn of(environment: &Environment) -> Self {
        let is_address = |text: &String| text.bytes().all(|byte| byte.is_ascii_graphic());
        Self(environment.get(VARIABLE).filter(is_address))
    }

    /// Returns the address of the page.
    pub(crate) fn page(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// Returns the address of a code's section.
    pub(crate) fn link(&self, code: Code) -> Option<String> {
        Some(docs_link(self.page()?, code))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(page: &str) -> Option<String> {
        let environment = Environment::from_pairs([(VARIABLE, page)]);
        Docs::of(&environment).link(Code::UnknownType)
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
        assert_eq!(Docs::of(&Environment::empty()).link(Code::BadName), None);
    }
}
