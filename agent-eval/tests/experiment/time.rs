//! Concurrency, latency, cancellation and seeds.

use crate::{Answers, asked, experiment, is_yes, saying, value, yes_and_no};
use agent_eval::{Arm, Figure, RESAMPLES};
use agent_runtime::model::{ChatFuture, ChatModel, ModelReply, ModelRequest};
use agent_runtime::{Cancellation, Runtime};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

#[tokio::test]
async fn keeps_the_number_of_concurrent_runs_within_the_limit() {
    for (allowed, expected) in [(1, 1), (3, 3), (100, 12)] {
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let seen = Arc::clone(&most);
        let counting = move |_: &ModelRequest| {
            let now = Arc::clone(&now);
            let running = now.fetch_add(1, Ordering::SeqCst) + 1;
            seen.fetch_max(running, Ordering::SeqCst);
            (now, Duration::from_millis(5))
        };
        let report = experiment(Runtime::with_model(Counting(counting)))
            .arm(Arm::new("it"))
            .inputs((0..12).map(|at| at.to_string()))
            .concurrency(allowed)
            .run(|_, _| true)
            .await
            .expect("a report");
        assert!(report.is_complete());
        assert_eq!(most.load(Ordering::SeqCst), expected);
    }
}

/// A model that takes its time and takes one off a counter when it is done.
struct Counting<F>(F);

impl<F> ChatModel for Counting<F>
where
    F: Fn(&ModelRequest) -> (Arc<AtomicUsize>, Duration) + Send + Sync + 'static,
{
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(async move {
            let (now, pause) = (self.0)(request);
            tokio::time::sleep(pause).await;
            now.fetch_sub(1, Ordering::SeqCst);
            Ok(ModelReply::text("Done."))
        })
    }
}

#[tokio::test(start_paused = true)]
async fn measures_latency_without_the_scorer() {
    // The answers take 10, 20, … 1000 milliseconds, and the scorer a minute.
    let runtime = Runtime::with_model(Answers(|request: &ModelRequest| {
        let millis = asked(request).parse().expect("a number");
        (Duration::from_millis(millis), Ok(ModelReply::text("yes")))
    }));
    let report = experiment(runtime)
        .arm(Arm::new("it"))
        .inputs((1..=100).map(|at| (at * 10).to_string()))
        .concurrency(7)
        .run_judged(async |_, _| {
            tokio::time::sleep(Duration::from_secs(60)).await;
            true
        })
        .await
        .expect("a report");
    for (figure, seconds) in [
        (Figure::LatencyP50, 0.5),
        (Figure::LatencyP90, 0.9),
        (Figure::LatencyP99, 0.99),
    ] {
        let found = value(&report, "it", figure).expect("a latency");
        assert!((found - seconds).abs() < 0.002, "{figure:?}: {found}");
    }
    let interval = |figure| {
        report
            .arm("it")
            .expect("an arm")
            .figure(figure)
            .expect("a latency")
            .interval
    };
    // A hundred answers say nothing of how far the slowest might be off.
    assert!(interval(Figure::LatencyP90).is_some() && interval(Figure::LatencyP99).is_none());
}

#[tokio::test(start_paused = true)]
async fn reports_completed_runs_after_cancellation() {
    let cancellation = Cancellation::new();
    let signal = cancellation.clone();
    let runtime = Runtime::with_model(Answers(|request: &ModelRequest| match asked(request) {
        "quick" => (Duration::from_millis(1), Ok(ModelReply::text("yes"))),
        _ => (Duration::from_secs(3_600), Ok(ModelReply::text("yes"))),
    }));
    let experiment = experiment(runtime)
        .arm(Arm::new("a"))
        .arm(Arm::new("b"))
        .inputs(["quick", "slow"])
        .trials(1_000)
        .cancellation(cancellation);
    let (report, ()) = tokio::join!(experiment.run(is_yes), async move {
        tokio::time::sleep(Duration::from_secs(1)).await;
        signal.cancel();
    });
    let report = report.expect("a report");
    assert!(!report.is_complete());
    // Four runs went on at the end, the slow ones of two trials; they were given up, and are no
    // errors.
    assert_eq!(report.trials.len(), 4);
    for arm in ["a", "b"] {
        assert_eq!(value(&report, arm, Figure::SuccessRate), Some(1.0));
        assert_eq!(value(&report, arm, Figure::ErrorRate), Some(0.0));
    }
    let text = report.to_string();
    assert!(text.contains("cancelled after 4 of 4000 runs"), "{text}");
}

