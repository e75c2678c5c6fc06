//! Work that has a span, and an end of its own.

use super::name;
use std::fmt;
use std::time::Instant;
use tracing::{Instrument, Span, instrument::Instrumented};

/// What is written last into the span of an operation.
type LastWords<'a> = Box<dyn FnOnce(&Span) + Send + Sync + 'a>;

/// A run, a request or a call while it is traced. Whatever becomes of it, its span learns how long it
/// took: one that is dropped before it came to anything was cancelled.
pub(crate) struct Operation<'a> {
    span: Span,
    /// None when nobody traces it.
    began: Option<Instant>,
    came_to_something: bool,
    last_words: Option<LastWords<'a>>,
}

impl<'a> Operation<'a> {
    pub(crate) fn new(span: Span) -> Self {
        let began = (!span.is_disabled()).then(Instant::now);
        Self {
            span,
            began,
            came_to_something: false,
            last_words: None,
        }
    }

    /// Work within the span.
    pub(crate) fn around<F: Future>(&self, work: F) -> Instrumented<F> {
        work.instrument(self.span.clone())
    }

    pub(crate) fn span(&self) -> &Span {
        &self.span
    }

    pub(crate) fn is_traced(&self) -> bool {
        self.began.is_some()
    }

    /// What is written at the end, however it comes.
    pub(crate) fn at_the_end(&mut self, last_words: impl FnOnce(&Span) + Send + Sync + 'a) {
        if self.is_traced() {
            self.last_words = Some(Box::new(last_words));
        }
    }

    /// Writes when the first part of an answer came.
    pub(crate) fn first_part(&self) {
        if let Some(began) = self.began {
            let seconds = began.elapsed().as_secs_f64();
            self.span.record(name::FIRST_CHUNK, seconds);
        }
    }

    /// It came to what it was meant to.
    pub(crate) fn succeeded(&mut self) {
        self.came_to_something = true;
    }

    /// It failed. Only the kind of the failure is written; its text may quote content.
    pub(crate) fn failed(&mut self, kind: &'static str) {
        self.came_to_something = true;
        self.span.record(name::ERROR, kind);
        self.span.record(name::SPAN_STATUS, "ERROR");
    }
}

impl Drop for Operation<'_> {
    fn drop(&mut self) {
        let Some(began) = self.began else {
            return;
        };
        if !self.came_to_something {
            self.failed("cancelled");
        }
        if let Some(last_words) = self.last_words.take() {
            last_words(&self.span);
        }
        // The last of all: whoever exports the span may send it now.
        let seconds = began.elapsed().as_secs_f64();
        self.span.record(name::DURATION, seconds);
    }
}

impl fmt::Debug for Operation<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.span.fmt(out)
    }
}
