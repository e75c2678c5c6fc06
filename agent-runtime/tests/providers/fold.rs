//! Tests that streamed and plain replies are equal, for every reply file.

use crate::providers::exchange::{ANTHROPIC, Dialect, GOOGLE, OLLAMA, OPENAI, RESPONSES};
use agent_runtime::{AgentResponse, Conversation, Message};

const DIALECTS: &[Dialect] = &[OPENAI, RESPONSES, ANTHROPIC, GOOGLE, OLLAMA];

/// Returns the files of a folder with an extension, and the name that each shares with the plain reply: the
/// part before the first dot.
fn files(dialect: &Dialect, ending: &str) -> Vec<(String, String)> {
    let folder = std::fs::read_dir(dialect.path("")).expect("a folder");
    let mut files: Vec<(String, String)> = folder
        .filter_map(|entry| {
            let file = entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("a name");
            let name = file.split('.').next()?.to_owned();
            file.ends_with(ending).then_some((name, file))
        })
        .collect();
    files.sort();
    files
}

/// Returns the messages without data that only one of both ways has.
fn comparable_messages(conversation: &Conversation) -> Vec<&Message> {
    conversation.messages().iter().collect()
}

/// Returns the answers of a run: that of the file, and a final one if the file calls tools.
fn answers(dialect: &Dialect, file: &str, last: &str) -> Vec<crate::support::server::Answer> {
    let mut answers = vec![dialect.answer(file)];
    if file.starts_with("calls") {
        answers.push(dialect.answer(last));
    }
    answers
}

#[tokio::test]
async fn a_streamed_reply_equals_the_plain_one() {
    for dialect in DIALECTS {
        let (_, ending) = dialect.stream;
        let mut seen = 0;
        for (name, file) in files(dialect, ending) {
            let streamed = dialect
                .stream(answers(dialect, &file, &format!("hello{ending}")))
                .await;
            assert!(streamed.error.is_none(), "{file}: {:?}", streamed.error);
            let plain = answers(dialect, &format!("{name}.json"), "hello.json");
            let (response, conversation, _) = dialect.execute(plain).await;
            let response: AgentResponse = response.expect("an answer");
            assert_eq!(streamed.response(), &response, "{file}");
            assert_eq!(streamed.fold.response(), &response, "{file}");
            assert_eq!(
                comparable_messages(&streamed.conversation),
                comparable_messages(&conversation),
                "{file}"
            );
            seen += 1;
        }
        assert!(seen > 0, "{} has no streamed replies", dialect.folder);
    }
}
