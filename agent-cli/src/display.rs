//! Calls of tools and long texts, formatted for a terminal.

use crate::output::{is_blank, warning_to_stderr};
use agent_lsp::report::counted;
use agent_runtime::conversation::Part;
use agent_runtime::model::FinishReason;
use agent_runtime::redact::{Redactor, StreamRedactor};
use agent_runtime::response::ToolInvocation;
use agent_runtime::{AgentResponse, Message};
use agent_spec::terminal;
use agent_spec::vocabulary::Setting;
use serde_json::Value;
use unicode_width::UnicodeWidthChar;

/// The maximum number of characters of arguments and of results. The JSON form has all of them.
const MAX_CHARS: usize = 500;

/// The maximum number of characters of a name. Names in documents are shorter; a model can write any.
const MAX_NAME: usize = 100;

/// The question about a call that requires approval.
pub(crate) const APPROVAL: &str = "   yes, no, no REASON or edit? ";

/// The beginnings of the command's own lines: the marks of a transcript, messages, and the question about a call
/// with and without its blanks.
const BEGINNINGS: [&str; 9] = [
    "💬",
    "📝",
    "🤖",
    "🛠",
    "📎",
    "error:",
    "warning:",
    APPROVAL.trim_ascii(),
    APPROVAL.trim_ascii_end(),
];

/// Returns the text of an answer; a note in its place for one without text, which may follow calls of tools.
pub(crate) fn answer_text(response: &AgentResponse) -> &str {
    match response.content.trim().is_empty() {
        true => "(no text)",
        false => &response.content,
    }
}

/// Formats a call of a tool on one line: name, arguments, and the result or the error.
pub(crate) fn call_line(invocation: &ToolInvocation) -> String {
    outcome_line(&name(&invocation.tool), invocation)
}

/// Formats a call that an agent made which was called, like [`call_line`]. `path` leads to that agent.
pub(crate) fn nested_call_line(path: &str, invocation: &ToolInvocation) -> String {
    let path = format!("{path}/{}", invocation.tool);
    outcome_line(&shortened(&path), invocation)
}

fn outcome_line(tool: &str, invocation: &ToolInvocation) -> String {
    let args = json_line(&invocation.args.to_string());
    let outcome = match &invocation.result {
        Ok(Value::String(text)) => shortened(text),
        Ok(value) => json_line(&value.to_string()),
        Err(error) => {
            let text = invocation
                .error_text
                .clone()
                .unwrap_or_else(|| error.to_string());
            format!("error: {}", shortened(&text))
        }
    };
    format!("🛠️ {tool} {args} → {outcome}")
}

/// Formats an image, a document or audio on one line: kind, name or address, media type and size. `None` for other
/// parts.
pub(crate) fn media_line(part: &Part) -> Option<String> {
    let media = part.media()?;
    let name = match (media.name(), media.url(), media.file_id()) {
        (Some(name), ..) => format!(" `{name}`"),
        (None, Some(url), _) => format!(" `{url}`"),
        (None, None, Some((provider, id))) => format!(" `{id}` of {provider}"),
        (None, None, None) => String::new(),
    };
    let size = media.bytes().map(|bytes| size(bytes.len()));
    let missing = media.is_missing().then(|| "not here".to_owned());
    let details = media.media_type().map(str::to_owned);
    let details: Vec<String> = details.into_iter().chain(size).chain(missing).collect();
    let details = match details.is_empty() {
        true => String::new(),
        false => format!(" ({})", details.join(", ")),
    };
    Some(shortened(&format!("📎 {}{name}{details}", part.kind())))
}

/// Formats a number of bytes.
fn size(bytes: usize) -> String {
    const KIB: usize = 1 << 10;
    match bytes {
        1 => "1 byte".to_owned(),
        0..KIB => format!("{bytes} bytes"),
        KIB..=0xf_ffff => format!("{:.1} KiB", bytes as f64 / KIB as f64),
        _ => format!("{:.1} MiB", bytes as f64 / (KIB * KIB) as f64),
    }
}

/// Formats the note about a summary that was just written, on one line.
pub(crate) fn summary_line(summary: &Message) -> String {
    let scope = summary.summary_scope().unwrap_or_default();
    let messages = counted(scope.messages + scope.messages_of_turn, "message");
    format!("📝 the model gets a summary of the first {messages} from now on")
}

