//! Messages on an engine in memory, whose worker dies at each step. The kinds of runs are those of the tests of journals.

use crate::input::Decided;
use crate::journal::EngineJournal;
use crate::media::{MediaFolder, MediaStore, Text};
use crate::message::{self, Cancelled, Ended, Engine, code};
use crate::progress::Event;
use crate::results::ResultBound;
use crate::session::{Served, Session};
use crate::step::{Outcome, Step, WaitingCall};
use crate::table::{self, Scenario};
use agent_runtime::conversation::Role;
use agent_runtime::media::Image;
use agent_runtime::model::{ChatFuture, ChatModel, ModelReply, ModelRequest};
use agent_runtime::runtime::{Input, RuntimeBuilder};
use agent_runtime::{Agent, Conversation, Error, Runtime, ToolLibrary, agent, tool, tools};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{Mutex, oneshot};

/// The fate of the worker or the message at a step that the engine does not have yet.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Lives,
    /// It dies before the engine has the step.
    DiesBefore,
    /// It dies after the engine has the step, and before it goes on.
    DiesAfter,
    /// The message is cancelled while the step is done.
    Cancelled,
    /// The message is cancelled before the step is done.
    CancelledBefore,
}

/// An engine that keeps the steps of one message as JSON.
#[derive(Default)]
struct Memory {
    /// The steps; `None` for one during which the message was cancelled.
    steps: Vec<Option<Vec<u8>>>,
    names: Vec<String>,
    /// The decisions that people made.
    decided: Vec<Result<Vec<(String, Decided)>, ()>>,
    /// The decisions that they will make: what becomes of the calls that wait.
    decisions: VecDeque<Result<Vec<Decided>, ()>>,
    /// The reasons for which decisions did not fit, and the calls.
    asked: Vec<(Vec<WaitingCall>, Option<String>)>,
    events: Vec<Event>,
}

/// One attempt of the engine to do the message.
struct Attempt<'m> {
    memory: &'m mut Memory,
    at: usize,
    waits: usize,
    fate: (usize, Fate),
    /// Hears why the attempt ends.
    ended: Option<oneshot::Sender<String>>,
}

/// The text of an attempt that ended with its worker.
const DIED: &str = "the worker died";

impl Attempt<'_> {
    /// Ends the attempt.
    async fn end(&mut self, text: &str) -> ! {
        if let Some(ended) = self.ended.take() {
            ended.send(text.to_owned()).expect("somebody listens");
        }
        std::future::pending().await
    }
}

impl Engine for Attempt<'_> {
    async fn step(
        &mut self,
        name: String,
        session: Arc<Mutex<Session>>,
    ) -> Result<Vec<u8>, Cancelled> {
        let at = self.at;
        self.at += 1;
        if let Some(kept) = self.memory.steps.get(at) {
            assert_eq!(self.memory.names[at], name, "names are the same on replay");
            return kept.clone().ok_or(Cancelled);
        }
        let fate = match self.fate {
            (step, fate) if step == at => fate,
            _ => Fate::Lives,
        };
        if fate == Fate::CancelledBefore {
            self.memory.names.push(name);
            self.memory.steps.push(None);
            return Err(Cancelled);
        }
        let step = match session.lock().await.next().await {
            Ok(step) => step,
            Err(text) => self.end(&text).await,
        };
        if fate == Fate::DiesBefore {
            self.end(DIED).await;
        }
        self.memory.names.push(name);
        if fate == Fate::Cancelled {
            self.memory.steps.push(None);
            return Err(Cancelled);
        }
        self.memory.steps.push(Some(step.clone()));
        if fate == Fate::DiesAfter {
            self.end(DIED).await;
        }
        Ok(step)
    }

    fn show(&mut self, events: Vec<Event>) {
        self.memory.events.extend(events);
    }

    async fn decisions(
        &mut self,
        calls: Vec<WaitingCall>,
        refused: Option<String>,
    ) -> Result<Vec<(String, Decided)>, Cancelled> {
        let at = self.waits;
        self.waits += 1;
        if self.memory.decided.len() == at {
            let decided = self.memory.decisions.pop_front();
            let decided = decided.expect("nobody was to be asked").map(|decided| {
                assert_eq!(decided.len(), calls.len());
                let ids = calls.iter().map(|call| call.id.clone());
                ids.zip(decided).collect()
            });
            self.memory.decided.push(decided);
            self.memory.asked.push((calls, refused));
        }
        self.memory.decided[at].clone().map_err(|()| Cancelled)
    }
}

