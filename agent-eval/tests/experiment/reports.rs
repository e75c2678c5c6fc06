//! The reports of experiments: the table, the JSON, the page.

use crate::support::agent;
use agent_eval::{Arm, Experiment, ExperimentReport};
use agent_runtime::cost::{Price, Prices};
use agent_runtime::model::{ChatFuture, ChatModel, ModelReply, ModelRequest, Usage};
use agent_runtime::spec::terminal;
use agent_runtime::{Error, Model, Runtime};
use proptest::prelude::*;
use roxmltree::{Document, ParsingOptions};
use serde_json::{Value, json};
use std::time::Duration;

/// A model that answers or fails with a text, after a pause.
struct Says(Result<String, String>, u64, Duration);

impl ChatModel for Says {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        let last = request
            .messages
            .last()
            .map_or(0, |it| it.content().len() as u64);
        Box::pin(async move {
            let Self(answer, tokens, pause) = self;
            tokio::time::sleep(*pause + Duration::from_millis(last)).await;
            let usage = Usage::of_request(*tokens, tokens / 3);
            match answer {
                Ok(text) => Ok(ModelReply::text(text.clone()).with_usage(usage)),
                Err(text) => Err(Error::llm(text.clone())),
            }
        })
    }
}

fn arm(name: &str, model: Says) -> Arm {
    Arm::new(name).runtime(Runtime::with_model(model))
}

fn ok(tokens: u64, pause: u64) -> Says {
    Says(Ok("Hi.".to_owned()), tokens, Duration::from_millis(pause))
}

async fn report(arms: Vec<Arm>, inputs: Vec<String>, price: f64) -> ExperimentReport {
    let price = Price::per_million(price, price).expect("a price");
    let experiment = Experiment::new(agent([]), Runtime::offline()).expect("an agent");
    let experiment = arms.into_iter().fold(experiment, Experiment::arm);
    experiment
        .inputs(inputs)
        .prices(Prices::new().with(Model::from_static("OpenAI", "gpt-6-luna"), price))
        .run(|input, _| input.len() % 2 == 0)
        .await
        .expect("a report")
}

fn inputs(count: usize) -> Vec<String> {
    (0..count).map(|at| "x".repeat(at + 1)).collect()
}

/// Reads the page as XML, which is stricter than HTML.
fn page(html: &str) -> Document<'_> {
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    Document::parse_with_options(html, options).expect("a page that is well formed")
}

#[tokio::test(start_paused = true)]
async fn reports_have_neither_keys_nor_characters_that_hide_text() {
    let model = |answer: Result<String, String>| {
        let runtime = Runtime::builder().model(Says(answer, 10, Duration::ZERO));
        let runtime = runtime.secret("sk-of-the-arm-1234");
        runtime.build().expect("a runtime")
    };
    let text = "sk-of-the-arm-1234 \u{202e}\u{9b}\u{200b}".to_owned();
    let arms = vec![
        Arm::new("says").runtime(model(Ok(text.clone()))),
        Arm::new("fails").runtime(model(Err(text))),
    ];
    let report = report(arms, inputs(1), 1.0).await;
    for form in [report.to_string(), report.to_json_text(), report.to_html()] {
        assert!(!form.contains("sk-of-the-arm"), "{form}");
        assert!(!form.contains(['\u{202e}', '\u{9b}', '\u{200b}']), "{form}");
    }
    let json: Value = serde_json::from_str(&report.to_json_text()).expect("JSON");
    assert_eq!(json, report.to_json());
    assert_eq!(json["runs"][0]["answer"], "[key] \u{202e}\u{9b}\u{200b}");
}

