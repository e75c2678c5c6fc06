//! Reading what a server sends, up to a bound.

mod gzip;

use super::innermost;
use agent_runtime::ToolError;
use gzip::Gzip;
use reqwest::Response;
use reqwest::header::CONTENT_ENCODING;
use std::io::{self, Write};

/// The encoding that servers are offered.
pub(super) const ACCEPTED: &str = "gzip";

/// The encodings that messages name. Any other text may be part of what was sent, such as a key.
const KNOWN: [&str; 7] = [
    ACCEPTED, "x-gzip", "br", "zstd", "deflate", "compress", "identity",
];

/// The most encodings that a message names.
const MOST_NAMED: usize = 4;

/// Reads a body of at most this many bytes, as sent and as decoded.
///
/// # Errors
/// Execution when it is longer, is encoded otherwise than was offered, or breaks off.
pub(super) async fn read(mut response: Response, most: usize) -> Result<Vec<u8>, ToolError> {
    let mut decoder = Decoder::of(&response, most)?;
    let too_long = || ToolError::Execution(format!("the answer has more than {most} bytes"));
    if response
        .content_length()
        .is_some_and(|length| length > most as u64)
    {
        return Err(too_long());
    }
    let mut sent = 0;
    let broken =
        |error| ToolError::Execution(format!("the answer broke off: {}", innermost(&error)));
    while let Some(chunk) = response.chunk().await.map_err(broken)? {
        sent += chunk.len();
        if sent > most {
            return Err(too_long());
        }
        decoder.take(&chunk).map_err(|error| match error.kind() {
            io::ErrorKind::FileTooLarge => too_long(),
            _ => ToolError::Execution(error.to_string()),
        })?;
    }
    match sent {
        // Nothing at all is no gzip either, and some servers say that it is.
        0 => Ok(Vec::new()),
        _ => decoder.finish(),
    }
}

enum Decoder {
    Plain(Bounded),
    Gzip(Box<Gzip>),
}

impl Decoder {
    fn of(response: &Response, most: usize) -> Result<Self, ToolError> {
        let bounded = Bounded::new(most);
        let headers = response.headers().get_all(CONTENT_ENCODING).iter();
        let lists: Vec<_> = headers
            .map(|value| String::from_utf8_lossy(value.as_bytes()).to_ascii_lowercase())
            .collect();
        let encodings: Vec<_> = lists
            .iter()
            .flat_map(|list| list.split(','))
            .map(str::trim)
            .filter(|encoding| !matches!(*encoding, "" | "identity"))
            .collect();
        match &*encodings {
            [] => Ok(Self::Plain(bounded)),
            ["gzip" | "x-gzip"] => Ok(Self::Gzip(Box::new(Gzip::new(bounded)))),
            _ => Err(ToolError::Execution(format!(
                "the answer is encoded as {}, and only {ACCEPTED} was offered",
                named(&encodings)
            ))),
        }
    }

    fn take(&mut self, chunk: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(bounded) => bounded.write_all(chunk),
            Self::Gzip(decoder) => decoder.take(chunk),
        }
    }

    fn finish(self) -> Result<Vec<u8>, ToolError> {
        match self {
            Self::Plain(bounded) => Ok(bounded.bytes),
            Self::Gzip(decoder) => match decoder.finish() {
                Ok(bounded) => Ok(bounded.bytes),
                Err(error) => Err(ToolError::Execution(error.to_string())),
            },
        }
    }
}

fn named(encodings: &[&str]) -> String {
    if encodings.len() <= MOST_NAMED && encodings.iter().all(|one| KNOWN.contains(one)) {
        format!("`{}`", encodings.join(", "))
    } else {
        "nothing that is known".into()
    }
}

/// Bytes, up to a bound.
struct Bounded {
    bytes: Vec<u8>,
    most: usize,
}

impl Bounded {
    fn new(most: usize) -> Self {
        let bytes = Vec::new();
        Self { bytes, most }
    }
}

impl Write for Bounded {
    fn write(&mut self, chunk: &[u8]) -> io::Result<usize> {
        if chunk.len() > self.most - self.bytes.len() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(chunk);
        Ok(chunk.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
