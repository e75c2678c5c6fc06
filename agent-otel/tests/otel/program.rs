//! The export within a program: the program's own spans, its environment, its end.

use crate::collector::Collector;
use crate::{exported, has, named, one, quick, scripted, settings};
use agent_otel::{Otel, OtelSettings};
use agent_runtime::Environment;
use serde_json::json;
use tracing_subscriber::layer::SubscriberExt;

#[test]
fn nests_a_run_in_the_spans_of_the_program() {
    let collector = Collector::start(&[]);
    exported(settings(&collector.url()).also_target("otel"), async {
        use tracing::Instrument;
        let outer = tracing::info_span!("take_order", table = 7);
        // A span of another target is left out, and its children move up.
        let between = tracing::info_span!(target: "elsewhere", "between");
        scripted("quick", &quick(), |builder| builder)
            .instrument(between)
            .instrument(outer)
            .await;
    });
    let (spans, _) = collector.spans();
    let outer = one(&spans, "take_order");
    has(outer, json!({"table": 7}));
    let run = one(&spans, "invoke_agent greeter");
    assert_eq!(run.span.parent_span_id, outer.id());
    assert!(named(&spans, "between").is_empty());
}

#[test]
fn reads_endpoint_headers_and_resource_from_the_environment() {
    let collector = Collector::start(&[]);
    let environment = Environment::from_pairs([
        ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url().as_str()),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-team=blue%20team"),
        ("OTEL_SERVICE_NAME", "travel-desk"),
        (
            "OTEL_RESOURCE_ATTRIBUTES",
            "deployment.environment.name=test",
        ),
    ]);
    let settings = OtelSettings::new().environment(environment);
    exported(settings, scripted("quick", &quick(), |builder| builder));
    let (spans, resource) = collector.spans();
    assert_eq!(spans.len(), 4);
    assert_eq!(
        json!(resource),
        json!({"service.name": "travel-desk", "deployment.environment.name": "test"})
    );
    let received = collector.received();
    assert!(
        received
            .iter()
            .any(|received| received.path == "/v1/metrics")
    );
    for received in received {
        assert_eq!(received.headers["x-team"], "blue team");
        assert_eq!(received.headers["content-type"], "application/x-protobuf");
    }
}

#[test]
fn ends_within_a_tokio_runtime() {
    let collector = Collector::start(&[]);
    let tokio = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    tokio.expect("a runtime").block_on(async {
        let otel = Otel::start(settings(&collector.url())).expect("settings");
        let subscriber = tracing_subscriber::registry().with(otel.layer());
        let _entered = tracing::subscriber::set_default(subscriber);
        scripted("quick", &quick(), |builder| builder).await;
        drop(otel);
    });
    assert_eq!(collector.spans().0.len(), 4);
}

#[test]
fn refuses_a_second_subscriber() {
    let collector = Collector::start(&[]);
    let otel = agent_otel::init(settings(&collector.url())).expect("the first");
    let again = agent_otel::init(settings(&collector.url()));
    let error = again.expect_err("the second").to_string();
    assert!(error.contains("Otel::layer"), "{error}");
    otel.shutdown().expect("nothing to send");
}
