//! The texts of messages: reading lines of bounded length, writing lines, and replacing halves of characters.

use agent_spec::json;
use serde::Serialize;
use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

/// A stream to which lines are written, until it is closed.
pub(crate) type Output<W> = Arc<Mutex<Option<W>>>;

/// Replaces halves of characters in a JSON text, which serde refuses. Returns `None` if there are none.
pub(crate) fn without_lone_surrogates(text: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(text).ok()?;
    match json::without_lone_surrogates(text) {
        Cow::Owned(repaired) => Some(repaired.into_bytes()),
        Cow::Borrowed(_) => None,
    }
}

/// Writes a message as JSON on a line.
pub(crate) fn write_line<W: AsyncWrite + Send + Unpin + 'static, M: Serialize>(
    output: Output<W>,
    message: &M,
) -> impl Future<Output = io::Result<()>> + Send + 'static + use<W, M> {
    let text = serde_json::to_vec(message);
    async move {
        let mut text = text?;
        text.push(b'\n');
        match &mut *output.lock().await {
            Some(output) => {
                output.write_all(&text).await?;
                output.flush().await
            }
            None => Err(io::ErrorKind::NotConnected.into()),
        }
    }
}

/// The number of bytes at the end of a line that is too long.
const END: usize = 256;

/// Reads lines. A line that is too long is cut, and its rest is dropped.
pub(crate) struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    most: usize,
    /// Whether a line that is too long is returned with its end.
    keeps_end: bool,
    /// The last bytes of a line that is too long.
    end: Vec<u8>,
    /// Whether the line was returned, so that the next one begins.
    is_read: bool,
    /// Whether the rest of a cut line is dropped before the next line is read.
    drops_rest: bool,
}

/// A line without its end.
pub(crate) struct Line<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) is_cut: bool,
    /// The last bytes of a line that was cut, if the reader keeps them.
    #[cfg_attr(
        not(feature = "server"),
        expect(dead_code, reason = "the server reads it")
    )]
    pub(crate) end: &'a [u8],
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(reader: R, most: usize) -> Self {
        Self {
            reader: BufReader::new(reader),
            line: Vec::new(),
            most,
            keeps_end: false,
            end: Vec::new(),
            is_read: false,
            drops_rest: false,
        }
    }

    /// Makes the reader return a line that is too long at its end, with its last bytes.
    #[cfg(feature = "server")]
    pub(crate) fn with_ends(self) -> Self {
        Self {
            keeps_end: true,
            ..self
        }
    }

    /// Reads the next line; `None` at the end. A line that is too long is returned before its end, unless the reader keeps
    /// its last bytes. If the future is dropped, the next call continues with the same line.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        if self.is_read {
            self.line.clear();
            // A long line's memory is given back.
            self.line.shrink_to(64 << 10);
            self.end.clear();
            self.is_read = false;
        }
        let mut is_cut = false;
        while !self.is_read {
            let found = self.reader.fill_buf().await?;
            if found.is_empty() {
                if self.line.is_empty() {
                    return Ok(None);
                }
                is_cut = self.drops_rest;
                self.is_read = true;
                break;
            }
            let end = found.iter().position(|byte| *byte == b'\n');
            let length = end.unwrap_or(found.len());
            let used = length + usize::from(end.is_some());
            let is_rest = self.drops_rest;
            let kept = match is_rest {
                true => 0,
                false => length.min(self.most - self.line.len()),
            };
            self.line.extend_from_slice(&found[..kept]);
            let is_long = is_rest || kept < length;
            if is_long && self.keeps_end {
                if !is_rest {
                    let start = self.line.len().saturating_sub(END);
                    self.end.extend_from_slice(&self.line[start..]);
                }
                self.end.extend_from_slice(&found[kept..length]);
                let surplus = self.end.len().saturating_sub(END);
                self.end.drain(..surplus);
            }
            self.reader.consume(used);
            self.drops_rest = is_long && end.is_none();
            // Without its end, a long line is returned as soon as it is too long, and its rest is passed over.
            (self.is_read, is_cut) = match (is_long, self.keeps_end) {
                (false, _) => (end.is_some(), false),
                (true, true) => (end.is_some(), true),
                (true, false) => (!is_rest, true),
            };
        }
        let bytes = match is_cut {
            true => &self.line[..],
            false => self.line.strip_suffix(b"\r").unwrap_or(&self.line),
        };
        // .NET writes a byte order mark at the beginning of its output.
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        Ok(Some(Line {
            bytes,
            is_cut,
            end: &self.end,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[tokio::test]
    async fn a_long_line_is_cut_and_the_next_one_is_whole() {
        let mut lines = Lines::new(&b"one\r\nlong line\n\nlast"[..], 4);
        let mut found = Vec::new();
        while let Some(line) = lines.next().await.expect("bytes in memory") {
            let text = String::from_utf8_lossy(line.bytes).into_owned();
            found.push((text, line.is_cut));
        }
        let expected = [("one", false), ("long", true), ("", false), ("last", false)];
        let expected = expected.map(|(text, cut)| (text.to_owned(), cut));
        assert_eq!(found, expected);
    }

    #[tokio::test]
    async fn a_byte_order_mark_is_no_part_of_a_line() {
        let mut lines = Lines::new("\u{feff}{}\n".as_bytes(), 100);
        let line = lines.next().await.expect("bytes in memory");
        assert_eq!(line.expect("a line").bytes, b"{}");
    }

    #[cfg(feature = "server")]
    #[tokio::test]
    async fn a_long_line_is_returned_with_its_end() {
        let long = "x".repeat(20_000);
        let text = format!("one\n{long}end\ntwo\nlong\r\nlast {long}");
        let mut lines = Lines::new(text.as_bytes(), 4).with_ends();
        let mut found = Vec::new();
        while let Some(line) = lines.next().await.expect("bytes in memory") {
            let [text, end] =
                [line.bytes, line.end].map(|text| String::from_utf8_lossy(text).into_owned());
            found.push((text, line.is_cut, end));
        }
        let of_long = format!("{}end", &long[..super::END - 3]);
        let expected = [
            ("one", false, ""),
            ("xxxx", true, &*of_long),
            ("two", false, ""),
            ("long", true, "long\r"),
            ("last", true, &long[..super::END]),
        ];
        let expected = expected.map(|(text, cut, end)| (text.to_owned(), cut, end.to_owned()));
        assert_eq!(found, expected);
    }
}
