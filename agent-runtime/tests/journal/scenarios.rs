//! Runs of each kind, killed at each commit: the run that is recovered ends as the one that was not killed.

use super::Crashing;
use crate::support::{calls, config, library};
use agent_runtime::approval::Approver;
use agent_runtime::conversation::{
    Compaction, ConversationName, ConversationStore, MemoryStore, Role,
};
use agent_runtime::hook::{HookFuture, RunContext, ToolVerdict};
use agent_runtime::journal::{Journal, MemoryJournal};
use agent_runtime::model::{ChatFuture, ChatModel, FinishReason, ModelReply, ModelRequest, Usage};
use agent_runtime::run::{Decision, PendingCall, RunOutcome, UsageLimits};
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::tool::ToolConfig;
use agent_runtime::{
    Agent, AgentResponse, Conversation, Error, Hook, Message, Runtime, ToolError, ToolLibrary,
    agent,
};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The time after which a run counts as one that hangs.
const PATIENCE: Duration = Duration::from_secs(60);

type Reply = fn(&ModelRequest, usize) -> Result<ModelReply, Error>;

/// A model that answers by the request and the number of answers in it.
#[derive(Clone, Copy)]
struct Model(Reply);

impl ChatModel for Model {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        let answers = request
            .messages
            .iter()
            .filter(|message| message.role() == Role::Assistant);
        let reply = (self.0)(request, answers.count());
        let reply = reply.map(|reply| reply.with_usage(Usage::of_request(10, 1)));
        Box::pin(async move { reply })
    }
}

/// Tools that may run twice, so that nobody is asked after a crash.
fn tools() -> ToolLibrary {
    let tool = |config: ToolConfig, result: Result<Value, ToolError>| {
        let built = config
            .idempotent(true)
            .build(move |_| std::future::ready(result.clone()));
        built.expect("a tool")
    };
    let text = |name| ToolConfig::with_signature(name, "Does something.", "(a::Text)==>(::Any)");
    library([
        tool(config("fine"), Ok(json!({"fine": [1, 2.5, "é\u{0}"]}))),
        tool(
            config("fails"),
            Err(ToolError::Execution("out of order".to_owned())),
        ),
        tool(config("alone").sequential(true), Ok("alone".into())),
        tool(text("asked").requires_approval(true), Ok("asked".into())),
        tool(text("echo"), Ok("echoed".into())),
    ])
}

/// The stored conversation that gets the messages of each run.
fn name() -> ConversationName {
    ConversationName::new("ada").expect("a name")
}

async fn stored(store: &MemoryStore) -> Vec<Message> {
    let stored = store.load(&name()).await.expect("a store");
    let messages = stored.map(|stored| stored.conversation.messages().to_vec());
    messages.unwrap_or_default()
}

struct Scenario {
    agent: Agent,
    model: Reply,
    configure: fn(RuntimeBuilder) -> RuntimeBuilder,
    history: Conversation,
    limits: UsageLimits,
    /// The least number of commits, so that the scenario does what it is for.
    commits: usize,
}

impl Scenario {
    fn new(agent: Agent, model: Reply, commits: usize) -> Self {
        Self {
            agent,
            model,
            configure: |builder| builder,
            history: Conversation::new(),
            limits: UsageLimits::new(),
            commits,
        }
    }

    fn runtime(&self, journal: impl Journal, store: &MemoryStore) -> Runtime {
        let builder = Runtime::builder().model(Model(self.model)).journal(journal);
        let builder = builder.conversations(store.clone());
        (self.configure)(builder).build().expect("a runtime")
    }

    async fn run(
        &self,
        journal: &Crashing,
        store: &MemoryStore,
    ) -> Option<(Result<AgentResponse, Error>, Conversation)> {
        let runtime = self.runtime(journal.clone(), store);
        let (library, mut conversation) = (tools(), self.history.clone());
        let run = runtime
            .run(&self.agent, "Go on.")
            .tools(&library)
            .usage_limits(self.limits)
            .stored_as(name());
        let run = run.conversation(&mut conversation);
        let mut ended = None;
        journal.drive(async { ended = Some(run.await) }).await;
        ended.map(|ended| (ended, conversation))
    }

    async fn recover(
        &self,
        journal: &MemoryJournal,
        store: &MemoryStore,
    ) -> (Result<AgentResponse, Error>, Conversation) {
        let runtime = self.runtime(journal.clone(), store);
        let library = tools();
        let recovering = tokio::time::timeout(PATIENCE, runtime.recover(&library)).await;
        let mut runs = recovering.expect("it ends").expect("a journal");
        assert_eq!(runs.len(), 1);
        let run = runs.remove(0);
        let conversation = run.conversation().expect("a run");
        let outcome = run.outcome.map(|outcome| match outcome {
            RunOutcome::Done(response) => response,
            waiting => panic!("{waiting:?}"),
        });
        (outcome, conversation)
    }

