//! Reading and decoding bodies up to a limit.

use agent_tool::ToolError;
use flate2::write::MultiGzDecoder;
use reqwest::Response;
use reqwest::header::CONTENT_ENCODING;
use std::error::Error;
use std::io::{self, Write};

/// The value of the header `Accept-Encoding`.
pub(super) const ACCEPT_ENCODINGS: &str = "gzip";

/// The encodings that messages name. Any other text could be a part of a key that the server repeats.
const KNOWN_ENCODINGS: [&str; 7] = [
    "gzip", "x-gzip", "br", "zstd", "deflate", "compress", "identity",
];

/// The maximum number of encodings that a message names, because a server can name any number and the model reads the
/// message.
const MAX_NAMED_ENCODINGS: usize = 4;

/// Reads a body of at most `max_length` bytes, both as sent and as decoded.
///
/// # Errors
/// Execution when the body is longer, has an encoding that was not offered, or breaks off.
pub(super) async fn read_body(
    mut response: Response,
    max_length: usize,
) -> Result<Vec<u8>, ToolError> {
    let mut decoder = Decoder::new(&response, max_length)?;
    let too_long =
        || ToolError::Execution(format!("the response has more than {max_length} bytes"));
    if response
        .content_length()
        .is_some_and(|length| length > max_length as u64)
    {
        return Err(too_long());
    }
    let mut sent = 0;
    let broken = |error| {
        ToolError::Execution(format!(
            "the response is incomplete: {}",
            root_cause(&error)
        ))
    };
    while let Some(chunk) = response.chunk().await.map_err(broken)? {
        sent += chunk.len();
        if sent > max_length {
            return Err(too_long());
        }
        decoder.write(&chunk).map_err(|error| match error.kind() {
            io::ErrorKind::FileTooLarge => too_long(),
            _ => ToolError::Execution(format!("the response is not valid gzip: {error}")),
        })?;
    }
    match sent {
        // Some servers declare gzip for an empty body, which gzip does not allow.
        0 => Ok(Vec::new()),
        _ => decoder.finish(),
    }
}

/// Returns the innermost cause of an error. The outer errors may contain the URL.
pub(super) fn root_cause(error: &dyn Error) -> &dyn Error {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause
}

enum Decoder {
    Plain(LimitedBuffer),
    Gzip(Box<MultiGzDecoder<LimitedBuffer>>),
}

impl Decoder {
    fn new(response: &Response, max_length: usize) -> Result<Self, ToolError> {
        let buffer = LimitedBuffer::new(max_length);
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
            [] => Ok(Self::Plain(buffer)),
            ["gzip" | "x-gzip"] => Ok(Self::Gzip(Box::new(MultiGzDecoder::new(buffer)))),
            _ => Err(ToolError::Execution(format!(
                "the response is encoded as {}, and only {ACCEPT_ENCODINGS} was offered",
                name_encodings(&encodings)
            ))),
        }
    }

    /// # Errors
    /// `FileTooLarge` beyond the limit; otherwise the data is not valid.
    fn write(&mut self, chunk: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(buffer) => buffer.write_all(chunk),
            Self::Gzip(decoder) => decoder.write_all(chunk),
        }
    }

    fn finish(self) -> Result<Vec<u8>, ToolError> {
        match self {
            Self::Plain(buffer) => Ok(buffer.bytes),
            Self::Gzip(decoder) => match decoder.finish() {
                Ok(buffer) => Ok(buffer.bytes),
                Err(_) => Err(ToolError::Execution(
                    "the response is not valid gzip: it is incomplete".to_owned(),
                )),
            },
        }
    }
}

fn name_encodings(encodings: &[&str]) -> String {
    let are_known = encodings
        .iter()
        .all(|encoding| KNOWN_ENCODINGS.contains(encoding));
    if encodings.len() <= MAX_NAMED_ENCODINGS && are_known {
        format!("`{}`", encodings.join(", "))
    } else {
        "an unknown encoding".into()
    }
}

/// A buffer of limited length.
struct LimitedBuffer {
    bytes: Vec<u8>,
    max_length: usize,
}

impl LimitedBuffer {
    fn new(max_length: usize) -> Self {
        let bytes = Vec::new();
        Self { bytes, max_length }
    }
}

impl Write for LimitedBuffer {
    fn write(&mut self, chunk: &[u8]) -> io::Result<usize> {
        if chunk.len() > self.max_length - self.bytes.len() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(chunk);
        Ok(chunk.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
