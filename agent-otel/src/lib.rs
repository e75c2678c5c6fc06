//! Exports traces and metrics of `gramwork-runtime`'s runs over OTLP/HTTP.
//!
//! Spans and metrics are named after OpenTelemetry's conventions for generative AI, which
//! `book/src/reference/observability.md` lists: `invoke_agent` for a run, within it `chat` and `execute_tool`, each with
//! its duration. The content of messages and calls is exported only with
//! `RuntimeBuilder::trace_content`.
//!
//! ```no_run
//! use agent_otel::OtelSettings;
//!
//! fn main() -> Result<(), agent_runtime::Error> {
//!     // The variable OTEL_EXPORTER_OTLP_ENDPOINT has the collector's address.
//!     let _otel = agent_otel::init(OtelSettings::new().service_name("travel-desk"))?;
//!     // … runs …
//!     Ok(()) // Dropping `_otel` sends the remaining spans.
//! }
//! ```
//!
//! A program with subscribers of its own adds [`Otel::layer`] to them:
//!
//! ```
//! use agent_otel::{Otel, OtelSettings};
//! use agent_runtime::Environment;
//! use tracing_subscriber::layer::SubscriberExt;
//!
//! # fn main() -> Result<(), agent_runtime::Error> {
//! # let environment = Environment::empty();
//! let settings = OtelSettings::new()
//!     .environment(environment)
//!     .endpoint("http://127.0.0.1:4318")
//!     .also_target("travel_desk");
//! let otel = Otel::start(settings)?;
//! let subscriber = tracing_subscriber::registry().with(otel.layer());
//! # let _ = subscriber;
//! # Ok(())
//! # }
//! ```
//!
//! A slow or missing collector delays no run. Spans wait in a queue, and threads of the export send them;
//! when the queue is full, further spans are dropped. The first failure is a warning of `tracing`. Only
//! the end of the export waits, for five seconds at most.
//!
//! A program with a layer of `tracing-opentelemetry` needs this crate for metrics only, because the spans
//! carry the attributes that such a layer reads.

mod attributes;
mod bridge;
mod client;
mod destination;
mod measure;
mod recorded;
mod send;
mod settings;

pub use recorded::RecordedSpan;
pub use settings::OtelSettings;

use agent_core::trace::WIRE;
use agent_tool::Error;
use bridge::Bridge;
use measure::Instruments;
use opentelemetry::Context as OtelContext;
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_sdk::error::{OTelSdkError, OTelSdkResult};
use opentelemetry_sdk::metrics::{PeriodicReader, SdkMeterProvider};
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, Sampler, SdkTracerProvider, SpanLimits,
};
use send::Sender;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tracing::Subscriber;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::registry::{LookupSpan, Registry};

/// The instrumentation scope of the exported spans and metrics.
const SCOPE: &str = "agent_runtime";

/// The longest time that the end of the export waits.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// The capacity of the queue of spans. Further spans are dropped, so that the queue does not grow without
/// bound while the collector is away.
const QUEUED_SPANS: usize = 8_192;

/// The interval at which spans are sent.
const SPAN_INTERVAL: Duration = Duration::from_secs(2);

/// The export of traces and metrics to a collector. Keep it while the program runs. Dropping it sends the
/// remaining spans and metrics, for five seconds at most.
pub struct Otel {
    tracers: SdkTracerProvider,
    meters: SdkMeterProvider,
    instruments: Arc<Instruments>,
    targets: Targets,
    has_ended: bool,
}

/// Starts the export and sets it as the `tracing` subscriber of the program. A program with other
/// subscribers adds [`Otel::layer`] to them instead.
///
/// # Errors
/// The errors of [`Otel::start`], and Configuration when the program has a subscriber already.
pub fn init(settings: OtelSettings) -> Result<Otel, Error> {
    let otel = Otel::start(settings)?;
    let subscriber = Registry::default().with(otel.layer());
    tracing::subscriber::set_global_default(subscriber).map_err(|error| {
        let text = "the program has a `tracing` subscriber already; add `Otel::layer` to it";
        Error::configuration(text).with_source(error)
    })?;
    Ok(otel)
}

