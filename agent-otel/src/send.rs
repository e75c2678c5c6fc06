//! Sends telemetry to a collector, on the threads of the exporters.

use crate::client::client;
use agent_tool::__private::with_causes;
use agent_tool::{Environment, Error};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::transform::common::tonic::ResourceAttributesWithSchema;
use opentelemetry_proto::transform::trace::tonic::group_spans_by_resource_and_scope;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::{OTelSdkError, OTelSdkResult};
use opentelemetry_sdk::metrics::Temporality;
use opentelemetry_sdk::metrics::data::ResourceMetrics;
use opentelemetry_sdk::metrics::exporter::PushMetricExporter;
use opentelemetry_sdk::trace::{SpanData, SpanExporter};
use prost::Message;
use reqwest::header::HeaderMap;
use reqwest::{Client, Method, Request, Url};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::time::{Instant, sleep, timeout_at};

/// The maximum number of attempts to send a message to a busy collector.
const ATTEMPTS: u32 = 3;

/// The pause before the second attempt. It doubles with each further attempt.
const PAUSE: Duration = Duration::from_millis(250);

/// Sends one kind of telemetry.
pub(crate) struct Sender {
    client: Client,
    /// A runtime of its own, because the program's may be busy or gone.
    runtime: Mutex<Option<Runtime>>,
    url: Url,
    headers: HeaderMap,
    timeout: Duration,
    resource: ResourceAttributesWithSchema,
    /// Whether the last message failed.
    fails: AtomicBool,
}

impl Sender {
    pub(crate) fn new(
        environment: &Environment,
        url: Url,
        headers: HeaderMap,
        timeout: Duration,
        resource: &Resource,
    ) -> Result<Self, Error> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Error::configuration("cannot start the export").with_source(error))?;
        Ok(Self {
            client: client(environment, &url)?,
            runtime: Mutex::new(Some(runtime)),
            url,
            headers,
            timeout,
            resource: resource.into(),
            fails: AtomicBool::new(false),
        })
    }

    /// Sends a message and waits for the answer. It blocks, so it is called on the threads of the exporters
    /// and never in a tokio runtime.
    fn send(&self, message: &impl Message) -> OTelSdkResult {
        let body = message.encode_to_vec();
        let runtime = self.runtime.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(runtime) = &*runtime else {
            return Err(OTelSdkError::AlreadyShutdown);
        };
        let sent = runtime.block_on(self.deliver(body));
        let failed_before = self.fails.swap(sent.is_err(), Ordering::Relaxed);
        sent.map_err(|why| {
            // Only the first failure is a warning, because there would be one for each message while the
            // collector is away.
            if !failed_before {
                tracing::warn!(why, "traces or metrics cannot be exported");
            }
            OTelSdkError::InternalFailure(why)
        })
    }

    async fn deliver(&self, body: Vec<u8>) -> Result<(), String> {
        let deadline = Instant::now() + self.timeout;
        let mut attempt = 0;
        loop {
            attempt += 1;
            let mut request = Request::new(Method::POST, self.url.clone());
            *request.headers_mut() = self.headers.clone();
            *request.body_mut() = Some(body.clone().into());
            let answer = match timeout_at(deadline, self.client.execute(request)).await {
                Err(_) => return Err(format!("no answer within {:?}", self.timeout)),
                // The error does not quote the URL, which may contain a password. The causes do not repeat
                // the URL.
                Ok(Err(error)) => return Err(with_causes(&error.without_url())),
                Ok(Ok(answer)) => answer,
            };
            let status = answer.status();
            if status.is_success() {
                return Ok(());
            }
            let is_transient = matches!(status.as_u16(), 429 | 502 | 503 | 504);
            let pause = PAUSE * 2_u32.pow(attempt - 1);
            if !is_transient || attempt >= ATTEMPTS || Instant::now() + pause >= deadline {
                return Err(format!("the collector answered with status {status}"));
            }
            sleep(pause).await;
        }
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        let runtime = self.runtime.get_mut();
        // Dropping a runtime within another one panics.
        if let Some(runtime) = runtime.unwrap_or_else(PoisonError::into_inner).take() {
            runtime.shutdown_background();
        }
    }
}

impl SpanExporter for Sender {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let resource_spans = group_spans_by_resource_and_scope(batch, &self.resource);
        self.send(&ExportTraceServiceRequest { resource_spans })
    }
}

impl PushMetricExporter for Sender {
    async fn export(&self, metrics: &ResourceMetrics) -> OTelSdkResult {
        self.send(&ExportMetricsServiceRequest::from(metrics))
    }

    fn force_flush(&self) -> OTelSdkResult {
        Ok(())
    }

    fn shutdown_with_timeout(&self, _timeout: Duration) -> OTelSdkResult {
        Ok(())
    }

    fn temporality(&self) -> Temporality {
        Temporality::Cumulative
    }
}

/// Omits the URL and the headers, which may hold secrets.
impl fmt::Debug for Sender {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Sender").finish_non_exhaustive()
    }
}
