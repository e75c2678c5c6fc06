//! Experiments: what is run, what is counted, what ends them and what does not.
#![cfg(feature = "experiment")]

mod support;

use agent_runtime::experiment::{Arm, Experiment, ExperimentReport, Figure, RESAMPLES, Score};
use agent_runtime::{
    Agent, AgentResponse, Cancellation, ChatFuture, ChatModel, Error, Model, ModelReply,
    ModelRequest, Price, Prices, Runtime, Usage,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use support::{agent, greeter, hello_tool, library};

/// A model that answers as a closure says, after a pause that it also says.
struct Answers<F>(F);

impl<F> ChatModel for Answers<F>
where
    F: Fn(&ModelRequest) -> (Duration, Result<ModelReply, Error>) + Send + Sync + 'static,
{
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(async move {
            let (pause, answer) = (self.0)(request);
            if !pause.is_zero() {
                tokio::time::sleep(pause).await;
            }
            answer
        })
    }
}

/// A runtime whose model answers at once.
fn answering<F>(answer: F) -> Runtime
where
    F: Fn(&ModelRequest) -> Result<ModelReply, Error> + Send + Sync + 'static,
{
    Runtime::with_model(Answers(move |request: &ModelRequest| {
        (Duration::ZERO, answer(request))
    }))
}

/// A runtime whose model says this, for 1000 tokens and 100.
fn saying(text: &'static str) -> Runtime {
    answering(move |_| Ok(ModelReply::text(text).with_usage(Usage::of_request(1_000, 100))))
}

/// A runtime whose model is always down.
fn failing() -> Runtime {
    answering(|_| Err(Error::llm("the model is down")))
}

fn asked(request: &ModelRequest) -> &str {
    request
        .messages
        .last()
        .map_or("", |message| message.content())
}

fn talker() -> Agent {
    agent([])
}

fn experiment(runtime: Runtime) -> Experiment {
    Experiment::new(&talker(), runtime).expect("an agent")
}

/// Two arms that differ in what they say, over these inputs.
fn yes_and_no(inputs: usize) -> Experiment {
    experiment(Runtime::offline())
        .arm(Arm::new("yes").runtime(saying("yes")))
        .arm(Arm::new("no").runtime(saying("no")))
        .inputs((0..inputs).map(|at| format!("question {at}")))
}

fn is_yes(_input: &str, response: &AgentResponse) -> bool {
    response.content == "yes"
}

fn value(report: &ExperimentReport, arm: &str, figure: Figure) -> Option<f64> {
    Some(report.arm(arm)?.figure(figure)?.value)
}

#[tokio::test]
async fn each_arm_gets_each_input_so_many_times() {
    let report = yes_and_no(3).trials(4).run(is_yes).await.expect("a report");
    assert_eq!((report.planned, report.trials.len()), (24, 24));
    assert!(report.is_complete());
    let runs: Vec<_> = report
        .trials
        .iter()
        .map(|it| (it.number, it.input, it.arm))
        .collect();
    let expected = (1..=4)
        .flat_map(|trial| (0..3).flat_map(move |input| (0..2).map(move |arm| (trial, input, arm))));
    assert_eq!(runs, expected.collect::<Vec<_>>());
    for (arm, success) in [("yes", 1.0), ("no", 0.0)] {
        assert_eq!(value(&report, arm, Figure::SuccessRate), Some(success));
        assert_eq!(report.arm(arm).expect("an arm").runs, 12);
    }
    let pair = report.comparison("no", "yes").expect("a pair");
    let difference = pair.difference(Figure::SuccessRate).expect("a difference");
    assert_eq!(difference.value, 1.0);
    assert!(difference.excludes_zero());
    let back = report.comparison("yes", "no").expect("the other way");
    assert_eq!(
        back.difference(Figure::SuccessRate)
            .expect("a difference")
            .value,
        -1.0
    );
    assert!(report.comparison("yes", "yes").is_none() && report.arm("maybe").is_none());
}