/// Writes a name that a model or a document chose, on one line.
pub(crate) fn name(name: &str) -> String {
    terminal::line(name, MAX_NAME)
}

/// Writes JSON on one line, cut if it is too long.
pub(crate) fn json_line(json: &str) -> String {
    shortened(&terminal::json(json))
}

/// Writes a text on one line, cut if it is too long.
pub(crate) fn shortened(text: &str) -> String {
    terminal::line(text, MAX_CHARS)
}

/// Writes a text of one or more lines, all but the first of which begin with this number of blanks.
pub(crate) fn indented_text(text: &str, blanks: usize) -> String {
    let further = format!("\n{}", " ".repeat(blanks));
    terminal::text(text).replace('\n', &further)
}

/// Writes a complete text of a model or a user after its mark.
pub(crate) fn marked_text(text: &str) -> String {
    Lines::default().whole(text)
}

/// The texts of a model, which are complete or arrive in parts.
pub(crate) struct ModelText {
    redactor: Redactor,
    redacted: StreamRedactor,
    lines: Lines,
}

impl ModelText {
    /// Creates the texts of a model whose secrets are redacted. If there are traces beside them, all their lines but the
    /// first are indented, because traces begin in many ways.
    pub(crate) fn new(redactor: &Redactor, has_traces: bool) -> Self {
        Self {
            redactor: redactor.clone(),
            redacted: redactor.stream(),
            lines: Lines {
                indents_all: has_traces,
                ..Lines::default()
            },
        }
    }

    /// Returns a complete text in the form for a terminal, to stand after its mark.
    pub(crate) fn complete(&self, text: &str) -> String {
        let lines = Lines {
            indents_all: self.lines.indents_all,
            ..Lines::default()
        };
        lines.whole(&self.redactor.text(text))
    }

    /// Returns the next part in the form for a terminal. `begins_line` says that the part does not continue the line of
    /// the last part, nor follow a mark.
    pub(crate) fn push(&mut self, part: &str, begins_line: bool) -> String {
        if begins_line {
            self.lines.at_start = true;
        }
        let part = self.redacted.push(part);
        self.lines.push(&terminal::text(&part))
    }

    /// Returns the rest of the text, after which another text begins. `begins_line` is that of [`push`](Self::push).
    pub(crate) fn finish(&mut self, begins_line: bool) -> String {
        if begins_line {
            self.lines.at_start = true;
        }
        let rest = self.redacted.finish();
        let mut rest = self.lines.push(&terminal::text(&rest));
        rest.push_str(&self.lines.finish());
        rest
    }
}

/// The lines of a text that arrives in parts. Those that begin like a line of the command are indented. The first
/// line follows a mark of the transcript.
#[derive(Default)]
struct Lines {
    /// Whether all lines but the first are indented.
    indents_all: bool,
    /// Whether the current line may still begin like a line of the command.
    at_start: bool,
    /// The beginning of the current line, which is shown when it is known whether it is indented.
    held: String,
    /// The look of `held`: whitespace as blanks of its width, without the characters that have no width.
    seen: String,
}

impl Lines {
    /// Returns a complete text in the form for a terminal.
    fn whole(mut self, text: &str) -> String {
        let mut shown = self.push(&terminal::text(text));
        shown.push_str(&self.finish());
        shown
    }

    /// Adds a part, and returns the text that can be shown.
    fn push(&mut self, part: &str) -> String {
        let mut shown = String::with_capacity(part.len());
        for c in part.chars() {
            if c == '\n' {
                shown.push_str(&self.finish());
                self.at_start = true;
                shown.push(c);
            } else if !self.at_start {
                shown.push(c);
            } else if self.indents_all {
                self.at_start = false;
                shown.push_str("  ");
                shown.push(c);
            } else {
                self.held.push(c);
                match c.width().unwrap_or(0) {
                    width if is_blank(c) => self.seen.extend(std::iter::repeat_n(' ', width)),
                    _ => self.seen.push(c),
                }
                if BEGINNINGS.contains(&self.seen.as_str()) {
                    shown.push_str("  ");
                    shown.push_str(&self.finish());
                } else if !BEGINNINGS.iter().any(|whole| whole.starts_with(&self.seen)) {
                    shown.push_str(&self.finish());
                }
            }
        }
        shown
    }

