//! Refusals that are unknown, wrong or never end, and the warnings about those that were corrected.

use crate::faults::certificate::Certificate;
use crate::faults::server::{Play, whole};
use crate::vendors::accounts::{HOSTS, Vendors, runtime};
use crate::vendors::features::{Case, Feature, Turn, turns};
use crate::vendors::reply::JSON;
use agent_runtime::catalog::{Catalog, Document, ReasoningEffort};
use agent_runtime::gram::value::Decimal;
use agent_runtime::spec::Settings;
use agent_runtime::{Agent, Error};
use serde_json::json;
use std::sync::Arc;

/// A request that a vendor refuses in words that the product knows.
#[derive(Clone, Copy)]
struct Known {
    /// A model that has the parameter, by the catalogue.
    model: &'static str,
    set: fn(&mut Settings),
    words: &'static str,
}

const KNOWN: [Known; 4] = [
    Known {
        model: "OpenAI/gpt-4.1",
        set: set_temperature,
        words: "Unsupported parameter: 'temperature' is not supported with this model.",
    },
    Known {
        model: "OpenAIChat/gpt-4.1",
        set: set_temperature,
        words: "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is \
                supported.",
    },
    Known {
        model: "Anthropic/claude-sonnet-4-6",
        set: set_temperature,
        words: "`temperature` is deprecated for this model.",
    },
    Known {
        model: "Google/gemini-3.5-flash",
        set: |settings| settings.reasoning_effort = Some(ReasoningEffort::Minimal),
        words: "'minimal' is not a supported thinking level for this model. Allowed values are: medium, low, high.",
    },
];

fn set_temperature(settings: &mut Settings) {
    settings.temperature = Some(Decimal::from_static(0.2, "0.2"));
}

const UNKNOWN: &str = "The moon is in the wrong phase for this request.";

/// The error of a run whose requests all get the same answer, and the number of the requests.
async fn refused(
    model: &str,
    set: Option<fn(&mut Settings)>,
    play: Play,
    is_streamed: bool,
    corrects: bool,
) -> (Error, usize) {
    let certificate = Certificate::of(&HOSTS, |_| {});
    let proxy = certificate.proxy_answering(Arc::new(move |_| play.clone()));
    let runtime = runtime("sk-1", proxy.port, certificate.path());
    let runtime = runtime
        .correct_refused_requests(corrects)
        .build()
        .expect("a runtime");
    let mut settings = Settings::NONE;
    if let Some(set) = set {
        set(&mut settings);
    }
    let agent = Agent::new("greeter", model, "Greet people.").expect("an agent");
    let agent = agent.with_settings(settings).expect("settings");
    let run = runtime.run(&agent, "Hello, I'm Ada");
    let run = if is_streamed { run.streaming() } else { run };
    let error = run.await.expect_err("a refusal");
    (error, proxy.requests().len())
}

/// Checks the error of a refused run. It quotes the vendor, and the request was sent at most twice; once if refused requests are
/// not corrected.
async fn check(model: &str, set: Option<fn(&mut Settings)>, play: &Play, quoted: &str) {
    for is_streamed in [false, true] {
        for (corrects, most) in [(true, 2), (false, 1)] {
            let (error, requests) = refused(model, set, play.clone(), is_streamed, corrects).await;
            let text = error.to_string();
            assert!(text.contains(quoted), "{model}: {text}");
            assert!(text.contains("400"), "{model}: {text}");
            assert!(
                (1..=most).contains(&requests),
                "{model}: {requests} requests: {text}"
            );
        }
    }
}

/// The answer of a vendor that refuses a request.
fn refusal(words: &str) -> Play {
    let error = json!({"error": {"message": words, "type": "invalid_request_error"}});
    whole(400, JSON, error.to_string())
}

#[tokio::test]
async fn quotes_a_refusal_in_unknown_words() {
    for known in KNOWN {
        check(known.model, Some(known.set), &refusal(UNKNOWN), UNKNOWN).await;
        check(known.model, None, &refusal(UNKNOWN), UNKNOWN).await;
    }
}

#[tokio::test]
async fn quotes_a_refusal_of_a_parameter_that_was_not_sent() {
    for known in KNOWN {
        let play = refusal(known.words);
        check(known.model, None, &play, known.words).await;
        // Nothing changes, so the request is not even sent again.
        let (_, requests) = refused(known.model, None, play, false, true).await;
        assert_eq!(requests, 1, "{}", known.model);
    }
}

#[tokio::test]
async fn gives_up_after_one_correction() {
    for known in KNOWN {
        let play = refusal(known.words);
        check(known.model, Some(known.set), &play, known.words).await;
        let (_, requests) = refused(known.model, Some(known.set), play, false, true).await;
        assert_eq!(requests, 2, "{}", known.model);
    }
}

#[tokio::test]
async fn quotes_a_refusal_that_a_proxy_wrapped_in_html() {
    for known in KNOWN {
        let words = known.words;
        let page = format!("<html>\n<body><h1>400 Bad Request</h1>\n<p>{words}</p></body></html>");
        let play = whole(400, "content-type: text/html\r\n", page);
        check(known.model, Some(known.set), &play, words).await;
    }
}

