//! Messages of the protocol on standard input and output.
//!
//! The threads of `lsp_server` are not used, because its sender waits until a message is written.

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use lsp_server::Message;
use std::convert::Infallible;
use std::io;
use std::thread::{self, JoinHandle};

/// The ends of a connection with a client, and the threads that read and write.
pub(super) struct Transport {
    pub(super) incoming: Receiver<Message>,
    /// Sending does not wait until a message is written. Some clients read nothing while they write: if the server
    /// waited for such a client, each would wait for the other.
    pub(super) outgoing: Sender<Message>,
    /// A channel that is disconnected when the client no longer reads.
    pub(super) reading: Receiver<Infallible>,
    pub(super) threads: Threads,
}

/// The threads of a [`Transport`].
pub(super) struct Threads {
    reader: JoinHandle<io::Result<()>>,
    writer: JoinHandle<io::Result<()>>,
}

impl Threads {
    /// Waits until the input ended and all messages are written, also if the input ended with an error.
    pub(super) fn join(self) -> io::Result<()> {
        let panicked = |_| Err(io::Error::other("a thread panicked"));
        let read = self.reader.join().unwrap_or_else(panicked);
        let written = self.writer.join().unwrap_or_else(panicked);
        read.and(written)
    }
}

impl Transport {
    /// Connects with the client on standard input and output.
    pub(super) fn stdio() -> io::Result<Self> {
        let (sender, incoming) = bounded(0);
        let reader = thread::Builder::new().name("LspReader".to_owned());
        let reader = reader.spawn(move || read_all(&sender))?;
        let (outgoing, messages) = unbounded::<Message>();
        let (reads, reading) = bounded(0);
        let writer = thread::Builder::new().name("LspWriter".to_owned());
        let writer = writer.spawn(move || {
            // `reads` is dropped when the thread ends.
            let _reads = reads;
            let mut out = io::stdout().lock();
            messages
                .iter()
                .try_for_each(|message| message.write(&mut out))
        })?;
        Ok(Self {
            incoming,
            outgoing,
            reading,
            threads: Threads { reader, writer },
        })
    }
}

/// Reads messages until the input ends, or until `exit`.
fn read_all(sender: &Sender<Message>) -> io::Result<()> {
    let mut input = io::stdin().lock();
    while let Some(message) = Message::read(&mut input)? {
        let is_exit = matches!(&message, Message::Notification(sent) if sent.method == "exit");
        if sender.send(message).is_err() || is_exit {
            break;
        }
    }
    Ok(())
}
