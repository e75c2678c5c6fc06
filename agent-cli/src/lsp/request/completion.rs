//! `textDocument/completion`: what may be written here.

use super::{Failure, place};
use crate::language::completion::{Proposal, ProposalKind, complete};
use crate::lsp::server::Server;
use gen_lsp_types::{
    CompletionItem, CompletionItemKind, CompletionParams, CompletionResponse, MarkupContent,
    MarkupKind, Range, TextEdit,
};

/// What may be written at a place.
pub(super) fn completion(
    server: &Server,
    params: CompletionParams,
) -> Result<Option<CompletionResponse>, Failure> {
    let (document, offset) = place(server, &params.text_document_position_params)?;
    let text = document.text();
    if document.is_too_long() {
        return Ok(None);
    }
    let completion = complete(text.as_str(), offset, server.known.specs());
    Ok(completion.map(|completion| {
        let range = text.range(completion.span);
        let proposals = completion.proposals.into_iter().enumerate();
        let items = proposals.map(|(at, proposal)| item(at, proposal, range));
        CompletionResponse::CompletionItemList(items.collect())
    }))
}

fn item(at: usize, proposal: Proposal, range: Range) -> CompletionItem {
    let documentation = proposal.meaning.map(|value| MarkupContent {
        kind: MarkupKind::Markdown,
        value,
    });
    CompletionItem {
        kind: Some(kind(proposal.kind)),
        detail: proposal.detail,
        documentation: documentation.map(Into::into),
        // Else clients sort by name.
        sort_text: Some(format!("{at:05}")),
        // What is inserted may begin with a quote that nobody types.
        filter_text: Some(proposal.label.clone()),
        text_edit: Some(
            TextEdit {
                range,
                new_text: proposal.insert,
            }
            .into(),
        ),
        label: proposal.label,
        ..CompletionItem::default()
    }
}

fn kind(kind: ProposalKind) -> CompletionItemKind {
    match kind {
        ProposalKind::Label => CompletionItemKind::Class,
        ProposalKind::Type => CompletionItemKind::TypeParameter,
        ProposalKind::Key => CompletionItemKind::Property,
        ProposalKind::Value => CompletionItemKind::Value,
        ProposalKind::Tool => CompletionItemKind::Function,
    }
}
