//! Traces at all levels, which must not contain a key.

use crate::web::calls::{call, granting, only};
use crate::web::server::{Server, answer};
use agent_builtin::{SearchConfig, SearchEngine, WebSearch};
use serde_json::json;
use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// A subscriber that collects all fields as text.
#[derive(Clone, Default)]
struct Everything(Arc<Mutex<String>>);

struct Writing<'a>(&'a mut String);

impl Visit for Writing<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = write!(self.0, "{field}={value:?} ");
    }
}

impl Subscriber for Everything {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        span.record(&mut Writing(&mut self.0.lock().expect("no panic")));
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut Writing(&mut self.0.lock().expect("no panic")));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut Writing(&mut self.0.lock().expect("no panic")));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[test]
fn traces_do_not_contain_the_key() {
    let everything = Everything::default();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.expect("a runtime");
    tracing::subscriber::with_default(everything.clone(), || {
        tracing::info!("something is traced");
        runtime.block_on(async {
            for engine in [
                SearchEngine::SerpApi,
                SearchEngine::Brave,
                SearchEngine::BingSearch,
            ] {
                for status in [200, 403] {
                    let server =
                        Server::always(answer(status, "", "{\"error\": \"k3y-of-nobody\"}"));
                    let config = SearchConfig::new(engine.clone(), "k3y-of-nobody");
                    let config = config.base_url(&server.url("")).expect("a URL");
                    let grants = granting(&[server.grant()]);
                    let tool = WebSearch::new(config);
                    let debug = format!("{tool:?}");
                    let tool = only(tool);
                    let result = call(&tool, &json!({"query": "q"}), &grants).await;
                    assert!(!format!("{result:?}{debug}").contains("k3y"));
                }
            }
        });
    });
    let text = everything.0.lock().expect("no panic");
    assert!(text.contains("something is traced"));
    assert!(!text.contains("k3y"), "{text}");
}
