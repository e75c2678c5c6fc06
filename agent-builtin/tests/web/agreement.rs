//! The gram file, the descriptor, the check of `agent!`, the schemas of the design document and the result
//! of each tool agree.

use crate::web::calls::{call, granting, only};
use crate::web::server::{Server, answer, page};
use agent_builtin::{SearchConfig, SearchEngine, WebScraper, WebSearch, Wikipedia, library_with};
use agent_runtime::{Agent, Environment, Tool, ToolSpec, agent};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// Compiles only if the descriptors and the files agree.
static RESEARCHER: Agent = agent! {
    tools: [..WebSearch, ..Wikipedia, ..WebScraper],
    [researcher:Agent {instruction: "Look it up.", model: "Offline/m"} |
        [webSearch:Tool {description: "Performs web search using configured search API."} |
            (query::Text)==>(num_results::Int {default: 5})==>(::Object {fields: [
                {name: "results", type: "Array", optional: true, elementType: {type: "Object", fields: [
                    {name: "title", type: "Text", optional: true},
                    {name: "snippet", type: "Text", optional: true},
                    {name: "url", type: "Text", optional: true}
                ]}}
            ]})
        ],
        [wikipedia:Tool {description: "Searches Wikipedia and returns summary."} |
            (query::Text)
            ==>(language::Text {
                description: "Language of the Wikipedia to ask, such as `de`",
                default: "en"
            })
            ==>(::Object {fields: [
                {name: "summary", type: "Text", optional: true},
                {name: "url", type: "Text", optional: true}
            ]})
        ],
        [webScraper:Tool {description: "Fetches and extracts text from web pages."} |
            (url::Text {format: "uri"})
            ==>(selector::Text {description: "CSS selector (optional)", optional: true})
            ==>(::Object {fields: [
                {name: "text", type: "Text", optional: true},
                {name: "title", type: "Text", optional: true},
                {name: "url", type: "Text", optional: true}
            ]})
        ]
    ]
};

/// The schemas of the design document, without the parts that were added since.
fn documented(name: &str) -> (Value, Value, &'static str) {
    match name {
        "webSearch" => (
            json!({
                "type": "object",
                "properties": {
                    "query": {"type": "string"},
                    "num_results": {"type": "integer", "default": 5},
                },
                "required": ["query"],
            }),
            json!({
                "type": "object",
                "properties": {
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {
                                "title": {"type": "string"},
                                "snippet": {"type": "string"},
                                "url": {"type": "string"},
                            },
                        },
                    },
                },
            }),
            "",
        ),
        "wikipedia" => (
            json!({
                "type": "object",
                "properties": {"query": {"type": "string"}},
                "required": ["query"],
            }),
            json!({
                "type": "object",
                "properties": {"summary": {"type": "string"}, "url": {"type": "string"}},
            }),
            "language",
        ),
        "webScraper" => (
            json!({
                "type": "object",
                "properties": {
                    "url": {"type": "string", "format": "uri"},
                    "selector": {"type": "string", "description": "CSS selector (optional)"},
                },
                "required": ["url"],
            }),
            json!({
                "type": "object",
                "properties": {"text": {"type": "string"}, "title": {"type": "string"}},
            }),
            "url",
        ),
        _ => panic!("{name}"),
    }
}

/// Returns a schema without empty lists of required members, and without an added property.
fn plain(mut schema: Value, added: &str) -> Value {
    match &mut schema {
        Value::Object(map) => {
            if map.get("required") == Some(&json!([])) {
                map.remove("required");
            }
            if let Some(properties) = map.get_mut("properties").and_then(Value::as_object_mut) {
                properties.remove(added);
            }
            for value in map.values_mut() {
                *value = plain(value.take(), "");
            }
        }
        Value::Array(items) => {
            for item in items {
                *item = plain(item.take(), "");
            }
        }
        _ => {}
    }
    schema
}

fn tools() -> Vec<Arc<dyn Tool>> {
    let library = library_with(&Environment::from_pairs([("BRAVE_API_KEY", "key")]));
    let of = |name| Arc::clone(library.lookup(name).expect(name));
    ["webSearch", "wikipedia", "webScraper"].map(of).to_vec()
}