/// An agent that is served, and a message to it.
#[derive(Clone)]
struct Case {
    served: Arc<Served>,
    history: Arc<Conversation>,
    input: Input,
}

impl Case {
    fn new(runtime: RuntimeBuilder, agent: &Agent, library: &ToolLibrary) -> Self {
        let runtime = runtime.journal(EngineJournal).hook(ResultBound);
        Self {
            served: Arc::new(Served {
                runtime: runtime.build().expect("a runtime"),
                agent: agent.clone(),
                library: library.clone(),
                media: None,
            }),
            history: Arc::default(),
            input: Input::new("Go on."),
        }
    }

    fn of(scenario: &Scenario) -> Self {
        let runtime = Runtime::builder().model(table::Model(scenario.model));
        let runtime = (scenario.configure)(runtime).usage_limits(scenario.limits);
        Self {
            history: Arc::new(scenario.history.clone()),
            ..Self::new(runtime, &scenario.agent, &table::tools())
        }
    }

    async fn attempt(&self, memory: &mut Memory, fate: (usize, Fate)) -> Result<Ended, String> {
        let (served, input) = (Arc::clone(&self.served), self.input.clone());
        let session = Session::new(served, "ada", "inv_1", input, Arc::clone(&self.history));
        memory.events.clear();
        let (ended, early) = oneshot::channel();
        let mut attempt = Attempt {
            memory,
            at: 0,
            waits: 0,
            fate,
            ended: Some(ended),
        };
        tokio::select! {
            ended = message::run(&mut attempt, session) => ended,
            Ok(text) = early => Err(text),
        }
    }

    /// Does the message. The worker dies once if `fate` says so.
    async fn run(&self, memory: &mut Memory, fate: (usize, Fate)) -> (Value, Value) {
        let ended = self.attempt(memory, fate).await;
        let ended = match ended {
            Err(text) if text == DIED => self.attempt(memory, (0, Fate::Lives)).await,
            ended => ended,
        };
        let ended = ended.unwrap_or_else(|text| panic!("{text}"));
        let parsed = async |text: Option<Text>| match text {
            None => Value::Null,
            Some(text) => {
                let json = text
                    .restore(self.served.media.as_deref())
                    .await
                    .expect("it");
                serde_json::from_str(&json).expect("JSON")
            }
        };
        let response = match ended.response {
            Ok(response) => parsed(Some(response)).await,
            Err(error) => json!({"error": error.message(), "code": error.code()}),
        };
        (comparable(response), parsed(ended.added).await)
    }

    async fn simply(&self) -> (Value, Value) {
        self.run(&mut Memory::default(), (0, Fate::Lives)).await
    }
}

/// A response without what differs from run to run.
fn comparable(mut response: Value) -> Value {
    if let Some(members) = response.as_object_mut() {
        members.remove("runId");
        members.remove("duration");
    }
    response
}

/// The message ends in the same way wherever its worker dies, with the same messages in the conversation.
async fn check(name: &str, case: &Case, decisions: &VecDeque<Result<Vec<Decided>, ()>>) -> usize {
    let memory = || Memory {
        decisions: decisions.clone(),
        ..Memory::default()
    };
    let mut whole = memory();
    let ended = case.run(&mut whole, (0, Fate::Lives)).await;
    for step in 0..whole.steps.len() {
        for fate in [Fate::DiesBefore, Fate::DiesAfter] {
            let place = format!("{name}, step {step} of {}", whole.steps.len());
            let mut memory = memory();
            let again = case.run(&mut memory, (step, fate)).await;
            assert_eq!(again, ended, "{place}");
            assert!(memory.decisions.is_empty(), "{place}");
        }
    }
    whole.steps.len()
}

