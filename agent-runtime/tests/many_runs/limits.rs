//! The limits of a provider, which all runs share. The clock is the test's own.

use super::{SECOND, Slow, inputs, runtime, slow_agent};
use agent_runtime::conversation::{Compaction, estimate_tokens};
use agent_runtime::model::{ModelReply, ProviderLimits, Scripted, Usage};
use agent_runtime::run::UsageLimits;
use agent_runtime::{Agent, Cancellation, Conversation, Error, Message, Runtime};
use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

fn at_once(most: usize) -> ProviderLimits {
    ProviderLimits::new().concurrent_requests(most)
}

/// Starts a run on a task of its own.
fn start(runtime: &Runtime, text: &str) -> tokio::task::JoinHandle<Result<String, Error>> {
    let run = runtime.run(slow_agent(), text);
    tokio::spawn(async move { run.await.map(|response| response.content) })
}

/// Lets the tasks run until all of them wait.
async fn settle() {
    sleep(Duration::from_millis(1)).await;
}

#[tokio::test(start_paused = true)]
async fn a_thousand_runs_under_a_limit_of_eight_leave_no_slot_idle() {
    let model = Slow::new();
    let runtime = runtime(&model, |builder| {
        builder.provider_limits("Slow", at_once(8))
    });
    let start = Instant::now();
    let batch = runtime
        .batch(slow_agent(), inputs(1_000))
        .concurrency(1_000);
    let results = batch.await;
    assert!(results.iter().all(Result::is_ok));
    // With an idle slot, a thousand requests of one second would take longer.
    assert_eq!(start.elapsed(), 125 * SECOND);
    assert_eq!(model.most_running(), 8);
    assert_eq!(model.texts(), inputs(1_000));
    let mut waits = model.seconds(start);
    waits.sort_unstable();
    let (median, longest) = (waits[500], waits[999]);
    assert!(longest <= 2 * median, "{longest} and {median}");
    println!("1,000 runs, 8 at a time: median wait {median} s, longest {longest} s, total 125 s");
}

#[tokio::test(start_paused = true)]
async fn a_slot_is_taken_at_the_moment_at_which_it_becomes_free() {
    // Between half a second and a second and a half, in no order.
    let model = Slow::taking(|text| {
        let number: u64 = text.parse().expect("a number");
        Duration::from_millis(500 + number * 7_919 % 1_001)
    });
    let runtime = runtime(&model, |builder| {
        builder.provider_limits("Slow", at_once(8))
    });
    let start = Instant::now();
    let batch = runtime
        .batch(slow_agent(), inputs(1_000))
        .concurrency(1_000);
    assert!(batch.await.iter().all(Result::is_ok));
    assert_eq!(model.texts(), inputs(1_000), "no run overtakes another one");
    let requests = model.requests();
    let mut ends: Vec<Instant> = requests.iter().filter_map(|asked| asked.end).collect();
    ends.sort_unstable();
    for (asked, end) in requests[8..].iter().zip(&ends) {
        assert_eq!(asked.begin, *end, "request {}", asked.text);
    }
    let waits: Vec<Duration> = requests.iter().map(|asked| asked.begin - start).collect();
    let (median, longest) = (waits[500], waits[999]);
    assert!(longest <= 2 * median, "{longest:?} and {median:?}");
    println!("with different times: median wait {median:?}, longest {longest:?}");
}

#[tokio::test(start_paused = true)]
async fn no_minute_has_more_requests_than_the_limit() {
    let model = Slow::taking(|_| Duration::ZERO);
    let limits = ProviderLimits::new().requests_per_minute(50);
    let runtime = runtime(&model, |builder| builder.provider_limits("Slow", limits));
    let start = Instant::now();
    let batch = runtime.batch(slow_agent(), inputs(170)).concurrency(170);
    assert!(batch.await.iter().all(Result::is_ok));
    let begins: Vec<Instant> = model.requests().iter().map(|asked| asked.begin).collect();
    for pair in begins.windows(51) {
        assert!(pair[50] - pair[0] >= 60 * SECOND);
    }
    assert_eq!((Instant::now() - start).as_secs(), 180);
}

