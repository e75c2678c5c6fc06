//! `textDocument/definition`: where a tool is defined.

use super::{Failure, place};
use crate::language::occurrences as names;
use crate::language::resolve::definitions;
use crate::server::main_loop::Server;
use crate::server::workspace::Workspace;
use gen_lsp_types::{Definition, DefinitionParams, DefinitionResponse};

/// Where the tool is defined that is named at a place: all definitions, should there be several.
pub(super) fn definition(
    server: &Server,
    params: DefinitionParams,
) -> Result<Option<DefinitionResponse>, Failure> {
    let (document, offset) = place(server, &params.text_document_position_params)?;
    let outline = document.analysis(&server.known).outline();
    let Some(occurrence) = names::at(outline, offset) else {
        return Ok(None);
    };
    let workspace = Workspace::around(server, document);
    let found = definitions(&workspace.documents(), &Workspace::HERE, occurrence.name);
    let locations: Vec<_> = found
        .into_iter()
        .filter_map(|(id, span)| workspace.location(id, span))
        .collect();
    Ok(
        (!locations.is_empty()).then_some(DefinitionResponse::Definition(
            Definition::LocationList(locations),
        )),
    )
}
