//! Where one message ends and the next begins: a header that tells the length, a blank line, the body.

use std::fmt;
use std::io::{self, BufRead, Read};

/// The longest message that is taken: a document of 32 MiB, written with an escape for each byte.
pub(super) const MAX_BODY: u64 = 64 << 20;

/// Up to this length a message that is too long is read over, so that the next one can be answered.
/// Beyond, the length is taken for a mistake.
const MAX_SKIPPED: u64 = 1 << 30;

/// The longest header, all its lines together.
const MAX_HEADER: u64 = 8 << 10;

/// What stands between two places where a message can begin.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// A message.
    Body(Vec<u8>),
    /// A message of so many bytes, which was read over.
    TooLong(u64),
}

/// Reads up to where the next message begins. Nothing when the input ended there.
///
/// # Errors
/// When nobody can tell where the next message begins.
pub(super) fn read(input: &mut impl BufRead) -> Result<Option<Frame>, FrameError> {
    let Some(length) = read_header(input)? else {
        return Ok(None);
    };
    if length > MAX_SKIPPED {
        return Err(FrameError::Length(length.to_string()));
    }
    let mut body = input.take(length);
    if length > MAX_BODY {
        let skipped = io::copy(&mut body, &mut io::sink())?;
        return if skipped == length {
            Ok(Some(Frame::TooLong(length)))
        } else {
            Err(FrameError::Cut)
        };
    }
    // It grows with what comes: a length is only a promise.
    let mut bytes = Vec::new();
    body.read_to_end(&mut bytes)?;
    if bytes.len() as u64 == length {
        Ok(Some(Frame::Body(bytes)))
    } else {
        Err(FrameError::Cut)
    }
}

/// Reads a header and gives the length it tells. Nothing when the input ends before it.
fn read_header(input: &mut impl BufRead) -> Result<Option<u64>, FrameError> {
    let mut header = input.take(MAX_HEADER);
    let mut length = None;
    let mut line = Vec::new();
    let mut is_first = true;
    loop {
        line.clear();
        header.read_until(b'\n', &mut line)?;
        if line.pop() != Some(b'\n') {
            return match (is_first && line.is_empty(), header.limit()) {
                (true, _) => Ok(None),
                (false, 0) => Err(FrameError::HeaderTooLong),
                (false, _) => Err(FrameError::Cut),
            };
        }
        is_first = false;
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        if line.is_empty() {
            return length.map(Some).ok_or(FrameError::NoLength);
        }
        let text = String::from_utf8_lossy(&line);
        let Some((name, value)) = text.split_once(':') else {
            return Err(FrameError::NoHeader(text.into_owned()));
        };
        if name.trim().eq_ignore_ascii_case("Content-Length") {
            let value = value.trim();
            let number = value.parse();
            length = Some(number.map_err(|_| FrameError::Length(value.to_owned()))?);
        }
    }
}

/// Why nobody can tell where the next message begins.
#[derive(Debug)]
pub(super) enum FrameError {
    /// The input ended within a message.
    Cut,
    /// A line that is no line of a header.
    NoHeader(String),
    /// A header that does not end.
    HeaderTooLong,
    /// A header without a length.
    NoLength,
    /// A length that is none, or that no message has.
    Length(String),
    /// The input cannot be read.
    Io(io::Error),
}

impl From<io::Error> for FrameError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl fmt::Display for FrameError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        const RIGHT: &str = "a message begins with `Content-Length: ` and the number of its bytes";
        match self {
            Self::Cut => out.write_str("the input ended within a message"),
            Self::NoHeader(line) => {
                let shown: String = line.chars().take(80).collect();
                write!(
                    out,
                    "found the line {shown:?} where a message should begin; {RIGHT}, and the one before \
                     may have told a wrong number"
                )
            }
            Self::HeaderTooLong => write!(out, "found a header that does not end; {RIGHT}"),
            Self::NoLength => write!(out, "found a header without a length; {RIGHT}"),
            Self::Length(value) => {
                let shown: String = value.chars().take(80).collect();
                write!(
                    out,
                    "found the length {shown:?}, which no message has; at most {} MiB are taken",
                    MAX_BODY >> 20
                )
            }
            Self::Io(error) => write!(out, "cannot read standard input: {error}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes of an input, message by message, up to the end or an error.
    fn frames(mut input: &[u8]) -> Vec<String> {
        let mut seen = Vec::new();
        loop {
            match read(&mut input) {
                Ok(Some(Frame::Body(body))) => {
                    seen.push(String::from_utf8_lossy(&body).into_owned());
                }
                Ok(Some(Frame::TooLong(length))) => seen.push(format!("too long: {length}")),
                Ok(None) => return seen,
                Err(error) => {
                    seen.push(error.to_string());
                    return seen;
                }
            }
        }
    }

    #[test]
    fn messages_are_told_apart() {
        for (input, expected) in [
            ("", vec![]),
            ("Content-Length: 2\r\n\r\n{}", vec!["{}"]),
            (
                "Content-Length: 1\r\n\r\nacontent-length:1\nContent-Type: x\n\nb",
                vec!["a", "b"],
            ),
            ("Content-Length: 0\r\n\r\n", vec![""]),
        ] {
            assert_eq!(frames(input.as_bytes()), expected, "{input:?}");
        }
    }

    #[test]
    fn what_is_no_message_says_what_would_be() {
        for (input, expected) in [
            ("hello\r\n\r\n", "found the line \"hello\""),
            ("\r\n", "a header without a length"),
            ("Content-Type: x\r\n\r\n", "a header without a length"),
            ("Content-Length: -1\r\n\r\n", "the length \"-1\""),
            ("Content-Length: 12a\r\n\r\n", "the length \"12a\""),
            (
                "Content-Length: 1000000000000000000\r\n\r\n",
                "the length \"1000000000000000000\"",
            ),
            (
                "Content-Length: 99999999999999999999999\r\n\r\n",
                "the length \"99999999999999999999999\"",
            ),
            ("Content-Length: 3\r\n\r\n{}", "ended within a message"),
            ("Content-Length", "ended within a message"),
        ] {
            let seen = frames(input.as_bytes());
            assert_eq!(seen.len(), 1, "{input:?}: {seen:?}");
            assert!(seen[0].contains(expected), "{input:?}: {seen:?}");
        }
    }

    #[test]
    fn a_header_without_end_is_not_kept() {
        let seen = frames(&vec![b'a'; 1 << 20]);
        assert!(seen[0].contains("does not end"), "{seen:?}");
    }

    #[test]
    fn a_message_that_is_too_long_is_read_over() {
        let length = MAX_BODY + 1;
        let head = format!("Content-Length: {length}\r\n\r\n");
        let mut input = head
            .as_bytes()
            .chain(io::repeat(b' ').take(length))
            .chain(&b"Content-Length: 2\r\n\r\n{}"[..]);
        let mut input = io::BufReader::new(&mut input);
        assert_eq!(read(&mut input).unwrap(), Some(Frame::TooLong(length)));
        assert_eq!(read(&mut input).unwrap(), Some(Frame::Body(b"{}".to_vec())));
    }
}