    /// The requests that the records lead to are those that were sent, and the same agent makes the same ones, also
    /// without the tools.
    #[cfg(feature = "testing")]
    async fn check_replay(&self, journal: &MemoryJournal, place: &str) {
        use agent_runtime::testing::Replay;
        for run in journal.list().await.expect("a list") {
            let stored = journal.read(&run.run).await.expect("a run").expect("a run");
            let answered = stored.records.iter().filter(|record| {
                let record: Value = serde_json::from_str(&record.json()).expect("JSON");
                record["requestDigest"].is_string()
            });
            let answered = answered.count();
            for library in [tools(), ToolLibrary::new()] {
                let replay = Replay::new(stored.clone()).tools(&library);
                let rebuilt = replay.compare();
                let rebuilt = rebuilt.unwrap_or_else(|error| panic!("{place}: {error:?}"));
                assert_eq!(rebuilt.sent_otherwise, [0; 0], "{place}");
                assert_eq!(rebuilt.requests, answered, "{place}");
                let same = replay.with_agent(&self.agent).compare();
                let same = same.unwrap_or_else(|error| panic!("{place}: {error:?}"));
                assert!(same.is_same(), "{place}: {same}");
                assert!(same.requests >= answered, "{place}");
            }
        }
    }

    #[cfg(not(feature = "testing"))]
    async fn check_replay(&self, _: &MemoryJournal, _: &str) {}

    async fn check(&self, name: &str) {
        let (whole, store) = (Crashing::after(1_000), MemoryStore::new());
        let (ended, conversation) = self.run(&whole, &store).await.expect("it is not killed");
        let added = &conversation.messages()[self.history.len()..];
        assert_eq!(stored(&store).await, added, "{name}");
        self.check_replay(&whole.inner, name).await;
        let commits = 1_000 - whole.left.load(Ordering::Relaxed);
        assert!(commits >= self.commits, "{name}: {commits} commits");
        for commit in 0..commits {
            for writes_last in [false, true] {
                let journal = Crashing::after(commit);
                let journal = if writes_last {
                    journal.writing_last()
                } else {
                    journal
                };
                let store = MemoryStore::new();
                let killed = self.run(&journal, &store).await;
                assert!(killed.is_none(), "{name}: it is killed");
                let place = format!("{name}, commit {commit} of {commits}, written: {writes_last}");
                self.check_replay(&journal.inner, &place).await;
                if commit == 0 && !writes_last {
                    assert_eq!(stored(&store).await, [], "{place}");
                    continue;
                }
                if commit + 1 == commits && writes_last {
                    assert_eq!(stored(&store).await, added, "{place}");
                    continue;
                }
                let (recovered, history) = self.recover(&journal.inner, &store).await;
                assert_eq!(history, conversation, "{place}");
                self.check_replay(&journal.inner, &format!("{place}, recovered"))
                    .await;
                // The messages are there once, also if the process died between their write and the last commit.
                assert_eq!(stored(&store).await, added, "{place}");
                match (&recovered, &ended) {
                    (Ok(recovered), Ok(ended)) => {
                        assert_eq!(recovered.content, ended.content, "{place}");
                        assert_eq!(recovered.usage, ended.usage, "{place}");
                        assert_eq!(recovered.tools_used, ended.tools_used, "{place}");
                    }
                    (Err(recovered), Err(ended)) => {
                        assert_eq!(recovered.to_string(), ended.to_string(), "{place}");
                        assert_eq!(recovered.kind_name(), ended.kind_name(), "{place}");
                    }
                    other => panic!("{place}: {other:?}"),
                }
            }
        }
    }
}

fn tooled() -> Agent {
    agent! {
        tools: [dynamic fine, dynamic fails, dynamic alone, dynamic asked, dynamic echo],
        [tooled:Agent {instruction: "Go.", model: "Scripted/any", fallback: ["Scripted/other"]} |
            [fine:Tool {description: "Does something."} | ()==>(::Any)],
            [fails:Tool {description: "Does something."} | ()==>(::Any)],
            [alone:Tool {description: "Does something."} | ()==>(::Any)],
            [asked:Tool {description: "Does something."} | (a::Text)==>(::Any)],
            [echo:Tool {description: "Does something."} | (a::Text)==>(::Any)]
        ]
    }
}

#[tokio::test]
async fn a_fallback_model() {
    let model: Reply = |request, turn| match (request.model.id(), turn) {
        ("any", _) => Err(Error::llm("the provider is down").into_unavailable()),
        (_, 0) => Ok(calls(&[("x", "fine", "{}")])),
        _ => Ok(ModelReply::text("Done.")),
    };
    Scenario::new(tooled(), model, 5).check("fallback").await;
}

