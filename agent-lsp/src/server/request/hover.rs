//! `textDocument/hover`: what something means.

use super::{Failure, place};
use crate::language;
use crate::server::documents::Document;
use crate::server::main_loop::Server;
use crate::server::workspace::Workspace;
use gen_lsp_types::{Contents, Hover, HoverParams, MarkupContent, MarkupKind};

/// What is said of a place.
pub(super) fn hover(server: &Server, params: HoverParams) -> Result<Option<Hover>, Failure> {
    let (document, offset) = place(server, &params.text_document_position_params)?;
    if document.is_too_long() {
        return Ok(None);
    }
    let text = document.text();
    let analysis = document.analysis(&server.known);
    let origin = |name: &str| origin(server, document, name);
    let said = language::hover::hover(
        text.as_str(),
        analysis,
        offset,
        server.known.specs(),
        &origin,
    );
    Ok(said.map(|said| Hover {
        contents: Contents::MarkupContent(MarkupContent {
            kind: MarkupKind::Markdown,
            value: said.markdown,
        }),
        range: Some(text.range(said.span)),
    }))
}

/// Where a tool comes from that the document does not define.
fn origin(server: &Server, document: &Document, name: &str) -> String {
    let workspace = Workspace::around(server, document);
    let documents = workspace.documents();
    let found = language::resolve::definitions(&documents, &Workspace::HERE, name);
    let defining = found.first().and_then(|(id, _)| documents.get(*id));
    match defining {
        Some(document) => format!("from `{}`", document.shown),
        None => "built in".to_owned(),
    }
}
