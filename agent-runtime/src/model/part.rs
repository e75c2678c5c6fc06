//! A model's answer in parts, while it comes.

use super::ModelReply;
use std::fmt;
use std::future::poll_fn;
use std::task::Poll;

/// One part of an answer that is on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplyPart {
    /// More of the text.
    Text(String),
    /// More of what the model thinks, from providers that show it. It is no part of the answer.
    Thought(String),
    /// The model begins to call a tool.
    #[non_exhaustive]
    Call {
        /// Which call of the answer this is, from 0.
        index: usize,
        /// The name that the model calls.
        tool: String,
    },
    /// More of the arguments of a call that has begun: a piece of JSON text.
    #[non_exhaustive]
    Arguments {
        /// The call.
        index: usize,
        /// The piece.
        text: String,
    },
}

impl ReplyPart {
    /// A call begins. Calls begin in order, from index 0.
    #[must_use]
    pub fn call(index: usize, tool: impl Into<String>) -> Self {
        let tool = tool.into();
        Self::Call { index, tool }
    }

    /// More of the arguments of a call.
    #[must_use]
    pub fn arguments(index: usize, text: impl Into<String>) -> Self {
        let text = text.into();
        Self::Arguments { index, text }
    }
}

/// Where a model puts the parts of an answer, as they come.
pub struct ReplySink<'a> {
    take: &'a mut (dyn FnMut(ReplyPart) + Send),
    /// Whether whoever reads the parts can take more.
    has_room: &'a (dyn Fn() -> bool + Sync),
    sent: bool,
}

impl<'a> ReplySink<'a> {
    /// A sink that hands each part to a function, for models that wrap another and for tests.
    pub fn new(take: &'a mut (dyn FnMut(ReplyPart) + Send)) -> Self {
        Self::with_room(take, &|| true)
    }

    pub(crate) fn with_room(
        take: &'a mut (dyn FnMut(ReplyPart) + Send),
        has_room: &'a (dyn Fn() -> bool + Sync),
    ) -> Self {
        Self {
            take,
            has_room,
            sent: false,
        }
    }

    /// Puts a part, and waits until whoever reads them can take another: so a slow reader slows
    /// the sender down, and nothing piles up. Empty texts are left out.
    ///
    /// Cancel safety: the part is put at once; dropping the future only gives up the waiting.
    pub async fn send(&mut self, part: ReplyPart) {
        let is_empty = match &part {
            ReplyPart::Text(text)
            | ReplyPart::Thought(text)
            | ReplyPart::Arguments { text, .. } => text.is_empty(),
            ReplyPart::Call { .. } => false,
        };
        if is_empty {
            return;
        }
        self.sent = true;
        (self.take)(part);
        // Whoever makes room polls the whole work again, so no waker is kept.
        poll_fn(|_| match (self.has_room)() {
            true => Poll::Ready(()),
            false => Poll::Pending,
        })
        .await;
    }

    #[cfg(feature = "testing")]
    /// What a sink that stands before this one is made of: where a part goes, whether there is room
    /// for another, and whether any was put.
    pub(crate) fn pieces(
        &mut self,
    ) -> (
        &mut (dyn FnMut(ReplyPart) + Send + 'a),
        &'a (dyn Fn() -> bool + Sync),
        &mut bool,
    ) {
        (&mut *self.take, self.has_room, &mut self.sent)
    }

    /// Puts an answer that came as a whole.
    pub async fn send_reply(&mut self, reply: &ModelReply) {
        if let Some(text) = &reply.content {
            self.send(ReplyPart::Text(text.clone())).await;
        }
        for (index, call) in reply.tool_calls.iter().enumerate() {
            self.send(ReplyPart::call(index, call.tool())).await;
            self.send(ReplyPart::arguments(index, call.args_text()))
                .await;
        }
    }

    /// Whether any part was put. From then on the request cannot be sent again unnoticed.
    #[must_use]
    pub fn has_sent(&self) -> bool {
        self.sent
    }
}

impl fmt::Debug for ReplySink<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ReplySink")
            .field("sent", &self.sent)
            .finish_non_exhaustive()
    }
}