#[test]
fn schemas_are_those_of_the_design_document() {
    for tool in tools() {
        let (name, signature) = (tool.descriptor().name(), tool.descriptor().signature());
        let signature = signature.expect("a signature");
        let (input, output, added) = documented(name);
        let (in_input, in_output) = if name == "wikipedia" {
            (added, "")
        } else {
            ("", added)
        };
        assert_eq!(
            plain(signature.schema().to_value(), in_input),
            input,
            "{name}"
        );
        assert_eq!(
            plain(signature.return_schema().to_value(), in_output),
            output,
            "{name}"
        );
    }
}

#[test]
fn gram_files_agree_with_the_tools() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../examples/tools");
    for (tool, file) in tools()
        .iter()
        .zip(["web_search", "wikipedia", "web_scraper"])
    {
        let path = folder.join(format!("{file}.gram"));
        let expected = tool.descriptor().to_gram().expect("a signature") + "\n";
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::create_dir_all(&folder).expect("a folder");
            std::fs::write(&path, &expected).expect("a file");
        }
        let file = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            file.replace("\r\n", "\n") == expected,
            "{} is not what the tool says; UPDATE_EXPECT=1 writes it",
            path.display()
        );
    }
}

#[test]
fn binds_an_agent_with_all_tools() {
    let library = library_with(&Environment::from_pairs([("BRAVE_API_KEY", "key")]));
    let bound = agent_runtime::library::bind_agent_tools(&RESEARCHER, &library);
    assert!(bound.is_ok(), "{bound:?}");
    let spec = |name: &str| -> &'static ToolSpec { RESEARCHER.tool(name).expect("a spec") };
    for tool in tools() {
        let descriptor = tool.descriptor();
        assert_eq!(
            spec(descriptor.name()).description(),
            descriptor.description()
        );
        assert_eq!(
            spec(descriptor.name()).signature().schema(),
            descriptor.signature().expect("a signature").schema()
        );
        let settings = descriptor.settings();
        assert!(settings.read_only && settings.retryable && settings.timeout.is_none());
    }
}

/// Checks that a result has every field of the signature, and no others.
fn has_all_fields(tool: &dyn Tool, result: &Value) {
    let signature = tool.descriptor().signature().expect("a signature");
    let schema = signature.return_schema().to_value();
    same_keys(&schema, result);
    assert!(signature.returns().ty().validate(result).is_ok());
}

fn same_keys(schema: &Value, result: &Value) {
    if let Some(properties) = schema["properties"].as_object() {
        let keys: Vec<_> = result.as_object().expect("a record").keys().collect();
        let mut expected: Vec<_> = properties.keys().collect();
        expected.sort();
        assert_eq!(keys, expected);
        for (name, schema) in properties {
            same_keys(schema, &result[name]);
        }
    }
    if let (Some(items), Some(values)) = (schema.get("items"), result.as_array()) {
        values.iter().for_each(|value| same_keys(items, value));
    }
}

#[tokio::test]
async fn results_fit_the_schemas() {
    let server = Server::start(|request, stream| {
        stream.write_all(&match &request.target {
            target if target.contains("list=search") => {
                answer(200, "", include_str!("replies/wiki_search.json"))
            }
            target if target.contains("api.php") => {
                answer(200, "", include_str!("replies/wiki_page.json"))
            }
            target if target.contains("format=json") => {
                answer(200, "", include_str!("replies/searxng.json"))
            }
            _ => page("text/html", "<p>text"),
        })
    });
    let search = SearchConfig::new(SearchEngine::SearxNg, "");
    let search = search.base_url(&server.url("")).expect("a URL");
    for (tool, arguments) in [
        (only(WebSearch::new(search)), json!({"query": "q"})),
        (
            only(
                Wikipedia::default()
                    .base_url(&server.url(""))
                    .expect("a URL"),
            ),
            json!({"query": "q"}),
        ),
        (only(WebScraper::default()), json!({"url": server.url("/")})),
    ] {
        let result = call(&tool, &arguments, &granting(&[server.grant()])).await;
        has_all_fields(&*tool, &result.expect("a result"));
    }
}
