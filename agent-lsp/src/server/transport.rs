//! Messages of the protocol on standard input and output.
//!
//! `lsp_server` can read them, too, but trusts the length that a client gives, and ends at the first text that is no
//! message.

use agent_spec::json::parse_json;
use agent_spec::terminal;
use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use lsp_server::{ErrorCode, Message};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::io::{self, BufRead, ErrorKind, Read, Write};
use std::thread::{self, JoinHandle};

/// The maximum number of bytes of a message.
const MAX_MESSAGE: u64 = 64 << 20;

/// The maximum number of bytes of a line of a header.
const MAX_HEADER: u64 = 8 << 10;

/// The maximum number of characters of what an error quotes.
const MAX_SHOWN: usize = 200;

/// A message of the client.
pub(super) enum Incoming {
    Message(Message),
    Refused(Refusal),
}

/// A message to the client.
pub(super) enum Outgoing {
    Message(Message),
    Refusal(Refusal),
}

/// The answer to a text that is no message. Its id is null, because it is not known which request the text was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    code: i32,
    message: String,
    /// Whether the text may have had the change of a document.
    pub(super) may_be_change: bool,
}

impl Refusal {
    fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code: code as i32,
            message: message.into(),
            may_be_change: true,
        }
    }
}

impl Outgoing {
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let refusal = match self {
            Self::Message(message) => return message.write(out),
            Self::Refusal(refusal) => refusal,
        };
        let error = json!({"code": refusal.code, "message": refusal.message});
        let text = json!({"jsonrpc": "2.0", "id": null, "error": error}).to_string();
        write!(out, "Content-Length: {}\r\n\r\n{text}", text.len())?;
        out.flush()
    }
}

/// The ends of a connection with a client, and the threads that read and write.
pub(super) struct Transport {
    pub(super) incoming: Receiver<Incoming>,
    /// Sending does not wait until a message is written. Some clients read nothing while they write: if the server
    /// waited for such a client, each would wait for the other.
    pub(super) outgoing: Sender<Outgoing>,
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
    /// Waits until the input ended and all messages are written.
    pub(super) fn join(self) -> io::Result<()> {
        let panicked = |_| Err(io::Error::other("a thread panicked"));
        self.reader.join().unwrap_or_else(panicked)?;
        self.writer.join().unwrap_or_else(panicked)
    }
}

