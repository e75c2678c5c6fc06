#![doc = include_str!("crate.md")]

mod attributes;
mod bridge;
mod client;
mod destination;
mod measure;
mod send;
mod settings;
mod tls;

pub use settings::OtelSettings;

use agent_runtime::Error;
use agent_runtime::trace::WIRE;
use bridge::Bridge;
use measure::Instruments;
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

/// The name under which spans and metrics are exported.
const SCOPE: &str = "agent_runtime";

/// How long the end waits for what is left.
const AT_THE_END: Duration = Duration::from_secs(5);

/// How many spans wait to be sent. Further ones are dropped rather than held against a run.
const WAITING_SPANS: usize = 8_192;

/// How often spans are sent.
const SPAN_INTERVAL: Duration = Duration::from_secs(2);

/// Traces and metrics on their way to a collector. Keep it for as long as the program runs: dropping
/// it sends what is left, for which it waits five seconds at most.
pub struct Otel {
    tracers: SdkTracerProvider,
    meters: SdkMeterProvider,
    instruments: Arc<Instruments>,
    targets: Targets,
    has_ended: bool,
}

/// Starts the export of what the program's runs do, as the `tracing` subscriber of the whole program.
/// One that has other subscribers adds [`Otel::layer`] to them instead.
///
/// # Errors
/// As [`Otel::start`], and configuration when the program has a subscriber already.
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
    /// Starts the threads that export. Whether the collector can be reached shows only when something
    /// is sent; a run never waits for it, and none fails because of it.
    ///
    /// # Errors
    /// Configuration when the settings or the environment make no sense.
    pub fn start(settings: OtelSettings) -> Result<Self, Error> {
        destination::check_protocol(&settings)?;
        let timeout = settings.time_to_send()?;
        let headers = destination::headers(&settings)?;
        let resource = destination::resource(&settings)?;
        let sender = |kind| {
            let url = destination::url(&settings, kind)?;
            let headers = headers.clone();
            Sender::new(&settings.environment, url, headers, timeout, &resource)
        };
        // Everything that the process's environment could change is said here.
        let batches = BatchConfigBuilder::default()
            .with_max_queue_size(WAITING_SPANS)
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

    /// What a `tracing` subscriber is given to export. It takes the spans and events of runs alone,
    /// and of the targets that the settings name.
    pub fn layer<S>(&self) -> impl Layer<S> + Send + Sync + use<S>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let bridge = Bridge::new(self.tracers.tracer(SCOPE), Arc::clone(&self.instruments));
        bridge.with_filter(self.targets.clone())
    }

    /// Sends what there is and waits until it has arrived. It blocks the thread.
    ///
    /// # Errors
    /// An error of its own kind when the collector did not take it.
    pub fn flush(&self) -> Result<(), Error> {
        self.both(
            SdkTracerProvider::force_flush,
            SdkMeterProvider::force_flush,
        )
    }

    /// Sends what is left and ends the export, as dropping does, and says whether it arrived. It
    /// blocks the thread, for five seconds at most.
    ///
    /// # Errors
    /// As [`flush`](Self::flush).
    pub fn shutdown(mut self) -> Result<(), Error> {
        self.end()
    }

    fn end(&mut self) -> Result<(), Error> {
        if std::mem::replace(&mut self.has_ended, true) {
            return Ok(());
        }
        self.both(
            |tracers| tracers.shutdown_with_timeout(AT_THE_END),
            |meters| meters.shutdown_with_timeout(AT_THE_END),
        )
    }

    /// Does something with traces and metrics at once: with a collector that is away, both wait.
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
        traces.and(metrics).map_err(|error| {
            Error::configuration("traces or metrics were not exported").with_source(error)
        })
    }
}

impl Drop for Otel {
    fn drop(&mut self) {
        // The sender has told of what went wrong.
        let _ = self.end();
    }
}

impl fmt::Debug for Otel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Otel").finish_non_exhaustive()
    }
}
