//! The checks of each request, and the headers of each answer.

use crate::problem::Problem;
use crate::state::State;
use axum::extract::{self, Request};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// The page loads its own files, asks its own server, and shows media that arrived as data.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
     media-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The headers of each answer.
const HEADERS: [(HeaderName, &str); 6] = [
    (header::CACHE_CONTROL, "no-store"),
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
];

/// Adds the headers that keep a page in bounds to an answer. [`Studio::router`](crate::Studio::router) does so; a server that
/// answers some requests itself adds them with this middleware.
pub async fn add_headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    for (name, value) in HEADERS {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Refuses a request without the token, one that a page of another site made, and with `--read-only` one that changes
/// something.
pub(crate) async fn check(
    extract::State(studio): extract::State<Arc<State>>,
    request: Request,
    next: Next,
) -> Response {
    match refusal(&studio, &request) {
        Some(problem) => problem.into_response(),
        None => next.run(request).await,
    }
}

fn refusal(studio: &State, request: &Request) -> Option<Problem> {
    let headers = request.headers();
    if !studio.has_token(headers) {
        let text = "open the address that `agent dev` printed: it has the token of this server";
        return Some(Problem(StatusCode::UNAUTHORIZED, text.to_owned()));
    }
    if is_of_other_site(headers) {
        let text = "the request comes from a page of another site";
        return Some(Problem(StatusCode::FORBIDDEN, text.to_owned()));
    }
    let only_reads = match *request.method() {
        Method::GET | Method::HEAD => true,
        // A check has a body, and changes nothing.
        Method::POST => {
            let agent = request.uri().path().strip_prefix("/studio/agents/");
            agent.is_some_and(|rest| rest.ends_with("/check"))
        }
        _ => false,
    };
    if studio.is_read_only && !only_reads {
        let text = "this server was started with `--read-only`";
        return Some(Problem(StatusCode::FORBIDDEN, text.to_owned()));
    }
    None
}

/// Whether a browser says that another site made the request. No other site has the token; this is a second bar.
fn is_of_other_site(headers: &HeaderMap) -> bool {
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let site = text(HeaderName::from_static("sec-fetch-site"));
    let origin = text(header::ORIGIN).map(|origin| origin.split_once("://").map(|(_, host)| host));
    let is_other_origin =
        origin.is_some_and(|origin| origin.is_none() || origin != text(header::HOST));
    is_other_origin || site.is_some_and(|site| !matches!(site, "same-origin" | "none"))
}