#[tokio::test]
async fn arms_differ_by_library() {
    let report = Experiment::new(&greeter(), Runtime::offline())
        .expect("an agent")
        .arm(Arm::new("with").library(library([hello_tool()])))
        .arm(Arm::new("without").library(library([])))
        .inputs(["Hello, I'm Ada", "Hello, I'm Grace"])
        .run(|input: &str, response: &AgentResponse| {
            let name = input.rsplit(' ').next().unwrap_or_default();
            response.content.contains(name)
        })
        .await
        .expect("a report");
    assert_eq!(value(&report, "with", Figure::SuccessRate), Some(1.0));
    assert_eq!(value(&report, "with", Figure::ToolCalls), Some(1.0));
    // A library without the tool cannot be bound: an error of each run, and of no other arm.
    assert_eq!(report.arm("without").expect("an arm").failures["tool"], 2);
    assert_eq!(value(&report, "without", Figure::ErrorRate), Some(1.0));
}

#[tokio::test]
async fn arms_differ_by_model_and_pay_its_price() {
    let runtime = answering(|request| {
        let usage = Usage::of_request(2_000_000, 1_000_000);
        Ok(ModelReply::text(request.model.id()).with_usage(usage))
    });
    let (small, large) = (
        Model::from_static("OpenAI", "small"),
        Model::from_static("OpenAI", "large"),
    );
    let price = |input, output| Price::per_million(input, output).expect("a price");
    let prices = Prices::new()
        .with(small.clone(), price(0.5, 1.0))
        .with(large.clone(), price(2.0, 8.0));
    let report = experiment(runtime)
        .arm(Arm::new("small").model(small))
        .arm(Arm::new("large").model(large))
        .arm(Arm::new("unpriced").model(Model::from_static("OpenAI", "other")))
        .prices(prices)
        .inputs(["a", "b"])
        .trials(2)
        .run(|_, response| response.content == "large")
        .await
        .expect("a report");
    assert_eq!(value(&report, "large", Figure::SuccessRate), Some(1.0));
    assert_eq!(value(&report, "small", Figure::Cost), Some(2.0));
    assert_eq!(value(&report, "large", Figure::Cost), Some(12.0));
    assert_eq!(report.arm("large").expect("an arm").cost, Some(48.0));
    assert_eq!(value(&report, "unpriced", Figure::Cost), None);
    assert_eq!(value(&report, "small", Figure::InputTokens), Some(2e6));
    assert_eq!(value(&report, "small", Figure::OutputTokens), Some(1e6));
    assert!(
        report
            .to_string()
            .contains("What unpriced cost is not known"),
        "{report}"
    );
    assert_eq!(report.comparisons.len(), 3);
}

#[tokio::test]
async fn the_prices_of_a_runtime_count_when_the_experiment_has_none() {
    let model = agent_runtime::Scripted::new([
        ModelReply::text("Hi.").with_usage(Usage::of_request(1_000_000, 0))
    ]);
    let agent = talker();
    let price = Price::per_million(2.0, 0.0).expect("a price");
    let runtime = Runtime::builder()
        .model(model)
        .prices(Prices::new().with(agent.model().clone(), price))
        .build()
        .expect("a runtime");
    let report = Experiment::new(&agent, runtime)
        .expect("an agent")
        .arm(Arm::new("it"))
        .inputs(["a"])
        .run(|_, _| true)
        .await
        .expect("a report");
    assert_eq!(report.trials[0].cost, Some(2.0));
}

#[tokio::test]
async fn a_fallback_model_is_paid_for_as_itself() {
    let runtime = answering(|request| match request.model.id() {
        "first" => Err(Error::llm("overloaded").into_unavailable()),
        _ => Ok(ModelReply::text("Hi.").with_usage(Usage::of_request(1_000_000, 0))),
    });
    let (first, second) = (
        Model::from_static("OpenAI", "first"),
        Model::from_static("OpenAI", "second"),
    );
    let mut settings = talker().settings().clone();
    settings.fallback = vec![second.clone()].into();
    let agent = talker()
        .with_model(first.clone())
        .with_settings(settings)
        .expect("settings");
    let price = |input| Price::per_million(input, 0.0).expect("a price");
    let report = Experiment::new(&agent, runtime)
        .expect("an agent")
        .arm(Arm::new("it"))
        .prices(
            Prices::new()
                .with(first, price(5.0))
                .with(second.clone(), price(3.0)),
        )
        .inputs(["a"])
        .run(|_, _| true)
        .await
        .expect("a report");
    assert_eq!(
        report.trials[0].models,
        [(second, Usage::of_request(1_000_000, 0))]
    );
    assert_eq!(value(&report, "it", Figure::Cost), Some(3.0));
}

