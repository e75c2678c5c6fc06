//! Runs that are followed, cancelled and spoken to, in their own process and from another one.

use super::scenarios::table::{self, Model, Scenario};
use crate::support::{agent, calls, config, library, spec};
use agent_runtime::conversation::{ConversationName, ConversationStore, MemoryStore, StoreError};
use agent_runtime::event::{EventCollector, EventId, FollowedEvent};
use agent_runtime::journal::{Journal, MemoryJournal, RunFilter, RunState};
use agent_runtime::model::{
    ChatFuture, ChatModel, ModelReply, ModelRequest, ReplyPart, ReplySink, Scripted,
};
use agent_runtime::run::Decision;
use agent_runtime::runtime::OnDrop;
use agent_runtime::{Error, Event, Runtime, ToolLibrary};
use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

fn name() -> ConversationName {
    ConversationName::new("ada").expect("a name")
}

async fn all(runtime: &Runtime, run: &str, after: Option<EventId>) -> Vec<FollowedEvent> {
    let mut follower = runtime.follow(run, after);
    let mut events = Vec::new();
    let following = async {
        while let Some(event) = follower.next().await {
            events.push(event.expect("an event"));
        }
    };
    let ended = tokio::time::timeout(Duration::from_secs(60), following).await;
    ended.expect("the run ends");
    events
}

fn is_part(event: &Event) -> bool {
    match event {
        Event::Nested { event, .. } => is_part(event),
        Event::TextDelta { .. }
        | Event::ThoughtDelta { .. }
        | Event::CallStarted { .. }
        | Event::ArgumentsDelta { .. }
        | Event::PartReceived { .. }
        | Event::ToolProgress { .. } => true,
        _ => false,
    }
}

/// A run of a scenario that ended, and two processes that have its journal.
struct Ended {
    run: String,
    events: Vec<FollowedEvent>,
    other: Runtime,
}

async fn ended(scenario: &Scenario) -> Ended {
    let (journal, store) = (MemoryJournal::new(), MemoryStore::new());
    let runtime = || {
        let builder = Runtime::builder().model(Model(scenario.model));
        let builder = builder
            .journal(journal.clone())
            .conversations(store.clone());
        (scenario.configure)(builder).build().expect("a runtime")
    };
    let history = scenario.history.messages();
    store.append(&name(), history).await.expect("a store");
    let own = runtime();
    let run = own.run(&scenario.agent, "Go on.").tools(&table::tools());
    let run = run.usage_limits(scenario.limits).stored_as(name());
    let run = run.spawn().await.expect("it begins");
    let events = all(&own, &run, None).await;
    Ended {
        run,
        events,
        other: runtime(),
    }
}

#[tokio::test]
async fn the_journal_tells_of_the_events_that_observers_get() {
    for scenario in table::all() {
        let ended = ended(&scenario).await;
        let recorded = all(&ended.other, &ended.run, None).await;
        let place = |event: &FollowedEvent| (event.id.step, event.event.clone());
        let live = ended.events.iter().filter(|event| !is_part(&event.event));
        let live: Vec<_> = live.map(place).collect();
        let recorded: Vec<_> = recorded.iter().map(place).collect();
        for (at, (live, recorded)) in live.iter().zip(&recorded).enumerate() {
            assert_eq!(live, recorded, "{}, event {at}", scenario.name);
        }
        assert_eq!(live.len(), recorded.len(), "{}", scenario.name);
        assert!(live.last().is_some_and(|(_, last)| last.is_last()));
    }
}

#[tokio::test]
async fn a_client_goes_on_after_each_event() {
    for scenario in [
        table::tools_that_fail_and_calls_that_are_wrong(),
        table::agents_that_call_agents(),
        table::answers_that_are_empty_cut_off_or_paused(),
    ] {
        let ended = ended(&scenario).await;
        let collected = |events: &[&[FollowedEvent]]| {
            let mut collector = EventCollector::new();
            events
                .concat()
                .iter()
                .for_each(|event| collector.push_followed(event));
            collector.response().clone()
        };
        let whole = collected(&[&ended.events]);
        for at in 0..ended.events.len() {
            let (seen, last) = (&ended.events[..=at], ended.events[at].id);
            let rest = all(&ended.other, &ended.run, Some(last)).await;
            assert_eq!(
                collected(&[seen, &rest]),
                whole,
                "{}, after {last}",
                scenario.name
            );
            // What was read from the journal is not read again.
            for (at, event) in rest.iter().enumerate() {
                let further = all(&ended.other, &ended.run, Some(event.id)).await;
                assert_eq!(
                    further,
                    rest[at + 1..],
                    "{}, after {}",
                    scenario.name,
                    event.id
                );
            }
        }
    }
}

