//! Tests of the offline model in runs.

use crate::support::{agent, hello_spec, hello_tool, library};
use agent_runtime::model::Offline;
use agent_runtime::spec::{Settings, ToolChoice};
use agent_runtime::tool::{DynamicTool, ToolConfig};
use agent_runtime::{Conversation, Runtime, ToolLibrary, ToolSpec};

const FAREWELL: &str = "Returns a friendly farewell message for the given name";
const SIGNATURE: &str = "(personName::Text {default: \"world\"})==>(::String)";

fn goodbye_tool() -> DynamicTool {
    ToolConfig::with_signature("sayGoodbye", FAREWELL, SIGNATURE)
        .build(|args| async move {
            let name = args["personName"].as_str().unwrap_or("world").to_owned();
            Ok(format!("Goodbye, {name}! See you soon.").into())
        })
        .expect("a tool")
}

/// Checks the answers to messages of one conversation.
async fn check(messages: &[(&str, &str)]) {
    let goodbye = ToolSpec::new("sayGoodbye", FAREWELL, SIGNATURE).expect("a spec");
    let agent = agent([hello_spec(), goodbye]);
    let library = library([hello_tool(), goodbye_tool()]);
    let mut conversation = Conversation::new();
    let runtime = Runtime::offline();
    for (message, expected) in messages {
        let reply = runtime
            .execute(&agent, message, &mut conversation, &library)
            .await;
        assert_eq!(reply.expect("an answer").content, *expected, "{message}");
    }
    conversation.check().expect("a valid history");
}

#[tokio::test]
async fn chooses_tools_for_greetings_and_farewells() {
    check(&[
        ("Hello, I'm Ada", "Hello, Ada! Nice to meet you."),
        ("say hi to Bob", "Hello, Bob! Nice to meet you."),
        (
            "Good morning, greet Zoë please.",
            "Hello, Zoë! Nice to meet you.",
        ),
        ("Goodbye, Ada", "Goodbye, Ada! See you soon."),
        ("bye", "Goodbye, world! See you soon."),
        ("What is the weather like?", Offline::NO_TOOL),
    ])
    .await;
}

/// The agent of the first design document requires the name, which is not in the message.
#[tokio::test]
async fn invents_no_arguments() {
    check(&[("Hello!", "Hello, world! Nice to meet you.")]).await;
}

#[tokio::test]
async fn says_where_arguments_come_from_if_one_is_missing() {
    let water =
        ToolConfig::with_signature("waterPlant", "Waters a plant", "(plant::Text)==>(::String)");
    let water = water.build(|args| async move { Ok(args["plant"].clone()) });
    let library = library([water.expect("a tool")]);
    let spec = ToolSpec::new("waterPlant", "Waters a plant", "(plant::Text)==>(::String)");
    let agent = agent([spec.expect("a spec")]);
    let runtime = Runtime::offline();
    for (message, ends) in [
        (
            "Water the tomato plant",
            "and in its texts in double quotes.",
        ),
        ("Water the plant \"tomato\"", "tomato"),
    ] {
        let reply = runtime
            .execute(&agent, message, &mut Conversation::new(), &library)
            .await;
        let answer = reply.expect("an answer").content;
        assert!(answer.ends_with(ends), "{message}: {answer}");
    }
}

#[tokio::test]
async fn repeats_the_error_of_a_failed_call() {
    let strict = ToolConfig::with_signature(
        "sayHello",
        crate::support::GREETING,
        "(personName::Text)==>(::String)",
    );
    let strict = strict.build(|_| async { Ok("x".into()) }).expect("a tool");
    let mut conversation = Conversation::new();
    let reply = Runtime::offline()
        .execute(
            &crate::support::greeter(),
            "Hello!",
            &mut conversation,
            &library([strict]),
        )
        .await
        .expect("an answer");
    assert!(
        reply.content.starts_with("The tool `sayHello` failed: "),
        "{}",
        reply.content
    );
    assert!(reply.content.contains("personName"));
    assert_eq!(reply.tools_used.len(), 1);
}

#[tokio::test]
async fn replies_that_no_tool_fits() {
    let mut conversation = Conversation::new();
    let reply = Runtime::offline()
        .execute(&agent([]), "Hello!", &mut conversation, &ToolLibrary::new())
        .await;
    assert_eq!(reply.expect("an answer").content, Offline::NO_TOOL);
}

#[tokio::test]
async fn the_tool_choice_takes_precedence() {
    for (choice, message, expected) in [
        (ToolChoice::None, "Hello, I'm Ada", Offline::NO_TOOL),
        (
            ToolChoice::Tool("sayGoodbye".into()),
            "Hello, I'm Ada",
            "Goodbye, Ada! See you soon.",
        ),
        (
            ToolChoice::Required,
            "Goodbye, I'm Ada",
            "Goodbye, Ada! See you soon.",
        ),
        (
            ToolChoice::Required,
            "What is the weather like?",
            "Hello, world! Nice to meet you.",
        ),
    ] {
        let goodbye = ToolSpec::new("sayGoodbye", FAREWELL, SIGNATURE).expect("a spec");
        let mut settings = Settings::NONE;
        settings.tool_choice = Some(choice.clone());
        let agent = agent([hello_spec(), goodbye]).with_settings(settings);
        let agent = agent.expect("good settings");
        let library = library([hello_tool(), goodbye_tool()]);
        let mut conversation = Conversation::new();
        let reply = Runtime::offline()
            .execute(&agent, message, &mut conversation, &library)
            .await;
        assert_eq!(reply.expect("an answer").content, expected, "{choice}");
    }
}
