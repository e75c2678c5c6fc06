//! Busy and unreachable collectors, and tools that outlive their run.

use crate::collector::Collector;
use crate::support::library;
use crate::{exported, has, one, quick, scripted, settings, traced};
use agent_otel::Otel;
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::tool::ToolConfig;
use serde_json::json;
use std::net::TcpListener;
use std::time::{Duration, Instant};

#[test]
fn retries_when_the_collector_is_busy() {
    let collector = Collector::start(&[503, 503]);
    exported(
        settings(&collector.url()),
        scripted("quick", &quick(), |builder| builder),
    );
    assert_eq!(collector.spans().0.len(), 4);
    assert_eq!(collector.series("gen_ai.invoke_agent.duration").len(), 1);
}

/// The timeout of a request to a collector that never answers. Waiting for one request takes this long,
/// which nothing else does, however busy the machine is.
const TIMEOUT: Duration = Duration::from_secs(600);

/// Collectors that accept nothing: a missing one, one that never answers, one that refuses.
fn unreachable() -> Vec<(&'static str, String, Box<dyn std::any::Any>)> {
    let gone = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let gone = gone.local_addr().expect("an address");
    let silent = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = silent.local_addr().expect("an address").port();
    let refuses = Collector::start(&[400; 65_536]);
    vec![
        ("gone", format!("http://{gone}"), Box::new(())),
        (
            "silent",
            format!("http://127.0.0.1:{port}"),
            Box::new(silent),
        ),
        ("refusing", refuses.url(), Box::new(refuses)),
    ]
}

#[test]
fn an_unreachable_collector_delays_and_fails_no_run() {
    for (name, url, _alive) in unreachable() {
        let settings = settings(&url)
            .metric_interval(Duration::from_millis(10))
            .timeout(TIMEOUT);
        let otel = Otel::start(settings).expect("settings");
        let start = Instant::now();
        traced(&otel, async {
            // More spans than the queue holds, so that some are dropped.
            for _ in 0..3_000 {
                scripted("quick", &quick(), |builder| builder).await;
            }
        });
        assert!(otel.shutdown().is_err(), "{name}");
        assert!(start.elapsed() < TIMEOUT, "{name}");
    }
}

#[test]
fn exports_a_run_while_the_thread_of_a_timed_out_tool_still_runs() {
    let collector = Collector::start(&[]);
    let (end, ended) = std::sync::mpsc::channel::<()>();
    let ended = std::sync::Mutex::new(ended);
    let stuck = ToolConfig::with_signature("stuck", "Does something.", "()==>(::Any)");
    let ended = std::sync::Arc::new(ended);
    let stuck = stuck.build(move |_| {
        let (ended, span) = (std::sync::Arc::clone(&ended), tracing::Span::current());
        async move {
            let waits = move || span.in_scope(|| ended.lock().expect("no panic").recv());
            let _ = tokio::task::spawn_blocking(waits).await;
            Ok(json!(null))
        }
    });
    let library = library([stuck.expect("a tool")]);
    let build = |builder: RuntimeBuilder| builder.tool_timeout(Duration::from_millis(30));
    exported(
        settings(&collector.url()),
        scripted("stuck", &library, build),
    );
    let (spans, _) = collector.spans();
    let stuck = one(&spans, "execute_tool stuck");
    has(stuck, json!({"error.type": "timeout"}));
    let run = one(&spans, "invoke_agent greeter");
    assert_eq!(stuck.span.parent_span_id, run.id());
    // The thread of the tool, and with it the tool's span, was open until here.
    drop(end);
}
