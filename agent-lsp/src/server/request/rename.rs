//! `textDocument/prepareRename` and `textDocument/rename`: another name for a tool.

use super::document_at;
use crate::language::occurrences::occurrence_at;
use crate::language::rename::{self, check_renamable};
use crate::language::resolve::definitions;
use crate::server::state::{RequestError, State};
use crate::server::workspace::{Workspace, WorkspaceDocument};
use gen_lsp_types::{
    Edit, OptionalVersionedTextDocumentIdentifier, PrepareRenameParams, PrepareRenamePlaceholder,
    PrepareRenameResult, RenameParams, TextDocumentEdit, TextDocumentIdentifier, TextEdit,
    WorkspaceEdit,
};

/// Returns the name of a tool at a position, or the reason why the tool cannot be renamed.
pub(super) fn prepare_rename(
    state: &State,
    params: PrepareRenameParams,
) -> Result<Option<PrepareRenameResult>, RequestError> {
    let (document, offset) = document_at(state, &params.text_document_position_params)?;
    let outline = document.analysis(&state.tools).outline();
    let Some(occurrence) = occurrence_at(outline, offset) else {
        return Ok(None);
    };
    let workspace = Workspace::in_scope(state, document);
    let (documents, name) = (workspace.resolvable(), occurrence.name);
    // A tool with a definition can be renamed. Comparing definitions would check documents, and is only
    // needed for the edits.
    if definitions(&documents, &Workspace::CURRENT, name).is_empty() {
        let tools = state.tools.in_project(document.uri());
        check_renamable(&documents, &Workspace::CURRENT, name, tools.specs())
            .map_err(RequestError::failed)?;
    }
    let placeholder = PrepareRenamePlaceholder {
        range: document.text().range(occurrence.span),
        placeholder: occurrence.name.to_owned(),
    };
    Ok(Some(PrepareRenameResult::PrepareRenamePlaceholder(
        placeholder,
    )))
}

/// Returns the edits that rename the tool whose name is at a position, in all documents that mean it.
pub(super) fn rename(
    state: &State,
    params: RenameParams,
) -> Result<Option<WorkspaceEdit>, RequestError> {
    let (document, offset) = document_at(state, &params.text_document_position_params)?;
    let outline = document.analysis(&state.tools).outline();
    let Some(occurrence) = occurrence_at(outline, offset) else {
        return Err(RequestError::failed("there is no name of a tool here"));
    };
    // Definitions are compared by their specs, and a definition with errors has no spec.
    if let Some(error) = state.tools.error() {
        let message = format!("which documents mean this tool cannot be told: {error}");
        return Err(RequestError::failed(message));
    }
    let (name, to) = (occurrence.name, params.new_name.as_str());
    let workspace = Workspace::filtered(state, Some(document), |text| {
        text.contains(name) || text.contains(to)
    });
    let documents = workspace.resolvable();
    let tools = state.tools.in_project(document.uri());
    let known = tools.specs();
    let edits = rename::rename(&documents, &Workspace::CURRENT, (name, to), known)
        .map_err(RequestError::failed)?;
    let edits = edits.into_iter().filter_map(|(id, edits)| {
        let document = workspace.documents().get(id)?;
        let edits = edits.into_iter().map(|edit| TextEdit {
            range: document.text().range(edit.span),
            new_text: edit.text,
        });
        Some((document, edits.collect()))
    });
    Ok(Some(if state.client.versioned_edits {
        let changes = edits.map(|(document, edits)| versioned(document, edits).into());
        WorkspaceEdit {
            document_changes: Some(changes.collect()),
            ..WorkspaceEdit::default()
        }
    } else {
        let changes = edits.map(|(document, edits)| (document.uri().clone(), edits));
        WorkspaceEdit {
            changes: Some(changes.collect()),
            ..WorkspaceEdit::default()
        }
    }))
}

/// Returns edits with the version of the document. A document that is not open has no version.
fn versioned(document: &WorkspaceDocument<'_>, edits: Vec<TextEdit>) -> TextDocumentEdit {
    TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier {
            version: document.version(),
            text_document_identifier: TextDocumentIdentifier {
                uri: document.uri().clone(),
            },
        },
        edits: edits.into_iter().map(Edit::from).collect(),
    }
}
