//! A model whose pieces of text hold the time at which they were written.

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::serve::ListenerExt;
use bench_shared::Failure;
use futures_util::stream;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::net::TcpListener;
use tokio::time::{Instant, sleep_until};

/// One answer of so many is refused or cut.
const ANSWERS_PER_FAULT: usize = 20;

/// The answers of a model.
pub(crate) struct Model {
    /// The number of pieces of an answer.
    pieces: usize,
    /// The time between two pieces.
    interval: Duration,
    /// The number of requests so far.
    requests: AtomicUsize,
}

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    Refused,
    Cut,
}

impl Model {
    pub(crate) fn new(pieces: usize, interval: Duration) -> Arc<Self> {
        Arc::new(Self {
            pieces,
            interval,
            requests: AtomicUsize::new(0),
        })
    }

    /// Returns the number of requests so far.
    pub(crate) fn requests(&self) -> usize {
        self.requests.load(Ordering::Relaxed)
    }

    /// Serves the format of OpenAI's chat completions, and returns the base URL.
    pub(crate) async fn serve(self: Arc<Self>) -> Result<String, Failure> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let base_url = format!("http://{}/v1", listener.local_addr()?);
        let app = Router::new().route("/v1/chat/completions", post(answer));
        let app = app.with_state(self);
        let listener = listener.tap_io(|stream| {
            let _ = stream.set_nodelay(true);
        });
        tokio::spawn(async move { axum::serve(listener, app).await });
        Ok(base_url)
    }

    fn fault(&self) -> Fault {
        let request = self.requests.fetch_add(1, Ordering::Relaxed) + 1;
        match request % (2 * ANSWERS_PER_FAULT) {
            0 => Fault::Refused,
            ANSWERS_PER_FAULT => Fault::Cut,
            _ => Fault::None,
        }
    }
}

async fn answer(State(model): State<Arc<Model>>) -> Response {
    let fault = model.fault();
    if fault == Fault::Refused {
        let error = r#"{"error": {"message": "overloaded", "type": "server_error"}}"#;
        let json = [("content-type", "application/json")];
        return (StatusCode::SERVICE_UNAVAILABLE, json, error).into_response();
    }
    let begun = Instant::now();
    let chunks = stream::unfold(0, move |at| {
        let model = Arc::clone(&model);
        async move {
            if fault == Fault::Cut && at == model.pieces / 2 {
                return Some((Err(io::Error::other("cut")), model.pieces + 1));
            }
            let chunk = match at.cmp(&model.pieces) {
                std::cmp::Ordering::Less => {
                    sleep_until(begun + model.interval * u32::try_from(at).unwrap_or(u32::MAX)).await;
                    format!(
                        "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{at}:{} \"}},\"finish_reason\":null}}]}}\n\n",
                        now()
                    )
                }
                std::cmp::Ordering::Equal => "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n".to_owned(),
                std::cmp::Ordering::Greater => return None,
            };
            Some((Ok(chunk), at + 1))
        }
    });
    let stream = [("content-type", "text/event-stream")];
    (stream, Body::from_stream(chunks)).into_response()
}

/// The time in microseconds, which all processes of the machine share.
pub(crate) fn now() -> u64 {
    let time = SystemTime::now().duration_since(UNIX_EPOCH);
    u64::try_from(time.unwrap_or_default().as_micros()).unwrap_or(u64::MAX)
}
