//! Batches. The clock is the test's own.

use super::{SECOND, Slow, inputs, runtime, slow_agent};
use agent_runtime::model::{ModelReply, ProviderLimits};
use agent_runtime::runtime::BatchProgress;
use agent_runtime::{Agent, Cancellation, Error, Event};
use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// A model that takes as many seconds as the text says, and fails for an odd number.
fn seconds() -> Slow {
    Slow::answering(|text| {
        let number: u32 = text.parse().expect("a number");
        let reply = match number % 2 {
            0 => Ok(ModelReply::text(text)),
            _ => Err(Error::llm(format!("{text} is odd"))),
        };
        (number * SECOND, reply)
    })
}

#[tokio::test(start_paused = true)]
async fn results_are_in_the_order_of_the_inputs_and_errors_end_no_other_run() {
    let model = seconds();
    let runtime = runtime(&model, |builder| builder);
    let mut progress = Vec::new();
    let mut report = |so_far: BatchProgress| {
        progress.push((so_far.total, so_far.succeeded, so_far.failed));
    };
    let batch = runtime.batch(slow_agent(), ["4", "1", "2", "3"]);
    let results = batch.progress(&mut report).await;
    let texts: Vec<String> = results
        .into_iter()
        .map(|result| match result {
            Ok(response) => response.content,
            Err(error) => error.to_string(),
        })
        .collect();
    assert_eq!(texts, ["4", "1 is odd", "2", "3 is odd"]);
    assert_eq!(progress, [(4, 0, 1), (4, 1, 1), (4, 1, 2), (4, 2, 2)]);
}

#[tokio::test(start_paused = true)]
async fn the_stream_has_results_in_the_order_of_their_ends() {
    let runtime = runtime(&seconds(), |builder| builder);
    let mut batch = runtime.batch(slow_agent(), ["6", "2", "4"]).stream();
    let mut indices = Vec::new();
    while let Some((index, result)) = batch.next().await {
        assert!(result.is_ok());
        indices.push(index);
        // Dropping the future of `next` loses nothing.
        let _ = timeout(Duration::ZERO, batch.next()).await;
    }
    assert_eq!(indices, [1, 2, 0]);
    assert!(batch.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn as_many_runs_begin_as_the_limit_of_the_provider_needs() {
    for (limit, concurrency, expected) in [
        (None, None, 8),
        (None, Some(3), 3),
        (None, Some(100), 20),
        // The requests are limited by the provider, and twice as many runs begin.
        (Some(4), None, 4),
    ] {
        let model = Slow::new();
        let runtime = runtime(&model, |builder| match limit {
            Some(limit) => {
                let limits = ProviderLimits::new().concurrent_requests(limit);
                builder.provider_limits("Slow", limits)
            }
            None => builder,
        });
        let mut begun = 0;
        let mut count = |_: usize| begun += 1;
        let mut batch = runtime.batch(slow_agent(), inputs(20));
        if let Some(most) = concurrency {
            batch = batch.concurrency(most);
        }
        let mut batch = batch
            .each_run(|index, run| {
                count(index);
                run
            })
            .stream();
        poll_fn(|context| {
            let mut next = std::pin::pin!(batch.next());
            assert!(next.as_mut().poll(context).is_pending());
            Poll::Ready(())
        })
        .await;
        while batch.next().await.is_some() {}
        drop(batch);
        assert_eq!((begun, model.most_running()), (20, expected));
    }
}

#[tokio::test(start_paused = true)]
async fn a_concurrency_of_zero_is_a_configuration_error_of_each_input() {
    let model = Slow::new();
    let runtime = runtime(&model, |builder| builder);
    let results = runtime.batch(slow_agent(), ["a", "b"]).concurrency(0).await;
    assert_eq!(results.len(), 2);
    for result in results {
        let error = result.expect_err("no run");
        assert!(error.is_configuration());
        assert!(
            error.to_string().starts_with("`concurrency` is 0"),
            "{error}"
        );
    }
    assert!(model.requests().is_empty());
}

#[tokio::test(start_paused = true)]
async fn each_run_can_have_variables_and_is_observed_with_its_index() {
    let agent = Agent::new("guide", "Slow/any", "Guide through {{city}} by {{means}}.");
    let model = Slow::new();
    let runtime = runtime(&model, |builder| builder);
    let mut finished = Vec::new();
    let mut observe = |index: usize, event: &Event| {
        if let Event::Finished { response, .. } = event {
            finished.push((index, response.content.clone()));
        }
    };
    let cities = ["Ulm", "Vienna"];
    let results = runtime
        .batch(agent.expect("an agent"), ["a", "b"])
        .variable("means", "bus")
        .each_run(|index, run| run.variable("city", cities[index]).streaming())
        .observer(&mut observe)
        .await;
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    finished.sort_unstable();
    assert_eq!(finished, [(0, "a".to_owned()), (1, "b".to_owned())]);
}

#[tokio::test(start_paused = true)]
async fn dropping_the_batch_stops_all_runs() {
    let model = Slow::new();
    let runtime = runtime(&model, |builder| builder);
    let batch = runtime.batch(slow_agent(), inputs(20)).into_future();
    assert!(timeout(SECOND / 2, batch).await.is_err());
    tokio::time::sleep(10 * SECOND).await;
    let requests = model.requests();
    assert_eq!(requests.len(), 8);
    assert!(requests.iter().all(|asked| asked.end.is_none()));
}

#[tokio::test(start_paused = true)]
async fn cancelling_a_batch_keeps_what_is_done_and_begins_nothing() {
    let model = seconds();
    let runtime = runtime(&model, |builder| builder);
    let cancellation = Cancellation::new();
    let begin = Instant::now();
    let batch = runtime
        .batch(slow_agent(), ["2", "8", "4"])
        .concurrency(2)
        .cancellation(cancellation.clone());
    let mut stream = batch.stream();
    let (index, done) = stream.next().await.expect("a result");
    assert_eq!((index, done.expect("an answer").content.as_str()), (0, "2"));
    cancellation.cancel();
    let mut cancelled = 0;
    while let Some((_, result)) = stream.next().await {
        assert!(result.expect_err("no answer").is_cancelled());
        cancelled += 1;
    }
    assert_eq!((cancelled, begin.elapsed()), (2, 2 * SECOND));
    assert_eq!(model.texts(), ["2", "8"]);
}

#[tokio::test]
async fn an_empty_batch_has_no_results_and_an_empty_input_is_an_error_of_its_own() {
    let runtime = agent_runtime::Runtime::offline();
    assert!(runtime.batch(slow_agent(), [""; 0]).await.is_empty());
    let results = runtime.batch(slow_agent(), ["Hello", " "]).await;
    assert!(results[0].is_ok());
    assert!(results[1].as_ref().is_err_and(Error::is_validation));
}
