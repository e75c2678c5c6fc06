//! Tests of the module `testing`: cassettes, and assertions on calls.

mod calls;
mod cassette;
mod live_replay;
mod mismatch;
mod replay;
mod round_trip;
mod secrets;

use crate::support::{calls, greeter, hello_tool, library};
use agent_runtime::model::Scripted;
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::testing::Cassette;
use agent_runtime::{Conversation, Environment, Runtime};
use std::path::{Path, PathBuf};

/// Returns the path of a file that does not exist.
fn fresh(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("testing")
        .join(name);
    let _ = std::fs::remove_file(&path);
    path
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path:?}: {error}"))
}

/// A runtime without keys and providers.
fn bare(cassette: &Cassette) -> RuntimeBuilder {
    Runtime::builder()
        .environment(Environment::empty())
        .cassette(cassette.clone())
}

/// A model that greets Ada with the tool.
fn greets() -> Scripted {
    Scripted::new([
        calls(&[("c1", "sayHello", "{ \"personName\": \"Ada\" }")]),
        agent_runtime::model::ModelReply::text("Done."),
    ])
}

/// Runs the agent that greets.
async fn greet(
    runtime: &Runtime,
    input: &str,
) -> Result<agent_runtime::AgentResponse, agent_runtime::Error> {
    let mut conversation = Conversation::new();
    let library = library([hello_tool()]);
    runtime
        .execute(&greeter(), input, &mut conversation, &library)
        .await
}

/// Records a run of the agent that greets.
async fn record(path: &Path, input: &str, model: Scripted) -> agent_runtime::AgentResponse {
    let runtime = bare(&Cassette::record(path)).provider("OpenAI", model);
    let runtime = runtime.build().expect("a runtime");
    greet(&runtime, input).await.expect("an answer")
}