#[tokio::test]
async fn runs_of_each_kind_end_the_same_wherever_the_worker_dies() {
    for scenario in table::all() {
        let steps = check(scenario.name, &Case::of(&scenario), &VecDeque::new()).await;
        assert!(
            steps >= scenario.commits,
            "{}: {steps} steps",
            scenario.name
        );
    }
}

#[tokio::test]
async fn people_decide_wherever_the_worker_dies() {
    let scenario = Scenario {
        configure: |builder| builder,
        ..table::decisions_of_a_person()
    };
    let decided = vec![
        Decided::Deny {
            reason: Some("no".to_owned()),
        },
        Decided::Edit {
            arguments: json!({"a": "edited"}),
        },
        Decided::Approve,
    ];
    let decisions = VecDeque::from([Ok(decided)]);
    let case = Case::of(&scenario);
    assert!(check("decisions", &case, &decisions).await >= scenario.commits);
    let (_, added) = case
        .run(
            &mut Memory {
                decisions,
                ..Memory::default()
            },
            (0, Fate::Lives),
        )
        .await;
    assert!(
        added.to_string().contains("the call was denied: no"),
        "{added}"
    );
}

#[tokio::test]
async fn a_decision_that_does_not_fit_is_asked_for_again_and_the_others_stay() {
    let scenario = Scenario {
        configure: |builder| builder,
        ..table::decisions_of_a_person()
    };
    let reason = Some("too late".to_owned());
    let arguments = json!({"b": 1});
    let wrong = vec![
        Decided::Deny { reason },
        Decided::Edit { arguments },
        Decided::Approve,
    ];
    let mut memory = Memory {
        decisions: VecDeque::from([Ok(wrong), Ok(vec![Decided::Approve])]),
        ..Memory::default()
    };
    let case = Case::of(&scenario);
    let (response, added) = case.run(&mut memory, (0, Fate::Lives)).await;
    assert_eq!(response["content"], "Done.");
    assert!(added.to_string().contains("too late"), "{added}");
    let [(first, None), (second, Some(refused))] = &memory.asked[..] else {
        panic!("{:?}", memory.asked);
    };
    assert_eq!(first[1..2], second[..]);
    assert!(refused.contains('b'), "{refused}");
}

/// Asks for a call in the first turn.
struct Calls(&'static str, &'static str);

impl ChatModel for Calls {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        let last = request.messages.last().map(agent_runtime::Message::role);
        let reply = match last {
            Some(Role::Function) => ModelReply::text("Done."),
            _ => ModelReply::calls([agent_runtime::conversation::ToolCall::new(
                "c", self.0, self.1,
            )]),
        };
        Box::pin(async move { Ok(reply) })
    }
}

static PAID: AtomicUsize = AtomicUsize::new(0);

/// Pays
#[tool]
async fn pay(amount: i64) -> String {
    PAID.fetch_add(1, Ordering::Relaxed);
    format!("{amount} is paid")
}

/// Takes long
#[tool(read_only)]
async fn wait() -> String {
    tokio::time::sleep(Duration::from_secs(3600)).await;
    "it is over".to_owned()
}

/// Copies
#[tool(read_only)]
async fn copy(megabytes: i64) -> String {
    "x".repeat(usize::try_from(megabytes).unwrap_or_default() << 20)
}

/// Pays back
#[tool(requires_approval)]
async fn refund(amount: i64) -> String {
    format!("{amount} is paid back")
}

fn clerk() -> (Agent, ToolLibrary) {
    let agent = agent! {
        tools: [pay, wait, copy, refund],
        [clerk:Agent {instruction: "Pay.", model: "Scripted/any"} | pay, wait, copy, refund]
    };
    (agent, tools![pay, wait, copy, refund])
}

fn clerk_with(tool: &'static str, arguments: &'static str) -> Case {
    let (agent, library) = clerk();
    Case::new(
        Runtime::builder().model(Calls(tool, arguments)),
        &agent,
        &library,
    )
}