#[tokio::test]
async fn runs_that_fail_are_errors_and_end_nothing() {
    // Ada's runs call a tool, and fail then; what they used is counted.
    let runtime =
        answering(|request| match asked(request) {
            "Ada" => Ok(ModelReply::call("sayHello", "{\"personName\":1}")
                .with_usage(Usage::of_request(10, 1))),
            "Grace" => Ok(ModelReply::text("Hello, Grace!").with_usage(Usage::of_request(10, 1))),
            _ => Err(Error::llm("the model is down")),
        });
    let report = Experiment::new(&greeter(), runtime)
        .expect("an agent")
        .library(library([hello_tool()]))
        .arm(Arm::new("it"))
        .inputs(["Ada", "Grace"])
        .trials(5)
        .run(|_, _| true)
        .await
        .expect("a report");
    let arm = report.arm("it").expect("an arm");
    assert_eq!((arm.runs, arm.answered, arm.failures["llm"]), (10, 5, 5));
    assert_eq!(arm.usage, {
        let mut usage = Usage::of_request(100, 10);
        usage.requests = 10;
        usage
    });
    for (figure, expected) in [
        (Figure::SuccessRate, 0.5),
        (Figure::ErrorRate, 0.5),
        (Figure::ToolCalls, 0.5),
        (Figure::FailedCalls, 0.5),
        (Figure::InputTokens, 10.0),
    ] {
        assert_eq!(value(&report, "it", figure), Some(expected), "{figure:?}");
    }
    assert!(
        report
            .to_string()
            .contains("5 of 10 runs failed, the first of them so: the model is down")
    );
}

#[tokio::test]
async fn an_arm_that_always_fails_has_a_report() {
    let report = yes_and_no(3)
        .arm(Arm::new("never").runtime(failing()))
        .run(is_yes)
        .await
        .expect("a report");
    assert_eq!(value(&report, "never", Figure::SuccessRate), Some(0.0));
    assert_eq!(value(&report, "never", Figure::LatencyP50), None);
    let pair = report.comparison("never", "yes").expect("a pair");
    assert!(pair.difference(Figure::LatencyP99).is_none());
    assert_eq!(
        pair.difference(Figure::SuccessRate)
            .expect("a difference")
            .value,
        1.0
    );
}

#[tokio::test]
async fn one_trial_of_one_input_has_figures_and_no_intervals() {
    let report = yes_and_no(1).run(is_yes).await.expect("a report");
    for figure in Figure::ALL {
        let estimate = report.arm("yes").expect("an arm").figure(figure);
        assert_eq!(estimate.is_none(), figure == Figure::Cost, "{figure:?}");
        assert!(
            estimate.is_none_or(|estimate| estimate.interval.is_none()),
            "{figure:?}"
        );
    }
    assert!(
        report.to_string().contains("There are no intervals"),
        "{report}"
    );
}

#[tokio::test]
async fn the_same_input_twice_is_more_trials_of_it() {
    let report = yes_and_no(0)
        .inputs(["a", "a"])
        .run(is_yes)
        .await
        .expect("a report");
    let success = report
        .arm("yes")
        .expect("an arm")
        .figure(Figure::SuccessRate);
    assert_eq!(success.expect("a figure").interval, None);
}

#[tokio::test]
async fn what_cannot_be_run_is_refused() {
    let one = || experiment(Runtime::offline()).arm(Arm::new("a"));
    let some = || one().inputs(["Hello"]);
    for (experiment, said) in [
        (
            experiment(Runtime::offline()).inputs(["Hello"]),
            "no arms; add at least one with `arm`",
        ),
        (one(), "no inputs; add some with `inputs`"),
        (some().trials(0), "0 trials"),
        (
            some().concurrency(0),
            "a concurrency of 0; at least one run must go on at a time",
        ),
        (
            some().trials(usize::MAX).inputs(["Hi"]),
            "more runs than can be counted",
        ),
        (some().arm(Arm::new("a")), "two arms called `a`"),
        (some().arm(Arm::new(" ")), "an arm without a name"),
        (some().arm(Arm::new("a\nb")), "not fit for a table"),
        (
            some().arm(Arm::new("x".repeat(33))),
            "at most 32 characters",
        ),
    ] {
        let error = experiment.run(|_, _| true).await.expect_err("refused");
        assert!(error.is_validation());
        assert!(error.to_string().contains(said), "{error}");
    }
}