impl Transport {
    /// Connects with the client on standard input and output.
    pub(super) fn stdio() -> io::Result<Self> {
        let (sender, incoming) = bounded(0);
        let reader = thread::Builder::new().name("LspReader".to_owned());
        let reader = reader.spawn(move || read_all(&mut io::stdin().lock(), &sender))?;
        let (outgoing, messages) = unbounded::<Outgoing>();
        let (reads, reading) = bounded(0);
        let writer = thread::Builder::new().name("LspWriter".to_owned());
        let writer = writer.spawn(move || {
            // Dropped at the end.
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
fn read_all(input: &mut impl BufRead, sender: &Sender<Incoming>) -> io::Result<()> {
    while let Some(message) = read(input)? {
        let is_exit = matches!(&message, Incoming::Message(Message::Notification(sent)) if sent.method == "exit");
        if sender.send(message).is_err() || is_exit {
            break;
        }
    }
    Ok(())
}

/// Reads the next message. `None` if the input has ended.
///
/// # Errors
/// Returns an error if the beginning of the next message cannot be found.
fn read(input: &mut impl BufRead) -> io::Result<Option<Incoming>> {
    let Some(length) = read_header(input)? else {
        return Ok(None);
    };
    let mut body = input.take(length);
    if length > MAX_MESSAGE {
        io::copy(&mut body, &mut io::sink())?;
        let most = MAX_MESSAGE >> 20;
        let message = format!("the message has more than {most} MiB");
        let refusal = Refusal::new(ErrorCode::InvalidRequest, message);
        return Ok(Some(Incoming::Refused(refusal)));
    }
    let mut bytes = Vec::new();
    body.read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < length {
        return Err(malformed("the input ended inside a message"));
    }
    Ok(Some(match parse(&bytes) {
        Ok(message) => Incoming::Message(message),
        Err(refusal) => Incoming::Refused(refusal),
    }))
}

/// Reads a header, and returns the length of the message. `None` if the input has ended.
fn read_header(input: &mut impl BufRead) -> io::Result<Option<u64>> {
    let mut length = None;
    for number in 0.. {
        let mut line = Vec::new();
        input.take(MAX_HEADER).read_until(b'\n', &mut line)?;
        if line.is_empty() && number == 0 {
            return Ok(None);
        }
        let shown = terminal::line(&String::from_utf8_lossy(&line), MAX_SHOWN);
        let Some(field) = line.strip_suffix(b"\r\n") else {
            return Err(malformed(format!("malformed header: `{shown}`")));
        };
        if field.is_empty() {
            break;
        }
        let field = String::from_utf8_lossy(field);
        let Some((name, value)) = field.split_once(':') else {
            return Err(malformed(format!("malformed header: `{shown}`")));
        };
        if name.eq_ignore_ascii_case("Content-Length") {
            let value = value.trim().parse::<u64>();
            length = Some(value.map_err(|_| malformed(format!("malformed header: `{shown}`")))?);
        }
    }
    match length {
        Some(_) => Ok(length),
        None => Err(malformed("malformed header: no Content-Length")),
    }
}

fn malformed(text: impl Into<String>) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, text.into())
}

/// Parses the text of a message.
fn parse(bytes: &[u8]) -> Result<Message, Refusal> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        let problem = "the message is not UTF-8";
        return Err(Refusal::new(ErrorCode::ParseError, problem));
    };
    let json = parse_json(text).map_err(|error| {
        let problem = terminal::line(&error.to_string(), MAX_SHOWN);
        Refusal::new(
            ErrorCode::ParseError,
            format!("the message cannot be parsed: {problem}"),
        )
    })?;
    if json.is_array() {
        let problem = "this is a batch, and the protocol has single messages";
        return Err(Refusal::new(ErrorCode::InvalidRequest, problem));
    }
    let is_change = json.get("method").is_some_and(Value::is_string);
    serde_json::from_value(json).map_err(|_| {
        let problem = "this is no request, notification or response";
        Refusal {
            may_be_change: is_change,
            ..Refusal::new(ErrorCode::InvalidRequest, problem)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufReader, Cursor};

    fn framed(body: &[u8]) -> Vec<u8> {
        let header = format!("Content-Length: {}\r\n\r\n", body.len());
        [header.as_bytes(), body].concat()
    }

    /// Reads a message after which an ordinary one follows.
    fn refused(body: &[u8]) -> Refusal {
        let mut input = framed(body);
        input.extend(framed(b"{\"method\": \"next\"}"));
        let mut input = Cursor::new(input);
        let first = read(&mut input).expect("a frame");
        let next = read(&mut input).expect("a frame");
        assert!(matches!(
            next,
            Some(Incoming::Message(Message::Notification(_)))
        ));
        match first {
            Some(Incoming::Refused(refusal)) => refusal,
            _ => panic!("a message, or the end"),
        }
    }

    #[test]
    fn refuses_a_text_that_is_no_message_and_reads_the_next() {
        for (body, code, message, may_be_change) in [
            (&b"{"[..], -32700, "the message cannot be parsed: EOF", true),
            (b"", -32700, "the message cannot be parsed: EOF", true),
            (
                b"{\"a\": \"\xff\"}",
                -32700,
                "the message is not UTF-8",
                true,
            ),
            (b"[{\"method\": \"a\"}]", -32600, "this is a batch", true),
            (b"{}", -32600, "this is no request", false),
            (b"7", -32600, "this is no request", false),
        ] {
            let refusal = refused(body);
            assert_eq!(refusal.code, code, "{refusal:?}");
            assert!(refusal.message.starts_with(message), "{refusal:?}");
            assert_eq!(refusal.may_be_change, may_be_change, "{refusal:?}");
        }
    }

    #[test]
    fn refuses_a_message_with_too_many_values() {
        let list = "1,".repeat(1_000_000);
        let refusal = refused(format!("{{\"method\": \"a\", \"params\": [{list}1]}}").as_bytes());
        assert!(
            refusal.message.contains("more than 1000000 JSON values"),
            "{refusal:?}"
        );
    }

    #[test]
    fn skips_a_message_that_is_too_long() {
        let length = MAX_MESSAGE + 1;
        let header = format!("Content-Length: {length}\r\n\r\n");
        let next = framed(b"{\"method\": \"next\"}");
        let body = io::repeat(b' ').take(length);
        let mut input = BufReader::new(header.as_bytes().chain(body).chain(&next[..]));
        let Ok(Some(Incoming::Refused(refusal))) = read(&mut input) else {
            panic!("no refusal");
        };
        assert_eq!(refusal.message, "the message has more than 64 MiB");
        assert!(matches!(read(&mut input), Ok(Some(Incoming::Message(_)))));
    }

    #[test]
    fn ends_at_a_header_after_which_no_message_can_be_found() {
        let long = "x".repeat(1 << 20);
        for (input, expected) in [
            ("hello\r\n\r\n", "malformed header: `hello\\r\\n`"),
            (
                "Content-Length: 5\n\n{}",
                "malformed header: `Content-Length: 5\\n`",
            ),
            (
                "Content-Length: five\r\n\r\n",
                "malformed header: `Content-Length: five",
            ),
            (
                "Content-Length: -1\r\n\r\n",
                "malformed header: `Content-Length: -1",
            ),
            (
                "Content-Length: 99999999999999999999\r\n\r\n",
                "malformed header: `Content-Length: 9999",
            ),
            (
                "Content-Type: x\r\n\r\n{}",
                "malformed header: no Content-Length",
            ),
            (
                "Content-Length: 18446744073709551615\r\n",
                "malformed header: ``",
            ),
            (
                "Content-Length: 5\r\n\r\n{}",
                "the input ended inside a message",
            ),
            (&long, "malformed header: `xxx"),
            ("\u{202e}\u{9b}", "malformed header: `\\u{202e}\\u{9b}`"),
        ] {
            let error = read(&mut Cursor::new(input)).err().expect("an error");
            assert!(error.to_string().starts_with(expected), "{error}");
            assert!(error.to_string().len() < 1000);
        }
        assert!(matches!(read(&mut Cursor::new("")), Ok(None)));
    }
}
