//! The error that ends a run.

use serde_json::Value;
use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The error of a run that did not end with an answer.
///
/// The `is_*` methods return its kind. The text is for people and may change. `Display` prints this level
/// only; [`source`](StdError::source) returns the cause. An error never contains a key or another secret.
///
/// `Debug` prints the causes, too, because that is what a program prints whose `main` returns the error. `{:#?}` prints the
/// fields.
///
/// ```
/// use agent_tool::Error;
/// use std::io;
///
/// let error = Error::configuration("the key cannot be read").with_source(io::Error::other("no such file"));
/// assert_eq!(error.to_string(), "the key cannot be read");
/// assert_eq!(format!("{error:?}"), "the key cannot be read\n  caused by: no such file");
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    message: String,
    unavailable: bool,
    cause: Option<Cause>,
    /// The fact about a model or its server that was learned from a refused request.
    refusal: Option<Refusal>,
    /// The time that the provider asks to wait before another request.
    wait: Option<Duration>,
    /// The run that a journal could not record to its end.
    unended_run: Option<String>,
    /// Shared, so that a run can keep an error and end with it later.
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

/// A fact about a model or its server that was learned from a refused request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Refusal {
    /// The row that the catalogue should have for the model.
    pub model: agent_catalog::ModelRow,
    /// The row that the catalogue should have for the server.
    pub server: agent_catalog::ProviderRow,
    /// The same fact as a property of a row, in gram.
    pub property: String,
    /// Whether the property is one of the server and not of the model.
    pub is_of_server: bool,
    /// The setting that the refusal named, if it named one.
    pub setting: Option<agent_spec::vocabulary::Setting>,
}

/// The kinds of errors. Programs do not name them, so that kinds can be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// An input or an agent is invalid.
    Validation,
    /// The configuration is wrong.
    Configuration,
    /// The provider failed.
    Llm,
    /// A tool could not be bound.
    Tool,
    /// A limit of the run was reached.
    Limit,
    /// The run was cancelled.
    Cancelled,
    /// A hook panicked.
    Panic,
    /// A person must decide on calls.
    AwaitingApproval,
    /// The journal could not be read or written.
    Journal,
}

impl ErrorKind {
    /// The word for the kind in traces and in the saved form of a run.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Validation => "validation",
            Self::Configuration => "configuration",
            Self::Llm => "llm",
            Self::Tool => "tool",
            Self::Limit => "limit",
            Self::Cancelled => "cancelled",
            Self::Panic => "panic",
            Self::AwaitingApproval => "awaiting_approval",
            Self::Journal => "journal",
        }
    }

    /// Returns the kind of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        [
            Self::Validation,
            Self::Configuration,
            Self::Llm,
            Self::Tool,
            Self::Limit,
            Self::Cancelled,
            Self::Panic,
            Self::Journal,
        ]
        .into_iter()
        .find(|kind| kind.word() == word)
    }
}

/// The causes of provider errors that programs act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// There were too many requests.
    RateLimited,
    /// The request was longer than the model's context.
    ContextTooLong,
    /// The provider is overloaded.
    Overloaded,
    /// The provider refused the content.
    Refused,
    /// A time limit was exceeded.
    Timeout,
    /// A signature or encrypted content of earlier answers was refused.
    ThoughtsRefused,
    /// Only a document names the address of the provider, and the host program does not allow requests to it.
    AddressNotAllowed,
}

impl Cause {
    const ALL: [Self; 7] = [
        Self::RateLimited,
        Self::ContextTooLong,
        Self::Overloaded,
        Self::Refused,
        Self::Timeout,
        Self::ThoughtsRefused,
        Self::AddressNotAllowed,
    ];

    /// The word for the cause in the saved form of an error.
    const fn word(self) -> &'static str {
        match self {
            Self::RateLimited => "rateLimited",
            Self::ContextTooLong => "contextTooLong",
            Self::Overloaded => "overloaded",
            Self::Refused => "refused",
            Self::Timeout => "timeout",
            Self::ThoughtsRefused => "thoughtsRefused",
            Self::AddressNotAllowed => "addressNotAllowed",
        }
    }
}

