//! Failed runs, and experiments that cannot run.

use crate::support::{greeter, hello_tool, library};
use crate::{answering, asked, experiment, failing, is_yes, value, yes_and_no};
use agent_eval::{Arm, Experiment, Figure};
use agent_runtime::model::{ModelReply, Usage};
use agent_runtime::{Environment, Error, Model, Runtime, ToolLibrary};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

#[tokio::test]
async fn counts_failed_runs_and_goes_on() {
    // Ada's runs call a tool, and fail then; what they used is counted.
    let runtime =
        answering(|request| match asked(request) {
            "Ada" => Ok(ModelReply::call("sayHello", "{\"personName\":1}")
                .with_usage(Usage::of_request(10, 1))),
            "Grace" => Ok(ModelReply::text("Hello, Grace!").with_usage(Usage::of_request(10, 1))),
            _ => Err(Error::llm("the model is down")),
        });
    let report = Experiment::new(greeter(), runtime)
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
async fn reports_an_arm_that_always_fails() {
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
async fn rejects_invalid_set_ups() {
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
        (some().arm(Arm::new("a\u{202e}b")), "not fit for a table"),
    ] {
        let error = experiment.run(|_, _| true).await.expect_err("refused");
        assert!(error.is_validation());
        assert!(error.to_string().contains(said), "{error}");
    }
}

#[tokio::test]
async fn fails_only_the_run_whose_model_panics() {
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
async fn rejects_an_arm_that_cannot_run_before_the_first_run() {
    let asked = Arc::new(AtomicU32::new(0));
    let counting = {
        let asked = Arc::clone(&asked);
        answering(move |_| {
            asked.fetch_add(1, Ordering::SeqCst);
            Ok(ModelReply::text("yes"))
        })
    };
    let with_tools = |tools| {
        let experiment = Experiment::new(greeter(), counting.clone()).expect("an agent");
        let experiment = experiment.library(library([hello_tool()]));
        let arm = Arm::new("bare").library(tools);
        experiment.arm(Arm::new("right")).arm(arm).inputs(["Hello"])
    };
    let elsewhere = Runtime::builder().environment(Environment::empty());
    let elsewhere = elsewhere.build().expect("a runtime");
    let keyless = Model::parse("OpenAI/gpt-6-luna").expect("a model");
    let right = || with_tools(library([hello_tool()]));
    for (experiment, is_kind, words) in [
        (
            with_tools(ToolLibrary::new()),
            Error::is_tool as fn(&Error) -> bool,
            &["the arm `bare` cannot run", "sayHello"][..],
        ),
        (
            right().arm(Arm::new("keyless").model(keyless).runtime(elsewhere)),
            Error::is_configuration,
            &["the arm `keyless` cannot run", "OPENAI_API_KEY"],
        ),
        (
            right().inputs([" \n"]),
            Error::is_validation,
            &["nothing but blanks in input 2"],
        ),
    ] {
        let error = experiment.run(|_, _| true).await.expect_err(words[0]);
        assert!(is_kind(&error), "{error:?}");
        for words in words {
            assert!(error.to_string().contains(words), "{error}");
        }
    }
    assert_eq!(asked.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn notes_a_single_failed_run() {
    for (inputs, words) in [
        (&["Ada"][..], "it: the only run failed: the model is down"),
        (
            &["Ada", "Grace"],
            "it: 1 of 2 runs failed: the model is down",
        ),
    ] {
        let runtime = answering(|request| match asked(request) {
            "Ada" => Err(Error::llm("the model is down")),
            _ => Ok(ModelReply::text("yes")),
        });
        let experiment = experiment(runtime).arm(Arm::new("it"));
        let report = experiment.inputs(inputs.iter().copied()).run(is_yes).await;
        let text = report.expect("a report").to_string();
        assert!(text.contains(words), "{text}");
    }
}