/// A model that streams the letters of its answer one by one, each when it may.
#[derive(Clone)]
struct Letters(Arc<Semaphore>);

impl Letters {
    fn new() -> Self {
        Self(Arc::new(Semaphore::new(0)))
    }

    fn allow(&self, letters: usize) {
        self.0.add_permits(letters);
    }
}

impl ChatModel for Letters {
    fn chat<'a>(&'a self, _: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(async { Ok(ModelReply::text("Hello")) })
    }

    fn stream<'a>(
        &'a self,
        request: &'a ModelRequest,
        sink: &'a mut ReplySink<'_>,
    ) -> ChatFuture<'a> {
        Box::pin(async move {
            for letter in ["H", "e", "l", "l", "o"] {
                let may = self.0.acquire().await.expect("it is open");
                may.forget();
                sink.send(ReplyPart::Text(letter.to_owned())).await;
            }
            self.chat(request).await
        })
    }
}

/// A journal, and processes that have it.
struct Place {
    model: Letters,
    journal: MemoryJournal,
    store: MemoryStore,
}

impl Place {
    fn new() -> Self {
        Self {
            model: Letters::new(),
            journal: MemoryJournal::new(),
            store: MemoryStore::new(),
        }
    }

    fn process(&self) -> Runtime {
        let builder = Runtime::builder().model(self.model.clone());
        let builder = builder
            .journal(self.journal.clone())
            .conversations(self.store.clone());
        builder.build().expect("a runtime")
    }

    async fn state(&self, run: &str) -> RunState {
        let stored = self.journal.read(run).await.expect("a journal");
        stored.expect("a run").info.state
    }

    async fn texts(&self) -> Vec<String> {
        let stored = self.store.load(&name()).await.expect("a store");
        let conversation = stored.map(|stored| stored.conversation).unwrap_or_default();
        let messages = conversation.messages().iter();
        messages
            .map(|message| message.content().to_owned())
            .collect()
    }
}

/// Reads events until the text is complete, and returns the id of the last.
async fn read_text(events: &mut agent_runtime::runtime::RunFollower, text: &str) -> EventId {
    let mut read = String::new();
    while let Some(event) = events.next().await {
        let event = event.expect("an event");
        if let Event::TextDelta { text, .. } = &event.event {
            read.push_str(text);
        }
        if read == text {
            return event.id;
        }
    }
    panic!("the run ended after `{read}`");
}

#[tokio::test]
async fn followers_in_the_process_get_each_part_once_wherever_they_begin() {
    let place = Place::new();
    let own = place.process();
    let run = own.run(agent([]), "Act.").spawn().await.expect("it begins");
    let (mut first, mut late) = (own.follow(&run, None), own.follow(&run, None));
    place.model.allow(2);
    let last = read_text(&mut first, "He").await;
    // One that was disconnected.
    let mut again = own.follow(&run, Some(last));
    place.model.allow(1);
    read_text(&mut again, "l").await;
    read_text(&mut late, "Hel").await;
    place.model.allow(2);
    read_text(&mut again, "lo").await;
    read_text(&mut late, "lo").await;
    let mut last = None;
    while let Some(event) = first.next().await {
        last = Some(event.expect("an event").event);
    }
    assert!(matches!(last, Some(Event::Finished { .. })));
    // The parts are gone with the run.
    let whole = all(&own, &run, None).await;
    assert!(whole.iter().all(|event| !is_part(&event.event)));
}

