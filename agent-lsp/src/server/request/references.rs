//! `textDocument/references` and `textDocument/documentHighlight`: the occurrences of a tool's name.

use super::document_at;
use crate::language::occurrences::{occurrence_at, occurrences_of};
use crate::language::resolve;
use crate::server::state::{RequestError, State};
use crate::server::workspace::Workspace;
use gen_lsp_types::{
    DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams, Location, ReferenceParams,
};

/// Returns the references in all documents to the tool whose name is at a position.
pub(super) fn references(
    state: &State,
    params: ReferenceParams,
) -> Result<Option<Vec<Location>>, RequestError> {
    let (document, offset) = document_at(state, &params.text_document_position_params)?;
    let outline = document.analysis(&state.tools).outline();
    let Some(occurrence) = occurrence_at(outline, offset) else {
        return Ok(None);
    };
    let name = occurrence.name;
    let workspace = Workspace::filtered(state, Some(document), |text| text.contains(name));
    let with_definitions = params.context.include_declaration;
    let references = resolve::references(&workspace.resolvable(), name, with_definitions);
    let locations = references
        .into_iter()
        .filter_map(|(id, span)| workspace.location(id, span));
    Ok(Some(locations.collect()))
}

/// Returns the occurrences in the same document of the name at a position.
pub(super) fn document_highlight(
    state: &State,
    params: DocumentHighlightParams,
) -> Result<Option<Vec<DocumentHighlight>>, RequestError> {
    let (document, offset) = document_at(state, &params.text_document_position_params)?;
    let outline = document.analysis(&state.tools).outline();
    let Some(occurrence) = occurrence_at(outline, offset) else {
        return Ok(None);
    };
    let mut occurrences: Vec<_> = occurrences_of(outline, occurrence.name).collect();
    occurrences.sort_by_key(|occurrence| occurrence.span);
    let highlights = occurrences.into_iter().map(|occurrence| DocumentHighlight {
        range: document.text().range(occurrence.span),
        kind: Some(match occurrence.role.is_definition() {
            true => DocumentHighlightKind::Write,
            false => DocumentHighlightKind::Read,
        }),
    });
    Ok(Some(highlights.collect()))
}
