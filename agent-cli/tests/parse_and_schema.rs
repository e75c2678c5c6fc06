//! `agent parse` and `agent schema`: their exact JSON.

use crate::support::{Folder, agent, agent_with, agent_with_tools};
use serde_json::{Value, json};

#[test]
fn prints_a_document_as_an_array_of_patterns() {
    let ended = agent_with(&["parse", "-"], "{v: 1}\n(a:L {z: 1, b: sym})-->(b)\n").expect(0);
    let node = |identity: &str| json!({"subject": {"identity": identity, "labels": [], "properties": {}}, "elements": []});
    assert_eq!(
        ended.json(),
        json!([
            {"subject": {"identity": "", "labels": [], "properties": {"v": 1}}, "elements": []},
            {"subject": {"identity": "", "labels": [], "properties": {}}, "elements": [
                {"subject": {"identity": "a", "labels": ["L"], "properties":
                    {"z": 1, "b": {"type": "symbol", "value": "sym"}}}, "elements": []},
                node("b"),
            ]},
        ])
    );
    // Properties keep the order of the text.
    assert!(
        ended.stdout.find("\"z\"") < ended.stdout.find("\"b\""),
        "{}",
        ended.stdout
    );
    assert_eq!(agent_with(&["parse", "-"], "").expect(0).json(), json!([]));
}

#[test]
fn errors_go_to_standard_error() {
    let ended = agent_with(&["parse", "-"], "(a)-->\n(b").expect(1);
    assert_eq!(ended.stdout, "");
    assert!(ended.stderr.contains("error[gram::"), "{}", ended.stderr);
    assert!(ended.stderr.contains("<stdin>: "), "{}", ended.stderr);
}

#[test]
fn prints_the_tools_of_a_document() {
    let tool = json!({
        "name": "sayHello",
        "description": "Returns a friendly greeting message for the given name",
        "typeSignature": "(personName::Text {default: \"world\"})==>(::String)",
        "schema": {
            "type": "object",
            "properties": {"personName": {"type": "string", "default": "world"}},
            "required": [],
        },
    });
    let ended = agent(&["schema", "agents/hello.gram"]).expect(0);
    assert_eq!(ended.json(), json!([tool]));
    let order = [
        "\"name\"",
        "\"description\"",
        "\"typeSignature\"",
        "\"schema\"",
    ];
    let places: Vec<_> = order.iter().map(|key| ended.stdout.find(key)).collect();
    assert!(places.is_sorted(), "{}", ended.stdout);
    assert_eq!(
        agent(&["schema", "agents/hello.gram", "--tool", "sayHello"])
            .expect(0)
            .json(),
        tool
    );
    let ended = agent(&[
        "schema",
        "agents/hello_and_goodbye.gram",
        "--tool",
        "sayHello",
    ])
    .expect(0);
    let mut built_in = tool;
    built_in["untrusted"] = json!(false);
    built_in["readOnly"] = json!(true);
    assert_eq!(
        ended.json(),
        built_in,
        "the built-in tool is the one of the example, and has labels of its own"
    );
    let ended = agent(&["schema", "agents/hello_and_goodbye.gram"]).expect(0);
    assert_eq!(ended.json()[1]["name"], "sayGoodbye");
}

/// Returns the names of the tools that `agent schema` prints.
fn printed_names(args: &[&str], document: &str) -> Vec<String> {
    let printed = agent_with(args, document).expect(0).json();
    let tools = printed.as_array().expect("it is an array");
    let name = |tool: &Value| tool["name"].as_str().expect("it has a name").to_owned();
    tools.iter().map(name).collect()
}

#[test]
fn prints_each_of_many_tools_once() {
    let names: Vec<String> = (0..20_000).map(|at| format!("t{at}")).collect();
    let tool = |name| format!("[{name}:Tool {{description: \"d\"}} | (a::Int)==>(::Int)]\n");
    let tools: String = names.iter().map(tool).collect();
    let agent = "[a:Agent {instruction: \"i\", model: \"Offline/m\"} | t3, t1]\n";
    let both = format!("{tools}{agent}");
    assert_eq!(printed_names(&["schema", "-"], &both), names);

    let folder = Folder::new();
    let file = folder.file("more.gram", tools);
    let args = ["schema", "-", "--tools", &file];
    assert_eq!(printed_names(&args, agent), ["t3", "t1"]);
}

#[test]
fn suggests_the_nearest_tool() {
    let ended = agent(&["schema", "agents/hello.gram", "--tool", "sayhelo"]).expect(2);
    assert!(
        ended.stderr.contains("did you mean `sayHello`?"),
        "{}",
        ended.stderr
    );
    assert_eq!(ended.stdout, "");
}

#[test]
fn prints_the_schema_of_a_signature() {
    let ended = agent(&[
        "schema",
        "--signature",
        "(b::Int)==>(a::[Text] {optional: true})==>(::String)",
    ]);
    assert_eq!(ended.code, 1, "a type expression is no label");
    assert!(ended.stderr.contains("--signature:1:"), "{}", ended.stderr);
    let ended = agent(&["schema", "--signature", "(b::Int)==>(a::Text)==>(::String)"]).expect(0);
    assert_eq!(
        ended.json(),
        json!({
            "type": "object",
            "properties": {"b": {"type": "integer"}, "a": {"type": "string"}},
            "required": ["b", "a"],
        })
    );
    assert!(
        ended.stdout.find("\"b\"") < ended.stdout.find("\"a\""),
        "{}",
        ended.stdout
    );
}

#[test]
fn a_document_with_errors_has_no_schema() {
    let folder = Folder::new();
    let document = folder.file("agent.gram", agent_with_tools("sayHelo"));
    let ended = agent(&["schema", &document]).expect(1);
    assert_eq!(ended.stdout, "");
    assert!(
        ended.stderr.contains("did you mean `sayHello`?"),
        "{}",
        ended.stderr
    );
}

#[test]
fn prints_an_agent_with_the_schemas_of_its_parameters_and_its_result() {
    let ended = agent(&["schema", "agents/translate.gram", "--agent", "translate"]).expect(0);
    assert_eq!(
        ended.json(),
        json!({
            "name": "translate",
            "description": "Translates a text",
            "typeSignature": "(text::Text)==>(language::Text {enum: [\"de\", \"en\", \"fr\"]})==>(::String)",
            "schema": {
                "type": "object",
                "properties": {
                    "text": {"type": "string"},
                    "language": {"type": "string", "enum": ["de", "en", "fr"]},
                },
                "required": ["text", "language"],
            },
            "returnSchema": {"type": "string"},
        })
    );
    // Agents that can be called are no tools of the document.
    let tools = agent(&["schema", "agents/support.gram"]).expect(0).json();
    let names: Vec<&str> = tools
        .as_array()
        .expect("tools")
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert_eq!(names, ["calculator", "readFile"]);
    let ended = agent(&["schema", "agents/support.gram", "--agent", "biling"]).expect(2);
    assert!(
        ended.stderr.contains("did you mean `billing`?"),
        "{}",
        ended.stderr
    );
    let ended = agent(&["check", "agents/support.gram"]).expect(0);
    assert!(
        ended.stdout.contains("(3 agents, 2 tools)"),
        "{}",
        ended.stdout
    );
}
