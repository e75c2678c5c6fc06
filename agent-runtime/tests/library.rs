//! Registering tools and binding them to specs.

use crate::support::{GREETING, agent, hello_spec, hello_tool, library, spec, tool};
use agent_runtime::library::{BindPolicy, LibraryError, bind_agent_tools, bind_agent_tools_with};
use agent_runtime::tool::{ToolConfig, create_tool};
use agent_runtime::{Agent, Tool, ToolError, ToolLibrary, ToolSpec};
use serde_json::{Value, json};
use std::sync::Arc;

fn made(signature: &str, description: &'static str) -> agent_runtime::tool::DynamicTool {
    ToolConfig::with_signature("sayHello", description, signature)
        .build(|_| async { Ok(Value::Null) })
        .expect("a tool")
}

/// A tool that knows nothing of gram.
fn by_schema(schema: Value) -> agent_runtime::tool::DynamicTool {
    create_tool("sayHello", GREETING, schema, |args| async move {
        let name = args["personName"].as_str().unwrap_or_default().to_owned();
        Ok(format!("Hello, {name}!").into())
    })
    .expect("a tool")
}

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["personName"],
        "properties": {"personName": {"type": "string"}},
    })
}

#[test]
fn a_tool_is_registered_under_its_own_name_only() {
    let mut library = ToolLibrary::new();
    let error = library
        .register("sayHi", hello_tool())
        .err()
        .expect("another name");
    assert!(matches!(&error, LibraryError::OtherName { .. }), "{error}");
    assert!(library.is_empty());
    assert!(
        library
            .register("sayHello", hello_tool())
            .expect("its name")
            .is_none()
    );
    let replaced = library
        .register("sayHello", hello_tool())
        .expect("its name");
    assert_eq!(replaced.expect("the first").descriptor().name(), "sayHello");
    assert_eq!(library.len(), 1);
    assert!(library.lookup("sayHello").is_some() && library.lookup("sayhello").is_none());
}

#[test]
fn a_clone_is_a_library_of_its_own() {
    let original = library([hello_tool()]);
    let mut clone = original.clone();
    clone
        .add(tool("more", |_| async { Ok(1.into()) }))
        .expect("a good name");
    assert_eq!((original.len(), clone.len()), (1, 2));
    assert_eq!(clone.names().collect::<Vec<_>>(), ["sayHello", "more"]);
}

#[test]
fn merging_refuses_duplicates_and_changes_nothing_then() {
    let mut first = library([tool("a", |_| async { Ok(1.into()) }), hello_tool()]);
    let second = library([
        tool("b", |_| async { Ok(1.into()) }),
        made("()==>(::Null)", "Another"),
    ]);
    let error = first.merge(&second).expect_err("two of one name");
    let text = error.to_string();
    assert!(
        text.contains(GREETING) && text.contains("Another"),
        "{text}"
    );
    assert_eq!(first.names().collect::<Vec<_>>(), ["a", "sayHello"]);
    first
        .merge(&library([tool("b", |_| async { Ok(1.into()) })]))
        .expect("no duplicate");
    assert_eq!(first.len(), 3);
    let collected: ToolLibrary = first.iter().cloned().collect();
    assert_eq!(collected.len(), 3);
}

#[test]
fn many_tools_are_registered_at_once_or_none() {
    let mut library = ToolLibrary::new();
    let twice = [hello_tool(), made("()==>(::Null)", "Another")];
    let error = library.register_all(twice).expect_err("two of one name");
    let text = error.to_string();
    assert!(
        text.contains(GREETING) && text.contains("Another"),
        "{text}"
    );
    assert!(library.is_empty());
    // Shared tools are taken as well.
    let shared: Vec<Arc<dyn Tool>> = vec![Arc::new(hello_tool())];
    library.register_all(shared).expect("no duplicate");
    assert!(library.register_all([hello_tool()]).is_err());
    assert_eq!(library.names().collect::<Vec<_>>(), ["sayHello"]);
}

#[test]
fn a_library_prints_as_gram_and_reads_back() {
    let library = library([hello_tool(), tool("more", |_| async { Ok(1.into()) })]);
    let gram = library.to_gram();
    assert!(gram.contains("[sayHello:Tool {description: "), "{gram}");
    assert!(
        gram.contains("(personName::Text {default: \"world\"})==>(::String)"),
        "{gram}"
    );
    assert!(gram.ends_with("]\n") && gram.contains("more:Tool"));
}

/// Returns the reasons for which the greeting spec cannot be bound to a tool.
fn reasons(tool: agent_runtime::tool::DynamicTool, policy: BindPolicy) -> Vec<String> {
    let library = library([tool]);
    match library.bind_with(&hello_spec(), policy) {
        Ok(_) => Vec::new(),
        Err(failure) => failure.reasons().to_vec(),
    }
}

