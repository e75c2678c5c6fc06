//! `textDocument/prepareRename` and `textDocument/rename`: another name for a tool.

use super::{Failure, place};
use crate::language::occurrences as names;
use crate::language::rename::{self, check_renamable};
use crate::language::resolve::definitions;
use crate::server::main_loop::Server;
use crate::server::workspace::{Member, Workspace};
use gen_lsp_types::{
    Edit, OptionalVersionedTextDocumentIdentifier, PrepareRenameParams, PrepareRenamePlaceholder,
    PrepareRenameResult, RenameParams, TextDocumentEdit, TextDocumentIdentifier, TextEdit,
    WorkspaceEdit,
};

/// The name at a place, if it is that of a tool; why not, if that cannot be renamed.
pub(super) fn prepare_rename(
    server: &Server,
    params: PrepareRenameParams,
) -> Result<Option<PrepareRenameResult>, Failure> {
    let (document, offset) = place(server, &params.text_document_position_params)?;
    let outline = document.analysis(&server.known).outline();
    let Some(occurrence) = names::at(outline, offset) else {
        return Ok(None);
    };
    let workspace = Workspace::around(server, document);
    let (documents, name) = (workspace.documents(), occurrence.name);
    // Where it is defined, it can be renamed. Which definitions are equal, only checks tell, and they
    // are not needed yet.
    if definitions(&documents, &Workspace::HERE, name).is_empty() {
        check_renamable(&documents, &Workspace::HERE, name, server.known.specs())
            .map_err(Failure::refused)?;
    }
    let placeholder = PrepareRenamePlaceholder {
        range: document.text().range(occurrence.span),
        placeholder: occurrence.name.to_owned(),
    };
    Ok(Some(PrepareRenameResult::PrepareRenamePlaceholder(
        placeholder,
    )))
}

/// The edits that rename the tool that is named at a place, in all documents that mean it.
pub(super) fn rename(
    server: &Server,
    params: RenameParams,
) -> Result<Option<WorkspaceEdit>, Failure> {
    let (document, offset) = place(server, &params.text_document_position_params)?;
    let outline = document.analysis(&server.known).outline();
    let Some(occurrence) = names::at(outline, offset) else {
        return Err(Failure::refused("there is no name of a tool here"));
    };
    // Which definitions are equal, only their specs tell.
    if let Some(trouble) = &server.known.trouble {
        let message = format!("which documents mean this tool cannot be told: {trouble}");
        return Err(Failure::refused(message));
    }
    server.check_texts()?;
    let (name, to) = (occurrence.name, params.new_name.as_str());
    let workspace = Workspace::of(server, Some(document), |text| {
        text.contains(name) || text.contains(to)
    });
    let known = server.known.specs();
    let edits = rename::rename(&workspace.documents(), &Workspace::HERE, (name, to), known)
        .map_err(Failure::refused)?;
    let edits = edits.into_iter().filter_map(|(id, edits)| {
        let member = workspace.members().get(id)?;
        let edits = edits.into_iter().map(|edit| TextEdit {
            range: member.text().range(edit.span),
            new_text: edit.text,
        });
        Some((member, edits.collect()))
    });
    Ok(Some(if server.client().versioned_edits {
        let changes = edits.map(|(member, edits)| versioned(member, edits).into());
        WorkspaceEdit {
            document_changes: Some(changes.collect()),
            ..WorkspaceEdit::default()
        }
    } else {
        let changes = edits.map(|(member, edits)| (member.uri().clone(), edits));
        WorkspaceEdit {
            changes: Some(changes.collect()),
            ..WorkspaceEdit::default()
        }
    }))
}

/// Edits of the text that a document has now; of its file, when it is not open.
fn versioned(member: &Member<'_>, edits: Vec<TextEdit>) -> TextDocumentEdit {
    TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier {
            version: member.version(),
            text_document_identifier: TextDocumentIdentifier {
                uri: member.uri().clone(),
            },
        },
        edits: edits.into_iter().map(Edit::from).collect(),
    }
}
