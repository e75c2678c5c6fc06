//! The attributes that requests over HTTP record in the current span.

use agent_core::trace::attribute;

/// Records the server of a request in the current span.
pub(super) fn record_server(url: &reqwest::Url) {
    let span = tracing::Span::current();
    if let Some(host) = url.host_str() {
        span.record(attribute::SERVER_ADDRESS, host);
    }
    if let Some(port) = url.port_or_known_default() {
        span.record(attribute::SERVER_PORT, i64::from(port));
    }
}

/// Records in the current span that the provider left earlier reasoning out of a request.
pub(crate) fn record_removed_reasoning(reasons: &str) {
    tracing::Span::current().record(attribute::REMOVED_REASONING, reasons);
}

/// The number of retries of a request. It is recorded once, when this is dropped, in the span that was current
/// at its creation, because a subscriber may print each recorded value.
pub(super) struct Resent {
    span: tracing::Span,
    times: u32,
}

impl Resent {
    pub(super) fn never() -> Self {
        Self {
            span: tracing::Span::current(),
            times: 0,
        }
    }

    pub(super) fn once_more(&mut self) {
        self.times += 1;
    }
}

impl Drop for Resent {
    fn drop(&mut self) {
        if self.times > 0 {
            self.span.record(attribute::RESENT, i64::from(self.times));
        }
    }
}
