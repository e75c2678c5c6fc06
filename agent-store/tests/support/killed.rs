//! Processes that are killed while they make runs, whose runs others continue, on any journal.

use agent_runtime::conversation::{ConversationName, Role, ToolCall};
use agent_runtime::journal::{Journal, RunFilter, RunState, StoredRun};
use agent_runtime::model::{ChatFuture, ChatModel, ModelReply, ModelRequest, Usage};
use agent_runtime::run::{Decision, PendingCall, RunOutcome};
use agent_runtime::tool::ToolConfig;
use agent_runtime::{
    Agent, Conversation, Runtime, ToolContext, ToolError, ToolLibrary, agent, serde_json,
};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The variables that make a copy of this program a worker: the place of the journal, the folder of the world outside
/// of the workers, the number of runs, and the number that it begins at a time.
const JOURNAL: &str = "JOURNAL_TEST_JOURNAL";
const FOLDER: &str = "JOURNAL_TEST_FOLDER";
const RUNS: &str = "JOURNAL_TEST_RUNS";
const AT_ONCE: &str = "JOURNAL_TEST_AT_ONCE";

/// The number of turns of a run that pay. A run asks for one more reply.
const TURNS: usize = 5;

/// How much is done.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    pub(crate) runs: usize,
    pub(crate) workers: usize,
    /// The number of runs that a worker begins at a time.
    pub(crate) at_once: usize,
    /// The longest time between two kills, in milliseconds.
    pub(crate) longest_pause: u64,
}

pub(crate) const SMALL: Size = Size {
    runs: 40,
    workers: 2,
    at_once: 8,
    longest_pause: 600,
};

pub(crate) const LARGE: Size = Size {
    runs: 1_000,
    workers: 4,
    at_once: 32,
    longest_pause: 600,
};

/// The place of a test.
#[derive(Clone, Copy)]
pub(crate) struct Place<'p> {
    /// The name of the test that calls [`work`].
    pub(crate) worker: &'p str,
    /// The path or the URL of the journal.
    pub(crate) journal: &'p str,
    /// An empty folder.
    pub(crate) folder: &'p Path,
}

static PAYER: Agent = agent! {
    tools: [dynamic pay, dynamic look],
    [payer:Agent {instruction: "Pay.", model: "Scripted/any"} |
        [pay:Tool {description: "Acts"} | ()==>(::Any)],
        [look:Tool {description: "Acts"} | ()==>(::Any)]
    ]
};

/// Adds a line to a file of the world outside of the workers.
fn note(folder: &Path, file: &str, line: &str) {
    let mut file = std::fs::File::options()
        .create(true)
        .append(true)
        .open(folder.join(file))
        .expect("a file");
    file.write_all(format!("{line}\n").as_bytes())
        .expect("a line");
}

fn noted(folder: &Path, file: &str) -> BTreeMap<String, usize> {
    let text = std::fs::read_to_string(folder.join(file)).unwrap_or_default();
    let mut counts = BTreeMap::new();
    for line in text.lines() {
        *counts.entry(line.to_owned()).or_default() += 1;
    }
    counts
}

struct Model(PathBuf);

/// Asks for payments, and ends a run only once it was interrupted, so that each run is.
impl ChatModel for Model {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        let answers = request
            .messages
            .iter()
            .filter(|message| message.role() == Role::Assistant);
        let (turn, label) = (answers.count(), request.messages[0].content());
        let process = std::process::id();
        note(&self.0, "requests", &format!("{label} {turn} {process}"));
        Box::pin(async move {
            let reply = if turn < TURNS {
                let call = |tool| ToolCall::new("", tool, "{}");
                ModelReply::calls(["pay", "look"].map(call))
            } else {
                while !noted(&self.0, "interrupted").contains_key(label) {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                ModelReply::text("Paid.")
            };
            Ok(reply.with_usage(Usage::of_request(10, 1)))
        })
    }
}

