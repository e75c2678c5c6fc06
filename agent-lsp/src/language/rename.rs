//! Renaming a tool in all documents that mean the same tool.
//!
//! The tool is the one that the document defines, or else the one of a file given with `--tools`. It is
//! renamed in
//! - the documents that define it: the document of the request, and every other document whose definition
//!   of the name is equal. A document that defines a different tool of the name is not changed.
//! - if one of these was given with `--tools`, the documents that refer to the tool and do not define the
//!   name themselves.
//!
//! In each document these are changed: definitions, a property `name` that repeats the name, elements of
//! agents, `toolChoice`. Instructions and descriptions that mention the tool are text and are not changed;
//! neither is the function that implements the tool.
//!
//! A built-in tool cannot be renamed. The new name must not be taken in any of the documents, so that each
//! document has the same diagnostics as before.

use super::occurrences::{Occurrence, Role, occurrences_of};
use super::resolve::Document;
use agent_gram::Span;
use agent_spec::ToolSpec;
use agent_spec::names::is_tool_name;
use agent_spec::settings::TOOL_CHOICES;

/// The replacement of a span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    /// The span.
    pub(crate) span: Span,
    /// The new text.
    pub(crate) text: String,
}

/// The id of a document, and its edits.
pub(crate) type DocumentEdits<D> = (D, Vec<Edit>);

/// Checks that the tool that a name means in the document `current` can be renamed.
///
/// No document is checked for this, because it does not matter yet which definitions are equal.
///
/// # Errors
/// Returns a message for the user.
pub(crate) fn check_renamable<D: PartialEq>(
    documents: &[Document<'_, D>],
    current: &D,
    name: &str,
    known: &[ToolSpec],
) -> Result<(), String> {
    origins(documents, current, name, known).map(drop)
}

/// Returns the documents whose definition a name means in the document `current`.
fn origins<'a, D: PartialEq>(
    documents: &'a [Document<'a, D>],
    current: &D,
    name: &str,
    known: &[ToolSpec],
) -> Result<Vec<&'a Document<'a, D>>, String> {
    let defining = || documents.iter().filter(|document| document.defines(name));
    let mut origins: Vec<_> = defining()
        .filter(|document| document.id == *current)
        .collect();
    if origins.is_empty() {
        origins = defining().filter(|document| document.is_shared).collect();
    }
    if origins.is_empty() {
        return Err(undefined(name, known));
    }
    Ok(origins)
}

/// Returns the edits that rename the tool that a name means in the document `current`.
///
/// The edits of a document are in source order and do not overlap.
///
/// # Errors
/// Returns a message for the user.
pub(crate) fn rename<D: Clone + PartialEq>(
    documents: &[Document<'_, D>],
    current: &D,
    (name, to): (&str, &str),
    known: &[ToolSpec],
) -> Result<Vec<DocumentEdits<D>>, String> {
    if !is_tool_name(to) {
        return Err(format!(
            "`{to}` is not a name that every provider takes for a tool: a letter or `_`, then letters, \
             digits, `_` or `-`, at most 63 in all"
        ));
    }
    let scope = Scope::of(documents, current, name, known)?;
    if name == to {
        return Ok(Vec::new());
    }
    scope.refuse_taken(documents, to)?;
    let mut all = Vec::new();
    for document in scope.documents {
        let outline = document.analysis.outline();
        let mut edits = Vec::new();
        for occurrence in occurrences_of(outline, name) {
            if occurrence.role == Role::ToolChoice && TOOL_CHOICES.contains(&to) {
                return Err(format!(
                    "`toolChoice` of an agent in `{}` names the tool, and the text \"{to}\" means \
                     something else there; choose another name",
                    document.display_name
                ));
            }
            let edit = edit(document.text, occurrence, to).ok_or_else(|| {
                format!(
                    "the quotes around `{name}` in `{}` have no end; close them first",
                    document.display_name
                )
            })?;
            edits.push(edit);
        }
        edits.sort_by_key(|edit| edit.span);
        all.push((document.id.clone(), edits));
    }
    Ok(all)
}

/// The documents in which a tool is renamed.
struct Scope<'a, D> {
    documents: Vec<&'a Document<'a, D>>,
    /// Whether documents that do not define the tool may mean it.
    is_shared: bool,
}

