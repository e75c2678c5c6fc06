//! What the client says of itself.

use super::text::Encoding;
use serde_json::Value;

/// What we must know of a client. The rest of its capabilities is not read, so that a client that says
/// something odd there is served all the same.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Client {
    /// In what it counts columns.
    pub(super) encoding: Encoding,
    /// Whether a finding may name other places.
    pub(super) related_information: bool,
    /// Whether it tells of changed files when it is asked to.
    pub(super) watches_files: bool,
    /// Whether it takes what a document declares as a tree.
    pub(super) symbol_tree: bool,
    /// Whether it asks what a rename is about before it asks for a new name.
    pub(super) prepares_rename: bool,
    /// Whether what is proposed can say where the cursor goes on.
    pub(super) snippets: bool,
    /// Whether edits of several documents may say of which version each is.
    pub(super) versioned_edits: bool,
}

impl Client {
    /// The client that sends these parameters of `initialize`.
    pub(super) fn of(params: &Value) -> Self {
        let capability = |path: &str| params.pointer(&format!("/capabilities/{path}"));
        let can = |path| capability(path).and_then(Value::as_bool) == Some(true);
        let encodings = capability("general/positionEncodings").and_then(Value::as_array);
        let encodings = encodings.into_iter().flatten().filter_map(Value::as_str);
        Self {
            encoding: Encoding::chosen_of(encodings),
            related_information: can("textDocument/publishDiagnostics/relatedInformation"),
            watches_files: can("workspace/didChangeWatchedFiles/dynamicRegistration"),
            symbol_tree: can("textDocument/documentSymbol/hierarchicalDocumentSymbolSupport"),
            prepares_rename: can("textDocument/rename/prepareSupport"),
            snippets: can("textDocument/completion/completionItem/snippetSupport"),
            versioned_edits: can("workspace/workspaceEdit/documentChanges"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn odd_capabilities_cost_only_themselves() {
        for params in [
            json!(null),
            json!({"capabilities": 1}),
            json!({"capabilities": {"general": {"positionEncodings": "utf-8"}}}),
            json!({"capabilities": {"general": {"positionEncodings": [1, null]}}}),
        ] {
            let client = Client::of(&params);
            assert_eq!(client.encoding, Encoding::Utf16, "{params}");
            assert!(!client.related_information, "{params}");
        }
        let client = Client::of(&json!({"capabilities": {
            "general": {"positionEncodings": [1, "utf-8"], "markdown": 5},
            "textDocument": {"publishDiagnostics": {"relatedInformation": true}},
        }}));
        assert_eq!(client.encoding, Encoding::Utf8);
        assert!(client.related_information);
    }
}
