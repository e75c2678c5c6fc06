//! What waits to be written to the client.

use super::body::Body;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
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
    waiting: SyncSender<Body>,
    /// Disconnected when everything is written, or nothing can be. Nothing is ever sent.
    written: Receiver<()>,
}

impl Outbox {
    pub(super) fn start(output: impl Write + Send + 'static) -> io::Result<Self> {
        let (waiting, taken) = sync_channel(WAITING);
        let (writing, written) = channel();
        thread::Builder::new()
            .name("lsp-writer".to_owned())
            .spawn(move || write_all(taken, output, writing))?;
        Ok(Self { waiting, written })
    }

    /// Sends a message, as soon as the client has read enough of those before.
    ///
    /// # Errors
    /// When the client does not read any more.
    pub(in crate::lsp) fn send(&self, body: Body) -> Result<(), Closed> {
        self.waiting.send(body).map_err(|_| Closed)
    }

    /// Waits until everything is written, but not for ever.
    pub(in crate::lsp) fn finish(self) {
        drop(self.waiting);
        // Whether it was written in time or not, this is the end.
        let _ = self.written.recv_timeout(PATIENCE);
    }
}

/// Writes until there is nothing more to write, or nobody reads, of which whoever sends next is told.
/// Then `writing` is dropped.
fn write_all(bodies: Receiver<Body>, mut output: impl Write, writing: Sender<()>) {
    for Body(body) in bodies {
        // In one piece: standard output would write the lines of the header by themselves.
        let mut bytes = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
        bytes.extend_from_slice(&body);
        if output
            .write_all(&bytes)
            .and_then(|()| output.flush())
            .is_err()
        {
            break;
        }
    }
    drop(writing);
}
