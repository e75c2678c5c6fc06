//! Tests that each provider writes summaries, and accepts summarised conversations and messages that were said during
//! a run.

use crate::providers::exchange::{ANTHROPIC, Dialect, GOOGLE, OLLAMA, OPENAI, RESPONSES};
use crate::support::server::Server;
use crate::support::{hello_tool, library};
use agent_runtime::Conversation;
use agent_runtime::conversation::Compaction;
use serde_json::Value;

/// Returns the roles in a request, in order, and the first text.
fn speakers(dialect: &Dialect, request: &Value) -> (Vec<String>, String) {
    let key = match dialect.folder {
        "google" => "contents",
        "responses" => "input",
        _ => "messages",
    };
    let messages = request[key].as_array().expect("messages").iter();
    let mut spoken = messages
        .filter(|message| message["role"] != "system")
        .peekable();
    let first = spoken.peek().map(ToString::to_string).unwrap_or_default();
    // The calls of OpenAI's Responses API have no role.
    let role = |message: &Value| message["role"].as_str().unwrap_or("assistant").to_owned();
    let roles = spoken.map(role);
    (roles.collect(), first)
}

#[tokio::test]
async fn each_provider_writes_and_accepts_a_summary() {
    for dialect in [OPENAI, RESPONSES, ANTHROPIC, GOOGLE, OLLAMA] {
        let (hello, calls) = (
            || dialect.answer("hello.json"),
            dialect.answer("calls.json"),
        );
        let server = Server::start(vec![hello(), calls, hello(), hello(), hello()]);
        let runtime = dialect.runtime(&server).build().expect("a runtime");
        let (agent, library) = (dialect.agent(), library([hello_tool()]));
        let mut conversation = Conversation::new();
        let long = format!("Hello, I'm Ada{}", " and Bob".repeat(1_000));
        for input in [&long, "And Bob?"] {
            let said = runtime
                .execute(&agent, input, &mut conversation, &library)
                .await;
            said.expect("an answer");
        }
        let said = runtime
            .run(&agent, "And now?")
            .tools(&library)
            .conversation(&mut conversation)
            .compaction(Compaction::above(2_000))
            .await;
        said.expect("an answer");

        let requests = server.requests();
        let summary = requests[3].json();
        assert_eq!(speakers(&dialect, &summary).0, ["user"], "{summary}");
        assert_eq!(summary.get("tools"), None, "{summary}");
        let next = requests[4].json();
        let (roles, first) = speakers(&dialect, &next);
        assert!(
            first.contains("Summary of the conversation so far"),
            "{next}"
        );
        assert_eq!(roles[0], "user");
        // Providers whose roles must alternate get another first message.
        let expected: &[&str] = match dialect.folder {
            "google" => &["user", "model", "user", "model", "user"],
            "anthropic" => &["user", "assistant", "user", "assistant", "user"],
            _ => &["user", "user", "assistant"],
        };
        assert_eq!(roles[..expected.len()], *expected, "{next}");
        assert!(next.to_string().contains("And Bob?"), "{next}");
        assert!(!next.to_string().contains("and Bob and Bob"), "{next}");
    }
}

#[tokio::test]
async fn what_is_said_during_a_turn_follows_its_results() {
    for dialect in [OPENAI, RESPONSES, ANTHROPIC, GOOGLE, OLLAMA] {
        let answers = vec![dialect.answer("calls.json"), dialect.answer("hello.json")];
        let server = Server::start(answers);
        let runtime = dialect.runtime(&server).build().expect("a runtime");
        let (agent, library) = (dialect.agent(), library([hello_tool()]));
        let run = runtime.run(&agent, "Greet them").tools(&library);
        let handle = run.handle();
        let mut observed = false;
        let mut observer = |event: &agent_runtime::Event| {
            if let (false, agent_runtime::Event::ToolStarted { .. }) = (observed, event) {
                observed = true;
                handle.say("Be brief").expect("the run goes on");
            }
        };
        run.observer(&mut observer).await.expect("an answer");
        let request = server.requests()[1].json();
        let key = match dialect.folder {
            "google" => "contents",
            "responses" => "input",
            _ => "messages",
        };
        let messages = request[key].as_array().expect("messages");
        let last = messages.last().expect("a message");
        let expected = match dialect.folder {
            "anthropic" => {
                let blocks = last["content"].as_array().expect("blocks");
                let kinds: Vec<_> = blocks.iter().map(|block| block["type"].clone()).collect();
                let (text, results) = kinds.split_last().expect("blocks");
                assert!(results.iter().all(|kind| kind == "tool_result") && !results.is_empty());
                assert_eq!(text, "text", "{last}");
                &blocks[blocks.len() - 1]["text"]
            }
            "google" => {
                let parts = last["parts"].as_array().expect("parts");
                assert!(parts[0].get("functionResponse").is_some(), "{last}");
                &parts[parts.len() - 1]["text"]
            }
            "responses" => {
                let result = &messages[messages.len() - 2];
                assert_eq!(result["type"], "function_call_output", "{request}");
                &last["content"]
            }
            _ => {
                assert_eq!(messages[messages.len() - 2]["role"], "tool", "{request}");
                &last["content"]
            }
        };
        assert_eq!(expected, "Be brief", "{request}");
        assert_eq!(last["role"], "user", "{request}");
    }
}
