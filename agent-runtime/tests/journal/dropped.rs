//! Runs whose future or stream is dropped before they end.

use crate::support::{agent, calls, config, library, results, spec};
use agent_runtime::conversation::{ConversationName, ConversationStore, MemoryStore};
use agent_runtime::journal::{Journal, MemoryJournal, RunFilter, RunState};
use agent_runtime::model::{
    ChatFuture, ChatModel, ModelReply, ModelRequest, ReplyPart, ReplySink, Scripted,
};
use agent_runtime::run::RunOutcome;
use agent_runtime::runtime::OnDrop;
use agent_runtime::{Conversation, Event, Runtime, ToolLibrary};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Notify;

fn ada() -> ConversationName {
    ConversationName::new("ada").expect("a name")
}

/// A model that streams the first part of its answer, and the rest when it may.
#[derive(Clone, Default)]
struct InParts {
    requests: Arc<AtomicUsize>,
    may_end: Arc<Notify>,
}

impl ChatModel for InParts {
    fn chat<'a>(&'a self, _: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(async { Ok(ModelReply::text("Done.")) })
    }

    fn stream<'a>(
        &'a self,
        request: &'a ModelRequest,
        sink: &'a mut ReplySink<'_>,
    ) -> ChatFuture<'a> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            sink.send(ReplyPart::Text("Do".into())).await;
            self.may_end.notified().await;
            // More parts than wait for a reader.
            for _ in 0..100 {
                sink.send(ReplyPart::Text(String::new())).await;
            }
            sink.send(ReplyPart::Text("ne.".into())).await;
            self.chat(request).await
        })
    }
}

/// A runtime with a journal and a store, and its model.
struct Service {
    model: InParts,
    journal: MemoryJournal,
    store: MemoryStore,
    runtime: Runtime,
}

impl Service {
    fn new() -> Self {
        let (model, journal, store) = Default::default();
        let runtime = Runtime::builder().model(InParts::clone(&model));
        let runtime = runtime.journal(MemoryJournal::clone(&journal));
        let runtime = runtime.conversations(MemoryStore::clone(&store));
        let runtime = runtime.build().expect("a runtime");
        Self {
            model,
            journal,
            store,
            runtime,
        }
    }

    async fn states(&self) -> Vec<RunState> {
        let runs = self.journal.list(&RunFilter::new()).await.expect("a list");
        runs.iter().map(|run| run.state).collect()
    }

    async fn texts(&self) -> Vec<String> {
        let stored = self.store.load(&ada()).await.expect("a store");
        let conversation = stored.map(|stored| stored.conversation);
        let conversation = conversation.unwrap_or_default();
        let messages = conversation.messages().iter();
        messages
            .map(|message| message.content().to_owned())
            .collect()
    }

    /// Streams a run until the first part of its answer has arrived, and drops it there.
    async fn hang_up(&self, on_drop: OnDrop<'static>) {
        let run = self.runtime.run(agent([]), "Act.").stored_as(ada());
        let mut events = run.on_drop(on_drop).stream();
        while let Some(event) = events.next().await {
            if let Event::TextDelta { .. } = event.expect("an event") {
                return;
            }
        }
        panic!("the answer has no text");
    }

