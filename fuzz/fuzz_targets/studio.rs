//! Requests of the page of `agent dev`, and the files of its log of exchanges with models. None is an error of the server,
//! and each answer is JSON.
//!
//! The input is up to five requests, with a line `====` between two. The first line of a request is its method and its
//! path; `$run` is the id of the last run. The rest is its body. A request `LOG` writes the file of the last run's
//! exchanges.

#![no_main]

use agent_fuzz::{agents, app, block_on, first_line, sections};
use agent_project::report::Report;
use agent_project::source::Source;
use agent_runtime::conversation::{MemoryStore, ToolCall};
use agent_runtime::journal::MemoryJournal;
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::{Runtime, ToolContext};
use agent_studio::{DocumentAgent, Documents, Studio, WireLog};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("agent-fuzz-studio-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    folder
});

fuzz_target!(|input: &[u8]| block_on(requests(input)));

fn studio() -> Studio {
    let call = ToolCall::new("1", "sayHello", r#"{"personName": "Ada"}"#);
    let replies = [
        ModelReply::calls([call]),
        ModelReply::text("Greeted."),
        ModelReply::text("Bye."),
    ];
    let runtime = Runtime::builder()
        .model(Scripted::new(replies))
        .journal(MemoryJournal::new())
        .conversations(MemoryStore::new())
        .build();
    let runtime = runtime.expect("a runtime");
    let studio = Studio::new(runtime, agents::library(), ToolContext::detached(), TOKEN);
    let studio = studio.wire(WireLog::new(&*FOLDER));
    studio.update(Documents {
        reports: vec![Report::new(
            Source::inline("a.gram", "[greeter:Agent]"),
            Vec::new(),
        )],
        agents: Some(vec![DocumentAgent {
            agent: agents::agent("Scripted/any"),
            document: "a.gram".to_owned(),
        }]),
        problem: None,
    });
    studio
}

async fn requests(input: &[u8]) {
    let router = studio().router();
    let mut run = String::new();
    let mut log = None;
    for section in sections(input).into_iter().take(5) {
        let (line, body) = first_line(section);
        let line = line.replace("$run", &run);
        let (method, path) = line.split_once(' ').unwrap_or((&line, ""));
        if method == "LOG" && !run.is_empty() {
            let folder = FOLDER.join(&run);
            fs::create_dir_all(&folder).expect("a folder");
            fs::write(folder.join("1.json"), body).expect("a file");
            log = Some(folder);
            continue;
        }
        // The stream of changes has no end.
        if path.contains("/changes") {
            continue;
        }
        let headers = [
            ("content-type", "application/json"),
            ("authorization", &*format!("Bearer {TOKEN}")),
        ];
        let body = String::from_utf8_lossy(body).replace("$run", &run);
        let Some(answer) = app::send(&router, method, path, &headers, body).await else {
            continue;
        };
        if let Some(id) = answer.header("x-run-id") {
            run = id.to_owned();
        }
        let text = answer.text();
        // A damaged file is an error of the server, which names it.
        assert!(answer.status != 500 || log.is_some(), "{text}");
        assert_ne!(answer.status, 401, "{text}");
        // The answer to HEAD has no body.
        let is_json = answer
            .header("content-type")
            .is_some_and(|kind| kind.ends_with("json"));
        if is_json && method != "HEAD" {
            assert!(serde_json::from_str::<Value>(&text).is_ok(), "{text}");
        }
    }
    if let Some(log) = log {
        fs::remove_dir_all(log).expect("a folder");
    }
}