#[tokio::test]
async fn reports_no_runs_if_cancelled_before_the_start() {
    let cancellation = Cancellation::new();
    cancellation.cancel();
    let report = yes_and_no(2)
        .cancellation(cancellation)
        .run(is_yes)
        .await
        .expect("a report");
    assert!(report.trials.is_empty() && !report.is_complete());
    for figure in Figure::ALL {
        // No run cost nothing, which is not a cost of nothing a run.
        assert!(
            report.arm("yes").expect("an arm").figure(figure).is_none(),
            "{figure:?}"
        );
    }
    assert_eq!(report.to_json()["done"], 0);
    assert!(report.to_html().contains("</html>") && report.to_string().contains("0 of 4 runs"));
}

#[tokio::test]
async fn aborts_the_runs_when_the_future_is_dropped() {
    let now = Arc::new(AtomicUsize::new(0));
    struct Held(Arc<AtomicUsize>);
    impl Drop for Held {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }
    struct Hangs(Arc<AtomicUsize>);
    impl ChatModel for Hangs {
        fn chat<'a>(&'a self, _: &'a ModelRequest) -> ChatFuture<'a> {
            self.0.fetch_add(1, Ordering::SeqCst);
            let held = Held(Arc::clone(&self.0));
            Box::pin(async move {
                let _held = held;
                std::future::pending().await
            })
        }
    }
    let experiment = experiment(Runtime::with_model(Hangs(Arc::clone(&now))))
        .arm(Arm::new("it"))
        .inputs(["a", "b", "c"])
        .concurrency(3);
    let run = tokio::time::timeout(Duration::from_millis(50), experiment.run(is_yes));
    assert!(run.await.is_err());
    let until = Instant::now() + Duration::from_secs(5);
    while now.load(Ordering::SeqCst) > 0 && Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(now.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn gives_equal_reports_for_equal_runs_and_seeds() {
    let report = async |seed, concurrency| {
        let runtime = Runtime::with_model(Answers(|request: &ModelRequest| {
            let millis = asked(request).len() as u64 * 7 % 50 + 1;
            let text = if millis.is_multiple_of(2) {
                "yes"
            } else {
                "no"
            };
            (Duration::from_millis(millis), Ok(ModelReply::text(text)))
        }));
        let report = experiment(runtime)
            .arm(Arm::new("a"))
            .arm(Arm::new("b").runtime(saying("yes")))
            .inputs((0..30).map(|at| "x".repeat(at + 1)))
            .trials(2)
            .seed(seed)
            .concurrency(concurrency)
            .run(is_yes)
            .await;
        report.expect("a report").to_json()
    };
    let first = report(1, 4).await;
    assert_eq!(first, report(1, 4).await);
    // How the runs lay in time does not matter, where chance begins does.
    assert_eq!(first, report(1, 60).await);
    let other = report(2, 4).await;
    assert_eq!(first["runs"], other["runs"]);
    assert_ne!(first["comparisons"], other["comparisons"]);
    assert_eq!(first["resamples"], RESAMPLES);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn completes_thousands_of_runs() {
    let began = Instant::now();
    let report = yes_and_no(500)
        .trials(5)
        .concurrency(64)
        .run(is_yes)
        .await
        .expect("a report");
    assert_eq!(report.trials.len(), 5_000);
    assert!(report.is_complete());
    assert!(report.to_html().len() < 200_000);
    assert!(
        began.elapsed() < Duration::from_secs(60),
        "{:?}",
        began.elapsed()
    );
}
