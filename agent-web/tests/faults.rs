//! Stores that go down, clients that do not read, and bodies that do not arrive.

use crate::support::{Answer, Place, Service, support, user};
use agent_runtime::conversation::{
    Conversation, ConversationInfo, ConversationName, ConversationStore, Message, Revision,
    StoreError, StoreFuture, StoredConversation,
};
use agent_runtime::journal::{
    Commit, Journal, Lease, Mail, ReceivedMail, RunFilter, RunInfo, RunWatch, StoredRun,
};
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::{Runtime, ToolLibrary, tool, tools};
use agent_web::Web;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use futures_util::future::join_all;
use futures_util::stream;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The number of operations until the stores go down, and for how many refunds was paid.
#[derive(Default)]
struct Fault {
    /// The operations that succeed.
    left: AtomicUsize,
    /// Whether the first operation that fails was done, and only its answer is lost.
    is_answer_lost: bool,
    has_failed: AtomicBool,
    /// The leases that could not be given up. They end after their lifetime, or when [`Self::end`] is called.
    leases: Mutex<Vec<Lease>>,
}

impl Fault {
    async fn guard<'a, T>(
        &self,
        operation: impl FnOnce() -> StoreFuture<'a, T>,
    ) -> Result<T, StoreError> {
        let is_up = |left: usize| left.checked_sub(1);
        if self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, is_up)
            .is_ok()
        {
            return operation().await;
        }
        if !self.has_failed.swap(true, Ordering::Relaxed) && self.is_answer_lost {
            operation().await?;
        }
        Err(StoreError::unavailable("disk 7 is on fire"))
    }

    /// Gives the leases up that a process has left behind.
    fn end(&self, journal: &dyn Journal) {
        let leases = std::mem::take(&mut *self.leases.lock().expect("leases"));
        leases.iter().for_each(|lease| journal.release(lease));
    }
}

/// A store, or a journal, that goes down.
struct Faulty<S> {
    inner: S,
    fault: Arc<Fault>,
}

/// Passes a method on, unless the store is down.
macro_rules! guarded {
    ($(fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {$(
        fn $name<'a>(&'a self, $($argument: $type),*) -> StoreFuture<'a, $result> {
            Box::pin(self.fault.guard(move || self.inner.$name($($argument),*)))
        }
    )*};
}

