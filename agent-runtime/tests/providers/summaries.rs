//! Tests that each provider writes summaries and accepts summarised conversations.

use crate::providers::exchange::{ANTHROPIC, Dialect, GOOGLE, OLLAMA, OPENAI, RESPONSES};
use crate::support::server::Server;
use crate::support::{hello_tool, library};
use agent_runtime::Conversation;
use agent_runtime::conversation::{Retention, SummaryOptions};
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
        for input in ["Hello, I'm Ada", "And Bob?"] {
            let said = runtime
                .execute(&agent, input, &mut conversation, &library)
                .await;
            said.expect("an answer");
        }
        let policy = Retention::new().last_turns(1);
        let done = runtime
            .summarise(&agent, &mut conversation, &policy, SummaryOptions::new())
            .await;
        assert_eq!(done.expect("a summary").removed.len(), 2);
        let said = runtime
            .execute(&agent, "And now?", &mut conversation, &library)
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
    }
}