#[tokio::test]
async fn what_is_no_score_is_refused_and_said() {
    for (wrong, said) in [
        (f64::NAN, "the scorer gave NaN; a score is between 0 and 1"),
        (f64::INFINITY, "the scorer gave inf"),
        (-0.1, "the scorer gave -0.1"),
        (1.5, "the scorer gave 1.5"),
    ] {
        let report = yes_and_no(2)
            .run(move |_: &str, response: &AgentResponse| {
                if response.content == "yes" {
                    wrong
                } else {
                    0.25
                }
            })
            .await
            .expect("a report");
        assert_eq!(value(&report, "yes", Figure::SuccessRate), None);
        assert_eq!(value(&report, "no", Figure::SuccessRate), Some(0.25));
        let arm = report.arm("yes").expect("an arm");
        // The runs themselves were good.
        assert_eq!((arm.unscored, arm.answered), (2, 2));
        assert_eq!(value(&report, "yes", Figure::ErrorRate), Some(0.0));
        let text = report.to_string().replace('\n', " ");
        assert!(text.contains(said), "{text}");
    }
    assert!(Score::new(f64::NAN).is_err());
    assert_eq!(Score::new(1.0).expect("a score"), Score::PASS);
}

#[tokio::test]
async fn a_scorer_that_fails_or_panics_costs_one_score() {
    let report = yes_and_no(2)
        .run(|input, response| match (input, &*response.content) {
            ("question 0", "yes") => panic!("what a question"),
            ("question 0", _) => Err("no idea"),
            _ => Ok(true),
        })
        .await
        .expect("a report");
    for (arm, said) in [
        ("yes", "the scorer panicked: what a question"),
        ("no", "the scorer failed: no idea"),
    ] {
        assert_eq!(value(&report, arm, Figure::SuccessRate), Some(1.0));
        assert_eq!(report.arm(arm).expect("an arm").unscored, 1);
        assert!(
            report.to_string().replace('\n', " ").contains(said),
            "{report}"
        );
    }
}

#[tokio::test]
async fn a_model_that_panics_fails_its_run() {
    let runtime = answering(|request| match asked(request) {
        "bad" => panic!("what a model"),
        _ => Ok(ModelReply::text("yes")),
    });
    let report = experiment(runtime)
        .arm(Arm::new("it"))
        .inputs(["good", "bad"])
        .run(is_yes)
        .await
        .expect("a report");
    let arm = report.arm("it").expect("an arm");
    assert_eq!((arm.answered, arm.failures["llm"]), (1, 1));
    assert!(
        report
            .to_string()
            .contains("the run panicked: what a model"),
        "{report}"
    );
}

#[tokio::test]
async fn a_scorer_can_ask_a_model() {
    let judge = talker();
    let runtime = saying("It is good.");
    let report = yes_and_no(2)
        .run_judged(move |input, response| {
            let (judge, runtime) = (judge.clone(), runtime.clone());
            async move {
                let question = format!("{input}: is `{}` good?", response.content);
                let mut conversation = agent_runtime::Conversation::new();
                let verdict = runtime
                    .execute_agent(&judge, &question, &mut conversation)
                    .await?;
                Ok::<_, Error>(if verdict.content.contains("good") {
                    0.5
                } else {
                    0.0
                })
            }
        })
        .await
        .expect("a report");
    assert_eq!(value(&report, "no", Figure::SuccessRate), Some(0.5));
    // What the judge costs is not the arm's.
    assert_eq!(value(&report, "no", Figure::InputTokens), Some(1_000.0));
}

#[tokio::test]
async fn no_more_runs_go_on_than_may() {
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
async fn latencies_are_those_of_the_runs() {
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
async fn a_cancelled_experiment_reports_what_was_done() {
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
async fn an_experiment_cancelled_before_it_began_has_an_empty_report() {
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

#[tokio::test(start_paused = true)]
async fn a_judge_is_given_up_when_the_experiment_is_cancelled() {
    let cancellation = Cancellation::new();
    let signal = cancellation.clone();
    let experiment = yes_and_no(1).cancellation(cancellation);
    let judged = experiment.run_judged(async |_, _| std::future::pending::<bool>().await);
    let (report, ()) = tokio::join!(judged, async move {
        tokio::time::sleep(Duration::from_secs(1)).await;
        signal.cancel();
    });
    assert_eq!(report.expect("a report").trials.len(), 0);
}

#[tokio::test]
async fn dropping_the_future_ends_the_runs() {
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
async fn the_same_runs_and_seed_give_the_same_report() {
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
async fn thousands_of_runs_are_no_trouble() {
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