#[tokio::test]
async fn a_model_that_fails() {
    let model: Reply = |_, turn| match turn {
        0 => Ok(calls(&[("x", "fine", "{}")])),
        _ => Err(Error::llm("it refuses")),
    };
    Scenario::new(tooled(), model, 4).check("failure").await;
}

#[tokio::test]
async fn tools_that_fail_and_calls_that_are_wrong() {
    let model: Reply = |_, turn| {
        Ok(match turn {
            0..=3 => calls(&[
                ("", "fails", "{}"),
                ("", "fine", "{}"),
                ("", "nowhere", "{}"),
            ]),
            4 => calls(&[("x", "echo", r#"{"b": 1}"#), ("y", "echo", "no JSON")]),
            5 => calls(&[("x", "echo", r#"{"a": "again"}"#)]),
            _ => ModelReply::text("Done."),
        })
    };
    Scenario::new(tooled(), model, 12).check("mistakes").await;
}

#[tokio::test]
async fn tools_that_run_alone() {
    let model: Reply = |_, turn| {
        Ok(match turn {
            0 => calls(&[
                ("a", "fine", "{}"),
                ("b", "alone", "{}"),
                ("c", "alone", "{}"),
            ]),
            _ => ModelReply::text("Done."),
        })
    };
    Scenario::new(tooled(), model, 6).check("barriers").await;
}

#[tokio::test]
async fn answers_that_are_empty_cut_off_or_paused() {
    let model: Reply = |_, turn| {
        Ok(match turn {
            0 => ModelReply::text("First, ").with_finish_reason(FinishReason::Paused),
            1 => calls(&[("x", "fine", "{}")]).with_finish_reason(FinishReason::Length),
            2 => calls(&[("y", "fine", "{}")]),
            _ => ModelReply::text("Done."),
        })
    };
    Scenario::new(tooled(), model, 5).check("odd answers").await;
}

#[tokio::test]
async fn decisions_of_a_person() {
    let model: Reply = |_, turn| {
        Ok(match turn {
            0 => calls(&[
                ("a", "asked", r#"{"a": "deny"}"#),
                ("b", "asked", r#"{"a": "edit"}"#),
                ("c", "asked", r#"{"a": "approve"}"#),
                ("d", "fine", "{}"),
            ]),
            _ => ModelReply::text("Done."),
        })
    };
    struct Decides;
    impl Approver for Decides {
        fn decide<'a>(
            &'a self,
            call: &'a PendingCall,
        ) -> std::pin::Pin<Box<dyn Future<Output = Decision> + Send + 'a>> {
            Box::pin(async move {
                match call.args()["a"].as_str() {
                    Some("deny") => Decision::Deny {
                        reason: Some("no".to_owned()),
                    },
                    Some("edit") => Decision::Edit {
                        args: json!({"a": "edited"}),
                    },
                    _ => Decision::Approve,
                }
            })
        }
    }
    let scenario = Scenario {
        configure: |builder| builder.approver(Decides),
        ..Scenario::new(tooled(), model, 5)
    };
    scenario.check("decisions").await;
}

/// Through `callTool` and by their own names, with a person's decision, mistakes, and an agent that is called.
#[tokio::test]
async fn tools_that_are_searched() {
    let model: Reply = |request, turn| {
        let call = |tool: &str, arguments: &str| {
            format!(r#"{{"name": "{tool}", "arguments": {arguments}}}"#)
        };
        let search = r#"{"query": "does something"}"#;
        Ok(match (request.agent.as_str(), turn) {
            ("searching", 0) => calls(&[("s", "searchTools", search), ("f", "fine", "{}")]),
            ("searching", 1) => calls(&[
                ("a", "callTool", &call("asked", r#"{"a": "x"}"#)),
                ("b", "callTool", &call("fails", "{}")),
                ("c", "callTool", &call("alone", "{}")),
                ("d", "searchTools", search),
                ("e", "callTool", &call("nowhere", "{}")),
                ("g", "callTool", "no JSON"),
            ]),
            ("searching", 2) => calls(&[
                ("h", "callTool", &call("helper", r#"{"what": "cats"}"#)),
                ("i", "callTool", &call("echo", r#"{"a": "y"}"#)),
            ]),
            ("helper", 0) => calls(&[("a", "callTool", &call("fine", "{}"))]),
            ("helper", _) => ModelReply::text("Cats."),
            _ => ModelReply::text("Done."),
        })
    };
    let agent = agent! {
        tools: [dynamic fine, dynamic fails, dynamic alone, dynamic asked, dynamic echo],
        [searching:Agent {instruction: "Go.", model: "Scripted/any", toolSearch: true} |
            [helper:Agent {description: "Helps", instruction: "Help.", model: "Scripted/any", toolSearch: true} |
                (what::Text)==>(::String),
                fine
            ],
            [fine:Tool {description: "Does something."} | ()==>(::Any)],
            [fails:Tool {description: "Does something."} | ()==>(::Any)],
            [alone:Tool {description: "Does something."} | ()==>(::Any)],
            [asked:Tool {description: "Does something."} | (a::Text)==>(::Any)],
            [echo:Tool {description: "Does something."} | (a::Text)==>(::Any)]
        ]
    };
    let scenario = Scenario {
        configure: |builder| builder.approver(async |_: PendingCall| Decision::Approve),
        ..Scenario::new(agent, model, 10)
    };
    scenario.check("search").await;
}

#[tokio::test]
async fn limits_that_are_reached() {
    let model: Reply = |_, _| Ok(calls(&[("", "fine", "{}"), ("", "echo", r#"{"a": "x"}"#)]));
    Scenario::new(tooled(), model, 20).check("iterations").await;
    let scenario = Scenario {
        limits: UsageLimits::new().total_tokens(40),
        ..Scenario::new(tooled(), model, 6)
    };
    scenario.check("tokens").await;
}

#[tokio::test]
async fn summaries() {
    let model: Reply = |request, _| {
        let is_run = request.instruction == "Go.";
        let results = request
            .messages
            .iter()
            .filter(|message| message.role() == Role::Function);
        Ok(match (is_run, results.count()) {
            (false, _) => ModelReply::text("In short: words."),
            (true, 0) => calls(&[("x", "fine", "{}")]),
            (true, _) => ModelReply::text("Done."),
        })
    };
    let text = "word ".repeat(100);
    let turn = [Message::user(&text), Message::assistant(&text)];
    let scenario = Scenario {
        history: turn.into_iter().cycle().take(20).collect(),
        configure: |builder| builder.compaction(Compaction::above(1_200)),
        ..Scenario::new(tooled(), model, 5)
    };
    scenario.check("summaries").await;
}

fn team() -> Agent {
    agent! {
        tools: [dynamic fine, dynamic fails],
        [lead:Agent {instruction: "Lead.", model: "Scripted/any"} |
            [one:Agent {description: "One", instruction: "Work.", model: "Scripted/any"} |
                (what::Text)==>(::String),
                [two:Agent {description: "Two", instruction: "Help.", model: "Scripted/any"} |
                    (what::Text)==>(::Object {fields: {text: "Text"}}),
                    fine,
                    fails
                ],
                fine
            ],
            [fine:Tool {description: "Does something."} | ()==>(::Any)],
            [fails:Tool {description: "Does something."} | ()==>(::Any)]
        ]
    }
}

const WHAT: &str = r#"{"what": "cats"}"#;

fn team_model(request: &ModelRequest, turn: usize) -> Result<ModelReply, Error> {
    Ok(match (request.agent.as_str(), turn) {
        ("lead", 0) => calls(&[("a", "one", WHAT), ("b", "one", WHAT), ("c", "fine", "{}")]),
        ("one", 0) => calls(&[("a", "two", WHAT), ("b", "fine", "{}")]),
        ("two", 0) => calls(&[("x", "fine", "{}"), ("y", "fails", "{}")]),
        // No value of the type at first.
        ("two", 1) => ModelReply::text("no JSON"),
        ("two", _) => {
            let mut names = request.tools.iter().map(|tool| tool.name().to_string());
            let answer = names.find(|name| !["fine", "fails"].contains(&name.as_str()));
            let answer = answer.expect("the call of the answer");
            calls(&[("z", &answer, r#"{"text": "Cats sleep."}"#)])
        }
        ("one", _) => ModelReply::text("Cats."),
        _ => ModelReply::text("Done."),
    })
}

#[tokio::test]
async fn agents_that_call_agents() {
    Scenario::new(team(), team_model, 8).check("team").await;
}

/// Changes arguments and results, and takes its time.
struct Changes;

impl Hook for Changes {
    fn before_tool<'a>(
        &'a self,
        _: &'a RunContext,
        call: &'a PendingCall,
        arguments: &'a mut String,
    ) -> HookFuture<'a, ToolVerdict> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            if arguments.contains("cats") {
                *arguments = arguments.replace("cats", "dogs");
            }
            assert!(call.path.starts_with("lead/"));
            Ok(ToolVerdict::Call)
        })
    }
}

#[tokio::test]
async fn hooks_around_tools_and_agents() {
    let scenario = Scenario {
        configure: |builder| builder.hook(Changes),
        ..Scenario::new(team(), team_model, 8)
    };
    scenario.check("hooks").await;
}
