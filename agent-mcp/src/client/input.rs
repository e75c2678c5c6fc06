//! Questions of a server to the host while it works on a call.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

/// A question of a server to the person in front of the host. Its texts are the server's, so show them as such.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InputRequest {
    /// The name that the host gave the server.
    pub server: String,
    /// The server's text for the person.
    pub message: String,
    /// The form of the answer.
    pub form: InputForm,
}

/// The form of the answer to an [`InputRequest`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum InputForm {
    /// Values that fit a JSON Schema: an object whose properties are texts, numbers, booleans and lists of words.
    Fields(serde_json::Value),
    /// A web page on which the person does something, such as a payment. The server gets no values, and the page must
    /// only be opened when the person agrees.
    Page(String),
}

/// The answer to an [`InputRequest`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum InputAnswer {
    /// The values, or `null` for a [page](InputForm::Page).
    Accept(serde_json::Value),
    /// The person refuses, and the call may continue without the answer.
    Decline,
    /// The person stops the call.
    Cancel,
}

type AnswerFuture = Pin<Box<dyn Future<Output = InputAnswer> + Send>>;

/// The function of the host that answers the questions of servers.
#[derive(Clone)]
pub(crate) struct InputHandler(Arc<dyn Fn(InputRequest) -> AnswerFuture + Send + Sync>);

impl InputHandler {
    pub(crate) fn new<F, R>(answer: F) -> Self
    where
        F: Fn(InputRequest) -> R + Send + Sync + 'static,
        R: Future<Output = InputAnswer> + Send + 'static,
    {
        Self(Arc::new(move |request| Box::pin(answer(request))))
    }

    pub(crate) async fn answer(&self, request: InputRequest) -> InputAnswer {
        (self.0)(request).await
    }
}

impl fmt::Debug for InputHandler {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("InputHandler")
    }
}
