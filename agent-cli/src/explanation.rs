//! The explanation of each diagnostic code: one Markdown page in `explanation/`, named for the code.
//!
//! `agent explain` prints the pages, and `book/src/reference/diagnostics.md` is made from them. They are not part of
//! `agent-spec`, because every user of `agent-runtime` compiles that crate, and only tools for people
//! need the prose. The tests check each page and its two examples.

#[cfg(test)]
mod tests;

use agent_spec::Code;
use serde::Serialize;

/// The explanation of a diagnostic code, with one example that has the mistake and one without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Explanation {
    /// The whole page as Markdown: the text, then the two examples.
    #[serde(skip)]
    pub(crate) page: &'static str,
    /// The rule, its reason, and how to keep it. Paragraphs are separated by an empty line, and gram is in
    /// backticks.
    pub(crate) text: &'static str,
    /// The way to check the examples, as Markdown; empty for documents. The page has it in parentheses after the word
    /// `Wrong`.
    #[serde(skip)]
    pub(crate) checked_by: &'static str,
    /// The kind of the examples, which decides how they are checked.
    pub(crate) examples: Examples,
    /// Gram that has this diagnostic and no other.
    pub(crate) wrong: &'static str,
    /// The same gram without the mistake.
    pub(crate) right: &'static str,
}

/// The kind of the examples of an explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Examples {
    /// Documents with agents and tools, for `agent_spec::check::check`.
    Documents,
    /// Any gram, for `agent_spec::check::check_gram`.
    Gram,
    /// Any gram, parsed with a limit of 40 bytes instead of the default limit.
    ShortGram,
    /// Signatures without a tool, for `agent_spec::check::check_signature`.
    Signatures,
    /// Documents to be rewritten in the style `portable`, for `agent_spec::restyle`.
    Portable,
    /// Project files, for `agent_spec::project_file::Project`.
    Projects,
    /// Documents whose variables are known: only `user` gets a value.
    Variables,
    /// Documents that are checked with the document of an MCP server, `mcp/files.gram`, whose tool
    /// `files_write` requires approval.
    Servers,
    /// Documents that are checked on 28 November 2026.
    Models,
    /// Catalogues of models, for `agent_spec::check::check_catalog`.
    Catalogs,
}

impl Examples {
    /// Returns the kind of the examples that are checked in this way.
    fn checked_by(way: &str) -> Option<Self> {
        Some(match way {
            "" => Self::Documents,
            "`agent check --as gram`" => Self::Gram,
            "a program that reads at most 40 bytes" => Self::ShortGram,
            "`agent check --as signature`" => Self::Signatures,
            "`agent fmt --style portable`" => Self::Portable,
            "the file `agent.gram`" => Self::Projects,
            "`agent check --var user`" => Self::Variables,
            "`agent check --mcp mcp/files.gram`" => Self::Servers,
            "`agent check` on 28 November 2026" => Self::Models,
            "the catalogue `models.gram`" => Self::Catalogs,
            _ => return None,
        })
    }
}

impl Explanation {
    /// Returns the explanation of `code`.
    ///
    /// # Panics
    /// If `code` has no page, or if its page has another layout than the others. A test reads the page
    /// of every code.
    pub(crate) fn of(code: Code) -> Self {
        let name = code.as_str().replace("::", "/");
        let page = PAGES.iter().find(|(of, _)| *of == name);
        let (_, page) = page.unwrap_or_else(|| panic!("`{code}` has no page"));
        Self::parse(page).unwrap_or_else(|| panic!("the page of `{code}` has another layout"))
    }

    /// Parses a page: text, `Wrong:` with a block of gram, `Right:` with another one.
    fn parse(page: &'static str) -> Option<Self> {
        let (text, rest) = page.split_once("\n\nWrong")?;
        let (checked_by, rest) = rest.split_once(":\n\n")?;
        let checked_by = match checked_by {
            "" => "",
            _ => checked_by.strip_prefix(" (")?.strip_suffix(')')?,
        };
        let examples = Examples::checked_by(checked_by)?;
        let (wrong, rest) = split_block(rest)?;
        let (right, rest) = split_block(rest.strip_prefix("\nRight:\n\n")?)?;
        rest.is_empty().then_some(Self {
            page,
            text,
            checked_by,
            examples,
            wrong,
            right,
        })
    }
}

/// Splits off a fenced block of gram. Returns its content, without the last line end, and the text
/// after the block.
fn split_block(text: &'static str) -> Option<(&'static str, &'static str)> {
    // A fence is longer than any run of backticks in its block.
    let (fence, rest) = text.split_once("gram\n")?;
    let (content, rest) = rest.split_once(&format!("\n{fence}\n"))?;
    (fence.len() >= 3 && fence.bytes().all(|byte| byte == b'`')).then_some((content, rest))
}

/// Includes the pages with these names in `explanation/`.
macro_rules! pages {
    ($($name:literal,)+) => {
        &[$(($name, include_str!(concat!("explanation/", $name, ".md")))),+]
    };
}

/// The page of each code. Its name is the code with `/` for `::`.
const PAGES: &[(&str, &str)] = pages![
    "gram/unexpected",
    "gram/unclosed",
    "gram/unterminated",
    "gram/bad-escape",
    "gram/bad-number",
    "gram/bad-arrow",
    "gram/bad-character",
    "gram/too-deep",
    "gram/too-long",
    "gram/duplicate-key",
    "agent/nothing-declared",
    "agent/missing-label",
    "agent/missing-name",
    "agent/bad-name",
    "agent/bad-parameter-name",
    "agent/missing-instruction",
    "agent/bad-variable",
    "agent/unfilled-variable",
    "agent/unused-parameter",
    "agent/more-grants",
    "agent/missing-model",
    "agent/bad-model",
    "agent/unknown-provider",
    "agent/missing-description",
    "agent/missing-signature",
    "agent/unknown-property",
    "agent/duplicate-key",
    "agent/bad-value",
    "agent/not-a-tool",
    "agent/several-signatures",
    "agent/unknown-tool",
    "agent/duplicate-tool",
    "agent/bad-tool-choice",
    "agent/reserved-extra",
    "agent/conflicting-tools",
    "agent/duplicate-agent",
    "agent/not-a-signature",
    "agent/bad-direction",
    "agent/missing-type",
    "agent/several-types",
    "agent/unknown-type",
    "agent/misplaced-type",
    "agent/duplicate-parameter",
    "agent/misplaced-keyword",
    "agent/bad-default",
    "agent/differing-parameter",
    "agent/refused-media",
    "agent/refused-setting",
    "agent/ignored-setting",
    "agent/retired-model",
    "agent/retiring-model",
    "agent/unknown-model",
    "agent/bad-catalog",
    "agent/bad-server",
    "agent/looser-tool",
    "agent/key-in-document",
    "agent/bad-project-file",
    "agent/not-portable",
    "agent/comment-in-type",
];
