//! What goes wrong between the runtime and a provider.

use crate::support::failure::all_texts;
use crate::support::hello;
use crate::support::openai;
use crate::support::server::{Answer, Server, refusing_base_url};
use agent_runtime::{AgentResponse, Conversation, Environment, Error, Runtime};
use std::time::Duration;

const KEY: &str = "sk-very-secret-0123456789";

async fn ask(base_url: String) -> (Result<AgentResponse, Error>, Conversation) {
    let runtime = Runtime::builder()
        .environment(Environment::from_pairs([("OPENAI_API_KEY", KEY)]))
        .base_url(base_url)
        .retry_pause(Duration::ZERO)
        .build()
        .expect("a runtime");
    let mut conversation = Conversation::new();
    let result = runtime
        .execute_agent(&hello::TALKER, "Hello!", &mut conversation)
        .await;
    (result, conversation)
}

/// The error that these answers lead to, and the number of requests. Whatever it is, it names the
/// endpoint, keeps the key to itself and leaves the conversation as it was.
async fn error_of(answers: impl IntoIterator<Item = Answer>) -> (Error, usize) {
    let server = Server::start(answers);
    let (result, conversation) = ask(server.base_url()).await;
    let error = result.expect_err("a fault");
    check(&error, &server.endpoint());
    assert!(conversation.is_empty(), "{conversation:?}");
    let requests = server.requests();
    for request in &requests {
        let sent = request.header("authorization").unwrap_or_default();
        // Without this, that the key is nowhere to be seen would say little.
        assert!(sent.ends_with(KEY));
    }
    (error, requests.len())
}

fn check(error: &Error, endpoint: &str) {
    let text = error.to_string();
    assert!(text.contains(endpoint), "{text}");
    let all = all_texts(error);
    assert!(!all.contains(KEY), "{all}");
}

#[tokio::test]
async fn a_refused_key_is_a_matter_of_configuration() {
    // Some servers quote the key that they refuse.
    let said = format!("Incorrect API key provided: {KEY}.");
    let (error, requests) = error_of([openai::error(401, &said)]).await;
    assert!(error.is_configuration(), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("401"), "{text}");
    assert!(text.contains("Incorrect API key provided"), "{text}");
    assert!(text.contains("the key was refused"), "{text}");
    assert_eq!(requests, 1);
}

#[tokio::test]
async fn too_many_requests_are_sent_again() {
    let server = Server::start([
        openai::error(429, "Rate limit reached."),
        openai::text("Good morning."),
    ]);
    let (result, conversation) = ask(server.base_url()).await;
    let response = result.expect("an answer at the second try");
    assert_eq!(response.content, "Good morning.");
    let bodies: Vec<_> = server.requests().iter().map(|sent| sent.json()).collect();
    assert_eq!(bodies.len(), 2);
    assert_eq!(bodies[0], bodies[1]);
    // The loop above knows nothing of it.
    assert_eq!(response.usage.requests, 1);
    assert_eq!(conversation.len(), 2);
}

#[tokio::test]
async fn a_server_that_stays_broken_is_given_up_after_three_tries() {
    let broken = || openai::error(500, "The server had an error.");
    let (error, requests) = error_of([broken(), broken(), broken()]).await;
    assert!(error.is_llm() && error.is_unavailable(), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("500"), "{text}");
    assert!(text.contains("The server had an error."), "{text}");
    assert_eq!(requests, 3);
}

#[tokio::test]
async fn nobody_listening_is_said_with_the_cause() {
    let base_url = refusing_base_url();
    let (result, conversation) = ask(base_url.clone()).await;
    let error = result.expect_err("nobody");
    assert!(error.is_llm() && error.is_unavailable(), "{error:?}");
    check(&error, &format!("{base_url}/chat/completions"));
    assert!(error.to_string().contains("cannot be reached"), "{error}");
    let all = all_texts(&error);
    assert!(all.contains("refused"), "{all}");
    assert!(conversation.is_empty());
}

#[tokio::test]
async fn an_answer_that_is_not_json_is_quoted() {
    let page = "<html><body>Welcome to the hotel network</body></html>";
    let (error, requests) = error_of([Answer::Whole(200, page.to_owned())]).await;
    assert!(error.is_llm(), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("is not JSON"), "{text}");
    assert!(text.contains("Welcome to the hotel network"), "{text}");
    assert_eq!(requests, 1);
}

#[tokio::test]
async fn an_answer_that_quotes_the_key_is_masked() {
    let (error, _) = error_of([Answer::Whole(200, format!("your key is {KEY}"))]).await;
    assert!(error.is_llm(), "{error:?}");
    assert!(error.to_string().contains("your key is [key]"), "{error}");
}

#[tokio::test]
async fn an_answer_cut_in_half_is_not_taken_for_an_answer() {
    let Answer::Whole(_, body) = openai::text("Good morning.") else {
        unreachable!("an answer in words is whole");
    };
    let (error, requests) = error_of([Answer::Half(body)]).await;
    assert!(error.is_llm(), "{error:?}");
    assert!(
        error.to_string().contains("broke its answer off"),
        "{error}"
    );
    // The model may have done its work, so it is not asked to do it again.
    assert_eq!(requests, 1);
}