/// Notes the runs that no process drives any more, each once, because a worker lives for a second at times.
async fn note_interrupted(folder: &Path, journal: &impl Journal) {
    let known = noted(folder, "interrupted-ids");
    for info in journal.list(&RunFilter::new()).await.expect("a list") {
        if info.state != RunState::Running || known.contains_key(&info.run) {
            continue;
        }
        let Some(lease) = journal.acquire(&info.run).await.expect("a journal") else {
            continue;
        };
        let stored = journal.read(&info.run).await.expect("a journal");
        note(folder, "interrupted", &label(&stored.expect("a run")));
        note(folder, "interrupted-ids", &info.run);
        journal.release(&lease);
    }
}

/// Returns the first message of a run.
fn label(stored: &StoredRun) -> String {
    let started: serde_json::Value = serde_json::from_str(&stored.records[0].json()).expect("JSON");
    let content = &started["run"]["state"]["history"][0]["content"];
    content.as_str().expect("a text").to_owned()
}

fn library(folder: &Path) -> ToolLibrary {
    let tool = |name: &'static str| {
        let folder = folder.to_owned();
        let signature = "()==>(::Any)";
        ToolConfig::with_signature(name, "Acts", signature)
            .idempotent(name == "look")
            .build_with_context(move |_, context: ToolContext| {
                note(&folder, name, &context.idempotency_key());
                async { Ok::<_, ToolError>("done".into()) }
            })
            .expect("a tool")
    };
    let mut library = ToolLibrary::new();
    library.add(tool("pay")).expect("a name");
    library.add(tool("look")).expect("a name");
    library
}

/// Begins runs and recovers those of others, until there are enough and all have ended. It does nothing without the
/// variables, as in an ordinary run of the tests.
pub(crate) async fn work<J: Journal + Clone>(open: impl AsyncFn(String) -> J) {
    let variable = |name| std::env::var(name).ok();
    let number = |name| variable(name).map(|number| number.parse().expect("a number"));
    let (Some(place), Some(folder)) = (variable(JOURNAL), variable(FOLDER)) else {
        return;
    };
    let (Some(runs), Some(at_once)): (Option<usize>, Option<usize>) =
        (number(RUNS), number(AT_ONCE))
    else {
        return;
    };
    let (folder, journal) = (PathBuf::from(folder), open(place).await);
    let approver = |call: PendingCall| {
        assert!(call.in_doubt, "no tool asks for approval");
        let reason = Some("not known".to_owned());
        std::future::ready(Decision::Deny { reason })
    };
    let runtime = Runtime::builder()
        .model(Model(folder.clone()))
        .journal(journal.clone())
        .approver(approver)
        .build()
        .expect("a runtime");
    let library = library(&folder);
    loop {
        note_interrupted(&folder, &journal).await;
        for recovered in runtime.recover(&library).await.expect("a journal") {
            assert!(
                matches!(recovered.outcome, Ok(RunOutcome::Done(_))),
                "{recovered:?}"
            );
        }
        let known = journal.list(&RunFilter::new()).await.expect("a list");
        if known.len() >= runs {
            if known.iter().all(|run| run.state.is_over()) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
            continue;
        }
        let begun = (0..at_once).map(|at| {
            let input = format!("{}-{}-{at}", std::process::id(), known.len());
            let (runtime, library) = (runtime.clone(), library.clone());
            let name = ConversationName::new(format!("c{at}")).expect("a name");
            tokio::spawn(async move {
                let run = runtime.run(&PAYER, input).tools(&library);
                // Runs of several processes add to a conversation, each after what was there when it ends.
                let mut begun = Conversation::new();
                run.conversation(&mut begun).stored_as(name).await
            })
        });
        for run in begun.collect::<Vec<_>>() {
            let response = run.await.expect("no panic").expect("an answer");
            assert_eq!(response.content, "Paid.");
        }
    }
}

fn start(place: Place<'_>, size: Size) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command
        .args(["--exact", place.worker, "--nocapture"])
        .env(JOURNAL, place.journal)
        .env(FOLDER, place.folder)
        .env(RUNS, size.runs.to_string())
        .env(AT_ONCE, size.at_once.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::inherit());
    command.spawn().expect("a worker starts")
}

