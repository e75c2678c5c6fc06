//! Language models: requests, replies, and the models without a network.

pub(crate) mod limits;
mod offline;
pub(crate) mod reply;
pub(crate) mod request;
pub(crate) mod request_digests;
mod scripted;
mod source;
pub(crate) mod trace_name;

pub use crate::usage::{Usage, UsagePart};
pub use limits::ProviderLimits;
pub use offline::Offline;
pub use reply::{FinishReason, ModelReply, ReplyPart, ReplySink, detect_tool_call};
pub use request::{ModelRequest, ToolDefinition};
pub use scripted::Scripted;
pub use source::{ModelSource, ProviderUse};
pub use trace_name::trace_name_of;

use crate::cost::Price;
use agent_tool::Error;
use std::pin::Pin;
use std::sync::Arc;

/// The future of a model's reply.
pub type ChatFuture<'a> = Pin<Box<dyn Future<Output = Result<ModelReply, Error>> + Send + 'a>>;

/// A provider of language models.
///
/// One value serves all models of its provider; [`ModelRequest::model`] is the one to use. Implementations
/// retry requests themselves, but call no tools.
pub trait ChatModel: Send + Sync + 'static {
    /// Answers a request. Dropping the future cancels the request.
    ///
    /// # Errors
    /// [`Error::validation`] when a part of the run's input cannot be sent to the provider, before anything is sent;
    /// [`Error::llm`] when the provider failed, with [`Error::into_unavailable`] when a fallback model may be
    /// tried; [`Error::configuration`] when the setup is wrong. [`Error::into_rate_limited`] and the like set the
    /// cause, on which programs act. The text must not contain a secret.
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a>;

    /// Answers a request, and sends each part of the answer to the sink as it arrives. The parts together
    /// equal the reply: its text, its calls in order, and their arguments. Dropping the future cancels the
    /// request.
    ///
    /// The default calls [`chat`](Self::chat), and sends the reply in one part for its text and two for each
    /// call.
    ///
    /// # Errors
    /// As [`chat`](Self::chat). After the first part the request must not be retried, because the user has
    /// read that part.
    fn stream<'a>(
        &'a self,
        request: &'a ModelRequest,
        sink: &'a mut ReplySink<'_>,
    ) -> ChatFuture<'a> {
        Box::pin(async move {
            let reply = self.chat(request).await?;
            sink.send_reply(&reply).await;
            Ok(reply)
        })
    }

    /// Checks a request without sending it, such as for a missing key or an image of the input that the
    /// provider does not accept. A run calls this before each request: a request that fails here is not
    /// counted.
    ///
    /// # Errors
    /// The error that [`chat`](Self::chat) would return.
    fn check(&self, request: &ModelRequest) -> Result<(), Error> {
        let _ = request;
        Ok(())
    }

    /// Returns the price of the tokens of a request, if the provider knows it.
    fn price(&self, request: &ModelRequest) -> Option<Price> {
        let _ = request;
        None
    }

    /// Returns the number of tokens that a request and its answer may have together, if the provider knows it.
    fn context_window(&self, request: &ModelRequest) -> Option<u64> {
        let _ = request;
        None
    }

    /// Returns the provider's name in traces, after OpenTelemetry's list.
    fn trace_name(&self) -> &'static str {
        "custom"
    }
}

impl<M: ChatModel + ?Sized> ChatModel for Arc<M> {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        (**self).chat(request)
    }

    fn check(&self, request: &ModelRequest) -> Result<(), Error> {
        (**self).check(request)
    }

    fn stream<'a>(
        &'a self,
        request: &'a ModelRequest,
        sink: &'a mut ReplySink<'_>,
    ) -> ChatFuture<'a> {
        (**self).stream(request, sink)
    }

    fn price(&self, request: &ModelRequest) -> Option<Price> {
        (**self).price(request)
    }

    fn context_window(&self, request: &ModelRequest) -> Option<u64> {
        (**self).context_window(request)
    }

    fn trace_name(&self) -> &'static str {
        (**self).trace_name()
    }
}