#[test]
fn a_tool_may_accept_more_than_its_spec_unless_binding_is_exact() {
    let more = "(personName::Text {default: \"you\"})==>(mood::Text {optional: true})==>(::String)";
    assert_eq!(
        reasons(made(more, GREETING), BindPolicy::Compatible),
        [""; 0]
    );
    assert!(!reasons(made(more, GREETING), BindPolicy::Exact).is_empty());
    let wrong = "(personName::Int)==>(::Int)";
    assert_eq!(reasons(made(wrong, "Other"), BindPolicy::Name), [""; 0]);
    let all = reasons(made(wrong, "Other"), BindPolicy::Compatible);
    assert_eq!(all.len(), 3);
    assert!(all[0].contains("description"));
    assert!(
        all[1].contains("`Text`") && all[1].contains("`Int`"),
        "{}",
        all[1]
    );
    assert!(all[2].contains("returns"));
}

#[test]
fn tools_that_have_only_schemas_are_compared_by_them() {
    assert_eq!(
        reasons(by_schema(schema()), BindPolicy::Compatible),
        [""; 0]
    );
    let mut other = schema();
    other["properties"]["personName"]["type"] = "integer".into();
    let all = reasons(by_schema(other), BindPolicy::Compatible);
    assert!(
        all[0].contains("parameter `personName` is `Text`"),
        "{all:?}"
    );
    let output = ToolConfig::with_schema("sayHello", GREETING, schema());
    let output = output.output_schema(json!({"type": "integer"}));
    let output = output.build(|_| async { Ok(1.into()) }).expect("a tool");
    let all = reasons(output, BindPolicy::Compatible);
    assert!(all[0].contains("the result is `String`"), "{all:?}");
}

#[test]
fn a_missing_tool_says_why_it_is_missing() {
    let reason = |library: &ToolLibrary| {
        let failure = library.bind(&hello_spec()).err().expect("it is missing");
        failure.to_string()
    };
    let empty = ToolLibrary::new();
    let mut without = empty.clone();
    without.leave_out("sayHello", "an earlier reason");
    without.leave_out("sayHello", "its schema has no types");
    let similar = library([tool("sayHallo", |_| async { Ok(1.into()) })]);
    let mut merged = similar.clone();
    merged.merge(&without).expect("no duplicate");
    for (library, words) in [
        (empty, "of this name; it has no tools at all"),
        (similar, "of this name; did you mean `sayHallo`?"),
        (without, "left out of the library: its schema has no types"),
        (merged, "left out of the library: its schema has no types"),
    ] {
        let text = reason(&library);
        assert!(text.contains(words), "{text}");
    }
    let far = reason(&library([tool("x", |_| async { Ok(1.into()) })]));
    assert!(far.contains("no tool of this name"), "{far}");
    assert!(
        !far.contains("at all") && !far.contains("did you mean"),
        "{far}"
    );
}

#[test]
fn every_tool_that_fails_is_listed_with_its_reason() {
    let agent = agent([
        hello_spec(),
        spec("sayGodbye"),
        spec("fine"),
        ToolSpec::new("changed", "Does something else.", "()==>(::Any)").expect("a spec"),
    ]);
    let tools = [
        tool("sayGoodbye", |_| async { Ok(1.into()) }),
        tool("fine", |_| async { Ok(1.into()) }),
        tool("changed", |_| async { Ok(1.into()) }),
    ];
    let library = library(tools);
    let error = bind_agent_tools(&agent, &library).expect_err("three do not fit");
    let names: Vec<_> = error
        .failures()
        .iter()
        .map(|failure| failure.tool())
        .collect();
    assert_eq!(names, ["sayHello", "sayGodbye", "changed"]);
    let text = error.to_string();
    assert!(text.contains("did you mean `sayGoodbye`"), "{text}");
    let named = bind_agent_tools_with(&agent, &library, BindPolicy::Name);
    assert_eq!(named.expect_err("two are missing").failures().len(), 2);
}

