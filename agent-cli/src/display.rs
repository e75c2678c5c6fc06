//! Calls of tools and long texts, formatted for a terminal.

use crate::output::warning_to_stderr;
use crate::rows::INDENT;
use agent_project::report::counted;
use agent_runtime::conversation::Part;
use agent_runtime::model::FinishReason;
use agent_runtime::redact::{Redactor, StreamRedactor};
use agent_runtime::response::ToolInvocation;
use agent_runtime::run::Guarded;
use agent_runtime::{AgentResponse, Message};
use agent_spec::terminal;
use agent_spec::vocabulary::Setting;
use serde_json::Value;

/// The maximum number of characters of arguments and of results. The JSON form has all of them.
const MAX_CHARS: usize = 500;

/// The maximum number of characters of a name. Names in documents are shorter, but a model can write a name
/// of any length.
const MAX_NAME: usize = 100;

/// The question about a call that requires approval.
pub(crate) const APPROVAL: &str = "   yes, no, no REASON or edit? ";

/// The reason for which `whenTainted` guards a call, on one line. It names tools, which a server may have named.
pub(crate) fn guarded_line(guarded: &Guarded) -> String {
    format!("⚠ {}", terminal::line(&guarded.reason, 400))
}

/// Returns the text of an answer, or a note if the answer has no text, which can happen after calls of tools.
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

/// Formats a call by an agent that was called, like [`call_line`]. `path` leads to that agent.
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
    shortened(&terminal::json(beginning(json)))
}

/// Writes the arguments of a call on one line, cut if they are too long.
pub(crate) fn arguments_line(arguments: &str) -> String {
    json_line(&beginning(arguments).replace(['\n', '\r', '\t'], " "))
}

/// Returns the characters of a text that a cut line shows, and one more, which causes the ellipsis. The rest
/// is not processed, because a text may have megabytes, on many lines.
fn beginning(text: &str) -> &str {
    let end = text.char_indices().nth(MAX_CHARS + 1);
    end.map_or(text, |(end, _)| &text[..end])
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
    Lines::default().push(&terminal::text(text))
}

/// The texts of a model, which are complete or arrive in parts.
pub(crate) struct ModelText {
    redactor: Redactor,
    redacted: StreamRedactor,
    lines: Lines,
}

impl ModelText {
    /// Creates the texts of a model whose secrets are redacted.
    pub(crate) fn new(redactor: &Redactor) -> Self {
        Self {
            redactor: redactor.clone(),
            redacted: redactor.stream(),
            lines: Lines::default(),
        }
    }

    /// Returns a complete text in the form for a terminal, to stand after its mark.
    pub(crate) fn complete(&self, text: &str) -> String {
        marked_text(&self.redactor.text(text))
    }

    /// Returns the next part in the form for a terminal. `begins_line` means that the part neither continues
    /// the line of the last part nor follows a mark.
    pub(crate) fn push(&mut self, part: &str, begins_line: bool) -> String {
        let part = self.redacted.push(part);
        self.add(&part, begins_line)
    }

    /// Returns the rest of the text, after which another text begins. `begins_line` has the same meaning as
    /// for [`push`](Self::push).
    pub(crate) fn finish(&mut self, begins_line: bool) -> String {
        let rest = self.redacted.finish();
        let rest = self.add(&rest, begins_line);
        self.lines = Lines::default();
        rest
    }

    fn add(&mut self, part: &str, begins_line: bool) -> String {
        self.lines.at_start |= begins_line;
        self.lines.push(&terminal::text(part))
    }
}

/// The lines of a text that arrives in parts. All but the first, which follows a mark of the transcript, are indented.
#[derive(Default)]
struct Lines {
    /// Whether the next character begins a line that is indented.
    at_start: bool,
}

impl Lines {
    /// Adds a part, and returns it with its indents.
    fn push(&mut self, part: &str) -> String {
        let mut shown = String::with_capacity(part.len());
        for c in part.chars() {
            if c == '\n' {
                self.at_start = true;
            } else if std::mem::take(&mut self.at_start) {
                shown.push_str(INDENT);
            }
            shown.push(c);
        }
        shown
    }
}

