//! The handle of a run, with which a host sends messages to the model during the run.

use crate::run::{Input, check_message};
use agent_tool::Error;
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A handle of a run, with which another task or thread sends messages to the model during the run.
/// `RunBuilder::handle` returns it. Cloning is cheap.
///
/// ```
/// use agent_runtime::conversation::ToolCall;
/// use agent_runtime::model::{ModelReply, Scripted};
/// use agent_runtime::{Conversation, Error, Runtime, agent, tool, tools};
///
/// /// Counts the pages
/// #[tool]
/// fn count_pages() -> u32 {
///     512
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Error> {
/// let agent = agent! {
///     tools: [count_pages],
///     [reader:Agent {instruction: "Read.", model: "Scripted/any"} | countPages]
/// };
/// let model = Scripted::new([
///     ModelReply::calls([ToolCall::new("1", "countPages", "{}")]),
///     ModelReply::text("512 Seiten."),
/// ]);
/// let (runtime, library) = (Runtime::with_model(model), tools![count_pages]);
/// let mut conversation = Conversation::new();
/// let run = runtime.run(&agent, "How long is it?").tools(&library).conversation(&mut conversation);
/// let handle = run.handle();
/// // Usually another task says this, while the run is awaited.
/// handle.say("In German, please")?;
/// assert_eq!(run.await?.content, "512 Seiten.");
/// assert!(conversation.messages()[1].is_steering());
/// let error = handle.say("And in French").unwrap_err();
/// assert!(error.to_string().contains("the run has ended"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct RunHandle(Arc<Mutex<Messages>>);

#[derive(Default)]
struct Messages {
    waiting: VecDeque<Input>,
    is_closed: bool,
}

impl RunHandle {
    /// Sends a message to the model. The model gets the message with the next request of the run, after the
    /// results of the calls that are being made. If the model is giving its answer at that moment, it is
    /// asked once more. The message does not interrupt a request or a call, and begins no
    /// [turn](crate::Conversation::turns).
    ///
    /// Returns at once. When the run fails or is dropped before the next request, the message stays in the
    /// conversation, unless the model answered nothing in the whole run.
    ///
    /// # Errors
    /// Validation when the message is blank, when its image, document or audio is invalid, or when the run
    /// has ended or waits for an approval that another process may give, because the model would not get the
    /// message.
    pub fn say(&self, message: impl Into<Input>) -> Result<(), Error> {
        let message = message.into();
        check_message(&message)?;
        let mut messages = self.messages();
        if messages.is_closed {
            return Err(Error::validation(
                "the run has ended or waits for an approval, so that the model does not get the message; begin \
                 another run with it",
            ));
        }
        messages.waiting.push_back(message);
        Ok(())
    }

    fn messages(&self) -> MutexGuard<'_, Messages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for RunHandle {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let messages = self.messages();
        out.debug_struct("RunHandle")
            .field("waiting", &messages.waiting.len())
            .field("is_closed", &messages.is_closed)
            .finish()
    }
}

/// The messages that the handles of one run send. Handles fail once the inbox is dropped.
#[derive(Default)]
pub(crate) struct Inbox(RunHandle);

impl Inbox {
    /// Returns a handle.
    pub(crate) fn handle(&self) -> RunHandle {
        self.0.clone()
    }

    /// Takes the next message. If there is none and the run is over, closes the inbox under the same lock, so
    /// that no message arrives in between.
    pub(super) fn take(&self, is_over: bool) -> Option<Input> {
        let mut messages = self.0.messages();
        let next = messages.waiting.pop_front();
        messages.is_closed |= is_over && next.is_none();
        next
    }

    /// Closes the inbox. Returns the messages that nobody took.
    pub(super) fn close(&self) -> VecDeque<Input> {
        let mut messages = self.0.messages();
        messages.is_closed = true;
        std::mem::take(&mut messages.waiting)
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        self.close();
    }
}