impl Otel {
    /// Starts the threads of the export. The collector is not contacted until there is something to send.
    /// No run waits for the collector or fails because of it.
    ///
    /// # Errors
    /// Configuration when a setting or a variable of the environment is invalid.
    pub fn start(settings: OtelSettings) -> Result<Self, Error> {
        destination::check_protocol(&settings)?;
        let timeout = settings.effective_timeout()?;
        let headers = destination::headers(&settings)?;
        let resource = destination::resource(&settings)?;
        let sender = |kind| {
            let url = destination::url(&settings, kind)?;
            let headers = headers.clone();
            Sender::new(&settings.environment, url, headers, timeout, &resource)
        };
        // Every option is set, because the defaults are read from the process's environment.
        let batches = BatchConfigBuilder::default()
            .with_max_queue_size(QUEUED_SPANS)
            .with_max_export_batch_size(512)
            .with_scheduled_delay(SPAN_INTERVAL)
            .build();
        let spans = BatchSpanProcessor::builder(sender("traces")?).with_batch_config(batches);
        let tracers = SdkTracerProvider::builder()
            .with_sampler(Sampler::ParentBased(Box::new(Sampler::AlwaysOn)))
            .with_span_limits(SpanLimits::default())
            .with_resource(resource.clone())
            .with_span_processor(spans.build())
            .build();
        let reader = PeriodicReader::builder(sender("metrics")?)
            .with_interval(settings.metric_interval)
            .build();
        let meters = SdkMeterProvider::builder()
            .with_resource(resource.clone())
            .with_reader(reader)
            .build();
        let instruments = Arc::new(Instruments::new(&meters.meter(SCOPE)));
        let targets = Targets::new()
            .with_target(SCOPE, LevelFilter::DEBUG)
            .with_target(WIRE, LevelFilter::OFF);
        let others = settings.targets.iter();
        let targets = others.fold(targets, |targets, target| {
            targets.with_target(target, LevelFilter::DEBUG)
        });
        Ok(Self {
            tracers,
            meters,
            instruments,
            targets,
            has_ended: false,
        })
    }

    /// Returns the layer that exports, for a `tracing` subscriber. It exports the spans and events of runs
    /// and of the targets in the settings, and no others.
    pub fn layer<S>(&self) -> impl Layer<S> + Send + Sync + use<S>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let bridge = Bridge::new(self.tracers.tracer(SCOPE), Arc::clone(&self.instruments));
        bridge.with_filter(self.targets.clone())
    }

    /// Exports a span of an earlier operation, as a trace of its own, and waits for the collector's answer.
    /// It blocks the thread. No metrics are recorded, because a program that exports its runs has recorded
    /// them already.
    ///
    /// ```no_run
    /// use agent_otel::{Otel, OtelSettings, RecordedSpan};
    /// use std::time::{Duration, SystemTime};
    ///
    /// let otel = Otel::start(OtelSettings::new())?;
    /// let end = SystemTime::now();
    /// let start = end - Duration::from_secs(60);
    /// let chat = RecordedSpan::new("chat gpt-6-luna", start, end).client();
    /// otel.export(&RecordedSpan::new("invoke_agent clerk", start, end).child(chat))?;
    /// # Ok::<(), agent_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// Configuration when the collector did not accept the spans.
    pub fn export(&self, span: &RecordedSpan) -> Result<(), Error> {
        let mut waiting = 0;
        let mut make_room = || {
            waiting = (waiting + 1) % (QUEUED_SPANS / 2);
            match waiting {
                0 => self.tracers.force_flush(),
                _ => Ok(()),
            }
        };
        let tracer = self.tracers.tracer(SCOPE);
        let exported = span.export(&tracer, &OtelContext::new(), &mut make_room);
        exported
            .and_then(|()| self.tracers.force_flush())
            .map_err(not_exported)
    }

    /// Sends all spans and metrics and waits for the collector's answer. It blocks the thread.
    ///
    /// # Errors
    /// Configuration when the collector did not accept them.
    pub fn flush(&self) -> Result<(), Error> {
        self.both(
            SdkTracerProvider::force_flush,
            SdkMeterProvider::force_flush,
        )
    }

    /// Sends the remaining spans and metrics and ends the export, as dropping does. It blocks the thread,
    /// for five seconds at most.
    ///
    /// # Errors
    /// The errors of [`flush`](Self::flush).
    pub fn shutdown(mut self) -> Result<(), Error> {
        self.end()
    }

    fn end(&mut self) -> Result<(), Error> {
        if std::mem::replace(&mut self.has_ended, true) {
            return Ok(());
        }
        self.both(
            |tracers| tracers.shutdown_with_timeout(SHUTDOWN_TIMEOUT),
            |meters| meters.shutdown_with_timeout(SHUTDOWN_TIMEOUT),
        )
    }

    /// Runs an operation on traces and metrics concurrently, because both wait when the collector is away.
    fn both(
        &self,
        with_traces: impl FnOnce(&SdkTracerProvider) -> OTelSdkResult + Send,
        with_metrics: impl FnOnce(&SdkMeterProvider) -> OTelSdkResult,
    ) -> Result<(), Error> {
        let (traces, metrics) = std::thread::scope(|scope| {
            let traces = scope.spawn(|| with_traces(&self.tracers));
            let metrics = with_metrics(&self.meters);
            let panicked = |_| Err(OTelSdkError::InternalFailure("a panic".to_owned()));
            (traces.join().unwrap_or_else(panicked), metrics)
        });
        traces.and(metrics).map_err(not_exported)
    }
}

fn not_exported(error: OTelSdkError) -> Error {
    Error::configuration("traces or metrics were not exported").with_source(error)
}

impl Drop for Otel {
    fn drop(&mut self) {
        // The sender has logged the failure.
        let _ = self.end();
    }
}

impl fmt::Debug for Otel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Otel").finish_non_exhaustive()
    }
}
