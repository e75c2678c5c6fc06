//! One run that is killed at each of its commits, and recovered by another runtime.

use super::Crashing;
use crate::support::{calls, config, library};
use agent_runtime::conversation::Role;
use agent_runtime::journal::{Journal, MemoryJournal, RunFilter, RunState};
use agent_runtime::model::{ChatFuture, ChatModel, ModelReply, ModelRequest, Usage};
use agent_runtime::run::{Decision, PendingCall, RunOutcome};
use agent_runtime::runtime::OnDrop;
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::tool::ToolConfig;
use agent_runtime::{
    Agent, Conversation, Error, Runtime, ToolContext, ToolError, ToolLibrary, agent,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Two turns with parallel calls, an approval, and an agent that is called.
static MANAGER: Agent = agent! {
    tools: [dynamic read, dynamic pay, dynamic refund],
    [manager:Agent {instruction: "Manage.", model: "Scripted/any"} |
        [refund:Tool {description: "Does something.", requiresApproval: true} | ()==>(::Any)],
        [research:Agent {description: "Finds out", instruction: "Search.", model: "Scripted/any"} |
            (what::Text)==>(::String),
            pay
        ],
        [read:Tool {description: "Does something."} | ()==>(::Any)],
        [pay:Tool {description: "Does something."} | ()==>(::Any)]
    ]
};

/// The world outside of the process, which a crash does not change.
#[derive(Clone, Default)]
struct World {
    /// The number of times that each call acted, by the key that the tool was given.
    acts: Arc<Mutex<BTreeMap<String, usize>>>,
    /// The number of requests, by agent and answers so far.
    requests: Arc<Mutex<BTreeMap<(String, usize), usize>>>,
}

impl World {
    fn acts_of(&self, tool: &str) -> Vec<usize> {
        let acts = self.acts.lock().expect("no panic");
        let of_tool = acts.iter().filter(|(key, _)| key.starts_with(tool));
        of_tool.map(|(_, count)| *count).collect()
    }

    fn requests(&self) -> usize {
        self.requests.lock().expect("no panic").values().sum()
    }

    fn library(&self) -> ToolLibrary {
        let tool = |config: ToolConfig, name: &'static str| {
            let acts = Arc::clone(&self.acts);
            let act = move |_: Value, context: ToolContext| {
                let key = format!("{name} {}", context.idempotency_key());
                *acts.lock().expect("no panic").entry(key).or_default() += 1;
                async move { Ok::<_, ToolError>(json!(format!("{name} is done"))) }
            };
            config.build_with_context(act).expect("a tool")
        };
        library([
            tool(config("read").idempotent(true), "read"),
            tool(config("pay"), "pay"),
            tool(config("refund"), "refund"),
        ])
    }

    /// Decides on each call, and on those in doubt by looking whether they acted.
    async fn decide(&self, call: PendingCall) -> Decision {
        if !call.in_doubt {
            return Decision::Approve;
        }
        let acts = self.acts.lock().expect("no panic");
        let suffix = format!("/{}", call.id);
        let acted = acts
            .keys()
            .any(|key| key.starts_with(&call.tool) && key.ends_with(&suffix));
        match acted {
            true => Decision::Done {
                result: json!(format!("{} is done", call.tool)),
            },
            false => Decision::Approve,
        }
    }

    fn runtime(&self, journal: impl Journal) -> Runtime {
        let world = self.clone();
        let approver = move |call: PendingCall| {
            let world = world.clone();
            async move { world.decide(call).await }
        };
        self.builder(journal)
            .approver(approver)
            .build()
            .expect("a runtime")
    }

    fn builder(&self, journal: impl Journal) -> RuntimeBuilder {
        Runtime::builder().model(self.clone()).journal(journal)
    }
}

/// Answers by what was asked alone, as a model does.
impl ChatModel for World {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        let answers = request
            .messages
            .iter()
            .filter(|message| message.role() == Role::Assistant);
        let step = answers.count();
        let key = (request.agent.clone(), step);
        *self
            .requests
            .lock()
            .expect("no panic")
            .entry(key)
            .or_default() += 1;
        let reply = match (request.agent.as_str(), step) {
            ("manager", 0) => calls(&[("c1", "read", "{}"), ("c2", "pay", "{}")]),
            ("manager", 1) => calls(&[
                ("c3", "refund", "{}"),
                ("c4", "research", r#"{"what": "cats"}"#),
            ]),
            ("research", 0) => calls(&[("c1", "pay", "{}")]),
            ("research", _) => ModelReply::text("Cats sleep."),
            _ => ModelReply::text("All is done."),
        };
        let reply = reply.with_usage(Usage::of_request(10, 1));
        Box::pin(async move { Ok(reply) })
    }
}