#[tokio::test(start_paused = true)]
async fn aligns_the_table() {
    let arms = vec![
        arm("quick", ok(1_200, 10)),
        arm("slow and dear", ok(2_400, 500)),
    ];
    let report = report(arms, inputs(12), 2.0).await;
    let text = report.to_string();
    assert_eq!(
        text,
        "\
greeter: 2 arms × 12 inputs × 1 trial, 24 of 24 runs done

arm            runs  success     95% interval  errors  calls  failed calls
-------------  ----  -------  ---------------  ------  -----  ------------
quick            12   50.0 %  25.0 % … 75.0 %   0.0 %   0.00          0.00
slow and dear    12   50.0 %  25.0 % … 75.0 %   0.0 %   0.00          0.00

each run       tokens in  tokens out      cost      p50      p90      p99
-------------  ---------  ----------  --------  -------  -------  -------
quick               1200       400.0  $0.00320  16.0 ms  21.0 ms  22.0 ms
slow and dear       2400       800.0  $0.00640   506 ms   511 ms   512 ms

slow and dear - quick
figure        difference           95% interval
------------  ----------  ---------------------
success           0.0 pp        0.0 pp … 0.0 pp
errors            0.0 pp        0.0 pp … 0.0 pp
calls               0.00            0.00 … 0.00
failed calls        0.00            0.00 … 0.00
tokens in          +1200          +1200 … +1200  *
tokens out        +400.0        +400.0 … +400.0  *
cost           +$0.00320  +$0.00320 … +$0.00320  *
p50              +490 ms      +490 ms … +490 ms  *
p90              +490 ms                      -
p99              +490 ms                      -

* the interval leaves out 0

A latency has an interval when five answers took longer: p50 from 10 answers on, p90 from 50, p99
from 500.
"
    );
}

#[tokio::test(start_paused = true)]
async fn writes_json_of_the_documented_shape() {
    let down = Says(Err("the model is down".to_owned()), 0, Duration::ZERO);
    let arms = vec![arm("good", ok(300, 10)), arm("bad", down)];
    let json = report(arms, inputs(2), 1.0).await.to_json();
    let keys = |value: &Value| -> Vec<String> {
        value
            .as_object()
            .expect("an object")
            .keys()
            .cloned()
            .collect()
    };
    let mut expected = [
        "version",
        "agent",
        "inputs",
        "trialsPerInput",
        "seed",
        "planned",
        "done",
        "complete",
        "confidence",
        "resamples",
        "arms",
        "comparisons",
        "runs",
        "notes",
    ];
    expected.sort_unstable();
    assert_eq!(keys(&json), expected);
    for (pointer, value) in [
        ("/version", json!(1)),
        ("/agent", json!("greeter")),
        ("/inputs", json!(["x", "xx"])),
        ("/trialsPerInput", json!(1)),
        ("/seed", json!(0)),
        ("/planned", json!(4)),
        ("/complete", json!(true)),
        ("/confidence", json!(0.95)),
        ("/arms/0/name", json!("good")),
        ("/arms/0/model", json!("OpenAI/gpt-6-luna")),
        (
            "/arms/0/usage",
            json!({"inputTokens": 600, "outputTokens": 200, "requests": 2}),
        ),
        ("/arms/0/cost", json!(0.0008)),
        ("/arms/0/failures", json!({})),
        ("/arms/1/failures", json!({"llm": 2})),
        ("/arms/1/answered", json!(0)),
        ("/arms/1/unscored", json!(0)),
        ("/arms/1/figures/latencyP50", Value::Null),
        (
            "/arms/1/figures/errorRate",
            json!({"value": 1.0, "low": 1.0, "high": 1.0}),
        ),
        (
            "/arms/0/figures/latencyP50",
            json!({"value": 0.011, "low": null, "high": null}),
        ),
        ("/comparisons/0/base", json!("good")),
        ("/comparisons/0/other", json!("bad")),
        ("/comparisons/0/differences/latencyP99", Value::Null),
        ("/comparisons/0/differences/errorRate/value", json!(1.0)),
        (
            "/runs/0",
            json!({
                "arm": "good", "input": 0, "trial": 1, "answer": "Hi.", "score": 0.0,
                "toolCalls": 0, "failedCalls": 0, "cost": 0.0004, "latency": 0.011,
                "usage": {"inputTokens": 300, "outputTokens": 100, "requests": 1},
            }),
        ),
        (
            "/runs/3",
            json!({
                "arm": "bad", "input": 1, "trial": 1, "error": "the model is down",
                "errorKind": "llm", "score": 0.0, "toolCalls": 0, "failedCalls": 0, "cost": 0.0,
                "latency": 0.002,
                "usage": {"inputTokens": 0, "outputTokens": 0, "requests": 0},
            }),
        ),
    ] {
        let found = json.pointer(pointer).cloned();
        assert_eq!(found, Some(value), "{pointer}");
    }
}

