//! A subscriber that records spans and events.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_core::span::Current;

#[derive(Clone, Default)]
pub(crate) struct Recorder(Arc<Mutex<Vec<Span>>>);

#[derive(Clone, Debug, Default)]
pub(crate) struct Span {
    pub(crate) name: &'static str,
    /// The target of an event; empty for a span.
    pub(crate) target: String,
    pub(crate) level: Option<Level>,
    pub(crate) fields: BTreeMap<&'static str, String>,
    /// The threads on which it was entered.
    pub(crate) threads: Vec<ThreadId>,
    /// The number of times it was entered and not yet left.
    pub(crate) depth: usize,
    pub(crate) metadata: Option<&'static Metadata<'static>>,
    /// The index of the span in which it was created.
    pub(crate) parent: Option<usize>,
}

struct Fields<'a>(&'a mut BTreeMap<&'static str, String>);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }
}

impl Recorder {
    pub(crate) fn with<T>(&self, act: impl FnOnce(&mut Vec<Span>) -> T) -> T {
        act(&mut self.0.lock().expect("no panic"))
    }
}

/// The index of a span.
fn index(id: &Id) -> usize {
    usize::try_from(id.into_u64()).expect("small") - 1
}

impl Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("agent_runtime")
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let current = self.current_span();
        let parent = attributes.parent().or(current.id()).map(index);
        self.with(|spans| {
            let mut span = Span {
                parent,
                name: attributes.metadata().name(),
                metadata: Some(attributes.metadata()),
                ..Span::default()
            };
            attributes.record(&mut Fields(&mut span.fields));
            spans.push(span);
            Id::from_u64(spans.len() as u64)
        })
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        self.with(|spans| {
            let at = index(id);
            values.record(&mut Fields(&mut spans[at].fields));
        });
    }

    fn event(&self, event: &Event<'_>) {
        self.with(|spans| {
            let mut span = Span {
                target: event.metadata().target().to_owned(),
                level: Some(*event.metadata().level()),
                ..Span::default()
            };
            event.record(&mut Fields(&mut span.fields));
            spans.push(span);
        });
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, id: &Id) {
        self.with(|spans| {
            let at = index(id);
            spans[at].threads.push(std::thread::current().id());
            spans[at].depth += 1;
        });
    }

    fn exit(&self, id: &Id) {
        self.with(|spans| {
            let at = index(id);
            spans[at].depth -= 1;
        });
    }

    /// Good enough here: the newest span that is entered is the innermost.
    fn current_span(&self) -> Current {
        self.with(|spans| {
            let Some(at) = spans.iter().rposition(|span| span.depth > 0) else {
                return Current::none();
            };
            let metadata = spans[at].metadata.expect("a span");
            Current::new(Id::from_u64(at as u64 + 1), metadata)
        })
    }
}

/// Returns the spans and events that are recorded while a future runs, in their order.
pub(crate) fn recorded<T>(work: impl Future<Output = T>) -> Vec<Span> {
    traced(work).1
}

/// Returns the output of a future, and the spans and events that are recorded while it runs.
pub(crate) fn traced<T>(work: impl Future<Output = T>) -> (T, Vec<Span>) {
    let recorder = Recorder::default();
    let tokio = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let output = tracing::subscriber::with_default(recorder.clone(), || tokio.block_on(work));
    (output, recorder.with(|spans| spans.clone()))
}

/// The events that hold a text, as target and level.
pub(crate) fn telling<'a>(spans: &'a [Span], text: &str) -> Vec<(&'a str, Option<Level>)> {
    spans
        .iter()
        .filter(|span| span.fields.values().any(|value| value.contains(text)))
        .map(|span| (span.target.as_str(), span.level))
        .collect()
}

/// The span of this name that has this value of an attribute.
pub(crate) fn one<'a>(spans: &'a [Span], name: &str, key: &str, value: &str) -> &'a Span {
    let mut found = spans
        .iter()
        .filter(|span| span.name == name && span.fields.get(key).is_some_and(|is| is == value));
    let one = found.next().expect("such a span");
    assert!(found.next().is_none(), "two of {name} with {key} {value}");
    one
}