async fn whole_run() -> (Conversation, World, usize) {
    let (world, journal) = (World::default(), Crashing::after(1_000));
    let mut conversation = Conversation::new();
    let response = world
        .runtime(journal.clone())
        .run(&MANAGER, "Go on.")
        .tools(&world.library())
        .conversation(&mut conversation)
        .await
        .expect("an answer");
    assert_eq!(response.content, "All is done.");
    assert_eq!(world.acts_of("pay"), [1, 1]);
    let left = journal.left.load(std::sync::atomic::Ordering::Relaxed);
    (conversation, world, 1_000 - left)
}

/// Recovers the run that a journal has, if it has one.
async fn recovered(world: &World, journal: &MemoryJournal) -> Option<Conversation> {
    let runtime = world.runtime(journal.clone());
    let mut runs = runtime.recover(&world.library()).await.expect("a journal");
    assert!(runs.len() <= 1, "{runs:?}");
    let run = runs.pop()?;
    let conversation = run.conversation();
    match run.outcome {
        Ok(RunOutcome::Done(response)) => assert_eq!(response.content, "All is done."),
        other => panic!("{other:?}"),
    }
    conversation
}

async fn states(journal: &MemoryJournal) -> Vec<RunState> {
    let runs = journal.list(&RunFilter::new()).await.expect("a list");
    runs.iter().map(|run| run.state).collect()
}

#[tokio::test]
async fn a_run_that_is_killed_at_any_commit_ends_as_if_it_had_not_been() {
    let (expected, whole, commits) = whole_run().await;
    assert!(commits >= 7, "{commits}");
    for commit in 0..commits {
        for writes_last in [false, true] {
            let world = World::default();
            let journal = Crashing::after(commit);
            let journal = if writes_last {
                journal.writing_last()
            } else {
                journal
            };
            let (runtime, library) = (world.runtime(journal.clone()), world.library());
            let run = runtime.run(&MANAGER, "Go on.").tools(&library);
            assert!(
                !journal
                    .drive(run.on_drop(OnDrop::LEAVE).into_future())
                    .await,
                "the run is killed"
            );
            let conversation = recovered(&world, &journal.inner).await;
            let place = format!("killed at commit {commit} (written: {writes_last})");
            let is_ended = writes_last && commit + 1 == commits;
            if commit == 0 && !writes_last || is_ended {
                assert!(conversation.is_none(), "{place}");
                continue;
            }
            assert_eq!(conversation.as_ref(), Some(&expected), "{place}");
            assert_eq!(states(&journal.inner).await, [RunState::Done], "{place}");
            assert_eq!(world.acts_of("pay"), [1, 1], "{place}");
            assert_eq!(world.acts_of("refund"), [1], "{place}");
            assert!(world.acts_of("read").iter().sum::<usize>() <= 2, "{place}");
            // One request was under way, or one that two runs had beside each other.
            assert!(
                world.requests() <= whole.requests() + 1,
                "{place}: {:?}",
                world.requests
            );
        }
    }
}

#[tokio::test]
async fn a_run_that_is_killed_again_and_again_ends() {
    let world = World::default();
    let journal = MemoryJournal::new();
    let library = world.library();
    // One for the question, and one for the decision.
    let crashing = || Crashing {
        inner: journal.clone(),
        ..Crashing::after(2)
    };
    let crash = crashing();
    let runtime = world.runtime(crash.clone());
    let run = runtime.run(&MANAGER, "Go on.").tools(&library);
    assert!(!crash.drive(run.on_drop(OnDrop::LEAVE).into_future()).await);
    for _ in 0..50 {
        let crash = crashing();
        let runtime = world.runtime(crash.clone());
        if crash.drive(runtime.recover(&library)).await {
            break;
        }
    }
    assert_eq!(states(&journal).await, [RunState::Done]);
    assert_eq!(world.acts_of("pay"), [1, 1]);
    let id = journal.list(&RunFilter::new()).await.expect("a list")[0]
        .run
        .clone();
    let error = world
        .runtime(journal.clone())
        .recover_run(&id)
        .tools(&library)
        .await;
    let error: Error = error.expect_err("it has ended");
    assert!(
        error.is_validation() && error.to_string().contains("has ended"),
        "{error}"
    );
}