impl<'a, D: PartialEq> Scope<'a, D> {
    fn of(
        documents: &'a [Document<'a, D>],
        current: &D,
        name: &str,
        known: &[ToolSpec],
    ) -> Result<Self, String> {
        let defining = || documents.iter().filter(|document| document.defines(name));
        let origins = origins(documents, current, name, known)?;
        let spec = origins
            .iter()
            .find_map(|document| specs(document, name).next());
        let is_origin = |document: &Document<'_, D>| {
            let mut origins = origins.iter();
            origins.any(|origin| origin.id == document.id)
        };
        let is_equal = |document: &Document<'_, D>| {
            spec.is_some_and(|spec| specs(document, name).any(|other| other == spec))
        };
        let mut renamed: Vec<_> = defining()
            .filter(|document| is_origin(document) || is_equal(document))
            .collect();
        let is_shared = renamed.iter().any(|document| document.is_shared);
        if is_shared {
            let referring = documents
                .iter()
                .filter(|document| document.mentions(name) && !document.defines(name));
            renamed.extend(referring);
        }
        Ok(Self {
            documents: renamed,
            is_shared,
        })
    }

    /// Refuses a name that another tool has, or whose references would mean the renamed tool.
    fn refuse_taken(&self, documents: &[Document<'_, D>], to: &str) -> Result<(), String> {
        if let Some(document) = self.documents.iter().find(|document| document.mentions(to)) {
            return Err(taken(to, document.display_name));
        }
        let mut others = documents.iter().filter(|_| self.is_shared);
        // References to a built-in tool of the new name would mean the renamed tool, and two shared
        // tools cannot have one name.
        let clash = others.find(|document| {
            document.mentions(to) && (document.is_shared || !document.defines(to))
        });
        match clash {
            Some(document) => Err(taken(to, document.display_name)),
            None => Ok(()),
        }
    }
}

fn taken(to: &str, document: &str) -> String {
    format!(
        "`{to}` is taken: `{document}` has or names a tool that is called so; choose another name"
    )
}

fn undefined(name: &str, known: &[ToolSpec]) -> String {
    if known.iter().any(|spec| spec.name() == name) {
        format!(
            "`{name}` is built in, and its name cannot change; a tool of another name needs a \
             definition of its own, `[otherName:Tool {{description: \"…\"}} | …]`"
        )
    } else {
        format!(
            "no definition of `{name}` is in reach; define it in the document, or give the file that \
             does with `--tools`"
        )
    }
}

/// Returns the definitions of a name that have no errors.
fn specs<'a, D>(document: &Document<'a, D>, name: &str) -> impl Iterator<Item = &'a ToolSpec> {
    let specs = document.analysis.checked().tools.iter();
    specs
        .map(|node| &node.spec)
        .filter(move |spec| spec.name() == name)
}

/// Returns the edit of an occurrence, or `None` if its quotes are not closed, because then the end of the
/// name is unknown.
fn edit(source: &str, occurrence: Occurrence<'_>, to: &str) -> Option<Edit> {
    let span = occurrence.span;
    let written = span.text(source);
    let quote = written.chars().next().filter(|c| "\"'`".contains(*c));
    if quote.is_some_and(|quote| written.len() < 2 || !written.ends_with(quote)) {
        return None;
    }
    let text = match quote {
        _ if occurrence.role.is_text() => format!("\"{to}\""),
        Some(_) if touches_word(source, span) => format!("`{to}`"),
        // An annotation may follow a whole number immediately, but not a word.
        None if continues_word(source, span.end) => format!("`{to}`"),
        _ => to.to_owned(),
    };
    Some(Edit { span, text })
}

/// Returns whether a bare word in place of a quoted one would join its neighbours.
fn touches_word(source: &str, span: Span) -> bool {
    let before = source.get(..span.start).unwrap_or_default();
    // A name may follow `@@` immediately.
    let joins = before.ends_with(|c: char| c != '@' && is_word_char(c));
    joins || continues_word(source, span.end)
}

fn continues_word(source: &str, end: usize) -> bool {
    source
        .get(end..)
        .is_some_and(|rest| rest.starts_with(is_word_char))
}

fn is_word_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '@' | '-')
}
