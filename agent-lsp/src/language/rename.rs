//! Renaming a tool in all documents that mean the same one.
//!
//! The tool is the one that the document defines, else the one of a file given with `--tools`. It is
//! renamed
//! - in the documents that define it: the one where this was asked for, and every other one whose
//!   definition of the name is equal. One that defines another tool of this name is left alone.
//! - when one of these was given with `--tools`: in the documents that refer to the tool and define
//!   none of the name themselves.
//!
//! In each, all of these are renamed: definitions, a property `name` that says the name once more,
//! elements of agents, `toolChoice`. What instructions and descriptions say of the tool is text, and
//! is left alone, and so is the function that it is registered for.
//!
//! A built-in tool cannot be renamed. The name must not be taken in any of the documents, so
//! that each checks as it did before.

use super::occurrences::{self as names, Occurrence, Role};
use super::resolve::Document;
use agent_gram::Span;
use agent_spec::ToolSpec;
use agent_spec::agent::TOOL_CHOICES;
use agent_spec::names::is_tool_name;

/// A piece of a text with what is to stand there instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    /// The piece.
    pub(crate) span: Span,
    /// What is to stand there.
    pub(crate) text: String,
}

/// The edits of a document.
pub(crate) type Edits<D> = (D, Vec<Edit>);

/// Whether the tool that a document means by a name can be renamed. Nothing is checked for it: which
/// definitions are equal, and whether another name is free, matters once there is another name.
///
/// # Errors
/// Why not, for people.
pub(crate) fn check_renamable<D: PartialEq>(
    documents: &[Document<'_, D>],
    here: &D,
    name: &str,
    known: &[ToolSpec],
) -> Result<(), String> {
    origins(documents, here, name, known).map(drop)
}

/// The documents whose definition of a name the document here means.
fn origins<'a, D: PartialEq>(
    documents: &'a [Document<'a, D>],
    here: &D,
    name: &str,
    known: &[ToolSpec],
) -> Result<Vec<&'a Document<'a, D>>, String> {
    let defining = || documents.iter().filter(|document| document.defines(name));
    let mut origins: Vec<_> = defining().filter(|document| document.id == *here).collect();
    if origins.is_empty() {
        origins = defining().filter(|document| document.shared).collect();
    }
    if origins.is_empty() {
        return Err(undefined(name, known));
    }
    Ok(origins)
}

/// The edits that rename the tool that a document means by a name. Edits of a document are in order
/// and do not overlap.
///
/// # Errors
/// Why it cannot be renamed so, for people.
pub(crate) fn rename<D: Clone + PartialEq>(
    documents: &[Document<'_, D>],
    here: &D,
    (name, to): (&str, &str),
    known: &[ToolSpec],
) -> Result<Vec<Edits<D>>, String> {
    if !is_tool_name(to) {
        return Err(format!(
            "`{to}` is not a name that every provider takes for a tool: a letter or `_`, then letters, \
             digits, `_` or `-`, at most 63 in all"
        ));
    }
    let scope = Scope::of(documents, here, name, known)?;
    if name == to {
        return Ok(Vec::new());
    }
    scope.refuse_taken(documents, to)?;
    let mut all = Vec::new();
    for document in scope.documents {
        let outline = document.analysis.outline();
        let mut edits = Vec::new();
        for occurrence in names::of(outline, name) {
            if occurrence.role == Role::Choice && TOOL_CHOICES.contains(&to) {
                return Err(format!(
                    "`toolChoice` of an agent in `{}` names the tool, and the text \"{to}\" means \
                     something else there; choose another name",
                    document.shown
                ));
            }
            let edit = edit(document.text, occurrence, to).ok_or_else(|| {
                format!(
                    "the quotes around `{name}` in `{}` have no end; close them first",
                    document.shown
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
    /// Whether documents mean the tool that do not define it.
    shared: bool,
}

impl<'a, D: PartialEq> Scope<'a, D> {
    fn of(
        documents: &'a [Document<'a, D>],
        here: &D,
        name: &str,
        known: &[ToolSpec],
    ) -> Result<Self, String> {
        let defining = || documents.iter().filter(|document| document.defines(name));
        let origins = origins(documents, here, name, known)?;
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
        let mut found: Vec<_> = defining()
            .filter(|document| is_origin(document) || is_equal(document))
            .collect();
        let shared = found.iter().any(|document| document.shared);
        if shared {
            let referring = documents
                .iter()
                .filter(|document| document.names(name) && !document.defines(name));
            found.extend(referring);
        }
        Ok(Self {
            documents: found,
            shared,
        })
    }

    /// Refuses a name that another tool has, or that would get another meaning somewhere.
    fn refuse_taken(&self, documents: &[Document<'_, D>], to: &str) -> Result<(), String> {
        if let Some(document) = self.documents.iter().find(|document| document.names(to)) {
            return Err(taken(to, document.shown));
        }
        let mut others = documents.iter().filter(|_| self.shared);
        // What refers to a built-in tool would refer to this one; and two tools for all documents
        // cannot have one name.
        let clash = others
            .find(|document| document.names(to) && (document.shared || !document.defines(to)));
        match clash {
            Some(document) => Err(taken(to, document.shown)),
            None => Ok(()),
        }
    }
}

fn taken(to: &str, shown: &str) -> String {
    format!("`{to}` is taken: `{shown}` has or names a tool that is called so; choose another name")
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

/// The definitions of a name that are free of errors.
fn specs<'a, D>(document: &Document<'a, D>, name: &str) -> impl Iterator<Item = &'a ToolSpec> {
    let specs = document.analysis.checked().tools.iter();
    specs
        .map(|node| &node.spec)
        .filter(move |spec| spec.name() == name)
}

/// The edit of a place; nothing where quotes have no end, since then nobody knows where the name ends.
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
        // A whole number ends where an annotation begins; a word would go on.
        None if continues_word(source, span.end) => format!("`{to}`"),
        _ => to.to_owned(),
    };
    Some(Edit { span, text })
}

/// Whether a bare word in the place of a quoted one would grow into its neighbours.
fn touches_word(source: &str, span: Span) -> bool {
    let before = source.get(..span.start).unwrap_or_default();
    // What `@@` introduces stands right after it.
    let joins = before.ends_with(|c: char| c != '@' && is_of_word(c));
    joins || continues_word(source, span.end)
}

fn continues_word(source: &str, end: usize) -> bool {
    source
        .get(end..)
        .is_some_and(|rest| rest.starts_with(is_of_word))
}

fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '@' | '-')
}
