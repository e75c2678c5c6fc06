//! Where a key goes, and what happens without one.

use crate::support::hello;
use crate::support::openai;
use crate::support::server::Server;
use agent_runtime::{AgentPattern, Conversation, Environment, Runtime, RuntimeBuilder};

const KEY: (&str, &str) = ("OPENAI_API_KEY", "sk-environment");

/// An agent file that says where its model is.
fn agent_at(base_url: &str) -> AgentPattern {
    let gram = format!(
        r#"[talker:Agent {{
            instruction: "Be kind.",
            model: "OpenAI/gpt-4o-mini",
            baseUrl: "{base_url}"
        }}]"#
    );
    AgentPattern::parse(&gram).expect("an agent")
}

/// The `Authorization` header that a server gets which only the agent file names.
async fn sent_key(server: &Server, runtime: RuntimeBuilder) -> Option<String> {
    let agent = agent_at(&server.base_url());
    let runtime = runtime.build().expect("a runtime");
    let mut conversation = Conversation::new();
    let response = runtime
        .execute_agent(&agent, "Hello!", &mut conversation)
        .await
        .expect("an answer");
    assert_eq!(response.content, "Good morning.");
    let requests = server.requests();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].path, "/v1/chat/completions");
    requests[0].header("authorization").map(str::to_owned)
}

fn with_key() -> RuntimeBuilder {
    Runtime::builder().environment(Environment::from_pairs([KEY]))
}

#[tokio::test]
async fn without_a_key_the_error_says_which_and_how_to_do_without() {
    let runtime = Runtime::builder()
        .environment(Environment::empty())
        .build()
        .expect("a key is looked up when it is needed");
    let mut conversation = Conversation::new();
    let error = runtime
        .execute(
            &hello::AGENT,
            "Hello!",
            &mut conversation,
            &hello::library(),
        )
        .await
        .expect_err("no key");
    assert!(error.is_configuration(), "{error:?}");
    let text = error.to_string();
    for part in ["OpenAI", "OPENAI_API_KEY", "--offline"] {
        assert!(text.contains(part), "{text}");
    }
    assert!(conversation.is_empty());
}

#[tokio::test]
async fn an_agent_file_cannot_carry_a_key_away() {
    let server = Server::start([openai::text("Good morning.")]);
    assert_eq!(sent_key(&server, with_key()).await, None);
    // Nor one that the program gives: the file still decides where it would go.
    let server = Server::start([openai::text("Good morning.")]);
    let given = with_key().api_key("sk-builder");
    assert_eq!(sent_key(&server, given).await, None);
}

#[tokio::test]
async fn an_allowed_host_gets_the_key() {
    let server = Server::start([openai::text("Good morning.")]);
    let allowing = with_key().allow_key_host(server.host());
    let sent = sent_key(&server, allowing).await;
    assert_eq!(sent.as_deref(), Some("Bearer sk-environment"));
    // An allowance for one port is none for another.
    let server = Server::start([openai::text("Good morning.")]);
    let other = with_key().allow_key_host("127.0.0.1:1");
    assert_eq!(sent_key(&server, other).await, None);
}

#[test]
fn a_runtime_does_not_print_its_key() {
    let builder = with_key().api_key("sk-builder");
    let printed = format!("{builder:?}");
    let runtime = builder.build().expect("a runtime");
    let printed = format!("{printed}{runtime:?}{runtime:#?}");
    for key in ["sk-environment", "sk-builder"] {
        assert!(!printed.contains(key), "{printed}");
    }
}
