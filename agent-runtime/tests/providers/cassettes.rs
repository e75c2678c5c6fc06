//! Tests that a replayed run equals the recorded one, for every reply file.

use crate::providers::exchange::{ANTHROPIC, Dialect, GOOGLE, OLLAMA, OPENAI, RESPONSES};
use crate::support::server::Server;
use crate::support::{hello_tool, library};
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::testing::Cassette;
use agent_runtime::{AgentResponse, Conversation, Environment, Error, Event, Runtime};
use std::path::{Path, PathBuf};

const DIALECTS: &[Dialect] = &[OPENAI, RESPONSES, ANTHROPIC, GOOGLE, OLLAMA];

/// Everything that a caller sees of a run.
#[derive(Debug, PartialEq)]
struct RunRecord {
    response: Result<AgentResponse, String>,
    conversation: Conversation,
    events: Vec<String>,
}

fn error_text(error: &Error) -> String {
    format!("{error} ({})", error.is_unavailable())
}

async fn run(builder: RuntimeBuilder, dialect: &Dialect, streamed: bool) -> RunRecord {
    let runtime = builder.build().expect("a runtime");
    let (agent, library) = (dialect.agent(), library([hello_tool()]));
    let input = "Hello, I'm Ada";
    let mut conversation = Conversation::new();
    if !streamed {
        let response = runtime
            .execute(&agent, input, &mut conversation, &library)
            .await;
        let response = response.map_err(|error| error_text(&error));
        let events = Vec::new();
        return RunRecord {
            response,
            conversation,
            events,
        };
    }
    let mut events = Vec::new();
    let mut response = Err("no end".to_owned());
    let mut stream = runtime
        .run(&agent, input)
        .tools(&library)
        .conversation(&mut conversation)
        .stream();
    while let Some(event) = stream.next().await {
        match event {
            Ok(Event::Finished { response: last, .. }) => response = Ok(last),
            // The durations of calls differ.
            Ok(Event::ToolFinished { .. }) => {}
            Ok(event) => events.push(format!("{event:?}")),
            Err(error) => response = Err(error_text(&error)),
        }
    }
    drop(stream);
    RunRecord {
        response,
        conversation,
        events,
    }
}

fn replies(dialect: &Dialect) -> Vec<String> {
    let folder = std::fs::read_dir(dialect.path("")).expect("a folder");
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        let name = entry.expect("an entry").file_name();
        name.into_string().expect("a name")
    };
    let mut files: Vec<String> = folder.map(name).collect();
    files.sort();
    files
}

fn file(dialect: &Dialect, reply: &str) -> PathBuf {
    let name = format!("cassettes/{}-{reply}.json", dialect.folder);
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[tokio::test]
async fn a_replayed_run_equals_the_recorded_run() {
    let mut seen = 0;
    for dialect in DIALECTS {
        let (_, ending) = dialect.stream;
        for reply in replies(dialect) {
            let streamed = reply.ends_with(ending);
            let last = if streamed {
                format!("hello{ending}")
            } else {
                "hello.json".to_owned()
            };
            let mut answers = vec![dialect.answer(&reply)];
            if reply.starts_with("calls") {
                answers.push(dialect.answer(&last));
            }
            let server = Server::start(answers);
            let path = file(dialect, &reply);
            let recorder = dialect.runtime(&server).cassette(Cassette::record(&path));
            let recorded = run(recorder, dialect, streamed).await;

            let cassette = Cassette::replay(&path);
            let player = Runtime::builder()
                .environment(Environment::empty())
                .cassette(cassette.clone());
            let replayed = run(player, dialect, streamed).await;
            assert_eq!(replayed, recorded, "{path:?}");
            cassette.assert_complete();

            let text = std::fs::read_to_string(&path).expect("a file");
            let (_, key) = dialect.key;
            assert!(!text.contains(key), "{path:?}");
            seen += 1;
        }
    }
    assert!(seen > 60, "{seen} replies");
}
