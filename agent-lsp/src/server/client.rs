//! The capabilities of the client.

use super::text::Encoding;
use serde_json::Value;

/// The capabilities of the client that the server uses.
///
/// Other capabilities are not deserialized, so that an invalid one among them does no harm.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ClientCapabilities {
    /// The unit of columns.
    pub(super) encoding: Encoding,
    /// Whether a diagnostic may refer to other locations.
    pub(super) related_information: bool,
    /// Whether the client reports changes of files on request.
    pub(super) watches_files: bool,
    /// Whether the symbols of a document may be a tree.
    pub(super) symbol_tree: bool,
    /// Whether the client sends `textDocument/prepareRename`.
    pub(super) prepares_rename: bool,
    /// Whether completion items may be snippets, which have a cursor position.
    pub(super) snippets: bool,
    /// Whether edits of several documents may contain their versions.
    pub(super) versioned_edits: bool,
}

impl ClientCapabilities {
    /// Reads the capabilities from the parameters of `initialize`.
    pub(super) fn from_params(params: &Value) -> Self {
        let capability = |path: &str| params.pointer(&format!("/capabilities/{path}"));
        let can = |path| capability(path).and_then(Value::as_bool) == Some(true);
        let encodings = capability("general/positionEncodings").and_then(Value::as_array);
        let encodings = encodings.into_iter().flatten().filter_map(Value::as_str);
        Self {
            encoding: Encoding::negotiate(encodings),
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
    fn invalid_capabilities_do_not_affect_others() {
        for params in [
            json!(null),
            json!({"capabilities": 1}),
            json!({"capabilities": {"general": {"positionEncodings": "utf-8"}}}),
            json!({"capabilities": {"general": {"positionEncodings": [1, null]}}}),
        ] {
            let client = ClientCapabilities::from_params(&params);
            assert_eq!(client.encoding, Encoding::Utf16, "{params}");
            assert!(!client.related_information, "{params}");
        }
        let client = ClientCapabilities::from_params(&json!({"capabilities": {
            "general": {"positionEncodings": [1, "utf-8"], "markdown": 5},
            "textDocument": {"publishDiagnostics": {"relatedInformation": true}},
        }}));
        assert_eq!(client.encoding, Encoding::Utf8);
        assert!(client.related_information);
    }
}
