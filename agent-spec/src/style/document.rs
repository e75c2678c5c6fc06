//! Documents from one style to the other: only the values that say types are replaced.

use super::search::refused_parts;
use super::warning::{kept_comment, refused_part, too_deep, unsayable};
use super::{Style, said};
use crate::check::{Meaning, TypeValue, type_values, type_values_of_signature};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, sort_by_place};
use agent_gram::Span;
use agent_gram::syntax::{Comment, Document, Value, ValueKind};

/// A document in a style.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Restyled {
    /// The text. It reads as the same agents and tools. Its layout is that of the source: what was
    /// replaced stands on one line, which a formatter may break.
    pub text: String,
    /// What could not be written in the style, in source order. The places are those in the source.
    ///
    /// When there are none and the style is [`Style::Portable`], the official grammar takes the
    /// text.
    pub warnings: Vec<Diagnostic>,
}

/// Writes the types in the signatures of all tools of a document in a style.
///
/// Only values of `fields`, `elementType` and `valueType` are replaced, and only those that are not
/// in the style. Comments, layout, other patterns and other properties stay as they are. A value
/// that the style has no words for, or that has a comment inside, stays as it is with a warning.
/// For [`Style::Portable`] there is a warning for everything in the document, not in signatures
/// alone, that the official grammar has no place for.
///
/// # Errors
/// What is wrong with the notation or with a signature. Other mistakes do not matter here.
pub fn restyle(source: &str, style: Style) -> Result<Restyled, Diagnostics> {
    restyle_values(source, style, type_values)
}

/// The same for the text of a bare signature; nothing when it cannot be read.
pub(super) fn restyle_signature(source: &str, style: Style) -> Option<String> {
    let restyled = restyle_values(source, style, type_values_of_signature);
    restyled.ok().map(|restyled| restyled.text)
}

type ValuesOf = for<'t> fn(&'t Document<'_>) -> Result<Vec<TypeValue<'t>>, Vec<Diagnostic>>;

fn restyle_values(
    source: &str,
    style: Style,
    values_of: ValuesOf,
) -> Result<Restyled, Diagnostics> {
    let failed = |found| Diagnostics::new(source, found);
    let parsed = agent_gram::parse(source);
    if !parsed.errors.is_empty() {
        return Err(failed(parsed.errors.iter().map(Diagnostic::from).collect()));
    }
    let document = &parsed.document;
    let mut plan = Plan::default();
    let mut values = values_of(document).map_err(failed)?;
    values.sort_by_key(|value| value.value.span().start);
    for value in &values {
        plan.restyle(value, style, document);
    }
    let text = plan.text_within_bounds(source);
    if style == Style::Portable {
        plan.warn_of_refused(document);
    }
    sort_by_place(&mut plan.warnings);
    Ok(Restyled {
        text,
        warnings: plan.warnings,
    })
}

/// What is to be done with a document, in the order of the places.
#[derive(Default)]
struct Plan {
    edits: Vec<Edit>,
    warnings: Vec<Diagnostic>,
    /// Values that there is nothing more to say about: replaced, or warned of.
    settled: Vec<Span>,
}

/// A value to be replaced.
struct Edit {
    span: Span,
    text: String,
    /// Whether it nests deeper than what it replaces.
    is_deeper: bool,
}

impl Plan {
    fn restyle(&mut self, value: &TypeValue<'_>, style: Style, document: &Document<'_>) {
        let (source, comments) = (document.source(), document.comments());
        let span = value.value.span();
        let said = match (style, &value.meaning) {
            (Style::List, Meaning::Fields(fields)) => Ok(said::list_fields(value.value, fields)),
            (Style::List, Meaning::Type(ty)) => Ok(said::list_type(value.value, ty)),
            (Style::Portable, Meaning::Fields(fields)) => {
                said::portable_fields(value.value, fields)
            }
            (Style::Portable, Meaning::Type(ty)) => {
                said::portable_type(source, value.value, ty).map_err(|reason| vec![(0, reason)])
            }
        };
        match said {
            // It is in the style, as far as types go.
            Ok(None) => return,
            Ok(Some(_)) if has_comment(span, comments) => self.warnings.push(kept_comment(value)),
            Ok(Some(text)) => self.edits.push(Edit {
                span,
                // An expression is one text, however much it says.
                is_deeper: style == Style::List && nesting(&text) > depth(value.value),
                text,
            }),
            Err(reasons) => {
                self.warnings.extend(unsayable(value, &reasons));
            }
        }
        self.settled.push(span);
    }

    /// The text with all edits that gram has room for. In the style `list` types nest deeper, which
    /// can be too deep where the tool itself is nested deep.
    fn text_within_bounds(&mut self, source: &str) -> String {
        let text = edited(source, &self.edits);
        if agent_gram::parse(&text).errors.is_empty() {
            return text;
        }
        for edit in std::mem::take(&mut self.edits) {
            if !edit.is_deeper {
                self.edits.push(edit);
            } else {
                self.warnings.push(too_deep(edit.span));
            }
        }
        edited(source, &self.edits)
    }

    /// Warns of everything else that the official grammar has no place for.
    fn warn_of_refused(&mut self, document: &Document<'_>) {
        for refused in refused_parts(document) {
            if self.settled.binary_search(&refused.whole).is_err() {
                self.warnings.push(refused_part(&refused));
            }
        }
        if let Some(at) = document.source().find('\0') {
            let message = "the character U+0000 ends a document for official gram tools";
            self.warnings.push(
                Diagnostic::new(Code::NotPortable, Span::new(at, at + 1), message)
                    .with_help("remove it"),
            );
        }
    }
}

fn edited(source: &str, edits: &[Edit]) -> String {
    let mut text = String::with_capacity(source.len());
    let mut done = 0;
    for edit in edits {
        text.push_str(source.get(done..edit.span.start).unwrap_or_default());
        text.push_str(&edit.text);
        done = edit.span.end;
    }
    text.push_str(source.get(done..).unwrap_or_default());
    text
}

/// How many brackets and braces stand inside each other in a value.
fn depth(value: Value<'_>) -> usize {
    match value.kind() {
        ValueKind::Array(items) => 1 + items.items().map(depth).max().unwrap_or(0),
        ValueKind::Map(record) => {
            let values = record.properties().map(|entry| depth(entry.value()));
            1 + values.max().unwrap_or(0)
        }
        _ => 0,
    }
}

/// The same for the text of a value. Brackets inside quotes count too, so that the number may be too
/// high, never too low.
fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

fn has_comment(span: Span, comments: &[Comment]) -> bool {
    let next = comments.partition_point(|comment| comment.span.start < span.start);
    comments
        .get(next)
        .is_some_and(|comment| comment.span.start < span.end)
}
