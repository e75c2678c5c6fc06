//! `textDocument/hover`: the documentation of the name, key, label or value at a position.

use super::document_at;
use crate::language::hover::{hover as hover_document, hover_project};
use crate::language::resolve::definitions;
use crate::server::documents::Document;
use crate::server::loaded_tools::is_project_file;
use crate::server::state::{RequestError, State};
use crate::server::workspace::Workspace;
use agent_spec::terminal;
use gen_lsp_types::{Contents, Hover, HoverParams, MarkupContent, MarkupKind};

/// Returns the documentation at a position.
pub(super) fn hover(state: &State, params: HoverParams) -> Result<Option<Hover>, RequestError> {
    let (document, offset) = document_at(state, &params.text_document_position_params)?;
    if document.is_too_long() {
        return Ok(None);
    }
    let text = document.text();
    let hover = if is_project_file(document.uri(), text.as_str()) {
        hover_project(text.as_str(), offset)
    } else {
        let analysis = document.analysis(&state.tools);
        let origin = |name: &str| origin(state, document, name);
        let tools = state.tools.in_project(document.uri());
        hover_document(text.as_str(), analysis, offset, tools.specs(), &origin)
    };
    Ok(hover.map(|hover| Hover {
        contents: Contents::MarkupContent(MarkupContent {
            kind: MarkupKind::Markdown,
            value: terminal::text(&hover.markdown),
        }),
        range: Some(text.range(hover.span)),
    }))
}

/// Returns the origin of a tool that the document does not define.
fn origin(state: &State, document: &Document, name: &str) -> String {
    let workspace = Workspace::in_scope(state, document);
    let documents = workspace.resolvable();
    let definitions = definitions(&documents, &Workspace::CURRENT, name);
    let defining = definitions.first().and_then(|(id, _)| documents.get(*id));
    match defining {
        Some(document) => format!("from `{}`", document.display_name),
        None => "built in".to_owned(),
    }
}
