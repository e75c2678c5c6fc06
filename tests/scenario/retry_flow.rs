//! The example of the design document "Tool API and built-in tools": a tool fails, the model reads why,
//! and calls it again with another path. The runtime calls nothing again by itself.

use agent_runtime::conversation::ToolCall;
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::{Agent, Conversation, Runtime, ToolError, agent, tool, tools};
use serde_json::json;
use std::path::Path;

/// Reads the text of a file
#[tool]
fn read_file(path: String) -> Result<String, ToolError> {
    std::fs::read_to_string(&path).map_err(|_| {
        // The folder is the test's own, and differs from run to run.
        let name = Path::new(&path).file_name().unwrap_or_default();
        ToolError::execution(format!("File not found: {}", name.display()))
    })
}

const READER: Agent = agent! {
    tools: [read_file],
    [reader:Agent {instruction: "Read what the user asks for.", model: "Scripted/any"} | readFile]
};

fn reads(id: &str, folder: &Path, name: &str) -> ModelReply {
    let path = folder.join(name);
    ModelReply::calls([ToolCall::new(
        id,
        "readFile",
        json!({ "path": path }).to_string(),
    )])
}

#[tokio::test]
async fn a_model_retries_with_another_path_after_an_error() {
    let folder = std::env::temp_dir().join(format!("retry-flow-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("data.json"), "{\"answer\": 42}").expect("a file");
    let model = Scripted::new([
        reads("1", &folder, "data.txt"),
        reads("2", &folder, "data.json"),
        ModelReply::text("The answer is 42."),
    ]);
    let runtime = Runtime::with_model(model.clone());
    let mut conversation = Conversation::new();
    let response = runtime
        .execute(
            &READER,
            "What is the answer?",
            &mut conversation,
            &tools![read_file],
        )
        .await
        .expect("an answer");
    std::fs::remove_dir_all(&folder).expect("removed");

    model.assert_complete();
    // The messages to the model after the failure, and after the success.
    let read = |request: usize| {
        let requests = model.requests();
        let last = requests[request].messages.last().expect("a result").clone();
        (last.content().to_owned(), last.is_error())
    };
    assert_eq!(read(1), ("File not found: data.txt".to_owned(), true));
    assert_eq!(read(2), ("{\"answer\": 42}".to_owned(), false));
    let attempts = response
        .tools_used
        .iter()
        .map(|call| (call.attempt, call.result.is_ok()));
    assert_eq!(attempts.collect::<Vec<_>>(), [(1, false), (2, true)]);
    assert_eq!(response.content, "The answer is 42.");
}

#[tokio::test]
async fn makes_three_attempts() {
    let nowhere = Path::new("nowhere");
    let calls = ["a.txt", "b.txt", "c.txt", "d.txt"];
    let replies = calls
        .iter()
        .enumerate()
        .map(|(at, name)| reads(&at.to_string(), nowhere, name));
    let model = Scripted::new(replies.chain([ModelReply::text("There is no such file.")]));
    let mut conversation = Conversation::new();
    let response = Runtime::with_model(model)
        .execute(
            &READER,
            "What is the answer?",
            &mut conversation,
            &tools![read_file],
        )
        .await
        .expect("an answer");
    let results: Vec<_> = conversation
        .messages()
        .iter()
        .filter(|said| said.is_error())
        .collect();
    assert!(
        !results[1].content().contains("no attempts"),
        "{}",
        results[1].content()
    );
    assert_eq!(
        results[2].content(),
        "File not found: c.txt; no attempts are left: do not call `readFile` again"
    );
    // The fourth call never reached the tool, and says so.
    assert_eq!(
        results[3].content(),
        "not made: no attempts are left, so do not call `readFile` again"
    );
    assert_eq!(response.tools_used.len(), 4);
}
