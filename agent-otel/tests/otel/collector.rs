//! An OpenTelemetry collector on 127.0.0.1, over HTTP and in protobuf, that keeps what it receives.

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue, any_value};
use opentelemetry_proto::tonic::metrics::v1::{HistogramDataPoint, metric};
use opentelemetry_proto::tonic::trace::v1::{Span, Status};
use prost::Message;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A message that the collector received.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) path: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

pub(crate) struct Collector {
    pub(crate) port: u16,
    received: Arc<Mutex<Vec<Received>>>,
}

/// A span, with its attributes as JSON.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedSpan {
    pub(crate) span: Span,
    pub(crate) attributes: BTreeMap<String, Value>,
}

impl ReceivedSpan {
    pub(crate) fn id(&self) -> &[u8] {
        &self.span.span_id
    }

    pub(crate) fn is_error(&self) -> bool {
        let status = self.span.status.as_ref();
        status.is_some_and(|status: &Status| status.code == 2)
    }
}

/// A series of a metric, with its last data point.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    pub(crate) unit: String,
    pub(crate) attributes: BTreeMap<String, Value>,
    pub(crate) point: HistogramDataPoint,
}

impl Collector {
    /// Answers each message with these statuses in turn, and with 200 when they are used up.
    pub(crate) fn start(statuses: &'static [u16]) -> Self {
        Self::listen(statuses, |stream| stream)
    }

    /// Answers over TLS.
    pub(crate) fn start_tls(config: Arc<ServerConfig>) -> Self {
        Self::listen(&[], move |stream| {
            let connection = ServerConnection::new(Arc::clone(&config)).expect("a connection");
            StreamOwned::new(connection, stream)
        })
    }

    fn listen<S: Read + Write>(
        statuses: &'static [u16],
        accept: impl Fn(TcpStream) -> S + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let received = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&received);
        std::thread::spawn(move || {
            let mut statuses = statuses.iter();
            while let Ok((stream, _)) = listener.accept() {
                let status = *statuses.next().unwrap_or(&200);
                serve(accept(stream), status, &seen);
            }
        });
        Self { port, received }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().expect("no panic").clone()
    }

    fn bodies(&self, path: &str) -> Vec<Received> {
        let all = self.received().into_iter();
        all.filter(|received| received.path == path).collect()
    }

    /// Returns the spans of every message, and the attributes of their resource.
    pub(crate) fn spans(&self) -> (Vec<ReceivedSpan>, BTreeMap<String, Value>) {
        let mut spans = Vec::new();
        let mut resource = BTreeMap::new();
        for received in self.bodies("/v1/traces") {
            let message = ExportTraceServiceRequest::decode(&*received.body).expect("a message");
            for of_one in message.resource_spans {
                resource.extend(json_of(&of_one.resource.expect("a resource").attributes));
                for span in of_one.scope_spans.into_iter().flat_map(|scope| scope.spans) {
                    let attributes = json_of(&span.attributes);
                    spans.push(ReceivedSpan { span, attributes });
                }
            }
        }
        (spans, resource)
    }

    /// Returns the series of a metric, from the last message that has it.
    pub(crate) fn series(&self, name: &str) -> Vec<Series> {
        let mut series = Vec::new();
        for received in self.bodies("/v1/metrics") {
            let message = ExportMetricsServiceRequest::decode(&*received.body).expect("a message");
            let scopes = message.resource_metrics.into_iter();
            let scopes = scopes.flat_map(|of_one| of_one.scope_metrics);
            for found in scopes.flat_map(|scope| scope.metrics) {
                if found.name != name {
                    continue;
                }
                let Some(metric::Data::Histogram(histogram)) = found.data else {
                    panic!("{name} is no histogram");
                };
                let points = histogram.data_points.into_iter();
                series = points
                    .map(|point| Series {
                        unit: found.unit.clone(),
                        attributes: json_of(&point.attributes),
                        point,
                    })
                    .collect();
            }
        }
        series
    }
}

fn json_of(attributes: &[KeyValue]) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    for attribute in attributes {
        let before = found.insert(attribute.key.clone(), value(attribute.value.as_ref()));
        assert!(before.is_none(), "{} is there twice", attribute.key);
    }
    found
}

fn value(value_of_it: Option<&AnyValue>) -> Value {
    match value_of_it.and_then(|value| value.value.as_ref()) {
        Some(any_value::Value::StringValue(text)) => json!(text),
        Some(any_value::Value::BoolValue(is)) => json!(is),
        Some(any_value::Value::IntValue(number)) => json!(number),
        Some(any_value::Value::DoubleValue(number)) => json!(number),
        Some(any_value::Value::ArrayValue(array)) => {
            array.values.iter().map(|item| value(Some(item))).collect()
        }
        other => panic!("an attribute is {other:?}"),
    }
}

/// Receives one message. It is kept before it is answered, because the sender may look at once.
fn serve<S: Read + Write>(stream: S, status: u16, seen: &Mutex<Vec<Received>>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut headers = BTreeMap::new();
    loop {
        let mut text = String::new();
        reader.read_line(&mut text).ok()?;
        match text.trim_end().split_once(':') {
            Some((key, value)) => headers.insert(key.to_ascii_lowercase(), value.trim().to_owned()),
            None => break,
        };
    }
    let mut body = vec![0; headers.get("content-length")?.parse().ok()?];
    reader.read_exact(&mut body).ok()?;
    if status == 200 {
        let received = Received {
            path,
            headers,
            body,
        };
        seen.lock().expect("no panic").push(received);
    }
    let answer =
        format!("HTTP/1.1 {status} Done\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    reader.get_mut().write_all(answer.as_bytes()).ok()
}
