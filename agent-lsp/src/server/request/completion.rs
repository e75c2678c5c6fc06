//! `textDocument/completion`: the texts that can be written at a position.

use super::document_at;
use crate::language::completion::{self, complete, complete_project};
use crate::server::loaded_tools::is_project_file;
use crate::server::state::{RequestError, State};
use agent_spec::terminal;
use gen_lsp_types::{
    CompletionItem, CompletionItemKind, CompletionParams, CompletionResponse, InsertTextFormat,
    MarkupContent, MarkupKind, Range, TextEdit,
};

/// Returns the completion items at a position.
pub(super) fn completion(
    state: &State,
    params: CompletionParams,
) -> Result<Option<CompletionResponse>, RequestError> {
    let (document, offset) = document_at(state, &params.text_document_position_params)?;
    let text = document.text();
    if document.is_too_long() {
        return Ok(None);
    }
    let completion = if is_project_file(document.uri(), text.as_str()) {
        complete_project(text.as_str(), offset)
    } else {
        let tools = state.tools.in_project(document.uri());
        complete(text.as_str(), offset, tools.specs())
    };
    Ok(completion.map(|completion| {
        let range = text.range(completion.span);
        let items = completion.items.into_iter().enumerate();
        let items = items.map(|(index, item)| convert(index, item, range, state.client.snippets));
        CompletionResponse::CompletionItemList(items.collect())
    }))
}

fn convert(
    index: usize,
    item: completion::CompletionItem,
    range: Range,
    snippets: bool,
) -> CompletionItem {
    let snippet = snippet(&item).filter(|_| snippets);
    let documentation = item.documentation.map(|value| MarkupContent {
        kind: MarkupKind::Markdown,
        value: terminal::text(&value),
    });
    CompletionItem {
        kind: Some(kind(item.kind)),
        detail: item.detail.map(|detail| terminal::text(&detail)),
        documentation: documentation.map(Into::into),
        insert_text_format: snippet.as_ref().map(|_| InsertTextFormat::Snippet),
        // Clients would sort by label otherwise.
        sort_text: Some(format!("{index:05}")),
        // The inserted text may begin with a quote that the user does not type.
        filter_text: Some(item.label.clone()),
        text_edit: Some(
            TextEdit {
                range,
                new_text: snippet.unwrap_or(item.insert_text),
            }
            .into(),
        ),
        label: terminal::text(&item.label),
        ..CompletionItem::default()
    }
}

/// Returns the text of an item as a snippet, if the cursor is to be before the end of the text.
fn snippet(item: &completion::CompletionItem) -> Option<String> {
    let cursor = item.insert_text.len().checked_sub(item.behind_cursor)?;
    let (before, behind) = item.insert_text.split_at_checked(cursor)?;
    (!behind.is_empty()).then(|| format!("{}$0{}", escape(before), escape(behind)))
}

/// Escapes the special characters of snippets.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '$' | '}') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn kind(kind: completion::CompletionItemKind) -> CompletionItemKind {
    match kind {
        completion::CompletionItemKind::Label => CompletionItemKind::Class,
        completion::CompletionItemKind::Type => CompletionItemKind::TypeParameter,
        completion::CompletionItemKind::Key => CompletionItemKind::Property,
        completion::CompletionItemKind::Value => CompletionItemKind::Value,
        completion::CompletionItemKind::Tool => CompletionItemKind::Function,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snippet_contains_the_cursor_position() {
        for (insert_text, behind_cursor, expected) in [
            ("model(\"\")", 2, Some("model(\"$0\")")),
            ("\"a}$b\\c/\"", 1, Some("\"a\\}\\$b\\\\c/$0\"")),
            ("model: ", 0, None),
        ] {
            let item = completion::CompletionItem {
                label: String::new(),
                kind: completion::CompletionItemKind::Key,
                detail: None,
                documentation: None,
                insert_text: insert_text.to_owned(),
                behind_cursor,
            };
            assert_eq!(snippet(&item).as_deref(), expected, "{insert_text}");
        }
    }
}