    /// Returns the rest of the text, after which another text begins.
    fn finish(&mut self) -> String {
        self.at_start = false;
        self.seen.clear();
        std::mem::take(&mut self.held)
    }
}

/// Warns if the model stopped for another reason than that its answer is complete.
pub(crate) fn warn_about_end(response: &AgentResponse, redactor: &Redactor) {
    let key = Setting::MaxTokens.key();
    let warning = match &response.finish_reason {
        // Some servers end each answer of an agent with tools with the second reason.
        FinishReason::Stop | FinishReason::ToolCalls => return,
        FinishReason::Length => {
            format!("the answer is cut off: it reached the maximum length (see `{key}`)")
        }
        FinishReason::ContentFilter => {
            "the answer is not complete: the provider or the model refused the rest \
             (`content_filter`)"
                .to_owned()
        }
        reason => {
            let word = terminal::line(&redactor.text(reason.as_str()), 100);
            format!("the answer may not be complete: the model stopped with the reason `{word}`")
        }
    };
    warning_to_stderr(&warning);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indents_lines_that_look_like_the_transcript() {
        for (text, shown) in [
            ("a\n🛠️ rm {} → ok\n🤖", "a\n  🛠️ rm {} → ok\n  🤖"),
            ("🤖 a\n\u{200d}💬 b", "🤖 a\n  \u{200d}💬 b"),
            ("a\nb 🤖", "a\nb 🤖"),
            ("a\nerror: b\nerr\nerrors\n", "a\n  error: b\nerr\nerrors\n"),
            (
                "\ne\u{200d}rror: b\nwarning: c",
                "\n  e\u{200d}rror: b\n  warning: c",
            ),
            (
                "\nyes, no, no REASON or edit? \n   yes, no, no REASON or edit? yes\n   yes",
                "\n  yes, no, no REASON or edit? \n     yes, no, no REASON or edit? yes\n   yes",
            ),
        ] {
            assert_eq!(marked_text(text), shown);
            assert_eq!(in_pieces(text, false), shown);
        }
    }

    /// Shows a text that arrives with a character in each part.
    fn in_pieces(text: &str, has_traces: bool) -> String {
        let mut parts = ModelText::new(&Redactor::new(), has_traces);
        let mut pieces: String = text
            .chars()
            .map(|c| parts.push(c.encode_utf8(&mut [0; 4]), false))
            .collect();
        pieces.push_str(&parts.finish(false));
        pieces
    }

    #[test]
    fn other_blanks_hide_no_question() {
        for blanks in ["\u{a0}\u{a0} ", "\u{2800}\u{2003}\u{a0}", "\u{3000} ", "\t"] {
            let text = format!("a\n{blanks}yes, no, no REASON or edit? yes");
            let shown = text.replace('\n', "\n  ");
            assert_eq!(marked_text(&text), shown);
            assert_eq!(in_pieces(&text, false), shown);
        }
    }

    #[test]
    fn a_part_that_begins_a_line_is_indented_like_a_line() {
        for (part, shown) in [
            ("💬 b", "  💬 b"),
            ("error: b\n🤖 c", "  error: b\n  🤖 c"),
            ("b 💬", "b 💬"),
        ] {
            let mut parts = ModelText::new(&Redactor::new(), false);
            assert_eq!(parts.push("a ", false), "a ");
            assert_eq!(parts.push(part, true), shown);
        }
    }

    #[test]
    fn all_lines_beside_traces_are_indented() {
        let text = "← 200\n← 200\n\n2026-01-01T00:00:00Z TRACE a: b\n";
        let shown = "← 200\n  ← 200\n\n  2026-01-01T00:00:00Z TRACE a: b\n";
        assert_eq!(in_pieces(text, true), shown);
        let mut parts = ModelText::new(&Redactor::new(), true);
        assert_eq!(parts.complete(text), shown);
        assert_eq!(parts.push("a", false) + &parts.push("b", true), "a  b");
    }

    #[test]
    fn cuts_long_texts_between_characters() {
        assert_eq!(shortened("é"), "é");
        assert_eq!(
            shortened(&"é".repeat(MAX_CHARS + 1)).chars().count(),
            MAX_CHARS + 1
        );
    }
}