#[tokio::test]
async fn a_payment_that_was_under_way_waits_for_a_person() {
    let case = clerk_with("pay", r#"{"amount": 5}"#);
    let mut whole = Memory::default();
    case.run(&mut whole, (0, Fate::Lives)).await;
    let calls = whole.names.iter().position(|name| name == "turn 1: calls");
    let calls = calls.expect("a step of calls");
    PAID.store(0, Ordering::Relaxed);
    let done = Decided::Done {
        result: json!("5 is paid, says the bank"),
    };
    let mut memory = Memory {
        decisions: VecDeque::from([Ok(vec![done])]),
        ..Memory::default()
    };
    let (response, added) = case.run(&mut memory, (calls, Fate::DiesBefore)).await;
    assert_eq!(response["content"], "Done.");
    assert_eq!(PAID.load(Ordering::Relaxed), 1);
    assert!(memory.asked[0].0[0].in_doubt);
    assert!(added.to_string().contains("says the bank"), "{added}");
}

#[tokio::test]
async fn a_cancelled_message_ends_at_each_step_and_keeps_what_was_done() {
    let case = clerk_with("copy", r#"{"megabytes": 1}"#);
    let mut whole = Memory::default();
    case.run(&mut whole, (0, Fate::Lives)).await;
    for step in 0..whole.steps.len() {
        for fate in [Fate::Cancelled, Fate::CancelledBefore] {
            let mut memory = Memory::default();
            let (response, added) = case.run(&mut memory, (step, fate)).await;
            // A run that is about to end may end before the cancellation is heard.
            let is_done = response["content"] == "Done.";
            assert!(is_done || response["code"] == code::CANCELLED, "{step}");
            let messages = added.as_array().expect("messages").len();
            // Before the first step nothing was done.
            let is_begun = (step, fate) != (0, Fate::CancelledBefore);
            assert_eq!(messages >= 1, is_begun, "{step}: {added}");
            // The engine does the message again with what it kept: nothing differs.
            let again = case.run(&mut memory, (0, Fate::Lives)).await;
            assert_eq!(again, (response, added), "{step}");
        }
    }
}

#[tokio::test]
async fn a_message_that_waits_for_a_person_can_be_cancelled() {
    let case = clerk_with("refund", r#"{"amount": 5}"#);
    let mut memory = Memory {
        decisions: VecDeque::from([Err(())]),
        ..Memory::default()
    };
    let (response, added) = case.run(&mut memory, (0, Fate::Lives)).await;
    assert_eq!(response["code"], code::CANCELLED);
    assert!(added.to_string().contains("refund"), "{added}");
}

#[tokio::test(start_paused = true)]
async fn a_long_call_gives_the_engine_a_step_every_few_seconds() {
    let case = clerk_with("wait", "{}");
    let mut memory = Memory::default();
    // The third step is the first one of the call's, which ends after ten seconds by itself.
    let (response, _) = case.run(&mut memory, (2, Fate::Cancelled)).await;
    assert_eq!(response["code"], code::CANCELLED, "{response}");
    let calls = memory.names.iter().filter(|name| *name == "turn 1: calls");
    assert!(calls.count() > 1, "{:?}", memory.names);
}

#[tokio::test]
async fn a_result_of_forty_megabytes_is_an_error_for_the_model() {
    let (response, added) = clerk_with("copy", r#"{"megabytes": 40}"#).simply().await;
    assert_eq!(response["content"], "Done.");
    let added = added.to_string();
    assert!(added.contains("takes more than 4 MB"), "{added}");
}

/// The model's provider is away so many times.
struct Away(AtomicUsize);

impl ChatModel for Away {
    fn chat<'a>(&'a self, _: &'a ModelRequest) -> ChatFuture<'a> {
        let is_away = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(1)
            });
        Box::pin(async move {
            match is_away {
                Ok(_) => Err(Error::llm("the provider is down").into_unavailable()),
                Err(_) => Ok(ModelReply::text("Here again.")),
            }
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_is_away_makes_the_engine_try_again() {
    let (agent, library) = clerk();
    let runtime = Runtime::builder()
        .model(Away(AtomicUsize::new(2)))
        .max_attempts(1);
    let case = Case::new(runtime, &agent, &library);
    let mut memory = Memory::default();
    for _ in 0..2 {
        let ended = case.attempt(&mut memory, (0, Fate::Lives)).await;
        let error = ended.expect_err("it is tried again");
        assert!(error.contains("the provider is down"), "{error}");
        assert_eq!(memory.steps.len(), 1, "the start alone is kept");
    }
    let (response, added) = case.run(&mut memory, (0, Fate::Lives)).await;
    assert_eq!(response["content"], "Here again.");
    assert_eq!(added.as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn a_worker_without_a_tool_of_the_run_says_how_to_repair_it() {
    let case = clerk_with("refund", r#"{"amount": 5}"#);
    let mut memory = Memory {
        decisions: VecDeque::from([Ok(vec![Decided::Approve])]),
        ..Memory::default()
    };
    // The worker dies when the person has decided.
    let mut whole = Memory {
        decisions: memory.decisions.clone(),
        ..Memory::default()
    };
    case.run(&mut whole, (0, Fate::Lives)).await;
    let step = whole.steps.len() - 2;
    let ended = case.attempt(&mut memory, (step, Fate::DiesAfter)).await;
    assert_eq!(ended.expect_err("it died"), DIED);
    let kept = memory.steps.len();
    let (_, library) = (0, tools![pay, wait, copy]);
    let other = Case {
        served: Arc::new(Served {
            runtime: case.served.runtime.clone(),
            agent: case.served.agent.clone(),
            library,
            media: None,
        }),
        ..case.clone()
    };
    let ended = other.attempt(&mut memory, (0, Fate::Lives)).await;
    let error = ended.expect_err("the tool is gone");
    assert!(error.contains("`refund`"), "{error}");
    assert!(
        error.contains("restate invocations resume inv_1 --deployment latest"),
        "{error}"
    );
    assert_eq!(memory.steps.len(), kept, "nothing is lost");
    let (response, _) = case.run(&mut memory, (0, Fate::Lives)).await;
    assert_eq!(response["content"], "Done.");
}

#[test]
fn a_step_of_a_newer_version_is_refused() {
    let newer = br#"{"format": 2, "commits": []}"#;
    let error = Step::read(newer).expect_err("it is newer").to_string();
    assert!(error.contains("format 2"), "{error}");
    assert!(error.contains("--deployment latest"), "{error}");
}

#[tokio::test]
async fn images_are_kept_by_their_digests() {
    let folder = std::env::temp_dir().join(format!("agent-restate-images-{}", std::process::id()));
    let store = MediaFolder::open(&folder).expect("a folder");
    let (agent, library) = clerk();
    let image = [b"\x89PNG\r\n\x1a\n".as_slice(), &[7; 300_000]].concat();
    let image = Image::new(image);
    let runtime = Runtime::builder().model(Away(AtomicUsize::new(0)));
    let mut case = Case::new(runtime, &agent, &library);
    case.input = Input::new("What is it?").image(image);
    let served = Arc::get_mut(&mut case.served).expect("nobody else has it");
    served.media = Some(Arc::new(store) as Arc<dyn MediaStore>);
    let mut memory = Memory::default();
    let (response, added) = case.run(&mut memory, (1, Fate::DiesBefore)).await;
    assert_eq!(response["content"], "Here again.");
    let kept: usize = memory.steps.iter().flatten().map(Vec::len).sum();
    assert!(kept < 60_000, "{kept} bytes");
    assert!(added.to_string().len() > 300_000, "the image is back");
    std::fs::remove_dir_all(folder).expect("the folder");
}

#[tokio::test]
async fn a_step_that_is_too_large_says_what_to_do() {
    let (agent, library) = clerk();
    let runtime = Runtime::builder().model(Away(AtomicUsize::new(0)));
    let mut case = Case::new(runtime, &agent, &library);
    case.input = Input::new("x".repeat(30 << 20));
    let (response, _) = case.simply().await;
    assert_eq!(response["code"], code::TOO_LARGE, "{response}");
    let text = response["error"].as_str().expect("a text");
    assert!(text.contains("DurableAgent::media_store"), "{text}");
}

#[tokio::test]
async fn what_was_done_is_kept_though_its_results_are_too_large() {
    struct Copies;
    impl ChatModel for Copies {
        fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
            let messages = request.messages.iter();
            let results = messages.filter(|message| message.role() == Role::Function);
            let call = |id: String, tool, arguments| {
                agent_runtime::conversation::ToolCall::new(id, tool, arguments)
            };
            let copy = |at| call(format!("c{at}"), "copy", r#"{"megabytes": 3}"#);
            let reply = match results.count() {
                0 => ModelReply::calls([call("p".to_owned(), "pay", r#"{"amount": 7}"#)]),
                // Together, these are larger than a step.
                1 => ModelReply::calls((0..4).map(copy)),
                results @ 2..8 => ModelReply::calls([copy(results)]),
                _ => ModelReply::text("Done."),
            };
            Box::pin(async move { Ok(reply) })
        }
    }
    let (agent, library) = clerk();
    let case = Case::new(Runtime::builder().model(Copies), &agent, &library);
    let (response, added) = case.simply().await;
    assert_eq!(response["content"], "Done.", "{response}");
    let calls = response["toolsUsed"].as_array().expect("calls");
    assert_eq!(calls.len(), 8);
    assert_eq!(calls[0]["result"], "7 is paid");
    let text = added.to_string();
    assert!(text.contains("7 is paid"), "{text}");
    let last = calls[7]["result"].as_str().expect("a text");
    assert!(last.ends_with("KB were left out]"), "{last}");
    assert!(
        text.contains("too large beside the other results of the turn"),
        "{text}"
    );
}

#[tokio::test]
async fn no_error_has_a_key() {
    const KEY: &str = "sk-0123456789abcdef0123";
    struct Fails(bool);
    impl ChatModel for Fails {
        fn chat<'a>(&'a self, _: &'a ModelRequest) -> ChatFuture<'a> {
            let error = Error::llm(format!("the key {KEY} is wrong"));
            let error = match self.0 {
                true => error.into_unavailable(),
                false => error,
            };
            Box::pin(async move { Err(error) })
        }
    }
    let (agent, library) = clerk();
    for is_away in [false, true] {
        let runtime = Runtime::builder().model(Fails(is_away)).secret(KEY);
        let case = Case::new(runtime.max_attempts(1), &agent, &library);
        let mut memory = Memory::default();
        let ended = case.attempt(&mut memory, (0, Fate::Lives)).await;
        let text = match ended {
            Ok(ended) => ended.response.expect_err("it fails").message().to_owned(),
            Err(text) => text,
        };
        assert!(text.contains("the key [key] is wrong"), "{text}");
        let steps = memory.steps.into_iter().flatten().flatten().collect();
        let steps = String::from_utf8(steps).expect("JSON");
        assert!(!steps.contains(KEY), "{steps}");
    }
}

#[tokio::test]
async fn no_step_has_a_key() {
    const KEY: &str = "sk-0123456789abcdef0123";
    struct Tells;
    impl ChatModel for Tells {
        fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
            let last = request.messages.last().map(agent_runtime::Message::role);
            let reply = match last {
                Some(Role::Function) => ModelReply::text(format!("It is {KEY}.")),
                _ => ModelReply::calls([agent_runtime::conversation::ToolCall::new(
                    "c",
                    "refund",
                    format!(r#"{{"amount": 1, "key": "{KEY}"}}"#),
                )]),
            };
            Box::pin(async move { Ok(reply) })
        }
    }
    let (agent, library) = clerk();
    let case = Case::new(
        Runtime::builder().model(Tells).secret(KEY),
        &agent,
        &library,
    );
    let mut memory = Memory {
        decisions: VecDeque::from([Ok(vec![Decided::Deny {
            reason: Some(format!("no {KEY}")),
        }])]),
        ..Memory::default()
    };
    let (response, added) = case.run(&mut memory, (0, Fate::Lives)).await;
    let steps = memory.steps.iter().flatten();
    let steps: Vec<_> = steps.map(|step| String::from_utf8_lossy(step)).collect();
    let steps = steps.concat();
    let found = steps.find(KEY).map(|at| &steps[at.saturating_sub(200)..at]);
    assert_eq!(found, None);
    assert!(!response.to_string().contains(KEY), "{response}");
    assert!(!added.to_string().contains(KEY), "{added}");
    let events = json!(memory.events).to_string();
    assert!(
        events.contains("callBegun") || events.contains("replied"),
        "{events}"
    );
    assert!(!events.contains(KEY), "{events}");
}

/// Returns a step as a worker wrote it whose clock is some hours ahead.
fn hours_ahead(step: &[u8], hours: i64) -> Vec<u8> {
    let ahead = |time: &mut Value| {
        let shifted = time.as_i64().expect("a time") + hours * 3_600_000;
        *time = shifted.into();
    };
    let mut step: Value = serde_json::from_slice(step).expect("JSON");
    if let Some(commit) = step.get_mut("commit") {
        ahead(&mut commit["started"]);
        for text in commit["records"].as_array_mut().expect("records") {
            let json = text["json"].as_str().expect("a text");
            let mut record: Value = serde_json::from_str(json).expect("a record");
            ahead(&mut record["at"]);
            text["json"] = record.to_string().into();
        }
    }
    step.to_string().into_bytes()
}

#[tokio::test]
async fn the_clocks_of_workers_may_be_an_hour_apart() {
    for scenario in table::all() {
        let case = Case::of(&scenario);
        let ended = case.simply().await;
        for hours in [-1, 1] {
            let mut memory = Memory::default();
            let first = case.attempt(&mut memory, (2, Fate::DiesBefore)).await;
            assert_eq!(first.expect_err("it dies"), DIED);
            for step in memory.steps.iter_mut().flatten() {
                *step = hours_ahead(step, hours);
            }
            let again = case.run(&mut memory, (0, Fate::Lives)).await;
            assert_eq!(again, ended, "{}, {hours} hours ahead", scenario.name);
        }
    }
}

#[tokio::test]
async fn a_time_limit_counts_by_the_clock_of_the_worker() {
    let (agent, library) = clerk();
    let model = Calls("copy", r#"{"megabytes": 0}"#);
    let limit = Duration::from_secs(1_800);
    let runtime = Runtime::builder().model(model).run_timeout(limit);
    let case = Case::new(runtime, &agent, &library);
    let ended = case.simply().await;
    for (hours, is_late) in [(1, false), (-1, true)] {
        let mut memory = Memory::default();
        let first = case.attempt(&mut memory, (2, Fate::DiesBefore)).await;
        assert_eq!(first.expect_err("it dies"), DIED);
        for step in memory.steps.iter_mut().flatten() {
            *step = hours_ahead(step, hours);
        }
        let (response, added) = case.run(&mut memory, (0, Fate::Lives)).await;
        match is_late {
            false => assert_eq!((response, added), ended),
            true => assert_eq!(response["code"], code::LIMIT, "{response}"),
        }
    }
}

#[tokio::test]
async fn errors_of_a_message_that_did_not_begin_are_terminal() {
    let agent = agent! {
        providers: ["Nobody"],
        [lost:Agent {instruction: "Go.", model: "Nobody/any"}]
    };
    let library = ToolLibrary::new();
    let case = Case::new(Runtime::builder(), &agent, &library);
    let (response, added) = case.simply().await;
    assert_eq!(response["code"], code::FAILED, "{response}");
    assert!(response.to_string().contains("Nobody"), "{response}");
    assert_eq!(added, Value::Null);

    let (agent, library) = clerk();
    let runtime = Runtime::builder().model(Away(AtomicUsize::new(0)));
    let mut case = Case::new(runtime, &agent, &library);
    case.input = Input::new("  ");
    let (response, _) = case.simply().await;
    assert_eq!(response["code"], code::BAD_REQUEST, "{response}");
}

#[tokio::test]
async fn a_step_that_only_says_that_the_work_goes_on_is_small() {
    let step = Step::new(None, None).write().expect("JSON");
    assert_eq!(step, br#"{"format":1}"#);
    let outcome = Some(Outcome::Refused("no".to_owned()));
    let step = Step::new(None, outcome).write().expect("JSON");
    Step::read(&step).expect("a step");
}