/// Prints the warnings about the requests, and a warning if the model stopped before its answer was complete.
pub(crate) fn warn_about_end(response: &AgentResponse, redactor: &Redactor) {
    for warning in &response.warnings {
        warning_to_stderr(&terminal::line(&redactor.text(warning), usize::MAX));
    }
    let key = Setting::MaxTokens.key();
    let warning = match &response.finish_reason {
        // Some servers report `ToolCalls` for each answer of an agent with tools.
        FinishReason::Stop | FinishReason::ToolCalls => return,
        // One of the warnings reports the refusal.
        FinishReason::ContentFilter if response.is_refused() => return,
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
    fn indents_all_lines_of_a_text_but_the_first() {
        for (text, shown) in [
            ("a\n🛠️ rm {} → ok\n🤖", "a\n    🛠️ rm {} → ok\n    🤖"),
            ("🤖 a\n\u{200d}💬 b", "🤖 a\n    \u{200d}💬 b"),
            ("a\n\n  b\n", "a\n\n      b\n"),
            ("a\n\tb\n\u{3000}c", "a\n        b\n    \u{3000}c"),
        ] {
            assert_eq!(marked_text(text), shown);
            assert_eq!(in_pieces(text), shown);
        }
    }

    #[test]
    fn no_line_of_a_text_looks_like_a_line_of_the_command() {
        for own in [
            "cost: $0.0001 (1 request, 10 tokens sent, 3 written)",
            "the run 4f1c2d waits",
            "a call was denied, because it requires approval; `--yes` makes such calls without asking",
            "stopped",
            "   arguments: {}",
            "decide with `agent runs resume`",
            "the partial answer stays in the conversation",
            "saved 2 messages",
            "the conversation begins anew",
            "4f1c2d  done  hello",
            APPROVAL,
            "warning: no",
        ] {
            let shown = in_pieces(&format!("a\n{own}\n\t{own}\n {own}"));
            let mut lines = shown.lines().skip(1);
            assert!(lines.all(|line| line.starts_with(INDENT)), "{shown}");
            let indent = own.len() - own.trim_start().len();
            assert!(indent < INDENT.len(), "{own}");
        }
    }

    /// Shows a text that arrives with a character in each part.
    fn in_pieces(text: &str) -> String {
        let mut parts = ModelText::new(&Redactor::new());
        let mut pieces: String = text
            .chars()
            .map(|c| parts.push(c.encode_utf8(&mut [0; 4]), false))
            .collect();
        pieces.push_str(&parts.finish(false));
        pieces
    }

    #[test]
    fn a_part_that_begins_a_line_is_indented_like_a_line() {
        for (part, shown) in [
            ("💬 b", "    💬 b"),
            ("error: b\n🤖 c", "    error: b\n    🤖 c"),
            ("b 💬", "    b 💬"),
        ] {
            let mut parts = ModelText::new(&Redactor::new());
            assert_eq!(parts.push("a ", false), "a ");
            assert_eq!(parts.push(part, true), shown);
        }
    }

    #[test]
    fn cuts_long_texts_between_characters() {
        assert_eq!(shortened("é"), "é");
        assert_eq!(
            shortened(&"é".repeat(MAX_CHARS + 1)).chars().count(),
            MAX_CHARS + 1
        );
    }
    #[test]
    fn a_line_that_is_cut_first_is_the_line_that_is_cut_last() {
        for (unit, count) in [
            ("é", MAX_CHARS),
            ("é", MAX_CHARS + 1),
            ("\n\u{1b}", 1000),
            ("\u{e0001}", 90),
        ] {
            let text = unit.repeat(count);
            assert_eq!(json_line(&text), shortened(&terminal::json(&text)));
            let spaced = text.replace('\n', " ");
            assert_eq!(arguments_line(&text), json_line(&spaced));
        }
    }
}
