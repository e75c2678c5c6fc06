//! Messages in and out, on two threads, with nothing between them that grows without bound.
//!
//! [`Inbox`] holds what was read and is not answered yet, [`Outbox`] what is written next. Both hold up
//! whoever fills them: a client that sends faster than we answer waits, and so do we for a client that
//! does not read.

mod body;
mod decode;
mod frame;
mod hangup;
mod inbox;
mod outbox;

pub(super) use body::Body;
pub(super) use decode::Refusal;
pub(super) use inbox::{End, Inbox, Incoming, Received};
pub(super) use outbox::{Closed, Outbox};

use std::io::{BufRead, Write};
use std::sync::Arc;
use std::thread;

/// Reads messages until the input ends or cannot be understood any more. Whoever writes waits no longer
/// than a moment from then on.
///
/// # Errors
/// When there is no thread for it.
pub(super) fn read_from(
    mut input: impl BufRead + Send + 'static,
    filled: Arc<Inbox>,
    outbox: Outbox,
) -> std::io::Result<()> {
    hangup::watch(outbox.clone())?;
    thread::Builder::new()
        .name("lsp-reader".to_owned())
        .spawn(move || {
            let end = loop {
                match frame::read(&mut input) {
                    Ok(Some(frame::Frame::Body(body))) => {
                        // An answer that cannot be read says nothing to us.
                        if let Some(read) = decode::decode(&body).transpose() {
                            filled.put(read, body.len());
                        }
                    }
                    Ok(Some(frame::Frame::TooLong(length))) => {
                        filled.put(Err(Refusal::too_long(length)), 0);
                    }
                    Ok(None) => break End::Closed,
                    Err(error) => break End::Lost(error.to_string()),
                }
            };
            filled.end(end);
            outbox.hurry();
        })?;
    Ok(())
}

/// Writes messages until there are no more, or nobody reads them.
///
/// # Errors
/// When there is no thread for it.
pub(super) fn write_to(output: impl Write + Send + 'static) -> std::io::Result<Outbox> {
    Outbox::start(output)
}