#[tokio::test]
async fn a_step_that_a_crash_cut_off_is_reset() {
    let place = Place::new();
    let own = place.process();
    let mut stream = own
        .run(agent([]), "Act.")
        .stored_as(name())
        .on_drop(OnDrop::LEAVE)
        .stream();
    while let Some(event) = stream.next().await {
        if matches!(event.expect("an event"), Event::ModelCalled { .. }) {
            break;
        }
    }
    let run = place.journal.list(&RunFilter::new()).await.expect("a list")[0]
        .run
        .clone();
    let mut follower = own.follow(&run, None);
    place.model.allow(2);
    let reading = read_text(&mut follower, "He");
    let last = tokio::select! {
        last = reading => last,
        _ = async { while stream.next().await.is_some() {} } => panic!("it waits"),
    };
    // The process dies. The follower is in another one.
    drop((stream, follower));
    let other = place.process();
    let (recovering, library) = (other.clone(), ToolLibrary::new());
    let recovered = tokio::spawn(async move {
        recovering
            .recover_run(run)
            .tools(&library)
            .streaming()
            .await
    });
    let run = place.journal.list(&RunFilter::new()).await.expect("a list")[0]
        .run
        .clone();
    place.model.allow(5);
    let rest = all(&other, &run, Some(last)).await;
    recovered.await.expect("no panic").expect("it is recovered");
    assert!(
        matches!(rest[0].event, Event::StepReset { step, .. } if step == last.step),
        "{rest:?}"
    );
    let replied = rest
        .iter()
        .any(|event| matches!(event.event, Event::ModelReplied { .. }));
    assert!(replied, "{rest:?}");
    assert_eq!(place.texts().await, ["Act.", "Hello"]);
}

#[tokio::test]
async fn another_process_cancels_a_run_and_speaks_to_it() {
    let place = Place::new();
    let (own, other) = (place.process(), place.process());
    let run = own
        .run(agent([]), "Act.")
        .stored_as(name())
        .spawn()
        .await
        .expect("it begins");
    let mut events = own.follow(&run, None);
    place.model.allow(2);
    read_text(&mut events, "He").await;
    other.say(&run, "Be quick.").await.expect("it goes on");
    let told = other.cancel_run(&run).await.expect("it goes on");
    assert_eq!(told.state, RunState::Running);
    let mut last = None;
    while let Some(event) = events.next().await {
        last = Some(event.expect("an event").event);
    }
    assert_eq!(last, Some(Event::Cancelled));
    assert_eq!(place.state(&run).await, RunState::Cancelled);
    assert_eq!(
        place.texts().await,
        ["Act.", "Be quick.", "He [interrupted]"]
    );
    for error in [
        other
            .say(&run, "Too late.")
            .await
            .expect_err("it has ended"),
        own.cancel_run(&run).await.expect_err("it has ended"),
        own.cancel_run("unknown").await.expect_err("there is none"),
    ] {
        assert!(error.is_validation(), "{error}");
    }
}

#[tokio::test]
async fn its_own_process_cancels_a_run() {
    let place = Place::new();
    let own = place.process();
    let run = own
        .run(agent([]), "Act.")
        .stored_as(name())
        .spawn()
        .await
        .expect("it begins");
    place.model.allow(1);
    read_text(&mut own.follow(&run, None), "H").await;
    let ended = own.cancel_run(&run).await.expect("it goes on");
    assert_eq!(ended.state, RunState::Cancelled);
    assert_eq!(place.texts().await, ["Act.", "H [interrupted]"]);
}

#[tokio::test]
async fn a_run_that_nobody_drives_is_cancelled_as_one_that_is_dropped() {
    let journal = MemoryJournal::new();
    let store = MemoryStore::new();
    let runtime = |model: Scripted| {
        let builder = Runtime::builder().model(model).conversations(store.clone());
        builder.journal(journal.clone()).build().expect("a runtime")
    };
    let own = runtime(Scripted::new([calls(&[("1", "act", "{}")])]));
    let tools = library([config("act")
        .build(|_| std::future::pending())
        .expect("a tool")]);
    let run = own
        .run(agent([spec("act")]), "Act.")
        .tools(&tools)
        .stored_as(name());
    let mut stream = run.on_drop(OnDrop::LEAVE).stream();
    while let Some(event) = stream.next().await {
        if matches!(event.expect("an event"), Event::ToolStarted { .. }) {
            break;
        }
    }
    // Its call is under way.
    let waited = tokio::time::timeout(Duration::from_millis(20), stream.next()).await;
    waited.expect_err("it waits for its tool");
    drop(stream);
    let run = journal.list(&RunFilter::new()).await.expect("a list")[0]
        .run
        .clone();
    // The tools are not needed.
    let ended = runtime(Scripted::new([]))
        .cancel_run(&run)
        .await
        .expect("it is cancelled");
    assert_eq!(ended.state, RunState::Cancelled);
    let stored = store
        .load(&name())
        .await
        .expect("a store")
        .expect("it is there");
    let texts: Vec<&str> = stored
        .conversation
        .messages()
        .iter()
        .map(|m| m.content())
        .collect();
    assert_eq!(texts[0], "Act.");
    assert!(texts[2].contains("not known"), "{texts:?}");
}