/// Kills workers while they make runs, until each run was interrupted and has ended, and checks what is left. `after` is
/// called for each worker that was killed, with the id of its process and the number of those before.
pub(crate) async fn check<J: Journal + Clone>(
    journal: &J,
    place: Place<'_>,
    size: Size,
    after: impl AsyncFn(u32, usize),
) {
    let mut going: Vec<Child> = (0..size.workers).map(|_| start(place, size)).collect();
    let mut killed = 0;
    for kill in 0.. {
        let infos = journal.list(&RunFilter::new()).await.expect("a list");
        if infos.len() >= size.runs && infos.iter().all(|info| info.state.is_over()) {
            break;
        }
        // Another moment each time: from the start of a worker to the last step of its runs.
        let pause = kill * (size.longest_pause / 16) % size.longest_pause;
        tokio::time::sleep(Duration::from_millis(20 + pause)).await;
        let worker = &mut going[kill as usize % size.workers];
        let is_killed = worker.try_wait().expect("a worker").is_none();
        if is_killed {
            worker.kill().expect("a worker");
        }
        let status = worker.wait().expect("a worker");
        assert!(
            status.success() || status.code().is_none(),
            "a worker failed: {status}"
        );
        if is_killed {
            after(worker.id(), killed).await;
            killed += 1;
        }
        *worker = start(place, size);
    }
    for worker in &mut going {
        assert!(worker.wait().expect("a worker").success());
    }

    check_ended(journal, place.folder, killed).await;
}

/// Checks that each run was interrupted and has ended, and that nothing was done twice.
async fn check_ended(journal: &impl Journal, folder: &Path, killed: usize) {
    let infos = journal.list(&RunFilter::new()).await.expect("a list");
    let interrupted = noted(folder, "interrupted");
    let mut requests: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for (line, count) in noted(folder, "requests") {
        assert_eq!(count, 1, "a process sends no request twice: {line}");
        let mut words = line.split(' ').map(str::to_owned);
        let mut word = || words.next().expect("three words");
        requests.entry(word()).or_default().push((word(), word()));
    }
    let mut repeated = 0;
    for info in &infos {
        assert_eq!(info.state, RunState::Done, "{info:?}");
        let stored = journal.read(&info.run).await.expect("a run");
        let stored = stored.expect("a run");
        stored.verify().expect("whole records");
        let label = label(&stored);
        assert!(interrupted.contains_key(&label), "{label} was interrupted");
        // Each process that goes on with a run repeats at most the request that the one before it could not finish.
        let sent = &requests[&label];
        let turns: BTreeSet<&String> = sent.iter().map(|(turn, _)| turn).collect();
        let processes: BTreeSet<&String> = sent.iter().map(|(_, process)| process).collect();
        assert_eq!(turns.len(), TURNS + 1, "{label}: {sent:?}");
        let again = sent.len() - turns.len();
        assert!(again < processes.len(), "{label}: {sent:?}");
        repeated += again;
    }
    let store = journal.conversations().expect("the same file");
    let mut turns = Vec::new();
    for info in store.list(None).await.expect("a list") {
        let stored = store.load(&info.name).await.expect("a conversation");
        let conversation = stored.expect("a conversation").conversation;
        conversation.check().expect("whole turns");
        let messages = conversation.messages().iter();
        let inputs = messages.filter(|message| message.role() == Role::User);
        turns.extend(inputs.map(|message| message.content().to_owned()));
    }
    assert_eq!(turns.len(), infos.len(), "each run has its turn once");
    turns.sort();
    turns.dedup();
    assert_eq!(turns.len(), infos.len(), "each run has its turn");
    let paid = noted(folder, "pay");
    assert!(
        paid.values().all(|count| *count == 1),
        "a payment was made twice: {paid:?}"
    );
    assert!(paid.len() <= infos.len() * TURNS);
    println!(
        "{} runs, {killed} kills, {} interruptions, {repeated} requests repeated, {} payments",
        infos.len(),
        interrupted.values().sum::<usize>(),
        paid.len()
    );
}