    /// Lets the tasks of dropped runs go on.
    async fn settle(&self) {
        for _ in 0..1_000 {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test]
async fn a_stream_that_is_dropped_cancels_its_run() {
    let service = Service::new();
    service.hang_up(OnDrop::CANCEL).await;
    service.settle().await;
    assert_eq!(service.states().await, [RunState::Cancelled]);
    assert_eq!(service.texts().await, ["Act.", "Do [interrupted]"]);
    // The next process finds nothing to do.
    let recovered = service.runtime.recover(&ToolLibrary::new()).await;
    assert!(recovered.expect("a journal").is_empty());
    assert_eq!(service.model.requests.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_run_that_is_left_can_be_recovered() {
    let service = Service::new();
    service.hang_up(OnDrop::LEAVE).await;
    service.settle().await;
    assert_eq!(service.states().await, [RunState::Running]);
    assert!(service.texts().await.is_empty());
    let recovered = service.runtime.recover(&ToolLibrary::new()).await;
    let recovered = recovered.expect("a journal");
    assert!(matches!(recovered[0].outcome, Ok(RunOutcome::Done(_))));
    assert_eq!(service.texts().await, ["Act.", "Done."]);
}

#[tokio::test]
async fn a_run_that_continues_ends_without_its_reader() {
    let service = Service::new();
    service.hang_up(OnDrop::CONTINUE).await;
    service.settle().await;
    assert_eq!(service.states().await, [RunState::Running]);
    service.model.may_end.notify_one();
    service.settle().await;
    assert_eq!(service.states().await, [RunState::Done]);
    assert_eq!(service.texts().await, ["Act.", "Done."]);
    assert_eq!(service.model.requests.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_conversation_of_the_caller_keeps_what_was_shown() {
    for (is_left, kept) in [(false, &["Act.", "Do [interrupted]"][..]), (true, &[])] {
        let model = InParts::default();
        let runtime = Runtime::with_model(model);
        let mut conversation = Conversation::new();
        let run = runtime.run(agent([]), "Act.").on_drop(match is_left {
            true => OnDrop::LEAVE,
            false => OnDrop::CANCEL,
        });
        let mut events = run.conversation(&mut conversation).stream();
        while let Some(Ok(event)) = events.next().await {
            if matches!(event, Event::TextDelta { .. }) {
                break;
            }
        }
        drop(events);
        assert_eq!(conversation.check(), Ok(()));
        let texts = conversation.messages().iter();
        let texts: Vec<&str> = texts.map(|message| message.content()).collect();
        assert_eq!(texts, kept, "left: {is_left}");
    }
}

#[tokio::test]
async fn a_run_that_is_dropped_without_tokio_can_be_recovered() {
    let service = Service::new();
    let run = service.runtime.run(agent([]), "Act.").stored_as(ada());
    let mut events = run.stream();
    while let Some(Ok(event)) = events.next().await {
        if matches!(event, Event::TextDelta { .. }) {
            break;
        }
    }
    std::thread::scope(|scope| {
        scope.spawn(move || drop(events));
    });
    service.settle().await;
    assert_eq!(service.states().await, [RunState::Running]);
    let recovered = service.runtime.recover(&ToolLibrary::new()).await;
    assert_eq!(recovered.expect("a journal").len(), 1);
    assert_eq!(service.states().await, [RunState::Done]);
}

#[tokio::test]
async fn a_call_of_a_run_that_is_dropped_is_in_doubt() {
    for (is_repeatable, text) in [
        (
            true,
            "cancelled: the run ended before the call was finished",
        ),
        (
            false,
            "the call was interrupted, and it is not known whether it was made; find out before you make it again",
        ),
    ] {
        let (begun, journal) = (Arc::new(Notify::new()), MemoryJournal::new());
        let begins = Arc::clone(&begun);
        let tool = config("act").idempotent(is_repeatable).build(move |_| {
            begins.notify_one();
            std::future::pending()
        });
        let library = library([tool.expect("a tool")]);
        let model = Scripted::new([calls(&[("x", "act", "{}")])]);
        let runtime = Runtime::builder().model(model).journal(journal.clone());
        let runtime = runtime.build().expect("a runtime");
        let agent = agent([spec("act")]);
        let mut conversation = Conversation::new();
        let run = runtime.run(&agent, "Act.").tools(&library);
        tokio::select! {
            ended = run.conversation(&mut conversation).into_future() => panic!("{ended:?}"),
            () = begun.notified() => {}
        }
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        assert_eq!(
            results(&conversation),
            [("x".to_owned(), text.to_owned(), true)]
        );
        let runs = journal.list(&RunFilter::new()).await.expect("a list");
        assert_eq!(runs[0].state, RunState::Cancelled);
        let stored = journal.read(&runs[0].run).await.expect("a journal");
        let records = stored.expect("a run").records;
        let is_doubted = records
            .iter()
            .any(|record| record.json().contains("callInDoubt"));
        assert_eq!(is_doubted, !is_repeatable);
    }
}
