//! Scorers: their values, failures and panics.

use crate::{saying, talker, value, yes_and_no};
use agent_eval::{Figure, Score};
use agent_runtime::{AgentResponse, Cancellation, Error};
use std::time::Duration;

#[tokio::test]
async fn rejects_numbers_that_are_no_score_with_a_note() {
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
async fn leaves_out_the_answer_when_the_scorer_fails_or_panics() {
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
async fn accepts_an_async_scorer_that_asks_a_model() {
    let judge = talker();
    let runtime = saying("It is good.");
    let report = yes_and_no(2)
        .run_judged(move |input, response| {
            let (judge, runtime) = (judge.clone(), runtime.clone());
            async move {
                let question = format!("{input}: is `{}` good?", response.content);
                let mut conversation = agent_runtime::Conversation::new();
                let verdict = runtime
                    .run(&judge, &question)
                    .conversation(&mut conversation)
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
