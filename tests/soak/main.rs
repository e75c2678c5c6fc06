//! Ten thousand runs at the same time, of three turns each, against a server of its own process that
//! fails one request in twenty: all end as they should, and nothing is left behind.

mod process;
mod server;

use agent_runtime::{Agent, Conversation, Environment, Runtime, ToolLibrary, agent, tool, tools};
use process::{file_limit, open_files, resident_kb};
use server::{ServerProcess, answer};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// The number of runs, if the machine allows a process that many connections.
const RUNS: usize = 10_000;

/// Files that are open besides the connections.
const OTHER_FILES: usize = 200;

/// Says where somebody lives.
#[tool]
async fn address(person: String) -> String {
    tokio::task::yield_now().await;
    format!("{person} lives in Ulm")
}

/// Says how the weather is in a town.
#[tool(inline)]
fn weather(town: String) -> String {
    format!("It rains in {town}")
}

struct Setting {
    runtime: Runtime,
    agent: Agent,
    library: ToolLibrary,
}

fn setting(server: &ServerProcess) -> Setting {
    let agent = agent! {
        tools: [address, weather],
        [forecaster:Agent {
            instruction: "Say how the weather is where somebody lives.",
            model: "OpenAI/any"
        } | address, weather]
    };
    let runtime = Runtime::builder()
        .environment(Environment::empty())
        .base_url(server.base_url())
        .retry_pause(Duration::from_millis(50));
    Setting {
        runtime: runtime.build().expect("a runtime"),
        agent,
        library: tools![address, weather],
    }
}

async fn run(setting: &Setting, number: usize) {
    let mut conversation = Conversation::new();
    let input = format!("Person {number}");
    let (agent, library) = (&setting.agent, &setting.library);
    let response = setting
        .runtime
        .execute(agent, &input, &mut conversation, library)
        .await;
    let response = response.unwrap_or_else(|error| panic!("run {number}: {error}"));
    assert_eq!(response.content, answer(number));
    assert_eq!(response.tools_used.len(), 2, "run {number}");
    assert!(
        response.tools_used.iter().all(|call| call.result.is_ok()),
        "run {number}"
    );
    conversation.check().expect("a valid history");
}

/// Notes the most memory that the process has until the runs begin to get answers.
fn watch_memory(ends: &Arc<AtomicBool>) -> std::thread::JoinHandle<u64> {
    let ends = Arc::clone(ends);
    std::thread::spawn(move || {
        let mut most = 0;
        while !ends.load(Ordering::Relaxed) {
            most = most.max(resident_kb());
            std::thread::sleep(Duration::from_millis(20));
        }
        most
    })
}

#[test]
#[ignore = "takes half a minute; at night"]
fn ten_thousand_concurrent_runs_finish_and_leave_nothing() {
    let limit = file_limit();
    let runs = RUNS.min(limit.saturating_sub(OTHER_FILES));
    if runs < RUNS {
        println!("{runs} runs only: this process may have {limit} files open, and not more");
    }
    let server = ServerProcess::start(runs);
    let tokio = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let tokio = tokio.expect("a runtime");
    let files = open_files();
    tokio.block_on(async {
        let setting = Arc::new(setting(&server));
        run(&setting, 0).await;
        let tasks = tokio::runtime::Handle::current()
            .metrics()
            .num_alive_tasks();
        let before = resident_kb();
        let (answered, waiting) = (
            Arc::new(AtomicUsize::new(0)),
            Arc::new(AtomicBool::new(false)),
        );
        let watcher = watch_memory(&waiting);
        let began = Instant::now();
        let mut all = JoinSet::new();
        for number in 1..=runs {
            let (setting, answered) = (Arc::clone(&setting), Arc::clone(&answered));
            all.spawn(async move {
                run(&setting, number).await;
                answered.fetch_add(1, Ordering::Relaxed);
            });
        }
        // The server answers nobody until all have asked.
        server.wait_until_all_wait().await;
        waiting.store(true, Ordering::Relaxed);
        assert_eq!(answered.load(Ordering::Relaxed), 0, "all wait");
        let most = watcher.join().expect("no panic");
        let all_wait = began.elapsed();
        server.let_go().await;
        while let Some(ended) = all.join_next().await {
            ended.expect("a run ended as it should");
        }
        println!(
            "{runs} runs: all waited after {all_wait:.1?}, all ended after {:.1?}; {} KB a waiting \
             run; {} of {} requests were failed",
            began.elapsed(),
            most.saturating_sub(before) / runs as u64,
            server.failed().await,
            server.requests().await,
        );
        drop(setting);
        settle(|| {
            tokio::runtime::Handle::current()
                .metrics()
                .num_alive_tasks()
                < tasks
        })
        .await;
        let left = tokio::runtime::Handle::current()
            .metrics()
            .num_alive_tasks();
        assert!(left < tasks, "{left} tasks are left");
    });
    drop(tokio);
    assert!(
        open_files() <= files,
        "{} files are open, and there were {files}",
        open_files()
    );
}

/// Waits until something is so, ten seconds at most: connections end on tasks of their own.
async fn settle(is_so: impl Fn() -> bool) {
    for _ in 0..200 {
        if is_so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The server, when the test above starts it as a process; else nothing.
#[test]
#[ignore = "the server of another test"]
fn serve() {
    server::serve();
}
