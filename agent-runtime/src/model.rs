//! Language models: what they are asked, what they answer, and those that come with the crate.

#[cfg(feature = "testing")]
mod cassette;
mod offline;
mod providers;
mod reply;
mod request;
mod scripted;
mod trace_name;

#[cfg(feature = "http")]
mod anthropic;
#[cfg(feature = "http")]
mod compatible;
#[cfg(feature = "http")]
mod google;
#[cfg(feature = "http")]
pub(crate) mod http;
#[cfg(feature = "http")]
mod ollama;
#[cfg(feature = "http")]
mod openai;
#[cfg(feature = "http")]
mod remote;
#[cfg(feature = "http")]
mod wire;

pub use crate::usage::Usage;
#[cfg(feature = "testing")]
pub use cassette::{Cassette, CassetteModel};
#[cfg(feature = "http")]
pub use compatible::CompatibleProvider;
pub use offline::Offline;
pub(crate) use providers::{Access, Providers, Registered};
pub use reply::{FinishReason, ModelReply, ReplyPart, ReplySink, detect_tool_call};
pub use request::{ModelRequest, ToolDefinition};
pub use scripted::Scripted;

use crate::error::Error;
use std::pin::Pin;
use std::sync::Arc;

/// A model's answer while it is on its way.
pub type ChatFuture<'a> = Pin<Box<dyn Future<Output = Result<ModelReply, Error>> + Send + 'a>>;

/// Something that answers requests as a language model does: a provider.
///
/// One value serves all models of its provider; [`ModelRequest::model`] says which is meant.
/// Transport retries are below this trait, tool calls above it.
pub trait ChatModel: Send + Sync + 'static {
    /// Answers a request. Dropping the future gives the request up.
    ///
    /// # Errors
    /// [`Error::llm`] when the provider failed, with [`Error::into_unavailable`] when another model
    /// may be tried; [`Error::configuration`] when the set-up is wrong. Never a secret in the text.
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a>;

    /// Answers a request, putting each part of the answer into the sink as it comes, and returns
    /// the whole. The parts together say what the answer says: its text, its calls in order, and
    /// their arguments. Dropping the future gives the request up.
    ///
    /// A model that does not override this is asked with [`chat`](Self::chat) and answers in one
    /// part.
    ///
    /// # Errors
    /// As [`chat`](Self::chat). After the first part a request must not be sent again, since
    /// somebody has read it.
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

    /// Whether such a request can be made, as far as that shows without making it: that a key is
    /// missing, say.
    ///
    /// # Errors
    /// What [`chat`](Self::chat) would say.
    fn check(&self, request: &ModelRequest) -> Result<(), Error> {
        let _ = request;
        Ok(())
    }

    /// The provider's name in traces, after OpenTelemetry's list.
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

    fn trace_name(&self) -> &'static str {
        (**self).trace_name()
    }
}
