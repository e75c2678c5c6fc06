//! Spans of what happened earlier, as a collector receives them.

use crate::collector::Collector;
use crate::{one, settings};
use agent_otel::{Otel, RecordedSpan};
use serde_json::json;
use std::time::{Duration, UNIX_EPOCH};

#[test]
fn recorded_spans_are_exported_with_their_times() {
    let collector = Collector::start(&[]);
    let otel = Otel::start(settings(&collector.url())).expect("settings that make sense");
    let at = |seconds| UNIX_EPOCH + Duration::from_secs(seconds);
    let chat = RecordedSpan::new("chat m", at(11), at(13)).client();
    let chat = chat
        .attribute("gen_ai.usage.input_tokens", 7)
        .attribute("gen_ai.response.finish_reasons", json!(["stop"]))
        .attribute("gen_ai.response.id", json!(null));
    let call = RecordedSpan::new("execute_tool act", at(13), at(14)).failed();
    let run = RecordedSpan::new("invoke_agent a", at(10), at(20));
    otel.export(&run.child(chat).child(call))
        .expect("a collector that takes it");
    otel.shutdown().expect("a collector that takes it");
    let (spans, _) = collector.spans();
    assert_eq!(spans.len(), 3);
    let (run, chat) = (one(&spans, "invoke_agent a"), one(&spans, "chat m"));
    let call = one(&spans, "execute_tool act");
    for (span, start, end) in [(run, 10, 20), (chat, 11, 13), (call, 13, 14)] {
        let times = (span.span.start_time_unix_nano, span.span.end_time_unix_nano);
        assert_eq!(times, (start * 1_000_000_000, end * 1_000_000_000));
        assert_eq!(span.span.trace_id, run.span.trace_id);
    }
    assert_eq!(run.span.parent_span_id, Vec::<u8>::new());
    assert_eq!(
        (&*chat.span.parent_span_id, &*call.span.parent_span_id),
        (run.id(), run.id())
    );
    // Client and internal.
    assert_eq!((chat.span.kind, call.span.kind), (3, 1));
    assert!(call.is_error() && !chat.is_error());
    assert_eq!(
        json!(chat.attributes),
        json!({"gen_ai.usage.input_tokens": 7, "gen_ai.response.finish_reasons": ["stop"]})
    );
    let paths = collector.received();
    assert!(paths.iter().all(|received| received.path == "/v1/traces"));
}

#[test]
fn more_recorded_spans_than_the_queue_holds_are_exported() {
    let collector = Collector::start(&[]);
    let otel = Otel::start(settings(&collector.url())).expect("settings that make sense");
    let chat = RecordedSpan::new("chat m", UNIX_EPOCH, UNIX_EPOCH);
    let run = RecordedSpan::new("invoke_agent a", UNIX_EPOCH, UNIX_EPOCH);
    let run = (0..10_000).fold(run, |run, _| run.child(chat.clone()));
    otel.export(&run).expect("a collector that takes it");
    assert_eq!(collector.spans().0.len(), 10_001);
}

#[test]
fn a_collector_that_refuses_recorded_spans_is_an_error() {
    let collector = Collector::start(&[400, 400, 400]);
    let otel = Otel::start(settings(&collector.url())).expect("settings that make sense");
    let run = RecordedSpan::new("invoke_agent a", UNIX_EPOCH, UNIX_EPOCH);
    let error = otel.export(&run).expect_err("it is refused");
    assert!(error.is_configuration(), "{error}");
}
