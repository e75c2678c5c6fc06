//! What is written to the client.

use super::decode::Refusal;
use lsp_server::{Message, Response};
use serde_json::json;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Duration;

/// How many messages wait to be written. With none at all, each answer would wait until the client
/// has taken the one before.
const WAITING: usize = 4;

/// How long the end waits for a client that does not read.
const PATIENCE: Duration = Duration::from_secs(2);

/// Nobody reads any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::lsp) struct Closed;

/// The way to the client. What is put there is written by a thread of its own.
#[derive(Debug)]
pub(in crate::lsp) struct Outbox {
    waiting: SyncSender<Outgoing>,
    /// Disconnected when everything is written, or nothing can be.
    written: Receiver<()>,
}

#[derive(Debug)]
enum Outgoing {
    Message(Message),
    /// The answer to nobody knows which request; the crate's answers all have an id.
    Refusal(Refusal),
}

impl Outbox {
    pub(super) fn start(mut output: impl Write + Send + 'static) -> io::Result<Self> {
        let (waiting, taken) = sync_channel::<Outgoing>(WAITING);
        let (done, written) = channel();
        thread::Builder::new()
            .name("lsp-writer".to_owned())
            .spawn(move || {
                // Disconnects whoever waits for the end.
                let _done: std::sync::mpsc::Sender<()> = done;
                for outgoing in taken {
                    // A reader that went away is no error here: whoever sends next is told.
                    if outgoing.write(&mut output).is_err() {
                        return;
                    }
                }
            })?;
        Ok(Self { waiting, written })
    }

    /// Sends a message, as soon as the client has read enough of those before.
    ///
    /// # Errors
    /// When the client does not read any more.
    pub(in crate::lsp) fn send(&self, message: impl Into<Message>) -> Result<(), Closed> {
        self.put(Outgoing::Message(message.into()))
    }

    /// Answers something that is no request we could answer.
    ///
    /// # Errors
    /// As with [`send`](Self::send).
    pub(in crate::lsp) fn refuse(&self, refusal: Refusal) -> Result<(), Closed> {
        match refusal.id {
            Some(id) => self.send(Response {
                id,
                response_result: Err(refusal.error),
            }),
            None => self.put(Outgoing::Refusal(refusal)),
        }
    }

    fn put(&self, outgoing: Outgoing) -> Result<(), Closed> {
        self.waiting.send(outgoing).map_err(|_| Closed)
    }

    /// Waits until everything is written, but not for ever.
    pub(in crate::lsp) fn finish(self) {
        drop(self.waiting);
        let ended = self.written.recv_timeout(PATIENCE);
        debug_assert_ne!(ended, Ok(()), "nothing is ever sent");
        let _: Result<(), RecvTimeoutError> = ended;
    }
}

impl Outgoing {
    fn write(&self, output: &mut impl Write) -> io::Result<()> {
        // In one piece: standard output would write the line ends of the header by themselves.
        let mut bytes = Vec::new();
        match self {
            Self::Message(message) => message.write(&mut bytes)?,
            Self::Refusal(refusal) => {
                let body = json!({"jsonrpc": "2.0", "id": null, "error": refusal.error});
                let body = body.to_string();
                write!(bytes, "Content-Length: {}\r\n\r\n{body}", body.len())?;
            }
        }
        output.write_all(&bytes)?;
        output.flush()
    }
}
