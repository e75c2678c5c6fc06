//! Runs that are killed at each commit, or whose commits fail from there on: the run that is recovered ends as the one that
//! was not disturbed.

use super::Crashing;
use super::table::{Model, Scenario, tools};
use agent_runtime::conversation::{ConversationName, ConversationStore, MemoryStore};
use agent_runtime::journal::Journal;
use agent_runtime::run::RunOutcome;
use agent_runtime::runtime::OnDrop;
use agent_runtime::{AgentResponse, Conversation, Error, Message, Runtime};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The time after which a run counts as one that hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// The stored conversation that gets the messages of each run.
fn name() -> ConversationName {
    ConversationName::new("ada").expect("a name")
}

/// A journal, and the conversations in the same place or, without them, elsewhere.
struct Place<J> {
    journal: J,
    elsewhere: MemoryStore,
}

impl<J: Journal + Clone> Place<J> {
    fn new(journal: J) -> Self {
        Self {
            journal,
            elsewhere: MemoryStore::new(),
        }
    }

    fn runtime(&self, scenario: &Scenario, journal: impl Journal) -> Runtime {
        let mut builder = Runtime::builder().model(Model(scenario.model));
        if journal.conversations().is_none() {
            builder = builder.conversations(self.elsewhere.clone());
        }
        let builder = builder.journal(journal);
        (scenario.configure)(builder).build().expect("a runtime")
    }

    async fn stored(&self) -> Vec<Message> {
        let elsewhere = || Arc::new(self.elsewhere.clone()) as Arc<dyn ConversationStore>;
        let store = self.journal.conversations().unwrap_or_else(elsewhere);
        let stored = store.load(&name()).await.expect("a store");
        let messages = stored.map(|stored| stored.conversation.messages().to_vec());
        messages.unwrap_or_default()
    }

    /// Makes a run, unless its process dies.
    async fn run(
        &self,
        scenario: &Scenario,
        journal: &Crashing<J>,
    ) -> Option<(Result<AgentResponse, Error>, Conversation)> {
        let runtime = self.runtime(scenario, journal.clone());
        let (library, mut conversation) = (tools(), scenario.history.clone());
        let run = runtime
            .run(&scenario.agent, "Go on.")
            .tools(&library)
            .usage_limits(scenario.limits)
            .stored_as(name());
        let run = run.conversation(&mut conversation).on_drop(OnDrop::LEAVE);
        let mut ended = None;
        journal.drive(async { ended = Some(run.await) }).await;
        ended.map(|ended| (ended, conversation))
    }

    async fn recover(&self, scenario: &Scenario) -> (Result<AgentResponse, Error>, Conversation) {
        let runtime = self.runtime(scenario, self.journal.clone());
        let library = tools();
        let recovering = tokio::time::timeout(PATIENCE, async {
            loop {
                let runs = runtime.recover(&library).await.expect("a journal");
                // A journal may take a moment to free what a dropped run held.
                if !runs.is_empty() {
                    return runs;
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        });
        let mut runs = recovering.await.expect("it ends");
        assert_eq!(runs.len(), 1);
        let run = runs.remove(0);
        let conversation = run.conversation().expect("a run");
        let outcome = run.outcome.map(|outcome| match outcome {
            RunOutcome::Done(response) => response,
            waiting => panic!("{waiting:?}"),
        });
        (outcome, conversation)
    }
}

/// Checks a scenario. `open` returns an empty journal each time, and `look` is called for each journal that has a run.
pub async fn check<J: Journal + Clone>(
    scenario: &Scenario,
    open: impl AsyncFn() -> J,
    look: impl AsyncFn(&Scenario, &J, &str),
) {
    let name = scenario.name;
    let place = Place::new(open().await);
    let whole = Crashing::on(place.journal.clone(), 1_000);
    let (ended, conversation) = place.run(scenario, &whole).await.expect("it is not killed");
    let added = &conversation.messages()[scenario.history.len()..];
    assert_eq!(place.stored().await, added, "{name}");
    look(scenario, &place.journal, name).await;
    let commits = 1_000 - whole.left.load(Ordering::Relaxed);
    assert!(commits >= scenario.commits, "{name}: {commits} commits");
    for commit in 0..commits {
        for (fails, writes_last) in [(false, false), (false, true), (true, false), (true, true)] {
            let place = Place::new(open().await);
            let mut journal = Crashing::on(place.journal.clone(), commit);
            (journal.fails, journal.writes_last) = (fails, writes_last);
            let killed = place.run(scenario, &journal).await;
            let at = format!(
                "{name}, commit {commit} of {commits}, fails: {fails}, written: {writes_last}"
            );
            match killed {
                None => assert!(!fails, "{at}: it ends"),
                Some((ended, _)) => {
                    let error = ended.expect_err(&at);
                    assert!(fails && error.is_journal(), "{at}: {error}");
                    assert!(error.unended_run().is_some(), "{at}: {error}");
                }
            }
            // Nothing more is done, so that nothing more is recorded.
            assert_eq!(journal.refused.load(Ordering::Relaxed), 1, "{at}");
            look(scenario, &place.journal, &at).await;
            if commit == 0 && !writes_last {
                assert_eq!(place.stored().await, [], "{at}");
                continue;
            }
            if commit + 1 == commits && writes_last {
                assert_eq!(place.stored().await, added, "{at}");
                continue;
            }
            let (recovered, history) = place.recover(scenario).await;
            assert_eq!(history, conversation, "{at}");
            look(scenario, &place.journal, &format!("{at}, recovered")).await;
            // The messages are there once, also if the process died between their write and the last commit.
            assert_eq!(place.stored().await, added, "{at}");
            match (&recovered, &ended) {
                (Ok(recovered), Ok(ended)) => {
                    assert_eq!(recovered.content, ended.content, "{at}");
                    assert_eq!(recovered.usage, ended.usage, "{at}");
                    assert_eq!(recovered.tools_used, ended.tools_used, "{at}");
                }
                (Err(recovered), Err(ended)) => {
                    assert_eq!(recovered.to_string(), ended.to_string(), "{at}");
                    assert_eq!(recovered.kind_name(), ended.kind_name(), "{at}");
                }
                other => panic!("{at}: {other:?}"),
            }
        }
    }
}