#[tokio::test]
async fn exclusive_runs_of_a_conversation_follow_each_other() {
    let place = Place::new();
    let (own, other) = (place.process(), place.process());
    let begin = |runtime: &Runtime, owner: &str| {
        let run = runtime.run(agent([]), "Act.").stored_as(name());
        run.owner(owner).exclusive().spawn()
    };
    let first = begin(&own, "ada").await.expect("it begins");
    let busy = |error: &Error| {
        let cause = error
            .source()
            .and_then(|cause| cause.downcast_ref::<StoreError>());
        cause.and_then(StoreError::busy_run).map(str::to_owned)
    };
    for runtime in [&own, &other] {
        let refused = begin(runtime, "ada").await.expect_err("it is busy");
        assert_eq!(busy(&refused).as_ref(), Some(&first), "{refused}");
    }
    // Another owner has another conversation of the name.
    let elsewhere = begin(&other, "bob").await.expect("it begins");
    place.model.allow(10);
    all(&own, &first, None).await;
    all(&other, &elsewhere, None).await;
    place.model.allow(5);
    let second = begin(&other, "ada").await.expect("the first has ended");
    all(&other, &second, None).await;
    let of_ada = RunFilter::new().owner("ada");
    let listed = place.journal.list(&of_ada).await.expect("a list");
    let ids: Vec<&str> = listed.iter().map(|info| info.run.as_str()).collect();
    assert_eq!(ids, [&first, &second]);
    let owned = name().of_owner("ada").expect("an owner");
    let stored = place
        .store
        .load(&owned)
        .await
        .expect("a store")
        .expect("it is there");
    assert_eq!(stored.conversation.len(), 4);
}

#[tokio::test]
async fn the_calls_that_wait_are_read_by_everybody() {
    let journal = MemoryJournal::new();
    let runtime = |model: Scripted| {
        let builder = Runtime::builder().model(model);
        builder.journal(journal.clone()).build().expect("a runtime")
    };
    let own = runtime(Scripted::new([calls(&[("1", "pay", "{}")])]));
    let tools = library([config("pay")
        .requires_approval(true)
        .build(|_| std::future::ready(Ok("paid".into())))
        .expect("a tool")]);
    let run = own
        .run(agent([spec("pay")]), "Pay.")
        .tools(&tools)
        .spawn()
        .await
        .expect("it begins");
    let events = all(&own, &run, None).await;
    let last = events.last().expect("an event");
    let Event::Waiting { calls, .. } = &last.event else {
        panic!("{last:?}");
    };
    let other = runtime(Scripted::new([ModelReply::text("Paid.")]));
    // Another process tells of the pause again, with an id of its own.
    let reported = EventId {
        holder: 1,
        ..last.id
    };
    let again = all(&other, &run, Some(reported)).await;
    assert!(matches!(again[0].event, Event::StepReset { .. }));
    assert!(matches!(again[1].event, Event::Waiting { .. }));
    assert_ne!(again[0].id, again[1].id);
    assert_eq!(all(&other, &run, Some(again[0].id)).await, again[1..]);
    assert_eq!(all(&other, &run, Some(again[1].id)).await, []);
    for _ in 0..2 {
        let snapshot = other.snapshot(&run).await.expect("a journal");
        assert_eq!(&snapshot.waiting, calls);
        assert_eq!(snapshot.messages[0].content(), "Pay.");
    }
    // The continuation is streamed, and followed from the question on.
    let decided = other.recover_run(&run).tools(&tools);
    let decided = decided.decisions([(calls[0].id.clone(), Decision::Approve)]);
    assert_eq!(decided.spawn().await.expect("it goes on"), run);
    let rest = all(&other, &run, Some(last.id)).await;
    let finished = rest
        .iter()
        .any(|event| matches!(event.event, Event::ToolFinished { .. }));
    assert!(finished, "{rest:?}");
    assert!(
        matches!(&rest.last().expect("an event").event, Event::Finished { response, .. } if response.content == "Paid.")
    );
    let snapshot = other.snapshot(&run).await.expect("a journal");
    assert_eq!(snapshot.info.state, RunState::Done);
    assert_eq!(snapshot.waiting, []);
    let unknown = other.snapshot("unknown").await;
    assert!(unknown.expect_err("there is none").is_validation());
}
