//! The layer of `tracing` that makes OpenTelemetry's spans and metrics.

use crate::attributes::Attributes;
use crate::measure::Instruments;
use agent_core::trace::attribute;
use opentelemetry::trace::{Span as _, SpanContext, SpanKind, Status, TraceContextExt, Tracer};
use opentelemetry::{Context as OtelContext, Value};
use opentelemetry_sdk::trace::{SdkTracer, Span};
use std::sync::Arc;
use tracing::span::{self, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

/// Converts the spans of `tracing` into OpenTelemetry's, and measures them.
///
/// An operation of a run ends when its duration is recorded, and not when its span is closed. Otherwise the
/// thread of a tool that timed out, which keeps its span open, would delay the export of the run.
pub(crate) struct Bridge {
    tracer: SdkTracer,
    instruments: Arc<Instruments>,
}

impl Bridge {
    pub(crate) fn new(tracer: SdkTracer, instruments: Arc<Instruments>) -> Self {
        Self {
            tracer,
            instruments,
        }
    }
}

/// The OpenTelemetry span of a span of `tracing`.
struct Bridged {
    context: SpanContext,
    /// The span and its attributes, until it ends.
    open: Option<(Span, Attributes)>,
}

impl Bridged {
    fn end(&mut self, instruments: &Instruments) {
        let Some((mut span, mut attributes)) = self.open.take() else {
            return;
        };
        if let Some(Value::F64(seconds)) = attributes.take(attribute::DURATION) {
            instruments.measure(seconds, &attributes);
        }
        if attributes
            .take(attribute::SPAN_STATUS)
            .is_some_and(|status| status.as_str() == "ERROR")
        {
            // The description is empty, because the error's text may quote content.
            span.set_status(Status::error(""));
        }
        span.set_attributes(attributes.into_pairs());
        span.end();
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Bridge {
    fn on_new_span(&self, new: &span::Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else {
            return;
        };
        let mut attributes = Attributes::default();
        new.record(&mut attributes);
        let name = attributes
            .take(attribute::SPAN_NAME)
            .map(|name| name.to_string());
        let name = name.unwrap_or_else(|| new.metadata().name().to_owned());
        let kind = attributes
            .take(attribute::SPAN_KIND)
            .map(|kind| kind.to_string());
        let kind = match kind.as_deref() {
            Some("client") => SpanKind::Client,
            Some("server") => SpanKind::Server,
            Some("producer") => SpanKind::Producer,
            Some("consumer") => SpanKind::Consumer,
            _ => SpanKind::Internal,
        };
        let parent = span.parent().and_then(|parent| {
            let bridged = parent.extensions();
            Some(bridged.get::<Bridged>()?.context.clone())
        });
        let parent = match parent {
            Some(parent) => OtelContext::new().with_remote_span_context(parent),
            None => OtelContext::current(),
        };
        let builder = self.tracer.span_builder(name).with_kind(kind);
        let started = self.tracer.build_with_context(builder, &parent);
        span.extensions_mut().insert(Bridged {
            context: started.span_context().clone(),
            open: Some((started, attributes)),
        });
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else {
            return;
        };
        let mut extensions = span.extensions_mut();
        let Some(bridged) = extensions.get_mut::<Bridged>() else {
            return;
        };
        if let Some((_, attributes)) = &mut bridged.open {
            values.record(attributes);
            if attributes.get(attribute::DURATION).is_some() {
                bridged.end(&self.instruments);
            }
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let Some(span) = context.event_span(event) else {
            return;
        };
        let mut attributes = Attributes::default();
        event.record(&mut attributes);
        let name = attributes
            .take("message")
            .map(|message| message.to_string());
        let name = name.unwrap_or_else(|| event.metadata().name().to_owned());
        let mut extensions = span.extensions_mut();
        if let Some(bridged) = extensions.get_mut::<Bridged>()
            && let Some((span, _)) = &mut bridged.open
        {
            span.add_event(name, attributes.into_pairs());
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        if let Some(span) = context.span(&id)
            && let Some(bridged) = span.extensions_mut().get_mut::<Bridged>()
        {
            bridged.end(&self.instruments);
        }
    }
}