#[tokio::test(start_paused = true)]
async fn draws_a_plot_for_each_metric_with_values() {
    let arms = vec![
        arm("a", ok(300, 10)),
        arm("b", ok(600, 20)),
        arm("c", ok(100, 5)),
    ];
    let report = report(arms, inputs(12), 1.0).await;
    let html = report.to_html();
    let page = page(&html);
    let labels: Vec<_> = page
        .descendants()
        .filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "svg")))
        .map(|svg| svg.attribute("aria-label").unwrap_or_default())
        .collect();
    assert_eq!(
        labels,
        [
            "Success rate of each arm, with its interval",
            "Difference of the success rates of each pair",
            "Latency of the answers of each arm",
            "Cost of a run",
        ]
    );
    // The page is whole: it runs nothing and loads nothing.
    for forbidden in [
        "<script", "<link", "<img", "url(", "@import", "src=", "href=",
    ] {
        assert!(!html.contains(forbidden), "{forbidden}");
    }
    for wanted in [
        "prefers-color-scheme: dark",
        "color-scheme: light dark",
        "b beside a",
    ] {
        assert!(html.contains(wanted), "{wanted}");
    }
    // Without JavaScript and without looking at plots: every number is text.
    assert_eq!(
        page.descendants()
            .filter(|node| node.has_tag_name("table"))
            .count(),
        6
    );
    assert!(html.contains("<h2>The answers</h2>"), "{html}");
}

#[tokio::test(start_paused = true)]
async fn plots_tokens_if_the_cost_is_unknown() {
    let report = report(vec![arm("a", ok(300, 1))], inputs(3), 0.0).await;
    let html = report.to_html();
    assert!(html.contains("Tokens sent in a run") && html.contains("Tokens written in a run"));
    assert!(!html.contains("Cost of a run"));
}

#[tokio::test(start_paused = true)]
async fn escapes_foreign_texts() {
    let bad = "<script>alert('1' & \"2\")</script> ]]> \u{1b}[31m";
    let name = "<b>&\"'\u{1F600}";
    let fails = Says(Err(bad.to_owned()), 0, Duration::ZERO);
    let report = report(
        vec![arm(name, ok(1, 1)), arm("c", fails)],
        vec![bad.to_owned(), "&".to_owned()],
        1.0,
    )
    .await;
    let html = report.to_html();
    assert!(!html.contains("<script") && !html.contains("<b>"), "{html}");
    let page = page(&html);
    let texts: Vec<_> = page.descendants().filter_map(|node| node.text()).collect();
    assert!(texts.contains(&name), "{texts:?}");
    assert!(
        texts
            .iter()
            .any(|text| text.contains("<script>alert('1' & \"2\")</script> ]]>"))
    );
    assert!(!html.contains('\u{1b}') && !report.to_string().contains('\u{1b}'));
}

/// Arms of any name, some of which fail.
fn arms() -> impl Strategy<Value = Vec<(String, Option<u64>, u64)>> {
    let name = prop_oneof!["[a-zA-Z0-9 <>&\"'_./-]{1,32}", "\\PC{1,32}"];
    let one = (
        name,
        prop::option::weighted(0.8, any::<u64>()),
        0..10_000_000_u64,
    );
    prop::collection::vec(one, 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn whatever_is_compared_fits_the_table_and_the_page(arms in arms(), count in 1..6_usize, price in 0.0..1e9) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time().start_paused(true).build().expect("a runtime");
        let mut names = std::collections::BTreeSet::new();
        let arms: Vec<Arm> = arms.into_iter()
            .filter(|(name, ..)| !name.trim().is_empty() && terminal::line(name, 32) == *name)
            .filter(|(name, ..)| names.insert(name.clone()))
            .map(|(name, tokens, pause)| arm(&name, match tokens {
                Some(tokens) => ok(tokens, pause),
                None => Says(Err("down ".repeat(100)), 0, Duration::from_millis(pause)),
            }))
            .collect();
        prop_assume!(!arms.is_empty());
        let report = runtime.block_on(report(arms, inputs(count), price));
        for line in report.to_string().lines() {
            prop_assert!(line.chars().count() <= 100, "{line}");
        }
        page(&report.to_html());
        prop_assert_eq!(&report.to_json()["version"], 1);
    }
}
