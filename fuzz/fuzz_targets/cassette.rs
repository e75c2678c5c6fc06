//! The file of a cassette: a run with it ends with an answer or an error, and a recording of that run is replayed alike.

#![no_main]

use agent_fuzz::{agents, block_on};
use agent_runtime::model::Cassette;
use agent_runtime::{Agent, AgentResponse, Conversation, Runtime, ToolLibrary};
use libfuzzer_sys::fuzz_target;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("agent-fuzz-cassette-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    folder
});

static AGENT: LazyLock<Agent> = LazyLock::new(|| agents::agent("Scripted/any"));

static LIBRARY: LazyLock<ToolLibrary> = LazyLock::new(agents::library);

fuzz_target!(|bytes: &[u8]| {
    let (read, recorded) = (FOLDER.join("read.json"), FOLDER.join("recorded.json"));
    fs::write(&read, bytes).expect("a file");
    let _ = fs::remove_file(&recorded);
    let record = Cassette::record(&recorded).around(Cassette::replay(&read));
    let runtime = Runtime::builder().model(record).build();
    let (response, conversation) = run(&runtime.expect("a runtime"));
    conversation.check().expect("a valid conversation");
    // A cassette with its first error is recorded, too, unless it cannot be read.
    if recorded.exists() {
        assert_eq!(replayed(&recorded), response);
    }
});

fn replayed(path: &Path) -> Result<AgentResponse, String> {
    let runtime = Runtime::builder().model(Cassette::replay(path)).build();
    run(&runtime.expect("a runtime")).0
}

fn run(runtime: &Runtime) -> (Result<AgentResponse, String>, Conversation) {
    let mut conversation = Conversation::new();
    let run = runtime
        .run(&*AGENT, "Hello, I'm Ada")
        .tools(&LIBRARY)
        .conversation(&mut conversation);
    let response = block_on(async { run.streaming().await });
    let response = response.map_err(|error| {
        let text = error.to_string();
        assert!(!text.is_empty());
        text
    });
    (response, conversation)
}
