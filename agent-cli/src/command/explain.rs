//! `agent explain`: prints the explanations of diagnostic codes.

use crate::explanation::{Examples, Explanation};
use crate::outcome::{CommandError, Outcome};
use crate::output::{json_to_stdout, to_stdout};
use agent_lsp::report::docs_anchor;
use agent_spec::Code;
use agent_spec::diagnostic::UnknownCode;
use clap::ValueEnum;
use serde::Serialize;
use std::fmt::Write as _;
use std::io::Write as _;

const LONG_ABOUT: &str = "\
Explain a finding

Findings have codes, such as agent::unknown-type. For each there is a longer text: what the rule is,
why there is one and how to keep it, with an example of the mistake and one that is right. The name
alone will do, unknown-type; one that stands for two codes is taken for the one about agents. Without
CODE all codes are listed.

With --format json it is an object, or without CODE an array of such objects:
  {\"code\",\"severity\",\"meaning\",\"text\",\"examples\",\"wrong\",\"right\"}
examples is what wrong and right are: \"documents\", \"gram\" and \"signatures\", as `agent check` and its
option --as take them; \"portable\", documents for `agent fmt --style portable`; or, which only programs
can check, \"patterns\", and \"short-gram\", any gram where texts may be 40 bytes long. --format markdown
is the page docs/diagnostics.md, or with CODE its part of it.";

const AFTER_HELP: &str = "\
Examples:
  agent explain unknown-type
  agent explain gram::duplicate-key
  agent explain
  agent explain --format markdown > docs/diagnostics.md";

/// Explain a finding
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The code of the finding, with or without `agent::` or `gram::`
    code: Option<String>,
    /// How it is explained
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The form in which explanations are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    #[default]
    Human,
    /// For programs: one JSON document on standard output
    Json,
    /// For the documentation: a page in Markdown
    Markdown,
}

/// Prints the explanation of one code, or a list of all codes.
pub(crate) fn explain(args: Args) -> Result<Outcome, CommandError> {
    let code = args.code.as_deref().map(read_code).transpose()?;
    match (args.format, code) {
        (Format::Human, Some(code)) => write(&explanation_text(code))?,
        (Format::Human, None) => write(&code_list())?,
        (Format::Json, Some(code)) => json_to_stdout(&ExplanationEntry::new(code))?,
        (Format::Json, None) => {
            let all: Vec<ExplanationEntry> = Code::ALL
                .iter()
                .copied()
                .map(ExplanationEntry::new)
                .collect();
            json_to_stdout(&all)?;
        }
        (Format::Markdown, Some(code)) => write(&markdown_section(code))?,
        (Format::Markdown, None) => write(&markdown_page())?,
    }
    Ok(Outcome::Fine)
}

fn read_code(text: &str) -> Result<Code, CommandError> {
    text.parse().map_err(|error: UnknownCode| {
        let more = match error.nearest() {
            Some(_) => "",
            None => "; `agent explain` lists them all",
        };
        CommandError::new(format!("{error}{more}"))
    })
}

fn write(text: &str) -> std::io::Result<()> {
    to_stdout(|out| out.write_all(text.as_bytes()))
}

const INTRODUCTION: &str = "\
# Findings

What `agent check`, `agent!` and the readers of `agent-spec` can find wrong with a text. Each finding
has a code that does not change, so that scripts can depend on it. `agent explain CODE` prints the
same as this page says.

This page is made by `agent explain --format markdown`. A test keeps it so; write to it with
`UPDATE_DOCS=1 cargo test -p agent-cli --test it explain`.

";

/// Writes the page of all codes: a table, then a section for each code.
fn markdown_page() -> String {
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
        page.push_str(&markdown_section(*code));
    }
    page
}

/// Writes the section of the page about one code. Its anchor is written out, because programs that show
/// Markdown derive different anchors from the same heading.
fn markdown_section(code: Code) -> String {
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

/// Writes the explanation of a code with its examples.
fn explanation_text(code: Code) -> String {
    let Explanation {
        text,
        wrong,
        right,
        examples,
        ..
    } = Explanation::of(code);
    let checked_by = match examples.checked_by() {
        "" => String::new(),
        command => format!(" ({})", command.replace('`', "")),
    };
    format!(
        "{code} ({})\n{}\n\n{text}\n\nWrong{checked_by}:\n\n{}\nRight:\n\n{}",
        code.severity(),
        code.meaning(),
        indented(wrong),
        indented(right),
    )
}

/// Lists all codes, one line each: code, severity, meaning.
fn code_list() -> String {
    let widest = Code::ALL.iter().map(|code| code.as_str().len()).max();
    let widest = widest.unwrap_or(0);
    let mut list = String::new();
    for code in Code::ALL {
        let severity = code.severity().to_string();
        let _ = writeln!(
            list,
            "{:widest$}  {severity:7}  {}",
            code.as_str(),
            code.meaning()
        );
    }
    list
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}

/// An explanation as JSON. Scripts depend on these members.
#[derive(Serialize)]
struct ExplanationEntry {
    code: &'static str,
    severity: String,
    meaning: &'static str,
    text: &'static str,
    examples: &'static str,
    wrong: &'static str,
    right: &'static str,
}

impl ExplanationEntry {
    fn new(code: Code) -> Self {
        let explanation = Explanation::of(code);
        Self {
            code: code.as_str(),
            severity: code.severity().to_string(),
            meaning: code.meaning(),
            text: explanation.text,
            examples: match explanation.examples {
                Examples::Documents => "documents",
                Examples::Gram => "gram",
                Examples::ShortGram => "short-gram",
                Examples::Signatures => "signatures",
                Examples::Portable => "portable",
                Examples::Patterns => "patterns",
            },
            wrong: explanation.wrong,
            right: explanation.right,
        }
    }
}
