//! Content in traces, which is only there on request.

use crate::recorder::{one, recorded, telling};
use crate::support::{calls, config, greeter, hello_tool, library};
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::tool::invoke_tool;
use agent_runtime::{Conversation, Runtime, ToolContext};
use tracing::Level;

#[test]
fn the_text_of_a_panic_is_content() {
    let spans = recorded(async {
        let bad = config("bad").build(|_| async { panic!("the secret is 7") });
        let bad = bad.expect("a tool");
        let result = invoke_tool(&bad, "{}", &ToolContext::detached()).await;
        assert!(result.is_err());
    });
    let wire = ("agent_runtime::wire", Some(Level::TRACE));
    assert_eq!(telling(&spans, "secret"), [wire]);
    let told = spans.iter().find(|span| span.level == Some(Level::ERROR));
    assert_eq!(told.expect("an event").fields["tool"], "\"bad\"");
}

#[test]
fn traces_requests_without_key_and_query() {
    use crate::support::server::{Server, text};

    const KEY: &str = "sk-test-1234567890";
    let server = Server::start(vec![text("Hi.")]);
    let spans = recorded(async {
        let runtime = Runtime::builder()
            .environment(agent_runtime::Environment::empty())
            .base_url(format!("{}?token=hush", server.base_url()))
            .api_key(KEY)
            .build()
            .expect("a runtime");
        let mut conversation = Conversation::new();
        let input = format!("My key is {KEY}, and my dog is Rex.");
        let (agent, library) = (greeter(), library([hello_tool()]));
        let run = runtime.execute(&agent, &input, &mut conversation, &library);
        run.await.expect("an answer");
    });
    assert!(server.requests()[0].line.contains("token=hush"));
    let wire = ("agent_runtime::wire", Some(Level::TRACE));
    assert_eq!(telling(&spans, "Rex"), [wire]);
    assert_eq!(telling(&spans, KEY), []);
    assert_eq!(telling(&spans, "hush"), []);
}

#[test]
fn traces_arguments_and_results_on_request() {
    let spans = recorded(async {
        let model = Scripted::new([
            calls(&[("a", "sayHello", r#"{"personName":"Ada"}"#)]),
            ModelReply::text("Done."),
        ]);
        let builder = Runtime::builder().model(model).trace_content(true);
        let runtime = builder.build().expect("a runtime");
        let mut conversation = Conversation::new();
        let (agent, library) = (greeter(), library([hello_tool()]));
        let run = runtime.execute(&agent, "Hi", &mut conversation, &library);
        run.await.expect("an answer");
    });
    let call = one(&spans, "execute_tool", "gen_ai.tool.call.id", "\"a\"");
    let text = |key: &str| serde_json::from_str::<String>(&call.fields[key]).expect("a text");
    assert_eq!(
        text("gen_ai.tool.call.arguments"),
        r#"{"personName":"Ada"}"#
    );
    assert_eq!(
        text("gen_ai.tool.call.result"),
        r#""Hello, Ada! Nice to meet you.""#
    );
    let last = spans.iter().rfind(|span| span.name == "chat");
    let input = &last.expect("the second request").fields["gen_ai.input.messages"];
    let input: String = serde_json::from_str(input).expect("a text");
    let input: serde_json::Value = serde_json::from_str(&input).expect("JSON");
    assert_eq!(
        input[1]["parts"][0],
        serde_json::json!({"type": "tool_call", "id": "a", "name": "sayHello",
            "arguments": {"personName": "Ada"}})
    );
    let tools = &last.expect("the second request").fields["gen_ai.tool.definitions"];
    let tools: String = serde_json::from_str(tools).expect("a text");
    let tools: serde_json::Value = serde_json::from_str(&tools).expect("JSON");
    assert_eq!(tools[0]["type"], "function");
    assert_eq!(tools[0]["name"], "sayHello");
    assert_eq!(tools[0]["description"], crate::support::GREETING);
    let parameters = &tools[0]["parameters"]["properties"]["personName"];
    assert_eq!(parameters["type"], "string");
    assert_eq!(input[2]["role"], "tool");
    assert_eq!(input[2]["parts"][0]["type"], "tool_call_response");
}
