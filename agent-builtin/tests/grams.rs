//! The gram files of the built-in tools in `examples/tools/` agree with the tools. `UPDATE_EXPECT=1` writes
//! them.

use agent_runtime::{Environment, Signature, ToolLibrary, ToolSpec};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/tools")
}

/// Returns the name of a tool's file: `current_time.gram` for `currentTime`.
fn file_name(tool: &str) -> String {
    let words = tool.chars().flat_map(|letter| {
        let blank = letter.is_ascii_uppercase().then_some('_');
        blank.into_iter().chain([letter.to_ascii_lowercase()])
    });
    words.chain(".gram".chars()).collect()
}

/// Returns all built-in tools, with a key for `webSearch`.
fn library() -> ToolLibrary {
    agent_builtin::library_with(&Environment::from_pairs([("BRAVE_API_KEY", "none")]))
}

/// Each file binds with the strictest rule, `BindPolicy::Exact`.
#[test]
fn every_built_in_tool_has_a_gram_file_that_binds() {
    let library = library();
    let mut different = Vec::new();
    for tool in library.iter() {
        let descriptor = tool.descriptor();
        let gram = descriptor.to_gram().expect("it has a signature") + "\n";
        let path = folder().join(file_name(descriptor.name()));
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&path, &gram).expect("it can be written");
        }
        let file = std::fs::read_to_string(&path).unwrap_or_default();
        if file.replace("\r\n", "\n") != gram {
            different.push(path);
            continue;
        }
        let checked = agent_runtime::spec::check::check(&file, Default::default());
        assert!(checked.diagnostics.is_empty(), "{:?}", checked.diagnostics);
        let specs: Vec<ToolSpec> = checked.tools.iter().map(|node| node.spec.clone()).collect();
        let [spec] = specs.as_slice() else {
            panic!("{} tools in {}", specs.len(), path.display());
        };
        let policy = agent_runtime::library::BindPolicy::Exact;
        library.bind_with(spec, policy).expect("it binds");
    }
    assert!(
        different.is_empty(),
        "not what the tools say; run `UPDATE_EXPECT=1 cargo xtask test builtin grams`: {different:?}"
    );
}

/// The tools of the design documents: name, description without the name of the wrapped library, input and
/// output schema, letter by letter.
fn documented() -> [(&'static str, &'static str, Value, Value); 7] {
    [
        (
            "readFile",
            "Reads file content as text.",
            json!({
                "type": "object",
                "properties": {
                    "path": { "type": "string", "description": "File path to read" }
                },
                "required": ["path"]
            }),
            json!({
                "type": "object",
                "properties": {
                    "content": { "type": "string" },
                    "size": { "type": "integer" }
                }
            }),
        ),
        (
            "writeFile",
            "Writes text content to file.",
            json!({
                "type": "object",
                "properties": {
                    "path": { "type": "string" },
                    "content": { "type": "string" }
                },
                "required": ["path", "content"]
            }),
            json!({
                "type": "object",
                "properties": {
                    "bytesWritten": { "type": "integer" }
                }
            }),
        ),
        (
            "listDirectory",
            "Lists files and directories in a directory.",
            json!({
                "type": "object",
                "properties": {
                    "path": { "type": "string" },
                    "recursive": { "type": "boolean", "default": false }
                },
                "required": ["path"]
            }),
            json!({
                "type": "object",
                "properties": {
                    "entries": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {
                                "name": { "type": "string" },
                                "type": { "enum": ["file", "directory"] },
                                "size": { "type": "integer" }
                            }
                        }
                    }
                }
            }),
        ),
        (
            "webSearch",
            "Performs web search using configured search API.",
            json!({
                "type": "object",
                "properties": {
                    "query": { "type": "string" },
                    "num_results": { "type": "integer", "default": 5 }
                },
                "required": ["query"]
            }),
            json!({
                "type": "object",
                "properties": {
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {
                                "title": { "type": "string" },
                                "snippet": { "type": "string" },
                                "url": { "type": "string" }
                            }
                        }
                    }
                }
            }),
        ),
        (
            "calculator",
            "Evaluates mathematical expressions.",
            json!({
                "type": "object",
                "properties": {
                    "expression": {
                        "type": "string", "description": "Math expression like '2 + 2'"
                    }
                },
                "required": ["expression"]
            }),
            json!({
                "type": "object",
                "properties": {
                    "result": { "type": "number" }
                }
            }),
        ),
        (
            "wikipedia",
            "Searches Wikipedia and returns summary.",
            json!({
                "type": "object",
                "properties": {
                    "query": { "type": "string" }
                },
                "required": ["query"]
            }),
            json!({
                "type": "object",
                "properties": {
                    "summary": { "type": "string" },
                    "url": { "type": "string" }
                }
            }),
        ),
        (
            "webScraper",
            "Fetches and extracts text from web pages.",
            json!({
                "type": "object",
                "properties": {
                    "url": { "type": "string", "format": "uri" },
                    "selector": { "type": "string", "description": "CSS selector (optional)" }
                },
                "required": ["url"]
            }),
            json!({
                "type": "object",
                "properties": {
                    "text": { "type": "string" },
                    "title": { "type": "string" }
                }
            }),
        ),
    ]
}

#[test]
fn binds_the_definitions_of_the_design_documents() {
    let library = library();
    for (name, description, input, output) in documented() {
        let signature = Signature::from_schemas(&input, Some(&output)).expect("a signature");
        let spec = ToolSpec::new(name, description, &signature.to_string()).expect("a spec");
        if let Err(failure) = library.bind(&spec) {
            panic!("{failure}");
        }
    }
}
