//! The schema that a tool has of its own, in the request of each provider.

use crate::providers::exchange::{ANTHROPIC, Dialect, GOOGLE, OLLAMA, OPENAI, RESPONSES};
use crate::support::library;
use crate::support::server::Server;
use agent_runtime::tool::ToolConfig;
use agent_runtime::{Agent, Conversation, ToolSpec};
use serde_json::{Value, json};

/// A part that neither gram nor the strict mode of any provider can express.
fn filter() -> Value {
    json!({"oneOf": [
        {"type": "string", "pattern": "^[a-z]+$"},
        {"type": "array", "items": {"$ref": "#/$defs/Node"}, "uniqueItems": true},
    ]})
}

fn node() -> Value {
    json!({
        "type": "object",
        "properties": {"name": {"type": "string"}, "child": {"$ref": "#/$defs/Node"}},
        "required": ["name"],
        "additionalProperties": false,
    })
}

/// Returns the tool in the request of a provider.
async fn sent_tool(dialect: Dialect) -> Value {
    let input = json!({
        "type": "object",
        "properties": {
            "filter": filter(),
            "first": {"$ref": "#/$defs/Node"},
            "word": {"type": "string"},
        },
        "required": ["filter", "first", "word"],
        "$defs": {"Node": node()},
    });
    let tool = ToolConfig::with_schema("find", "Finds things", input)
        .build(async |_| Ok("nothing".into()))
        .expect("a tool");
    let signature =
        "(filter::Any {description: \"Which ones\"})==>(first::Any)==>(word::Text)==>(::Any)";
    let spec = ToolSpec::new("find", "Finds things", signature).expect("a spec");
    let agent =
        Agent::new("finder", dialect.model, "Find.").and_then(|agent| agent.with_tool(spec));
    let server = Server::start(vec![dialect.answer("hello.json")]);
    let runtime = dialect.runtime(&server).build().expect("a runtime");
    let response = runtime
        .execute(
            &agent.expect("an agent"),
            "Hi",
            &mut Conversation::new(),
            &library([tool]),
        )
        .await;
    response.expect("an answer");
    let request = server.requests().remove(0).json();
    // What a strict mode cannot express is not sent strictly.
    match dialect.folder {
        "responses" => assert_eq!(request["tools"][0]["strict"], json!(false)),
        _ => assert!(!request.to_string().contains("strict"), "{request}"),
    }
    request["tools"][0].clone()
}

/// Returns the schema of the arguments, with the tool's own parts as they are or as a provider needs them.
fn arguments(filter: &Value, first: Value, node: &Value) -> Value {
    let mut filter = filter.clone();
    filter["description"] = "Which ones".into();
    json!({
        "type": "object",
        "properties": {"filter": filter, "first": first, "word": {"type": "string"}},
        "required": ["filter", "first", "word"],
        "$defs": {"Node": node},
    })
}

fn whole() -> Value {
    arguments(&filter(), json!({"$ref": "#/$defs/Node"}), &node())
}

#[tokio::test]
async fn openai_gets_the_tools_own_schema_whole() {
    let tool = sent_tool(OPENAI).await;
    assert_eq!(tool["function"]["parameters"], whole());
}

#[tokio::test]
async fn openai_responses_gets_the_tools_own_schema_whole() {
    assert_eq!(sent_tool(RESPONSES).await["parameters"], whole());
}

#[tokio::test]
async fn anthropic_gets_the_tools_own_schema_whole() {
    assert_eq!(sent_tool(ANTHROPIC).await["input_schema"], whole());
}

#[tokio::test]
async fn ollama_gets_the_tools_own_schema_whole() {
    let tool = sent_tool(OLLAMA).await;
    assert_eq!(tool["function"]["parameters"], whole());
}

/// Gemini has fewer keywords: the others are words of the description.
#[tokio::test]
async fn google_gets_the_tools_own_schema_in_its_subset() {
    let filter = json!({"oneOf": [
        {"type": "string", "description": "pattern: ^[a-z]+$"},
        {"type": "array", "items": {"$ref": "#/$defs/Node"}, "description": "uniqueItems: true"},
    ]});
    let expected = arguments(&filter, json!({"$ref": "#/$defs/Node"}), &node());
    let tool = sent_tool(GOOGLE).await;
    assert_eq!(
        tool["functionDeclarations"][0]["parametersJsonSchema"],
        expected
    );
}
