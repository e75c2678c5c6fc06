//! The limits of a run, which hold for the agents that it calls.

use super::*;
use agent_runtime::Model;
use agent_runtime::cost::{Price, Prices};
use agent_runtime::run::{MAX_CALLS_AT_ONCE, UsageLimits};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// A price that makes each token a dollar.
fn prices() -> Prices {
    let model = Model::parse("OpenAI/gpt-6-luna").expect("a model");
    Prices::new().with(model, Price::per_million(1e6, 1e6).expect("a price"))
}

#[tokio::test]
async fn what_agents_use_counts_for_the_run_that_calls_them() {
    let server = both_look_up().serve();
    let runtime = builder(&server)
        .prices(prices())
        .build()
        .expect("a runtime");
    let library = library();
    let response = runtime.run(&SUPPORT, "What did I order?").tools(&library);
    let response = response.await.expect("an answer");
    // Three answers with calls of 60 and 15 tokens, and three texts of 90 and 12.
    assert_eq!(
        (response.usage.requests, response.usage.input_tokens),
        (6, 450)
    );
    assert_eq!(
        (response.usage.output_tokens, response.cost),
        (81, Some(531.0))
    );
    for call in &response.tools_used {
        let usage = call.usage.expect("the usage of an agent");
        assert_eq!(
            (usage.requests, usage.input_tokens),
            (2, 150),
            "{}",
            call.tool
        );
        assert_eq!(call.cost, Some(177.0));
    }
}

#[tokio::test]
async fn the_limits_of_a_run_hold_for_the_agents_that_it_calls() {
    let one_by_one = Script::default()
        .agent(
            "support",
            [
                openai::call("b", "billing", QUESTION),
                openai::text("Never sent."),
            ],
        )
        .agent(
            "billing",
            [
                openai::call("l", "lookUp", CUSTOMER),
                openai::text("Never sent."),
            ],
        );
    for (limits, text) in [
        (
            UsageLimits::new().requests(2),
            "has used 2 of at most 2 requests",
        ),
        (
            UsageLimits::new().tool_calls(1),
            "has asked for 2 of at most 1 calls of tools",
        ),
        (
            UsageLimits::new().input_tokens(120),
            "has used 120 of at most 120 sent tokens",
        ),
        (
            UsageLimits::new().output_tokens(30),
            "has used 30 of at most 30 written tokens",
        ),
        (
            UsageLimits::new().total_tokens(150),
            "has used 150 of at most 150 tokens",
        ),
        (UsageLimits::new().cost(150.0), "150"),
    ] {
        let server = one_by_one.clone().serve();
        let runtime = builder(&server)
            .prices(prices())
            .build()
            .expect("a runtime");
        let (mut conversation, library) = (Conversation::new(), library());
        let run = runtime
            .run(&SUPPORT, "Hi")
            .tools(&library)
            .usage_limits(limits);
        let error = run.conversation(&mut conversation).await.expect_err(text);
        assert!(error.is_limit(), "{error}");
        let shown = error.to_string();
        assert!(
            shown.starts_with("the agent `support` ") && shown.contains(text),
            "{shown}"
        );
        assert_eq!(asked(&server), ["support", "billing"], "{shown}");
        assert_goes_on(&runtime, &mut conversation).await;
    }
}

/// The requests that are open at a server.
#[derive(Default)]
struct Open {
    now: AtomicUsize,
    most: AtomicUsize,
    arrived: Mutex<usize>,
    enough: Condvar,
}

impl Open {
    /// Holds a request until as many arrived as may be open at the same time.
    fn hold(&self) {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        let mut arrived = self.arrived.lock().expect("no panic");
        *arrived += 1;
        self.enough.notify_all();
        let wait = Duration::from_secs(60);
        let few = |arrived: &mut usize| *arrived < MAX_CALLS_AT_ONCE;
        let held = self.enough.wait_timeout_while(arrived, wait, few);
        drop(held.expect("no panic"));
        // Before the answer, so that the next request cannot come first.
        self.now.fetch_sub(1, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn forty_calls_of_an_agent_in_one_answer_are_made_32_at_a_time() {
    const CALLS: usize = 40;
    let ids: Vec<String> = (0..CALLS).map(|number| format!("call_{number}")).collect();
    let calls: Vec<_> = ids
        .iter()
        .map(|id| (id.as_str(), "research", QUESTION))
        .collect();
    let script = Script::default()
        .agent(
            "support",
            [openai::calls(&calls), openai::text("All of them agree.")],
        )
        .agent("research", [openai::text("A lamp it is.")])
        .agent("later", [openai::text("Good.")]);
    let open = Arc::new(Open::default());
    let holding = Arc::clone(&open);
    let server = Server::answering(move |request| {
        if asking(request) == "research" {
            holding.hold();
        }
        script.answer(request)
    });
    let runtime = runtime(&server);
    let (mut conversation, library) = (Conversation::new(), library());
    let run = runtime.run(&SUPPORT, "Ask around").tools(&library);
    let response = run
        .conversation(&mut conversation)
        .await
        .expect("an answer");
    assert_eq!(response.content, "All of them agree.");
    assert_eq!(open.most.load(Ordering::SeqCst), MAX_CALLS_AT_ONCE);
    let answered: Vec<_> = response
        .tools_used
        .iter()
        .map(|call| call.call_id.as_str())
        .collect();
    assert_eq!(answered, ids);
    assert!(
        response
            .tools_used
            .iter()
            .all(|call| call.result == Ok("A lamp it is.".into()))
    );
    assert_eq!(response.usage.requests, CALLS as u64 + 2);
    assert_goes_on(&runtime, &mut conversation).await;
}
