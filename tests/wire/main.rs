//! Every form of request that the providers send, as files, for `validate.py` to hold against the
//! vendors' own types: `tests/wire/run` does both.
//!
//! Without `WIRE_REQUESTS`, which names the folder for the files, this test only makes sure that
//! every request is a JSON object that names its model.

mod cases;

#[path = "../scenario/support/server.rs"]
#[allow(dead_code, reason = "the scenarios use more of it")]
mod server;

use agent_runtime::{Environment, ExecuteOptions, Runtime};
use cases::{Case, cases, library};
use serde_json::Value;
use server::{Answer, Server};
use std::path::PathBuf;
use std::time::Duration;

/// The providers: folder, model, and how the base URL goes on after the host.
const PROVIDERS: &[(&str, &str, &str)] = &[
    ("openai", "OpenAI/gpt-4o-mini", "/v1"),
    ("anthropic", "Anthropic/claude-sonnet-4-5", ""),
    ("google", "Google/gemini-2.5-flash", "/v1beta"),
];

#[tokio::test]
async fn every_form_of_request() {
    let folder = std::env::var_os("WIRE_REQUESTS").map(PathBuf::from);
    let mut written = 0;
    for (provider, model, base) in PROVIDERS {
        for case in cases(model) {
            for streamed in [false, true] {
                let body = request(&case, base, streamed).await;
                assert!(body.is_object(), "{provider} {}: {body}", case.name);
                let Some(folder) = &folder else {
                    continue;
                };
                let folder = folder.join(provider);
                std::fs::create_dir_all(&folder).expect("a folder");
                let way = if streamed { "streamed" } else { "plain" };
                let path = folder.join(format!("{}.{way}.json", case.name));
                std::fs::write(path, body.to_string()).expect("a file");
                written += 1;
            }
        }
    }
    if folder.is_some() {
        println!("{written} requests written");
    }
}

/// The body of the request that a case leads to. The server refuses it, so there is only one.
async fn request(case: &Case, base: &str, streamed: bool) -> Value {
    let server = Server::start([Answer::Whole(400, "{}".to_owned())]);
    let runtime = Runtime::builder()
        .environment(Environment::empty())
        .base_url(format!("http://{}{base}", server.host()))
        .retry_pause(Duration::ZERO)
        .build()
        .expect("a runtime");
    let mut options = ExecuteOptions::new();
    if streamed {
        options = options.streaming();
    }
    let mut conversation = case.before.clone();
    let result = runtime
        .execute_with(
            &case.agent,
            "And now?",
            &mut conversation,
            &library(),
            options,
        )
        .await;
    let error = result.expect_err("a refusal");
    assert!(error.is_llm(), "{}: {error}", case.name);
    let requests = server.requests();
    assert_eq!(requests.len(), 1, "{}", case.name);
    requests[0].json()
}