impl<S: Journal> Journal for Faulty<S> {
    guarded! {
        fn renew(lease: &'a Lease) -> ();
        fn append(lease: &'a Lease, commit: Commit) -> ();
        fn read(run: &'a str) -> Option<StoredRun>;
        fn list(filter: &'a RunFilter) -> Vec<RunInfo>;
        fn send(run: &'a str, mail: &'a Mail) -> bool;
        fn mail(lease: &'a Lease) -> Vec<ReceivedMail>;
        fn delete(run: &'a str) -> bool;
    }

    fn begin(&self, run: &str) -> Lease {
        self.inner.begin(run)
    }

    fn acquire<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Option<Lease>> {
        let acquire = move || -> StoreFuture<'a, Option<Lease>> {
            Box::pin(async move {
                let lease = self.inner.acquire(run).await?;
                if self.fault.has_failed.load(Ordering::Relaxed) {
                    self.fault
                        .leases
                        .lock()
                        .expect("leases")
                        .extend(lease.clone());
                }
                Ok(lease)
            })
        };
        Box::pin(self.fault.guard(acquire))
    }

    fn release(&self, lease: &Lease) {
        match self.fault.left.load(Ordering::Relaxed) {
            0 => self
                .fault
                .leases
                .lock()
                .expect("leases")
                .push(lease.clone()),
            _ => self.inner.release(lease),
        }
    }

    fn watch(&self, run: &str) -> Option<RunWatch> {
        self.inner.watch(run)
    }
}

impl<S: ConversationStore> ConversationStore for Faulty<S> {
    guarded! {
        fn load(name: &'a ConversationName) -> Option<StoredConversation>;
        fn append(name: &'a ConversationName, messages: &'a [Message]) -> ();
        fn append_run(name: &'a ConversationName, run: &'a str, messages: &'a [Message]) -> ();
        fn save(name: &'a ConversationName, conversation: &'a Conversation, expected: Option<Revision>) -> Revision;
        fn list(owner: Option<&'a str>) -> Vec<ConversationInfo>;
        fn delete(name: &'a ConversationName) -> bool;
    }
}

/// The number of refunds that were paid.
struct Refunds(Arc<AtomicUsize>);

/// Pays an order back
#[tool(name = "refund", requires_approval)]
fn pay_back(context: &agent_runtime::ToolContext, number: u32) -> String {
    if let Some(Refunds(refunds)) = context.extension() {
        refunds.fetch_add(1, Ordering::Relaxed);
    }
    format!("Order {number} is refunded.")
}

/// Finds an order
#[tool]
fn find_order(number: u32) -> String {
    format!("Order {number} was sent.")
}

fn library() -> ToolLibrary {
    tools![find_order, pay_back]
}

/// A model that wants a refund, and says so when it has been paid or denied.
fn model() -> Scripted {
    (0..20).fold(Scripted::new([]), |model, _| {
        model.agent_with("support", |request| {
            let is_done = request
                .messages
                .last()
                .is_some_and(|last| last.call_id().is_some());
            Ok(match is_done {
                true => ModelReply::text("That was it."),
                false => crate::support::call("1", "refund"),
            })
        })
    })
}

fn web(builder: agent_runtime::runtime::RuntimeBuilder, refunds: &Arc<AtomicUsize>) -> Web<String> {
    let runtime = builder.model(model()).variable("name", "them").build();
    let refunds = Arc::clone(refunds);
    agent_web::router(&runtime.expect("a runtime"), [support()], library())
        .owner(user)
        .each_run(move |_, run| run.extension(Refunds(Arc::clone(&refunds))))
        .build()
        .expect("the routes")
}

/// Uses the service as a page does: asks, looks, approves and looks again, also after an answer that is an error.
async fn use_page(service: &Service) -> Vec<Answer> {
    let body = json!({"message": "Refund 7", "conversation": "orders"});
    let begun = service.post("ada", "/support/runs", body).await;
    let run = begun
        .headers
        .get("x-run-id")
        .and_then(|run| run.to_str().ok());
    let mut answers = Vec::new();
    if let Some(run) = run.map(str::to_owned) {
        answers.push(service.get("ada", &format!("/runs/{run}/events")).await);
        answers.push(service.get("ada", "/waiting").await);
        let approved = json!({"decisions": {"1": {"type": "approve"}}});
        let path = format!("/runs/{run}/decisions");
        answers.push(service.post("ada", &path, approved).await);
    }
    answers.push(begun);
    answers.push(service.get("ada", "/conversations").await);
    answers.push(service.get("ada", "/conversations/orders").await);
    answers
}

#[tokio::test]
async fn nothing_is_lost_or_paid_twice_when_the_stores_go_down_at_any_operation() {
    for is_answer_lost in [false, true] {
        let mut operation = 0;
        while goes_down_at(operation, is_answer_lost).await {
            operation += 1;
        }
        assert!(operation > 20, "only {operation} operations");
    }
}

/// Lets a page use a service whose stores go down after so many operations, and another process finish what is left. Returns
/// whether the stores went down.
async fn goes_down_at(operation: usize, is_answer_lost: bool) -> bool {
    let case = format!("operation {operation}, done: {is_answer_lost}");
    let place = Place::default();
    let refunds = Arc::new(AtomicUsize::new(0));
    let fault = Arc::new(Fault {
        left: operation.into(),
        is_answer_lost,
        ..Fault::default()
    });
    let builder = Runtime::builder()
        .journal(Faulty {
            inner: place.journal.clone(),
            fault: Arc::clone(&fault),
        })
        .conversations(Faulty {
            inner: place.store.clone(),
            fault: Arc::clone(&fault),
        });
    let first = web(builder, &refunds);
    for answer in use_page(&Service::of(first.clone())).await {
        assert!(!answer.text.contains("disk 7"), "{case}: {}", answer.text);
        if answer.status.is_client_error() || answer.status.is_server_error() {
            assert_eq!(
                answer.headers["content-type"], "application/problem+json",
                "{case}"
            );
        }
    }
    first.close(Duration::from_secs(5)).await;
    drop(first);
    fault.end(&place.journal);

    let builder = Runtime::builder()
        .journal(place.journal.clone())
        .conversations(place.store.clone());
    let second = web(builder, &refunds);
    let service = Service::of(second.clone());
    second.recover();
    let page = settled(&service, &case).await;
    let mut was_in_doubt = false;
    if let [call] = &*page["waiting"].as_array().cloned().unwrap_or_default() {
        was_in_doubt = call["inDoubt"] == true;
        let decision = if was_in_doubt { "deny" } else { "approve" };
        let body = json!({"decisions": {"1": {"type": decision}}});
        let run = page["run"]["run"]
            .as_str()
            .or(page["run"].as_str())
            .expect("the run");
        let path = format!("/runs/{run}/decisions");
        let decided = service.post("ada", &path, body).await;
        assert!(
            decided.status.is_success(),
            "{case}: {}: {page}",
            decided.text
        );
    } else if page["messages"].as_array().is_none_or(Vec::is_empty) {
        // The question was never accepted, so that it is asked again.
        assert_eq!(refunds.load(Ordering::Relaxed), 0, "{case}");
        for answer in use_page(&service).await {
            assert!(answer.status.is_success(), "{case}: {}", answer.text);
        }
    }
    let page = settled(&service, &case).await;
    let messages = page["messages"].as_array().expect("messages").clone();
    let texts = messages
        .iter()
        .filter(|message| message.to_string().contains("That was it."));
    assert_eq!(texts.count(), 1, "{case}: {page}");
    let paid = refunds.load(Ordering::Relaxed);
    assert!(
        paid == 1 || (was_in_doubt && paid == 0),
        "{case}: {paid} refunds: {page}"
    );
    fault.has_failed.load(Ordering::Relaxed)
}

/// The conversation of the page, when none of its runs goes on any more; `null` if there is none.
async fn settled(service: &Service, case: &str) -> Value {
    for _ in 0..500 {
        let page = service.get("ada", "/conversations/orders").await;
        if page.status == StatusCode::NOT_FOUND {
            return Value::Null;
        }
        let json = page.json();
        let is_waiting = json["waiting"]
            .as_array()
            .is_some_and(|calls| !calls.is_empty());
        if json["run"].is_null() || is_waiting {
            return json;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{case}: the run of the conversation goes on for ever");
}

#[tokio::test]
async fn a_client_that_reads_nothing_holds_nobody_up() {
    let long = "x".repeat(10 << 20);
    let place = Place::default();
    let service = place.process([ModelReply::text(&long)]);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let router = service.router();
    tokio::spawn(async move { axum::serve(listener, router).await });

    let mut idle = TcpStream::connect(address).await.expect("a connection");
    let body = r#"{"message": "Where are they?", "conversation": "orders"}"#;
    let request = format!(
        "POST /agents/support/runs HTTP/1.1\r\nhost: {address}\r\nx-user: ada\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    idle.write_all(request.as_bytes())
        .await
        .expect("the request is sent");
    // Its run goes on, and ends.
    let ended = async {
        loop {
            let list = service.get("ada", "/conversations").await.json();
            if list[0]["messages"] == 2 && list[0]["run"].is_null() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let ended = tokio::time::timeout(Duration::from_secs(30), ended).await;
    assert!(ended.is_ok(), "the run waits for its client");
    // Whoever reads in the end gets everything.
    let mut read = Vec::new();
    idle.read_to_end(&mut read).await.expect("the answer");
    let text = String::from_utf8(read).expect("UTF-8");
    assert!(
        text.contains(r#""type":"finished""#),
        "{} bytes",
        text.len()
    );
}

#[tokio::test]
async fn many_clients_connect_again_with_an_old_id() {
    let place = Place::default();
    let calls = (0..5).map(|id| crate::support::call(&id.to_string(), "findOrder"));
    let service = place.process(calls.chain([ModelReply::text("All were sent.")]));
    let begun = service
        .post(
            "ada",
            "/support/runs",
            json!({"message": "Where are they?"}),
        )
        .await;
    let path = format!("/agents/runs/{}/events", begun.run());
    let (first, _) = &begun.events()[0];
    // Another process has only what the journal has.
    for (process, has_parts) in [(&service, true), (&place.process([]), false)] {
        let answers = join_all((0..100).map(|_| {
            let request = Request::get(&path)
                .header("x-user", "ada")
                .header("last-event-id", first);
            process.send(request.body(Body::empty()).expect("a request"))
        }));
        let answers = answers.await;
        for answer in &answers {
            assert_eq!(
                answer.types().last().map(String::as_str),
                Some("finished"),
                "{has_parts}"
            );
            assert_eq!(answer.text, answers[0].text);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_arrive_is_refused() {
    let service = Place::default().process([]);
    let first = stream::iter([Ok::<_, Infallible>("{\"message\":")]);
    let body = Body::from_stream(futures_util::StreamExt::chain(first, stream::pending()));
    let request = Request::post("/agents/support/runs").header("x-user", "ada");
    let request = request
        .header("content-type", "application/json")
        .body(body);
    let answer = service.send(request.expect("a request")).await;
    answer.check(408, "did not arrive within 30s");
}