#[tokio::test]
async fn survives_odd_refusals() {
    let bodies: [Vec<u8>; 9] = [
        Vec::new(),
        b"null".to_vec(),
        br#"{"error": null}"#.to_vec(),
        br#"{"error": {"message": ["'temperature' is not supported with this model"]}}"#.to_vec(),
        br#"{"error": {"message": "Supported values are: "}}"#.to_vec(),
        br#"{"error": {"message": "Supported values are: 'red' and 'green'."}}"#.to_vec(),
        br#"{"error": {"message": "/v1/chat/completions /v1/responses"}}"#.to_vec(),
        b"\xff\xfe 'temperature' is not supported with this model".to_vec(),
        format!("Supported values are: {}", "'low', ".repeat(100_000)).into_bytes(),
    ];
    for known in KNOWN {
        for body in &bodies {
            let play = whole(400, JSON, body);
            check(known.model, Some(known.set), &play, "").await;
        }
    }
}

/// A row that contradicts the vendor, and the case in which it is refused.
struct Wrong {
    row: &'static str,
    provider: &'static str,
    model: &'static str,
    feature: Feature,
    /// The setting that is dropped or changed.
    setting: &'static str,
}

const WRONG: [Wrong; 4] = [
    Wrong {
        row: r#"[OpenAI:Catalog | [gpt-6-astra:Model {temperature: "always"}]]"#,
        provider: "OpenAI",
        model: "gpt-6-astra",
        feature: Feature::TemperatureAndTopP,
        setting: "`temperature`",
    },
    Wrong {
        row: r#"[OpenAI:Catalog | [gpt-5.2:Model {efforts: ["minimal", "max"]}]]"#,
        provider: "OpenAI",
        model: "gpt-5.2",
        feature: Feature::Effort(ReasoningEffort::Max),
        setting: "`reasoningEffort`",
    },
    Wrong {
        row: r#"[Anthropic:Catalog | [claude-opus-5-5:Model {forcedCalls: "always"}]]"#,
        provider: "Anthropic",
        model: "claude-opus-5-5",
        feature: Feature::RequiredCall,
        setting: "`toolChoice`",
    },
    Wrong {
        row: r#"[Google:Catalog | [gemini-3.7-flash:Model {efforts: ["minimal"]}]]"#,
        provider: "Google",
        model: "gemini-3.7-flash",
        feature: Feature::Effort(ReasoningEffort::Minimal),
        setting: "`reasoningEffort`",
    },
];

/// Runs a case once, with a catalogue.
async fn turn(vendors: &Vendors, wrong: &Wrong, catalog: &Catalog, is_streamed: bool) -> Turn {
    let account = vendors.account();
    let runtime = account.runtime().catalog(catalog.clone());
    let case = Case {
        provider: wrong.provider,
        model: wrong.model,
        feature: wrong.feature,
        is_streamed,
    };
    let runtime = runtime.build().expect("a runtime");
    turns(&case, &account, &runtime).await.remove(0)
}

fn warnings(turn: &Turn) -> &[String] {
    &turn.response.as_ref().expect("an answer").warnings
}

#[tokio::test]
async fn warns_of_a_setting_that_was_not_sent() {
    let vendors = Vendors::open();
    for wrong in WRONG {
        for is_streamed in [false, true] {
            let turn = turn(&vendors, &wrong, Catalog::builtin(), is_streamed).await;
            assert_eq!(turn.refusals, []);
            let warnings = warnings(&turn);
            let names = |text: &String| text.contains(wrong.setting);
            assert!(warnings.iter().any(names), "{}: {warnings:?}", wrong.model);
        }
    }
}

#[tokio::test]
async fn a_correction_tells_the_row_that_avoids_it() {
    let vendors = Vendors::open();
    for wrong in WRONG {
        for is_streamed in [false, true] {
            let catalog = Catalog::builtin().with(&Document::read(wrong.row));
            let catalog = catalog.expect("a catalogue");
            let corrected = turn(&vendors, &wrong, &catalog, is_streamed).await;
            assert_eq!(corrected.refusals.len(), 1, "{}", wrong.model);
            let told = warnings(&corrected);
            let names = |text: &String| text.contains(wrong.setting);
            assert!(told.iter().any(names), "{}: {told:?}", wrong.model);
            let begin = format!("[{}:Catalog", wrong.provider);
            let row = told
                .iter()
                .find_map(|text| text.find(&begin).map(|at| &text[at..]));
            let row = row.unwrap_or_else(|| panic!("{}: {told:?}", wrong.model));
            let document = Document::read(row);
            assert!(
                document.mistakes().is_empty(),
                "{row}: {:?}",
                document.mistakes()
            );
            let catalog = catalog.with(&document).expect("a catalogue");
            let avoided = turn(&vendors, &wrong, &catalog, is_streamed).await;
            assert!(avoided.response.is_ok(), "{row}: {:?}", avoided.response);
            assert_eq!(avoided.refusals, [], "{row}");
        }
    }
}
