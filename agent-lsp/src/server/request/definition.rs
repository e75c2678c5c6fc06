//! `textDocument/definition`: the definitions of a tool.

use super::document_at;
use crate::language::occurrences::occurrence_at;
use crate::language::resolve::definitions;
use crate::server::state::{RequestError, State};
use crate::server::workspace::Workspace;
use gen_lsp_types::{Definition, DefinitionParams, DefinitionResponse};

/// Returns the definitions of the tool whose name is at a position.
pub(super) fn definition(
    state: &State,
    params: DefinitionParams,
) -> Result<Option<DefinitionResponse>, RequestError> {
    let (document, offset) = document_at(state, &params.text_document_position_params)?;
    let outline = document.analysis(&state.tools).outline();
    let Some(occurrence) = occurrence_at(outline, offset) else {
        return Ok(None);
    };
    let workspace = Workspace::in_scope(state, document);
    let definitions = definitions(
        &workspace.resolvable(),
        &Workspace::CURRENT,
        occurrence.name,
    );
    let locations: Vec<_> = definitions
        .into_iter()
        .filter_map(|(id, span)| workspace.location(id, span))
        .collect();
    Ok(
        (!locations.is_empty()).then_some(DefinitionResponse::Definition(
            Definition::LocationList(locations),
        )),
    )
}
