//! Numbers, in a program that enables `arbitrary_precision` of serde_json.

use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::{Agent, Conversation, Runtime, tool, tools};
use serde_json::{Value, json};

#[test]
fn checks_numbers_with_a_fraction() {
    let signature = "(n::Double {maximum: 10})==>(i::Int)==>(any::Any)==>(::Any)";
    let signature = agent_runtime::spec::parse_signature(signature).expect("a signature");
    let text = r#"{"n":1.5,"i":5.0,"any":[2.50,{"x":1e2}]}"#;
    let arguments = signature.check_arguments(text, None).expect("valid");
    let value = arguments.into_value();
    assert_eq!(value["n"].as_f64(), Some(1.5));
    assert_eq!(value["i"], json!(5));
    assert_eq!(value["any"][0].as_f64(), Some(2.5));
    assert_eq!(value["any"][1]["x"].as_f64(), Some(100.0));
    let error = signature.check_arguments(r#"{"n":10.5,"i":1,"any":0}"#, None);
    assert!(error.is_err_and(|violations| violations.to_string().contains("at most 10")));
}

/// Adds a fraction
#[tool(inline)]
fn add(n: i32, f: f64) -> f64 {
    f64::from(n) + f
}

#[tokio::test]
async fn calls_tools_with_numbers_with_a_fraction() {
    let library = tools![add];
    let spec = library
        .lookup("add")
        .expect("the tool")
        .descriptor()
        .to_gram();
    let spec = spec.expect("a signature");
    let gram =
        format!("[adder:Agent {{model: \"OpenAI/gpt-6-sol\", instruction: \"Add.\"}} | {spec}]");
    let agent = Agent::parse(&gram, None, Default::default()).expect("an agent");
    let model = Scripted::new([ModelReply::call("add", r#"{"n":2.0,"f":2.5}"#)])
        .then(ModelReply::text("4.5"));
    let runtime = Runtime::builder().model(model).build().expect("a runtime");
    let mut conversation = Conversation::new();
    let run = runtime.run(&agent, "2 + 2.5").tools(&library);
    run.conversation(&mut conversation)
        .await
        .expect("a response");
    let result = conversation.messages()[2].content();
    assert_eq!(result, "4.5");
    let text = serde_json::to_string(&conversation).expect("JSON");
    let read: Conversation = serde_json::from_str(&text).expect("a conversation");
    let arguments: Value = read.messages()[1].tool_calls()[0].args();
    assert_eq!(arguments["f"].as_f64(), Some(2.5));
}
