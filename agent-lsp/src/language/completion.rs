//! What may be written at the cursor.
//!
//! The text is parsed with one letter more, at the cursor: `{ins▮}` as `{ins_}`, `(a::▮` as `(a::_`.
//! The parser reads texts with errors, so the letter becomes a part of the tree, and which part it is
//! says what may stand there. In comments, and in texts that stand for themselves, it is part of
//! nothing, and nothing is proposed.

mod keys;
mod labels;
mod tools;
mod values;

use super::cursor_context::{Site, site};
use agent_gram::Span;
use agent_spec::ToolSpec;
use agent_spec::check::outline;

/// The letter more.
const LETTER: char = '_';

/// Something that may be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Proposal {
    /// What it is called; what was typed so far is compared with it.
    pub(crate) label: String,
    /// What it is.
    pub(crate) kind: ProposalKind,
    /// More about it, in a few words.
    pub(crate) detail: Option<String>,
    /// What it means, in Markdown.
    pub(crate) meaning: Option<String>,
    /// What is written.
    pub(crate) insert: String,
    /// How many bytes of that stand behind the cursor when it is written, for what goes on inside.
    pub(crate) behind: usize,
}

/// What a proposal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProposalKind {
    /// What a pattern is: an agent or a tool.
    Label,
    /// A type.
    Type,
    /// A key of a record.
    Key,
    /// A value.
    Value,
    /// A tool.
    Tool,
}

/// What may be written at an offset, and what it takes the place of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Completion {
    /// The word at the offset; empty where none was begun.
    pub(crate) span: Span,
    /// What may be written, likelier things first.
    pub(crate) proposals: Vec<Proposal>,
}

/// What may be written at an offset. `known` are the tools that a document may name without defining
/// them.
pub(crate) fn complete(source: &str, offset: usize, known: &[ToolSpec]) -> Option<Completion> {
    let offset = source.floor_char_boundary(offset);
    let mut text = String::with_capacity(source.len() + LETTER.len_utf8());
    text.push_str(source.get(..offset)?);
    text.push(LETTER);
    text.push_str(source.get(offset..)?);
    let parsed = agent_gram::parse(&text);
    let cursor = Cursor {
        text: &text,
        offset,
    };
    let site = site(&parsed.document, offset)?;
    let (span, proposals) = match &site {
        Site::Key {
            of,
            name,
            others,
            annotation,
        } => {
            let span = cursor.word(name.span())?;
            let style = keys::Style::of(&text, name.span().end, *annotation);
            (span, keys::proposals(of, others, style))
        }
        // Whoever names a field knows its name.
        Site::Field { .. } => return None,
        Site::Label { of, name } => (cursor.word(name.span())?, labels::proposals(*of)),
        Site::Type { value } => values::types(cursor, *value)?,
        Site::Value { of, key, value } => {
            let outline = outline(&parsed.document);
            values::proposals(cursor, (of, key), *value, &outline)?
        }
        Site::Element { name } => {
            let outline = outline(&parsed.document);
            let span = cursor.word(name.span())?;
            (span, tools::proposals(&outline, name.span(), known))
        }
    };
    let span = within_line(source, cursor.original(span), offset)?;
    (!proposals.is_empty()).then_some(Completion { span, proposals })
}

/// The part of a span on the line of the cursor, which is all that editors replace. Nothing when the word
/// began on a line before.
fn within_line(source: &str, span: Span, offset: usize) -> Option<Span> {
    let is_end = |c| matches!(c, '\n' | '\r');
    if source.get(span.start..offset)?.contains(is_end) {
        return None;
    }
    let rest = source.get(offset..span.end)?;
    let length = rest.find(is_end).unwrap_or(rest.len());
    Some(Span::new(span.start, offset + length))
}

/// The text with a letter more, and where that is.
#[derive(Clone, Copy)]
struct Cursor<'a> {
    text: &'a str,
    offset: usize,
}

impl Cursor<'_> {
    /// The span, if it is that of a bare word that the letter is in.
    fn word(self, span: Span) -> Option<Span> {
        let is_bare = !span.text(self.text).starts_with(['"', '\'', '`']);
        (is_bare && self.has_letter(span)).then_some(span)
    }

    fn has_letter(self, span: Span) -> bool {
        span.start <= self.offset && self.offset < span.end
    }

    /// The span in the text without the letter, of one that has it.
    fn original(self, span: Span) -> Span {
        Span::new(span.start, span.end.saturating_sub(LETTER.len_utf8()))
    }
}
