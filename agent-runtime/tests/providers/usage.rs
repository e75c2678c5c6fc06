//! Tests of providers that do not report tokens.

use crate::providers::exchange::{ANTHROPIC, GOOGLE, OLLAMA, OPENAI, RESPONSES};
use crate::support::server::status;
use serde_json::{Value, json};

/// Without one of the numbers the cost of a request is unknown, and not zero.
#[tokio::test]
async fn counts_requests_without_reported_tokens() {
    for (dialect, pointers) in [
        (OPENAI, &["/usage", "/usage/completion_tokens"][..]),
        (RESPONSES, &["/usage", "/usage/output_tokens"]),
        (ANTHROPIC, &["/usage", "/usage/output_tokens"]),
        (
            GOOGLE,
            &["/usageMetadata", "/usageMetadata/promptTokenCount"],
        ),
        (OLLAMA, &["/prompt_eval_count", "/eval_count"]),
    ] {
        for pointer in pointers {
            let mut reply: Value = serde_json::from_str(&dialect.read("hello.json")).expect("JSON");
            *reply.pointer_mut(pointer).expect("it is told") = json!(null);
            let answers = vec![status(200, &reply.to_string())];
            let (response, ..) = dialect.execute(answers).await;
            let usage = response.expect("an answer").usage;
            let untold = (usage.requests, usage.uncounted_requests);
            assert_eq!(untold, (1, 1), "{} {pointer}", dialect.folder);
        }
        let (response, ..) = dialect.execute(vec![dialect.answer("hello.json")]).await;
        let usage = response.expect("an answer").usage;
        assert!(usage.is_counted(), "{}", dialect.folder);
    }
}
