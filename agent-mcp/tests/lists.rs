//! Lists of tools: their order, their bounds, and tools that cannot be used.

use crate::fixture::{NEW, OLD, call, connected, server};
use agent_runtime::library::bind_agent_tools;
use agent_runtime::serde_json::{Value, json};
use agent_runtime::{Agent, ToolLibrary};
use agent_spec::mcp::{McpLock, McpTransport};

#[tokio::test]
async fn parameters_keep_the_order_of_the_server() {
    let schema = r#"{"type":"object","properties":{"title":{"type":"string"},"body":{"type":"string"},"age":{"type":"integer"}},"required":["title"]}"#;
    let tools = format!(r#"[{{"inputSchema": {schema}, "name": "create"}}]"#);
    let server = connected(&json!({"raw": tools})).await;
    assert_eq!(server.tools()[0].input_schema, schema);
    let library = server.library();
    let tool = library.lookup("s_create").expect("a tool");
    let signature = tool.descriptor().signature().expect("a signature");
    let names: Vec<&str> = signature
        .params()
        .iter()
        .map(|param| param.name())
        .collect();
    assert_eq!(names, ["title", "body", "age"]);
}

#[tokio::test]
async fn a_schema_with_a_key_twice_is_read_as_json_is() {
    let schema = r#"{"type": "object", "type": "object", "properties": {"a": {"type": "string"}}}"#;
    let tools = format!(r#"[{{"name": "create", "inputSchema": {schema}}}]"#);
    let server = connected(&json!({"raw": tools})).await;
    assert_eq!(server.library().len(), 1);
}

#[tokio::test]
async fn a_list_of_several_pages_is_read_whole() {
    for revision in [NEW, OLD] {
        let server = connected(&json!({"revision": revision, "pages": "two"})).await;
        let names: Vec<String> = server
            .tools()
            .iter()
            .map(|tool| tool.remote.clone())
            .collect();
        assert_eq!(names.len(), 15, "{names:?}");
        assert_eq!(names[..2], ["echo", "fail"]);
        call(&server, "s_ask", &json!({}))
            .await
            .expect("the last tool");
    }
}

#[tokio::test]
async fn schemas_that_unfold_far_keep_their_definitions_and_harm_no_other_tool() {
    // A schema of 2 KB stands for 1 MB.
    let ten = |of: &str| {
        let properties: Vec<String> = (0..10)
            .map(|at| format!(r##""p{at}": {{"$ref": "#/$defs/{of}"}}"##))
            .collect();
        format!(
            r#"{{"type": "object", "properties": {{{}}}}}"#,
            properties.join(", ")
        )
    };
    let long = format!(
        r#"{{"type": "string", "description": "{}"}}"#,
        "z".repeat(1_000)
    );
    let definitions = format!(r#"{{"a": {long}, "b": {}, "c": {}}}"#, ten("a"), ten("b"));
    let schema = ten("c").replacen('{', &format!(r#"{{"$defs": {definitions}, "#), 1);
    let tools: Vec<String> = (0..20)
        .map(|at| format!(r#"{{"name": "t{at}", "inputSchema": {schema}}}"#))
        .collect();
    let server = connected(&json!({"raw": format!("[{}]", tools.join(", "))})).await;
    assert_eq!(server.refused(), []);
    let library = server.library();
    assert_eq!(library.len(), 20);
    for tool in &library {
        let signature = tool.descriptor().signature().expect("a signature");
        let (gram, schema) = (signature.to_string(), signature.schema().to_string());
        assert!(gram.len() < 50_000, "{}", gram.len());
        assert!(schema.len() < 5_000, "{}", schema.len());
    }
}

#[tokio::test]
async fn ten_thousand_tools_are_bounded() {
    let server = connected(&json!({"many": 10_000})).await;
    assert_eq!(server.tools().len(), 2_000);
    assert_eq!(server.library().len(), 2_000);
    let last = server.refused().last().expect("the last tool");
    assert_eq!(last.name, "s_tool9999");
    assert!(last.reason.contains("too many tools"), "{}", last.reason);
}

#[tokio::test]
async fn a_list_without_an_end_is_read_as_far_as_it_brings_tools() {
    for (pages, problem) in [
        ("endless", "repeats the tools"),
        ("counting", "repeats the tools"),
        ("stuck", "the same cursor"),
        ("cycle", "the same cursor"),
    ] {
        for revision in [NEW, OLD] {
            let script = json!({"revision": revision, "pages": pages});
            let server = connected(&script).await;
            assert_eq!(server.tools().len(), 15, "{pages}");
            assert_eq!(server.library().len(), 15, "{pages}");
            assert_eq!(server.refused(), [], "{pages}");
            let [warning] = server.warnings() else {
                panic!("{pages}: {:?}", server.warnings());
            };
            for word in [problem, "`s`", "15 tools"] {
                assert!(warning.contains(word), "{pages}: {warning}");
            }
            let result = call(&server, "s_ask", &json!({})).await;
            assert!(result.is_ok(), "{pages}: {result:?}");
        }
    }
    for pages in ["two", "one"] {
        let server = connected(&json!({"pages": pages})).await;
        assert_eq!(server.warnings(), [""; 0]);
    }
}

#[tokio::test]
async fn a_list_of_too_many_pages_is_read_in_part() {
    let server = connected(&json!({"pages": "counting", "lists": [[]]})).await;
    assert_eq!(server.tools().len(), 0);
    let [warning] = server.warnings() else {
        panic!("{:?}", server.warnings());
    };
    assert!(warning.contains("more than 200 pages"), "{warning}");
}

#[tokio::test]
async fn a_list_without_an_end_is_imported_with_a_warning() {
    let server = connected(&json!({"pages": "stuck"})).await;
    let transport = McpTransport::Command {
        command: vec!["server".into()],
        env: Vec::new(),
    };
    let imported = server.imported(transport);
    assert_eq!(imported.lock.tools().len(), 15);
    assert_eq!(imported.warnings, server.warnings());
}

#[tokio::test]
async fn half_of_a_surrogate_pair_loses_no_tool() {
    let tools = r#"[{"name": "a", "description": "Waves \ud83d", "inputSchema": {"type": "object"}}, {"name": "b", "inputSchema": {"type": "object"}}]"#;
    for revision in [NEW, OLD] {
        let server = connected(&json!({"revision": revision, "raw": tools})).await;
        assert_eq!(server.refused(), []);
        assert_eq!(server.library().len(), 2);
        let description = server.tools()[0].description.as_deref();
        assert_eq!(description, Some("Waves \u{fffd}"));
    }
}

#[tokio::test]
async fn a_tool_that_cannot_be_read_leaves_the_others_usable() {
    let cycle = json!({
        "type": "object",
        "properties": {"next": {"$ref": "#/$defs/node"}},
        "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}},
    });
    let elsewhere = json!({
        "type": "object",
        "properties": {"a": {"$ref": "https://example.com/schema.json"}},
    });
    let tools = json!([
        {"name": "cycle", "inputSchema": cycle},
        {"name": "elsewhere", "inputSchema": elsewhere},
        {"name": "long", "inputSchema": {"type": "object"}},
        {"name": "list", "inputSchema": {"type": "array"}},
        {"name": "echo", "inputSchema": {"type": "object"}},
    ]);
    let server = connected(&json!({"lists": [tools]})).await;
    assert_eq!(call(&server, "s_echo", &json!({})).await, Ok(json!("")));
    let refused: Vec<&str> = server.refused().iter().map(|tool| &*tool.remote).collect();
    assert_eq!(refused, ["long", "list"]);
    // A part that gram cannot express is any value.
    for name in ["s_cycle", "s_elsewhere"] {
        let library = server.library();
        let tool = library.lookup(name).expect("a tool");
        let signature = tool.descriptor().signature().expect("a signature");
        assert!(signature.to_string().contains("Any"), "{signature}");
    }
    let error = bound(&server.library(), "s_long").expect_err("a tool that was refused");
    for word in ["s_long", "`long`", "`s`", "300", "the most is"] {
        assert!(error.contains(word), "{error}");
    }
    // The reasons go along with the tools.
    let mut library = ToolLibrary::new();
    library.merge(&server.library()).expect("other names");
    let error = bound(&library, "s_list").expect_err("a tool that was refused");
    assert!(error.contains("cannot be read"), "{error}");
    bound(&library, "s_echo").expect("a tool");
}

/// The text of a schema whose objects and lists are inside each other so deeply.
fn nested(levels: usize) -> String {
    let (start, end) = (r#"{"properties":{"p":"#, "}}");
    let around = levels / 2;
    let inner = ["true", "{}"][levels % 2];
    format!("{}{inner}{}", start.repeat(around), end.repeat(around))
}

#[tokio::test]
async fn a_tool_that_breaks_the_protocol_leaves_the_others_usable() {
    let schema = r#"{"type": "object"}"#;
    let tool = |rest: &str| format!(r#"{{"name": "bad", "inputSchema": {schema}, {rest}}}"#);
    let deep = |levels: usize| format!(r#"{{"name": "bad", "inputSchema": {}}}"#, nested(levels));
    let cases = [
        (
            r#"{"name": "bad", "inputSchema": true}"#.to_owned(),
            "its `inputSchema` is a boolean, and must be an object",
        ),
        (
            r#"{"name": "bad", "inputSchema": null}"#.to_owned(),
            "its `inputSchema` is null, and must be an object",
        ),
        (r#"{"name": "bad"}"#.to_owned(), "it has no `inputSchema`"),
        (
            tool(r#""description": 5"#),
            "its `description` is a number, and must be a text",
        ),
        (
            tool(r#""title": []"#),
            "its `title` is a list, and must be a text",
        ),
        (
            tool(r#""outputSchema": true"#),
            "its `outputSchema` is a boolean, and must be an object",
        ),
        (
            tool(r#""annotations": {"readOnlyHint": "yes"}"#),
            "its `annotations.readOnlyHint` is a text, and must be a boolean",
        ),
        (
            tool(r#""name": "bad""#),
            "it cannot be read: duplicate field `name`",
        ),
        (
            tool(r#""icons": [{}]"#),
            "it cannot be read: missing field `src`",
        ),
        (deep(124), "127 levels are the most"),
        (deep(125), "127 levels are the most"),
        (deep(200), "127 levels are the most"),
    ];
    let good = r#"{"name": "echo", "inputSchema": {"properties": {"text": {}, "a": {}}, "type": "object"}}"#;
    for (bad, reason) in cases {
        for revision in [NEW, OLD] {
            for tools in [format!("[{bad}, {good}]"), format!("[ {good} ,{bad}]")] {
                let server = connected(&json!({"revision": revision, "raw": tools})).await;
                let result = call(&server, "s_echo", &json!({"text": "a"})).await;
                assert_eq!(result, Ok(json!("a")), "{bad}");
                // The other tool keeps the order of its parameters.
                assert!(
                    server.tools()[0]
                        .input_schema
                        .contains(r#""text":{},"a":{}"#)
                );
                let [refused] = server.refused() else {
                    panic!("{bad}: {:?}", server.refused());
                };
                assert_eq!((&*refused.name, &*refused.remote), ("s_bad", "bad"));
                assert!(refused.reason.contains(reason), "{bad}: {refused:?}");
                let error = bound(&server.library(), "s_bad").expect_err("a refused tool");
                assert!(error.contains(reason), "{error}");
            }
        }
    }
    let server = connected(&json!({"raw": format!("[{}]", deep(123))})).await;
    assert_eq!(server.tools()[0].input_schema, nested(123));
}

#[tokio::test]
async fn a_tool_without_a_name_is_refused_with_its_position() {
    let schema = r#"{"type": "object"}"#;
    let good = format!(r#"{{"name": "echo", "inputSchema": {schema}}}"#);
    for (bad, reason) in [
        (
            format!(r#"{{"inputSchema": {schema}}}"#),
            "it has no `name`",
        ),
        (
            format!(r#"{{"name": 5, "inputSchema": {schema}}}"#),
            "its `name` is a number, and must be a text",
        ),
        ("null".to_owned(), "it is null, and must be an object"),
        ("[1]".to_owned(), "it is a list, and must be an object"),
    ] {
        let server = connected(&json!({"raw": format!("[{good}, {bad}]")})).await;
        assert_eq!(server.library().len(), 1);
        let [refused] = server.refused() else {
            panic!("{bad}: {:?}", server.refused());
        };
        assert_eq!(refused.remote, "");
        let reason = format!("{reason} (`tools[1]` of its page of the list)");
        assert_eq!(refused.reason, reason);
    }
}

#[tokio::test]
async fn the_reason_for_a_tool_that_breaks_the_protocol_holds_no_keys() {
    let icons = json!([{"src": "a.png", "theme": "hunter2hunter2"}]);
    let tool = json!({"name": "hunter2hunter2", "inputSchema": {"type": "object"}, "icons": icons});
    let server = server(&json!({"raw": json!([tool]).to_string()})).env("KEY", "hunter2hunter2");
    let server = server.connect().await.expect("a server");
    let refused = server.refused();
    assert!(refused[0].reason.contains("`[key]`"), "{refused:?}");
    assert_eq!(refused[0].remote, "[key]");
}

#[tokio::test]
async fn tools_that_break_the_protocol_are_bounded() {
    let server = connected(&json!({"many": 100_000, "tool": 1})).await;
    assert_eq!(server.library().len(), 0);
    assert_eq!(server.refused().len(), 2_000);
}

#[tokio::test]
async fn a_list_that_cannot_be_read_without_its_tools_is_an_error() {
    let list = r#"[{"name": "bad"}], "nextCursor": 5"#;
    let error = server(&json!({"raw": list})).connect().await;
    let error = error.expect_err("no page").to_string();
    assert!(error.contains("another form"), "{error}");
}

fn bound(library: &ToolLibrary, name: &str) -> Result<(), String> {
    let agent = Agent::new("a", "Scripted/any", "Look.").expect("an agent");
    let agent = agent.with_reference(name.to_owned()).expect("a name");
    let bound = bind_agent_tools(&agent, library);
    bound.map(drop).map_err(|error| error.to_string())
}

#[tokio::test]
async fn names_are_what_models_accept() {
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    let long = "x".repeat(1_000);
    let tools = json!([tool("a.b"), tool("a/b"), tool(&long), tool("a.b"), tool("")]);
    let server = connected(&json!({"lists": [tools]})).await;
    let names: Vec<String> = server.library().names().map(str::to_owned).collect();
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(names.iter().all(|name| name.len() <= 63), "{names:?}");
    let refused = server.refused();
    assert_eq!(refused.len(), 2, "{refused:?}");
    assert!(refused[0].reason.contains("two tools"), "{refused:?}");
    assert_eq!(
        (&*refused[1].remote, &*refused[1].reason),
        ("", "its name is empty")
    );
}

#[tokio::test]
async fn a_document_has_a_tool_once_that_the_server_lists_twice() {
    let tool = |name: &str, parameter: &str| {
        let properties = json!({parameter: {"type": "string"}});
        json!({"name": name, "inputSchema": {"type": "object", "properties": properties}})
    };
    let tools = json!([
        tool("a", "first"),
        tool("a", "second"),
        tool("", "none"),
        tool("b", "b")
    ]);
    let server = connected(&json!({"lists": [tools]})).await;
    let transport = McpTransport::Command {
        command: vec!["server".into()],
        env: Vec::new(),
    };
    let imported = server.imported(transport);
    let tools = imported.lock.tools().iter();
    let tools: Vec<&str> = tools.map(|tool| tool.remote()).collect();
    assert_eq!(tools, ["a", "b"]);
    let text = imported.lock.to_gram();
    assert!(text.contains("first") && !text.contains("second"), "{text}");
    assert_eq!(McpLock::parse(&text), Ok(imported.lock));
    assert_eq!(imported.refused.len(), 2, "{:?}", imported.refused);
}

#[tokio::test]
async fn annotations_are_believed_only_when_the_host_says_so() {
    let annotations = json!({"readOnlyHint": true, "idempotentHint": true});
    let destructive = json!({"readOnlyHint": false});
    let tools = json!([
        {"name": "look", "inputSchema": {"type": "object"}, "annotations": annotations},
        {"name": "erase", "inputSchema": {"type": "object"}, "annotations": destructive},
    ]);
    let script = json!({"lists": [tools]});
    let settings = async |trust: bool, name: &str| {
        let server = server(&script).trust_annotations(trust);
        let server = server.connect().await.expect("a server");
        *server
            .library()
            .lookup(name)
            .expect("a tool")
            .descriptor()
            .settings()
    };
    let look = settings(true, "s_look").await;
    assert!(look.read_only && look.idempotent && !look.destructive);
    assert!(settings(true, "s_erase").await.destructive);
    let look = settings(false, "s_look").await;
    assert!(!look.read_only && !look.idempotent);
    assert!(!settings(false, "s_erase").await.destructive);
    let server = connected(&script).await;
    assert_eq!(server.tools()[0].annotations.read_only, Some(true));
}

#[tokio::test]
async fn a_missing_description_is_replaced() {
    let titled = json!({"name": "a", "title": "Ask", "inputSchema": {"type": "object"}});
    let bare = json!({"name": "b", "inputSchema": {"type": "object"}});
    let server = connected(&json!({"lists": [[titled, bare]]})).await;
    let library = server.library();
    let description = |name: &str| {
        let tool = library.lookup(name).expect("a tool");
        tool.descriptor().description().to_owned()
    };
    assert_eq!(description("s_a"), "Ask");
    assert_eq!(description("s_b"), "The tool `b` of the server `s`");
    assert_eq!(server.tools()[0].title.as_deref(), Some("Ask"));
    assert_eq!(server.tools()[1].description, None);
    let schema: Value = agent_runtime::serde_json::from_str(&server.tools()[0].input_schema)
        .expect("a JSON Schema");
    assert_eq!(schema, json!({"type": "object"}));
}
