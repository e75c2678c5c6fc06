//! Every form of request that the providers send, as files, for `validate.py` to hold against the
//! vendors' own types: `tests/wire/run` does both.
//!
//! Without `WIRE_REQUESTS`, which names the folder for the files, this test only makes sure that
//! every request is a JSON object that names its model.

mod cases;

use crate::scenario::support::server::{Answer, Server};
use agent_runtime::{Conversation, Environment, Runtime};
use cases::{Case, cases, library};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The providers: folder, model, and how the base URL goes on after the host.
const PROVIDERS: &[(&str, &str, &str)] = &[
    ("openai", "OpenAI/gpt-6-luna", "/v1"),
    ("responses", "OpenAIResponses/gpt-6-sol", "/v1"),
    ("anthropic", "Anthropic/claude-sonnet-5-5", ""),
    ("google", "Google/gemini-3.8-flash", "/v1beta"),
    ("ollama", "Ollama/llama3.2", ""),
];

#[tokio::test]
async fn writes_every_form_of_request() {
    let folder = std::env::var_os("WIRE_REQUESTS").map(PathBuf::from);
    for (provider, model, base) in PROVIDERS {
        for case in cases(model) {
            for streamed in [false, true] {
                let body = request(&case, base, streamed).await;
                assert!(body.is_object(), "{provider} {}: {body}", case.name);
                let way = if streamed { "streamed" } else { "plain" };
                write(
                    folder.as_deref(),
                    provider,
                    &format!("{}.{way}", case.name),
                    &body,
                );
            }
        }
    }
}

/// The request after each recorded reply, with its thoughts and signatures.
#[tokio::test]
async fn sends_every_reply_back() {
    let folder = std::env::var_os("WIRE_REQUESTS").map(PathBuf::from);
    for (provider, model, base) in PROVIDERS {
        let replies = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../agent-runtime/tests/providers/replies")
            .join(provider);
        let mut seen = 0;
        for entry in std::fs::read_dir(replies).expect("a folder of replies") {
            let path = entry.expect("an entry").path();
            let name = path
                .file_stem()
                .and_then(|name| name.to_str())
                .expect("a name");
            if path.extension().is_none_or(|ending| ending != "json") {
                continue;
            }
            let reply = std::fs::read_to_string(&path).expect("a reply");
            let body = request_after(reply, model, base).await;
            write(
                folder.as_deref(),
                provider,
                &format!("after_{name}.plain"),
                &body,
            );
            seen += 1;
        }
        assert!(seen > 1, "{provider} has {seen} replies");
    }
}

/// The request that follows a reply: with the results of its calls, or with a further question.
async fn request_after(reply: String, model: &str, base: &str) -> Value {
    let server = Server::start([
        Answer(200, reply),
        Answer(400, "{}".to_owned()),
        Answer(400, "{}".to_owned()),
    ]);
    let case = cases(model).pop().expect("a case");
    let runtime = runtime(&server, base);
    let mut conversation = Conversation::new();
    for question in ["Hi", "And now?"] {
        // The second request is refused, whichever of the two runs sends it.
        let _ = runtime
            .execute(&case.agent, question, &mut conversation, &library())
            .await;
    }
    let requests = server.requests();
    assert!(
        requests.len() > 1,
        "a reply of {model} leads to no further request"
    );
    requests[1].json()
}

/// Writes a request as a file, if there is a folder for them.
pub(crate) fn write(folder: Option<&Path>, provider: &str, name: &str, body: &Value) {
    let Some(folder) = folder else {
        return;
    };
    let folder = folder.join(provider);
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join(format!("{name}.json")), body.to_string()).expect("a file");
}

fn runtime(server: &Server, base: &str) -> Runtime {
    Runtime::builder()
        .environment(Environment::empty())
        .base_url(format!("http://{}{base}", server.host()))
        .retry_pause(Duration::ZERO)
        .build()
        .expect("a runtime")
}

/// The body of the request that a case leads to. The server refuses it, so there is only one.
async fn request(case: &Case, base: &str, streamed: bool) -> Value {
    let server = Server::start([Answer(400, "{}".to_owned())]);
    let runtime = runtime(&server, base);
    let mut conversation = case.before.clone();
    let library = library();
    let mut run = runtime
        .run(&case.agent, "And now?")
        .tools(&library)
        .conversation(&mut conversation);
    if streamed {
        run = run.streaming();
    }
    let result = run.await;
    let error = result.expect_err("a refusal");
    assert!(error.is_llm(), "{}: {error}", case.name);
    let requests = server.requests();
    assert_eq!(requests.len(), 1, "{}", case.name);
    requests[0].json()
}