#[tokio::test]
async fn a_created_tool_validates_arguments_and_results() {
    let context = agent_runtime::ToolContext::detached();
    let tool = ToolConfig::with_schema("sayHello", GREETING, schema())
        .output_schema(json!({"type": "object", "properties": {"size": {"type": "integer"}}}))
        .build(|args| async move {
            match args["personName"].as_str() {
                Some("bad") => Ok(json!({"size": "large"})),
                Some("worse") => Err(ToolError::Execution("worse".into())),
                _ => Ok(json!({"size": 3})),
            }
        })
        .expect("a tool");
    let call = async |args: &str| tool.call(args, &context).await;
    assert_eq!(
        call(r#"{"personName":"Ada"}"#).await,
        Ok(json!({"size": 3}))
    );
    let text = |error| match error {
        Err(ToolError::Validation(text)) => text,
        other => panic!("no validation error, but {other:?}"),
    };
    assert!(text(call("{}").await).contains("personName"));
    assert!(text(call("{").await).contains("JSON"));
    assert!(text(call(r#"{"personName":"bad"}"#).await).contains("$.size"));
    let worse = call(r#"{"personName":"worse"}"#).await;
    assert_eq!(worse, Err(ToolError::Execution("worse".into())));
}

#[test]
fn rejects_an_invalid_tool_config() {
    let make = |name: &'static str, description: &'static str, schema: Value| {
        create_tool(name, description, schema, |_| async { Ok(Value::Null) })
    };
    assert!(make("good", "Fine.", schema()).is_ok());
    assert!(make("", "Fine.", schema()).is_err());
    assert!(make("not good", "Fine.", schema()).is_err());
    assert!(make("good", " ", schema()).is_err());
    assert!(make("good", "Fine.", json!({"type": "nonsense"})).is_err());
    let signature = ToolConfig::with_signature("good", "Fine.", "(x::Nonsense)==>(::String)");
    assert!(signature.build(|_| async { Ok(Value::Null) }).is_err());
}

#[test]
fn shared_tools_can_be_registered() {
    let shared: Arc<dyn Tool> = Arc::new(hello_tool());
    let mut library = ToolLibrary::new();
    library.add(Arc::clone(&shared)).expect("a good name");
    library.register("sayHello", shared).expect("a good name");
    assert_eq!(library.len(), 1);
}

/// Dims the light
#[agent_runtime::tool]
fn dim(level: u8, #[tool(default = 1)] times: u16) {
    let _ = (level, times);
}

#[test]
fn numbers_in_specs_must_fit_the_rust_types_of_parameters() {
    let library = agent_runtime::tools![dim];
    let reasons = |signature: &str| {
        let spec = ToolSpec::new("dim", "Dims the light", signature).expect("a spec");
        match library.bind(&spec) {
            Ok(_) => Vec::new(),
            Err(failure) => failure.reasons().to_vec(),
        }
    };
    assert_eq!(reasons("(level::Int {minimum: 1})==>(::Null)"), [""; 0]);
    assert_eq!(reasons("(level::Int {maximum: 255})==>(::Null)"), [""; 0]);
    let found = reasons(
        "(level::Int {minimum: 1, maximum: 300})==>(times::Int {enum: [1, 70000]})==>(::Null)",
    );
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found[0].contains("a number in `maximum`") && found[0].contains("holds 0 to 255"),
        "{found:?}"
    );
    assert!(
        found[1].contains("a number in `enum`") && found[1].contains("holds 0 to 65535"),
        "{found:?}"
    );
}

#[test]
fn results_bind_when_the_spec_allows_each_of_them() {
    let result =
        |spec: &str| reasons_of("()==>(::Object {fields: {a: \"Int\", b: \"Text\"}})", spec);
    assert_eq!(result("()==>(::Object {fields: {a: \"Double\"}})"), [""; 0]);
    assert_eq!(result("()==>(::Object)"), [""; 0]);
    assert_eq!(result("()==>(::Any)"), [""; 0]);
    let found = result("()==>(::Object {fields: {a: \"Text\"}})");
    assert!(
        found[0].starts_with(
            "tool `sayHello`: the field `a` of the result is `Text` in the agent, but the function \
             returns `Int`"
        ),
        "{found:?}"
    );
}

/// Returns the reasons for which a spec cannot be bound to a tool, from their signatures.
fn reasons_of(tool: &str, spec: &str) -> Vec<String> {
    let spec = ToolSpec::new("sayHello", "Says", spec).expect("a spec");
    match library([made(tool, "Says")]).bind(&spec) {
        Ok(_) => Vec::new(),
        Err(failure) => failure.reasons().to_vec(),
    }
}

#[test]
fn thousands_of_tools_and_agents_are_bound_in_time() {
    const COUNT: usize = 20_000;
    let begun = std::time::Instant::now();
    let mut library = ToolLibrary::new();
    let mut called = String::new();
    let mut text = String::from("[first:Agent {instruction: \"Help.\", model: \"Offline/any\"} | ");
    for at in 0..COUNT {
        let name = format!("t{at}");
        let tool = ToolConfig::with_signature(name.clone(), "Does it", "()==>(::Any)")
            .build(|_| async { Ok(Value::Null) })
            .expect("a tool");
        library.add(tool).expect("a new name");
        text.push_str(&format!("a{at}, "));
        called.push_str(&format!(
            "[a{at}:Agent {{description: \"Does\", instruction: \"Help.\", model: \"Offline/any\"}} | {name}]\n"
        ));
    }
    text.push_str("t0]\n");
    let first = Agent::parse(&(text + &called), Some("first"), Default::default());
    let first = first.expect("a document");
    let bound = bind_agent_tools(&first, &library).expect("all tools are there");
    assert_eq!(bound.len(), COUNT + 1);
    assert_eq!(bound.undeclared().count(), COUNT - 1);
    let complete = bound.complete(first).expect("all tools are bound");
    assert_eq!(complete.references().len(), 0);
    // It takes a second; it took minutes when each name was looked up in a list.
    let took = begun.elapsed();
    assert!(took < std::time::Duration::from_secs(60), "{took:?}");
}
