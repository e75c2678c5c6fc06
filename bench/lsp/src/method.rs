//! What is asked.

use serde_json::{Value, json};

/// A method, and its parameters at a place of a document.
pub(crate) struct Method {
    pub(crate) name: &'static str,
    pub(crate) params: fn(uri: &str, position: Value) -> Value,
}

/// All that is asked, if it is answered.
pub(crate) const METHODS: [Method; 7] = [
    Method {
        name: "textDocument/hover",
        params: at,
    },
    Method {
        name: "textDocument/completion",
        params: at,
    },
    Method {
        name: "textDocument/definition",
        params: at,
    },
    Method {
        name: "textDocument/references",
        params: |uri, position| {
            let mut params = at(uri, position);
            params["context"] = json!({"includeDeclaration": true});
            params
        },
    },
    Method {
        name: "textDocument/prepareRename",
        params: at,
    },
    Method {
        name: "textDocument/documentSymbol",
        params: |uri, _| json!({"textDocument": {"uri": uri}}),
    },
    Method {
        name: "textDocument/formatting",
        params: |uri, _| {
            let options = json!({"tabSize": 2, "insertSpaces": true});
            json!({"textDocument": {"uri": uri}, "options": options})
        },
    },
];

fn at(uri: &str, position: Value) -> Value {
    json!({"textDocument": {"uri": uri}, "position": position})
}
