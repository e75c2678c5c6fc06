//! `textDocument/completion`: what may be written here.

use super::{Failure, place};
use crate::language::completion::{Proposal, ProposalKind, complete};
use crate::server::main_loop::Server;
use gen_lsp_types::{
    CompletionItem, CompletionItemKind, CompletionParams, CompletionResponse, InsertTextFormat,
    MarkupContent, MarkupKind, Range, TextEdit,
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
        let items =
            proposals.map(|(at, proposal)| item(at, proposal, range, server.client().snippets));
        CompletionResponse::CompletionItemList(items.collect())
    }))
}

fn item(at: usize, proposal: Proposal, range: Range, snippets: bool) -> CompletionItem {
    let snippet = snippet(&proposal).filter(|_| snippets);
    let documentation = proposal.meaning.map(|value| MarkupContent {
        kind: MarkupKind::Markdown,
        value,
    });
    CompletionItem {
        kind: Some(kind(proposal.kind)),
        detail: proposal.detail,
        documentation: documentation.map(Into::into),
        insert_text_format: snippet.as_ref().map(|_| InsertTextFormat::Snippet),
        // Else clients sort by name.
        sort_text: Some(format!("{at:05}")),
        // What is inserted may begin with a quote that nobody types.
        filter_text: Some(proposal.label.clone()),
        text_edit: Some(
            TextEdit {
                range,
                new_text: snippet.unwrap_or(proposal.insert),
            }
            .into(),
        ),
        label: proposal.label,
        ..CompletionItem::default()
    }
}

/// What is proposed as a snippet, when the cursor is to stand before its end.
fn snippet(proposal: &Proposal) -> Option<String> {
    let cursor = proposal.insert.len().checked_sub(proposal.behind)?;
    let (before, behind) = proposal.insert.split_at_checked(cursor)?;
    (!behind.is_empty()).then(|| format!("{}$0{}", escaped(before), escaped(behind)))
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '$' | '}') {
            out.push('\\');
        }
        out.push(c);
    }
    out
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snippet_says_where_the_cursor_goes_on() {
        for (insert, behind, expected) in [
            ("model(\"\")", 2, Some("model(\"$0\")")),
            ("\"a}$b\\c/\"", 1, Some("\"a\\}\\$b\\\\c/$0\"")),
            ("model: ", 0, None),
        ] {
            let proposal = Proposal {
                label: String::new(),
                kind: ProposalKind::Key,
                detail: None,
                meaning: None,
                insert: insert.to_owned(),
                behind,
            };
            assert_eq!(snippet(&proposal).as_deref(), expected, "{insert}");
        }
    }
}
