//! The page `docs/diagnostics.md`.

use crate::explanation::Explanation;
use agent_lsp::report::docs_anchor;
use agent_spec::Code;
use std::fmt::Write as _;

const INTRODUCTION: &str = "\
# Findings

What `agent check`, `agent!` and the readers of `agent-spec` can find wrong with a text. Each finding
has a code that does not change, so that scripts can depend on it. `agent explain CODE` prints the
same as this page says.

This page is made by `agent explain --format markdown`. A test keeps it so; write to it with
`UPDATE_DOCS=1 cargo test -p agent-cli --test explain`.

";

/// The page: a table of all codes, then a section for each.
pub(super) fn page() -> String {
    let mut page = INTRODUCTION.to_owned();
    page.push_str("| code | severity | meaning |\n| --- | --- | --- |\n");
    for code in Code::ALL {
        let _ = writeln!(
            page,
            "| [`{code}`](#{}) | {} | {} |",
            docs_anchor(*code),
            code.severity(),
            code.meaning()
        );
    }
    for code in Code::ALL {
        page.push('\n');
        page.push_str(&section(*code));
    }
    page
}

/// The section of the page about one code. Its anchor is written out, because programs that show
/// Markdown derive different anchors from the same heading.
pub(super) fn section(code: Code) -> String {
    format!(
        "<a id=\"{}\"></a>\n\n## `{code}`\n\n*{}.* {}\n\n{}",
        docs_anchor(code),
        capitalised(&code.severity().to_string()),
        code.meaning(),
        Explanation::of(code).page,
    )
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
