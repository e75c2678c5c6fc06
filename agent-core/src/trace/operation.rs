//! An operation with a span: a run, a request or a call.

use super::attribute;
use std::fmt;
use std::time::Instant;
use tracing::{Instrument, Span, instrument::Instrumented};

/// Records the last values of an operation's span.
type LastWords<'a> = Box<dyn FnOnce(&Span) + Send + Sync + 'a>;

/// A run, a request or a call while it is traced. Its span always gets its duration. An operation that is
/// dropped without an outcome is recorded as cancelled.
pub(crate) struct Operation<'a> {
    span: Span,
    /// `None` when the operation is not traced.
    began: Option<Instant>,
    has_outcome: bool,
    last_words: Option<LastWords<'a>>,
}

impl<'a> Operation<'a> {
    pub(crate) fn new(span: Span) -> Self {
        let began = (!span.is_disabled()).then(Instant::now);
        Self {
            span,
            began,
            has_outcome: false,
            last_words: None,
        }
    }

    /// Runs work within the span.
    pub(crate) fn around<F: Future>(&self, work: F) -> Instrumented<F> {
        work.instrument(self.span.clone())
    }

    pub(crate) fn span(&self) -> &Span {
        &self.span
    }

    pub(crate) fn is_traced(&self) -> bool {
        self.began.is_some()
    }

    /// Sets the function that records the last values, however the operation ends.
    pub(crate) fn at_the_end(&mut self, last_words: impl FnOnce(&Span) + Send + Sync + 'a) {
        if self.is_traced() {
            self.last_words = Some(Box::new(last_words));
        }
    }

    /// Records the time until the first part of an answer.
    pub(crate) fn first_part(&self) {
        if let Some(began) = self.began {
            let seconds = began.elapsed().as_secs_f64();
            self.span.record(attribute::FIRST_CHUNK, seconds);
        }
    }

    /// Marks the operation as successful.
    pub(crate) fn succeeded(&mut self) {
        self.has_outcome = true;
    }

    /// Marks the operation as failed. Only the kind of the failure is recorded, because its text may quote
    /// private content.
    pub(crate) fn failed(&mut self, kind: &'static str) {
        self.has_outcome = true;
        self.span.record(attribute::ERROR, kind);
        self.span.record(attribute::SPAN_STATUS, "ERROR");
    }
}

impl Drop for Operation<'_> {
    fn drop(&mut self) {
        let Some(began) = self.began else {
            return;
        };
        if !self.has_outcome {
            self.failed("cancelled");
        }
        if let Some(last_words) = self.last_words.take() {
            last_words(&self.span);
        }
        // Recorded last, because an exporter may send the span as soon as it has the duration.
        let seconds = began.elapsed().as_secs_f64();
        self.span.record(attribute::DURATION, seconds);
    }
}

impl fmt::Debug for Operation<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.span.fmt(out)
    }
}