#[tokio::test(start_paused = true)]
async fn tokens_are_estimated_and_then_replaced_by_the_usage() {
    // Four characters of English are a token by the estimate; the answers report other numbers.
    let model = Slow::answering(|text| {
        let tokens = match text.chars().next() {
            Some('s') => 10,
            _ => 900,
        };
        let reply = ModelReply::text("ok").with_usage(Usage::of_request(tokens, 0));
        (Duration::ZERO, Ok(reply))
    });
    let limits = ProviderLimits::new().tokens_per_minute(1_000);
    let runtime = runtime(&model, |builder| builder.provider_limits("Slow", limits));
    let (small, large) = ("s".repeat(2_000), "l".repeat(2_000));
    assert_eq!(estimate_tokens(&Message::user(&small)), 504);
    let begin = Instant::now();
    // The estimate alone would let only one of them be sent in a minute.
    for text in [&small, &small, &large, &small] {
        start(&runtime, text)
            .await
            .expect("a task")
            .expect("an answer");
    }
    assert_eq!(model.seconds(begin), [0, 0, 0, 60]);
    // More than the limit is sent when nothing else counts.
    start(&runtime, &"x".repeat(40_000))
        .await
        .expect("a task")
        .expect("an answer");
    assert_eq!(model.seconds(begin)[4], 120);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_run_gives_its_place_back() {
    let model = Slow::new();
    let runtime = runtime(&model, |builder| {
        builder.provider_limits("Slow", at_once(1))
    });
    let begin = Instant::now();
    let runs: Vec<_> = ["a", "b", "c", "d"]
        .map(|text| start(&runtime, text))
        .into();
    settle().await;
    // One that runs, and one that is the first of those that wait.
    runs[0].abort();
    runs[1].abort();
    settle().await;
    assert_eq!(model.texts(), ["a", "c"]);
    for run in runs {
        let _ = run.await;
    }
    assert_eq!(model.texts(), ["a", "c", "d"]);
    assert_eq!(begin.elapsed().as_secs(), 2);
}

#[tokio::test(start_paused = true)]
async fn cancellation_and_the_time_limit_of_the_run_end_the_waiting() {
    let model = Slow::taking(|_| 1_000 * SECOND);
    let runtime = runtime(&model, |builder| {
        let builder = builder.provider_limits("Slow", at_once(1));
        builder
            .run_timeout(100 * SECOND)
            .model_timeout(2_000 * SECOND)
    });
    // Polled once, so that its time limit does not end it.
    let mut first = runtime.run(slow_agent(), "first").into_future();
    let polled = poll_fn(|context| Poll::Ready(first.as_mut().poll(context))).await;
    assert!(polled.is_pending());
    let cancellation = Cancellation::new();
    let mut conversation = Conversation::new();
    let agent = slow_agent();
    let run = runtime
        .run(&agent, "second")
        .conversation(&mut conversation)
        .cancellation(cancellation.clone());
    let (ended, ()) = tokio::join!(run.into_future(), async {
        sleep(SECOND).await;
        cancellation.cancel();
    });
    assert!(ended.expect_err("it was cancelled").is_cancelled());
    assert!(conversation.is_empty(), "nothing was sent");
    let begin = Instant::now();
    let late = start(&runtime, "third").await.expect("a task");
    let late = late.expect_err("it took too long");
    assert!(late.is_limit() && late.is_timeout(), "{late}");
    assert_eq!(begin.elapsed().as_secs(), 100);
    assert_eq!(model.requests().len(), 1);
    drop(first);
}

#[tokio::test(start_paused = true)]
async fn waiting_does_not_count_for_the_time_limit_of_a_request() {
    let model = Slow::taking(|_| 100 * SECOND);
    let runtime = runtime(&model, |builder| {
        let builder = builder.provider_limits("Slow", at_once(1));
        builder.model_timeout(110 * SECOND)
    });
    let results = runtime.batch(slow_agent(), inputs(5)).await;
    assert!(results.iter().all(Result::is_ok), "{results:?}");
}

#[tokio::test(start_paused = true)]
async fn a_streamed_answer_keeps_its_place_until_it_ends() {
    let model = Slow::new();
    let runtime = runtime(&model, |builder| {
        builder.provider_limits("Slow", at_once(1))
    });
    let agent = slow_agent();
    let mut events = runtime.run(&agent, "streamed").stream();
    assert!(events.next().await.is_some(), "the request is sent");
    // The stream is read no further, so that its answer does not end.
    let second = start(&runtime, "second");
    sleep(10 * SECOND).await;
    assert_eq!(model.texts(), ["streamed"]);
    while let Some(event) = events.next().await {
        event.expect("an event");
    }
    second.await.expect("a task").expect("an answer");
    assert_eq!(model.texts(), ["streamed", "second"]);
}

#[tokio::test(start_paused = true)]
async fn streams_that_nobody_reads_hold_up_no_other_run() {
    let model = Slow::new();
    let runtime = runtime(&model, |builder| {
        builder.provider_limits("Slow", at_once(1))
    });
    let begin = Instant::now();
    let first = start(&runtime, "first");
    settle().await;
    // Both wait behind the first run, and are not read when it is their turn.
    let mut unread = ["a", "b"].map(|text| runtime.run(slow_agent(), text).stream());
    for stream in &mut unread {
        assert!(timeout(Duration::ZERO, stream.next()).await.is_err());
    }
    let others = ["second", "third", "fourth"].map(|text| start(&runtime, text));
    first.await.expect("a task").expect("an answer");
    for other in others {
        other.await.expect("a task").expect("an answer");
    }
    assert_eq!(model.texts(), ["first", "second", "third", "fourth"]);
    // A second for the first run, one for each of the others, and one for each stream.
    assert!(begin.elapsed() <= 7 * SECOND, "{:?}", begin.elapsed());
    for mut stream in unread {
        while let Some(event) = stream.next().await {
            event.expect("an event");
        }
    }
    assert_eq!(model.texts()[4..], ["a", "b"]);
}

/// A model that takes a second for an answer, and refuses one input for a time.
fn refusing(input: &'static str, pause: Duration) -> Slow {
    Slow::answering(move |text| {
        let error = || Error::llm("too many").into_rate_limited();
        let reply = match text == input {
            true => Err(error().with_retry_after(pause)),
            false => Ok(ModelReply::text("ok")),
        };
        (SECOND, reply)
    })
}

#[tokio::test(start_paused = true)]
async fn a_rate_limited_answer_pauses_all_runs() {
    let model = refusing("refused", 30 * SECOND);
    let limits = ProviderLimits::new();
    let runtime = runtime(&model, |builder| builder.provider_limits("Slow", limits));
    let begin = Instant::now();
    let error = start(&runtime, "refused")
        .await
        .expect("a task")
        .expect_err("a limit");
    assert!(error.is_rate_limited());
    let (a, b) = (start(&runtime, "a"), start(&runtime, "b"));
    assert!(a.await.expect("a task").is_ok() && b.await.expect("a task").is_ok());
    // One at a time, because one was too many.
    assert_eq!(model.seconds(begin), [0, 31, 32]);
}

#[tokio::test(start_paused = true)]
async fn after_a_refusal_half_as_many_requests_are_sent_at_a_time_and_then_more() {
    let model = refusing("0", 10 * SECOND);
    let runtime = runtime(&model, |builder| {
        builder.provider_limits("Slow", ProviderLimits::new())
    });
    let begin = Instant::now();
    let batch = runtime.batch(slow_agent(), inputs(60)).concurrency(16);
    let failed = batch.await.iter().filter(|result| result.is_err()).count();
    assert_eq!(failed, 1);
    let seconds = model.seconds(begin);
    let sent_at = |second: u64| seconds.iter().filter(|at| **at == second).count();
    // The fifteen answers after the refusal made a window of 8 larger.
    let sent: Vec<usize> = [0, 1, 11, 12, 13].into_iter().map(sent_at).collect();
    assert_eq!(sent, [16, 0, 10, 11, 12]);
}

#[tokio::test(start_paused = true)]
async fn a_minute_after_a_refusal_as_many_requests_are_sent_as_before() {
    let model = Slow::answering(|text| {
        let reply = match text {
            "refused" => Err(Error::llm("too many").into_rate_limited()),
            _ => Ok(ModelReply::text("ok")),
        };
        let time = if text == "long" { 100 } else { 1 };
        (time * SECOND, reply)
    });
    let runtime = runtime(&model, |builder| {
        builder.provider_limits("Slow", ProviderLimits::new())
    });
    let begin = Instant::now();
    let refused = start(&runtime, "refused").await.expect("a task");
    assert!(refused.is_err());
    let runs = ["long", "a", "b"].map(|text| start(&runtime, text));
    for run in runs {
        run.await.expect("a task").expect("an answer");
    }
    assert_eq!(model.seconds(begin), [0, 1, 61, 61]);
}

#[tokio::test(start_paused = true)]
async fn a_pause_longer_than_a_request_may_take_fails_at_once_and_lets_a_fallback_answer() {
    let model = Slow::answering(|_| {
        let error = Error::llm("out of requests for today").into_rate_limited();
        (SECOND, Err(error.with_retry_after(3_600 * SECOND)))
    });
    let spare = Scripted::new([
        ModelReply::text("from the other"),
        ModelReply::text("again"),
    ]);
    let runtime = runtime(&model, |builder| {
        let builder = builder.provider("Spare", spare.clone());
        builder.provider_limits("Slow", ProviderLimits::new())
    });
    let begin = Instant::now();
    assert!(start(&runtime, "first").await.expect("a task").is_err());
    let error = start(&runtime, "second").await.expect("a task");
    let error = error.expect_err("the provider asked to wait");
    assert!(error.is_rate_limited() && error.is_unavailable());
    assert_eq!(error.retry_after(), Some(3_600 * SECOND));
    let text = "`Slow` asked to wait another 3600 s, longer than the 120 s that a request may take; the \
                request was not sent";
    assert_eq!(error.to_string(), text);
    let mut settings = agent_runtime::spec::Settings::NONE;
    settings.fallback = vec![agent_runtime::Model::parse("Spare/any").expect("a model")].into();
    let agent = slow_agent().with_settings(settings).expect("settings");
    let response = runtime.run(&agent, "third").await.expect("an answer");
    assert_eq!(response.content, "from the other");
    assert_eq!(model.texts(), ["first"]);
    assert_eq!(begin.elapsed(), SECOND);
}

#[tokio::test(start_paused = true)]
async fn each_provider_has_limits_of_its_own_and_summaries_share_them() {
    let model = Slow::answering(|_| (SECOND, Ok(ModelReply::text("short"))));
    let runtime = runtime(&model, |builder| {
        let builder = builder.provider("Free", model.clone());
        builder.provider_limits("Slow", at_once(1))
    });
    let begin = Instant::now();
    let first = start(&runtime, "first");
    settle().await;
    let free = Agent::new("free", "Free/any", "Help.").expect("an agent");
    runtime.run(&free, "free").await.expect("an answer");
    assert_eq!(begin.elapsed().as_millis(), 1_001);
    let long = "A long question. ".repeat(200);
    let mut conversation: Conversation = [Message::user(long), Message::assistant("a1")]
        .into_iter()
        .collect();
    let second = start(&runtime, "second");
    settle().await;
    runtime
        .run(slow_agent(), "third")
        .conversation(&mut conversation)
        .compaction(Compaction::above(200))
        .await
        .expect("an answer");
    assert!(conversation.messages()[3].is_summary());
    assert_eq!(begin.elapsed().as_secs(), 4);
    first.await.expect("a task").expect("an answer");
    second.await.expect("a task").expect("an answer");
    assert_eq!(model.most_running(), 2);
}

#[tokio::test(start_paused = true)]
async fn the_calls_of_a_run_let_other_runs_send_requests() {
    use crate::support::{config, library, spec};
    let model = Scripted::new([
        ModelReply::call("work", "{}"),
        ModelReply::text("second"),
        ModelReply::text("first"),
    ]);
    let runtime = Runtime::builder()
        .provider("Slow", model.clone())
        .provider_limits("Slow", at_once(1))
        .build()
        .expect("a runtime");
    let work = config("work").timeout(20 * SECOND).build(|_| async {
        sleep(10 * SECOND).await;
        Ok("done".into())
    });
    let agent = slow_agent().with_tool(spec("work")).expect("a tool");
    let library = library([work.expect("a tool")]);
    let begin = Instant::now();
    let run = |text| runtime.run(&agent, text).tools(&library).into_future();
    let (first, second) = tokio::join!(run("first"), async {
        settle().await;
        let response = run("second").await.expect("an answer");
        (response, begin.elapsed())
    });
    assert_eq!(first.expect("an answer").content, "first");
    assert_eq!(second.0.content, "second");
    assert!(second.1 < SECOND);
}

#[test]
fn limits_of_zero_and_of_an_unknown_provider_are_configuration_errors() {
    let build = |name: &str, limits| {
        let builder = Runtime::builder().provider_limits(name, limits);
        let error = builder.build().expect_err("a mistake");
        assert!(error.is_configuration());
        error.to_string()
    };
    assert_eq!(
        build("Anthropic", at_once(0)),
        "`concurrent_requests` of the provider `Anthropic` is 0, with which no request is sent; the least is \
         1, and without `concurrent_requests` there is no such limit"
    );
    assert_eq!(
        build("Antropic", at_once(1)),
        "limits are set for the provider `Antropic`, which this runtime does not have; did you mean `Anthropic`?"
    );
    assert_eq!(
        build("Acme", at_once(1)),
        "limits are set for the provider `Acme`, which this runtime does not have"
    );
}

#[tokio::test(start_paused = true)]
async fn usage_limits_count_no_request_that_only_waited() {
    let model = Slow::new();
    let runtime = runtime(&model, |builder| {
        builder.provider_limits("Slow", at_once(1))
    });
    let limits = UsageLimits::new().requests(1);
    let agent = slow_agent();
    let run = |text| runtime.run(&agent, text).usage_limits(limits).into_future();
    let (a, b) = tokio::join!(run("a"), run("b"));
    assert_eq!(a.expect("an answer").usage.requests, 1);
    assert_eq!(b.expect("an answer").usage.requests, 1);
}