impl Error {
    #[doc(hidden)]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            unavailable: false,
            cause: None,
            refusal: None,
            wait: None,
            unended_run: None,
            source: None,
        }))
    }

    /// Creates the error of an invalid input or agent. The message must not contain a secret.
    #[must_use]
    pub fn validation(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Validation, message)
    }

    /// Creates the error of a provider that failed: its answer was an error or could not be parsed. It is for
    /// providers that a host registers. The message must not contain a secret.
    #[must_use]
    pub fn llm(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Llm, message)
    }

    /// Creates the error of a wrong configuration, such as a missing or rejected key. It is for providers that
    /// a host registers. The message must not contain a secret.
    #[must_use]
    pub fn configuration(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Configuration, message)
    }

    #[doc(hidden)]
    pub fn tool(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Tool, message)
    }

    #[doc(hidden)]
    pub fn cancelled(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Cancelled, message)
    }

    /// Sets the cause of the error.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(Arc::from(source.into()));
        self
    }

    /// Adds the name of the agent that has the problem to the message, if the checked agent calls it.
    #[doc(hidden)]
    #[must_use]
    pub fn of_agent(mut self, agent: &str) -> Self {
        self.0.message = format!("agent `{agent}`: {}", self.0.message);
        self
    }

    /// Marks the provider as down or overloaded, so that a fallback model may be tried.
    #[must_use]
    pub fn into_unavailable(mut self) -> Self {
        self.0.unavailable = true;
        self
    }

    /// Marks the request as rejected because of a rate limit, so that
    /// [`is_rate_limited`](Self::is_rate_limited) is true. A fallback model may be tried.
    #[must_use]
    pub fn into_rate_limited(self) -> Self {
        self.with_cause(Cause::RateLimited).into_unavailable()
    }

    /// Marks the request as too long for the model, so that
    /// [`is_context_too_long`](Self::is_context_too_long) is true.
    #[must_use]
    pub fn into_context_too_long(self) -> Self {
        self.with_cause(Cause::ContextTooLong)
    }

    /// Marks the provider as overloaded, so that [`is_overloaded`](Self::is_overloaded) is true. A fallback
    /// model may be tried.
    #[must_use]
    pub fn into_overloaded(self) -> Self {
        self.with_cause(Cause::Overloaded).into_unavailable()
    }

    /// Marks the content as refused by the provider, so that [`is_refused`](Self::is_refused) is true.
    #[must_use]
    pub fn into_refused(self) -> Self {
        self.with_cause(Cause::Refused)
    }

    /// Marks a time limit as exceeded, so that [`is_timeout`](Self::is_timeout) is true. A fallback model may
    /// be tried.
    #[must_use]
    pub fn into_timeout(self) -> Self {
        self.with_cause(Cause::Timeout).into_unavailable()
    }

    /// Sets the time that the provider asks to wait before another request:
    /// [`retry_after`](Self::retry_after).
    #[must_use]
    pub fn with_retry_after(mut self, wait: Duration) -> Self {
        self.0.wait = Some(wait);
        self
    }

    /// Whether the provider refused a signature or encrypted content of earlier answers.
    #[doc(hidden)]
    pub fn is_thoughts_refused(&self) -> bool {
        self.0.cause == Some(Cause::ThoughtsRefused)
    }

    /// Whether only a document names the address of the provider, and the host program does not allow requests to it.
    #[doc(hidden)]
    pub fn is_address_not_allowed(&self) -> bool {
        self.0.cause == Some(Cause::AddressNotAllowed)
    }

    /// Sets the id of the run whose end the journal does not have.
    #[doc(hidden)]
    #[must_use]
    pub fn with_unended_run(mut self, run: &str) -> Self {
        self.0.unended_run = Some(run.to_owned());
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub fn with_cause(mut self, cause: impl Into<Option<Cause>>) -> Self {
        self.0.cause = cause.into();
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub fn with_refusal(mut self, refusal: Option<Refusal>) -> Self {
        self.0.refusal = refusal;
        self
    }

    /// The fact about a model or its server that was learned from a refused request.
    #[doc(hidden)]
    pub fn refusal(&self) -> Option<&Refusal> {
        self.0.refusal.as_ref()
    }

    /// Appends a text to the message.
    #[doc(hidden)]
    #[must_use]
    pub fn and(mut self, more: &str) -> Self {
        self.0.message.push_str(more);
        self
    }

    /// Returns the error with `context` and a colon before its message. Kind and source stay.
    #[must_use]
    pub fn with_context(mut self, context: impl fmt::Display) -> Self {
        self.0.message = format!("{context}: {}", self.0.message);
        self
    }

    /// Combines problems into one error, whose kind is that of the first problem. A single problem is
    /// returned unchanged.
    #[doc(hidden)]
    pub fn combined(mut problems: Vec<Self>) -> Result<(), Self> {
        match problems.len() {
            0 => Ok(()),
            1 => Err(problems.remove(0)),
            _ => {
                let texts: Vec<&str> = problems.iter().map(|error| &*error.0.message).collect();
                Err(Self::new(problems[0].kind(), texts.join("\n")))
            }
        }
    }

    /// Removes the mark of [`into_unavailable`](Self::into_unavailable), so that no fallback model is tried.
    #[doc(hidden)]
    #[must_use]
    pub fn into_final(mut self) -> Self {
        self.0.unavailable = false;
        self
    }

    /// Whether the input is empty, the agent is invalid, or a result was given that the run does not wait for.
    #[must_use]
    pub fn is_validation(&self) -> bool {
        self.kind() == ErrorKind::Validation
    }

    /// Whether the configuration is wrong: a missing or rejected key, an unknown provider, a missing variable.
    #[must_use]
    pub fn is_configuration(&self) -> bool {
        self.kind() == ErrorKind::Configuration
    }

    /// Whether the provider failed in another way. [`is_rate_limited`](Self::is_rate_limited),
    /// [`is_context_too_long`](Self::is_context_too_long), [`is_overloaded`](Self::is_overloaded),
    /// [`is_refused`](Self::is_refused) and [`is_timeout`](Self::is_timeout) distinguish the common reasons.
    #[must_use]
    pub fn is_llm(&self) -> bool {
        self.kind() == ErrorKind::Llm
    }

    /// Whether a tool of the agent could not be bound. A call that fails is not an error of the run.
    #[must_use]
    pub fn is_tool(&self) -> bool {
        self.kind() == ErrorKind::Tool
    }

    /// Whether a limit of the run was reached: turns, bad calls in a row, usage, time.
    #[must_use]
    pub fn is_limit(&self) -> bool {
        self.kind() == ErrorKind::Limit
    }

    /// Whether the caller or a hook cancelled the run.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.kind() == ErrorKind::Cancelled
    }

    /// Whether a hook panicked. The run ends as with any other error: its conversation can be sent again.
    #[must_use]
    pub fn is_panic(&self) -> bool {
        self.kind() == ErrorKind::Panic
    }

    /// Whether the run pauses, because a call needs a person's approval and the runtime has no `Approver`.
    /// `AwaitingApproval::of` gives the run and its calls.
    #[must_use]
    pub fn is_awaiting_approval(&self) -> bool {
        self.kind() == ErrorKind::AwaitingApproval
    }

    /// Whether the journal could not be read or written, or another process took over the
    /// run. The source is a `StoreError` of the journal.
    ///
    /// After a failed write the run makes no further request and no further call. The journal has the run up to its last
    /// commit and not its end: see [`unended_run`](Self::unended_run).
    #[must_use]
    pub fn is_journal(&self) -> bool {
        self.kind() == ErrorKind::Journal
    }

    /// The id of the run whose end the journal does not have, because the journal could not be written. `None` if
    /// another process took the run over, which then ends it. Sending the input again would make its calls twice:
    /// continue the run with `Runtime::recover_run`, which treats a call without a recorded result as in doubt, or
    /// end it with `Runtime::cancel_run`.
    #[must_use]
    pub fn unended_run(&self) -> Option<&str> {
        self.0.unended_run.as_deref()
    }

    /// Whether the provider is down or overloaded, so that a fallback model may be tried.
    #[must_use]
    pub fn is_unavailable(&self) -> bool {
        self.0.unavailable
    }

    /// Whether the provider rejected the request because of a rate limit, after all attempts.
    /// [`retry_after`](Self::retry_after) is the time to wait, if the provider sent one.
    ///
    /// | provider | comes from |
    /// | --- | --- |
    /// | all | the status 429, unless the account has no credit left (`insufficient_quota`) |
    /// | OpenAI and compatible servers | `rate_limit_exceeded`, `too_many_requests` |
    /// | Anthropic | `rate_limit_error` |
    /// | Google | `RESOURCE_EXHAUSTED` |
    #[must_use]
    pub fn is_rate_limited(&self) -> bool {
        self.0.cause == Some(Cause::RateLimited)
    }

    /// The time that the provider asks to wait before another request: the header `Retry-After` or
    /// `retry-after-ms`, or Google's `RetryInfo`. `None` if it sent none of them.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.wait
    }

    /// Whether the conversation is too long for the model. Send less: see `RunBuilder::compaction` and
    /// `RunBuilder::retention`.
    ///
    /// | provider | comes from |
    /// | --- | --- |
    /// | all | the status 413, and texts such as "maximum context length" and "prompt is too long" |
    /// | OpenAI and compatible servers | `context_length_exceeded`; llama.cpp: `exceed_context_size_error` |
    /// | Anthropic | `invalid_request_error` with such a text; `request_too_large` |
    /// | Google | `INVALID_ARGUMENT` with such a text ("input token count … exceeds the maximum") |
    /// | Ollama | only such a text; most versions shorten the conversation without an error |
    #[must_use]
    pub fn is_context_too_long(&self) -> bool {
        self.0.cause == Some(Cause::ContextTooLong)
    }

    /// Whether the provider is overloaded, after all attempts.
    ///
    /// | provider | comes from |
    /// | --- | --- |
    /// | all | the statuses 503 and 529 |
    /// | OpenAI and compatible servers | `server_is_overloaded`, `engine_overloaded_error`, `slow_down` |
    /// | Anthropic | `overloaded_error` |
    /// | Google | `UNAVAILABLE` |
    #[must_use]
    pub fn is_overloaded(&self) -> bool {
        self.0.cause == Some(Cause::Overloaded)
    }

    /// Whether the provider refused the content: it blocked the request, or withheld the answer. A model that
    /// declines in words gives an answer and no error.
    ///
    /// | provider | comes from |
    /// | --- | --- |
    /// | OpenAI and compatible servers | `content_filter` as the finish reason of an empty answer or as the error's code, `content_policy_violation`, `invalid_prompt` of a flagged request; OpenRouter: `flagged_input` |
    /// | Anthropic | `refusal` as the stop reason of an empty answer; the text "content filtering policy" |
    /// | Google | `promptFeedback.blockReason`; `SAFETY` and the like as the finish reason of an empty answer |
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.0.cause == Some(Cause::Refused)
    }

    /// Whether a time limit was exceeded: the runtime's `model_timeout`, `idle_timeout` or `run_timeout`
    /// (then [`is_limit`](Self::is_limit) is true, too), the limit for connecting, or a limit of the
    /// provider.
    ///
    /// | provider | comes from |
    /// | --- | --- |
    /// | all | the statuses 408, 504 and 524 |
    /// | Anthropic | `timeout_error` |
    /// | Google | `DEADLINE_EXCEEDED` |
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        self.0.cause == Some(Cause::Timeout)
    }

    /// Returns the name of the error's kind, as it is in traces: `validation`, `configuration`, `llm`,
    /// `tool`, `limit`, `cancelled`, `panic`, `awaiting_approval` or `journal`.
    #[must_use]
    pub fn kind_name(&self) -> &'static str {
        self.kind().word()
    }

    #[doc(hidden)]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Clones the error without its refusal. `Error` is not `Clone`, so that programs handle an error once.
    #[doc(hidden)]
    #[must_use]
    pub fn again(&self) -> Self {
        Self(Box::new(Inner {
            kind: self.0.kind,
            message: self.0.message.clone(),
            unavailable: self.0.unavailable,
            cause: self.0.cause,
            refusal: None,
            wait: self.0.wait,
            unended_run: self.0.unended_run.clone(),
            source: self.0.source.clone(),
        }))
    }

    /// Writes the marks of the error as members of its saved form. Kind and text are written by the caller,
    /// because their names differ.
    #[doc(hidden)]
    pub fn write_marks(&self, json: &mut Value) {
        if self.0.unavailable {
            json["unavailable"] = true.into();
        }
        if let Some(cause) = self.0.cause {
            json["cause"] = cause.word().into();
        }
        if let Some(wait) = self.0.wait {
            json["waitMs"] = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).into();
        }
    }

    /// Reads the marks that [`write_marks`](Self::write_marks) wrote. Unknown marks are ignored.
    #[doc(hidden)]
    #[must_use]
    pub fn with_marks(mut self, json: &Value) -> Self {
        self.0.unavailable = json.get("unavailable") == Some(&Value::Bool(true));
        let word = json.get("cause").and_then(Value::as_str);
        let mut causes = Cause::ALL.into_iter();
        self.0.cause = causes.find(|cause| Some(cause.word()) == word);
        let wait = json.get("waitMs").and_then(Value::as_u64);
        self.0.wait = wait.map(Duration::from_millis);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if out.alternate() {
            let mut out = out.debug_struct("Error");
            out.field("kind", &self.0.kind)
                .field("message", &self.0.message);
            if let Some(cause) = &self.0.cause {
                out.field("cause", cause);
            }
            if let Some(source) = &self.0.source {
                out.field("source", source);
            }
            return out.finish();
        }
        write!(out, "{self}")?;
        let mut cause = self.source();
        while let Some(error) = cause {
            write!(out, "\n  caused by: {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &self.0.source {
            Some(source) => Some(source.as_ref()),
            None => None,
        }
    }
}

/// Converts the diagnostics of an invalid agent.
impl From<agent_spec::Diagnostics> for Error {
    fn from(diagnostics: agent_spec::Diagnostics) -> Self {
        Self::validation("the agent is not valid").with_source(diagnostics)
    }
}
