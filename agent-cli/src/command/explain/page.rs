//! Explanations as the page `docs/diagnostics.md`.

use super::about;
use crate::docs::anchor;
use agent_spec::Code;
use agent_spec::diagnostic::Explanation;
use std::fmt::Write as _;

const INTRODUCTION: &str = "\
# Findings

What `agent check`, `agent!` and the readers of `agent-spec` can find wrong with a text. Each finding
has a code that does not change, so that scripts can depend on it. `agent explain CODE` prints the
same as this page says.

This page is made by `agent explain --format markdown`. A test keeps it so; write to it with
`UPDATE_DOCS=1 cargo test -p agent-cli --test explain`.

";

/// The page: a table of all findings, then each at length.
pub(super) fn page() -> String {
    let mut page = INTRODUCTION.to_owned();
    page.push_str("| code | severity | meaning |\n| --- | --- | --- |\n");
    for code in Code::ALL {
        let _ = writeln!(
            page,
            "| [`{code}`](#{}) | {} | {} |",
            anchor(*code),
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

/// What the page says about one finding. Its anchor is written out, since the anchors that are made
/// of headings differ between the programs that show Markdown.
pub(super) fn section(code: Code) -> String {
    let Explanation {
        text,
        wrong,
        right,
        examples,
        ..
    } = code.explanation();
    let about = match about(examples) {
        "" => String::new(),
        about => format!(" ({about})"),
    };
    format!(
        "<a id=\"{}\"></a>\n\n## `{code}`\n\n*{}.* {}\n\n{text}\n\nWrong{about}:\n\n{}\nRight:\n\n{}",
        anchor(code),
        capitalised(&code.severity().to_string()),
        code.meaning(),
        fenced(wrong),
        fenced(right),
    )
}

/// A block of gram. The fence is longer than any that the gram has in itself.
fn fenced(gram: &str) -> String {
    let mut fence = "```".to_owned();
    while gram.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}gram\n{}\n{fence}\n", gram.trim_end_matches('\n'))
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
