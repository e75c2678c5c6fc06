//! `textDocument/references` and `textDocument/documentHighlight`: where a tool is named.

use super::{Failure, place};
use crate::language::occurrences as names;
use crate::language::resolve as reach;
use crate::server::main_loop::Server;
use crate::server::workspace::Workspace;
use gen_lsp_types::{
    DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams, Location, ReferenceParams,
};

/// Where the tool is named that is named at a place, in all documents of the workspace.
pub(super) fn references(
    server: &Server,
    params: ReferenceParams,
) -> Result<Option<Vec<Location>>, Failure> {
    let (document, offset) = place(server, &params.text_document_position_params)?;
    let outline = document.analysis(&server.known).outline();
    let Some(occurrence) = names::at(outline, offset) else {
        return Ok(None);
    };
    let name = occurrence.name;
    let workspace = Workspace::of(server, Some(document), |text| text.contains(name));
    let with_definitions = params.context.include_declaration;
    let found = reach::references(&workspace.documents(), name, with_definitions);
    let locations = found
        .into_iter()
        .filter_map(|(id, span)| workspace.location(id, span));
    Ok(Some(locations.collect()))
}

/// Where the tool is named that is named at a place, in the same document.
pub(super) fn highlights(
    server: &Server,
    params: DocumentHighlightParams,
) -> Result<Option<Vec<DocumentHighlight>>, Failure> {
    let (document, offset) = place(server, &params.text_document_position_params)?;
    let outline = document.analysis(&server.known).outline();
    let Some(occurrence) = names::at(outline, offset) else {
        return Ok(None);
    };
    let mut found: Vec<_> = names::of(outline, occurrence.name).collect();
    found.sort_by_key(|occurrence| occurrence.span);
    let highlights = found.into_iter().map(|occurrence| DocumentHighlight {
        range: document.text().range(occurrence.span),
        kind: Some(match occurrence.role.is_definition() {
            true => DocumentHighlightKind::Write,
            false => DocumentHighlightKind::Read,
        }),
    });
    Ok(Some(highlights.collect()))
}
