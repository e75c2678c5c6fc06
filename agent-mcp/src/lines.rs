//! Lines: those that are read have a bounded length.

use serde::Serialize;
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

/// A stream to which lines are written, until it is closed.
pub(crate) type Output<W> = Arc<Mutex<Option<W>>>;

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

/// Reads lines. Of a line that is too long the beginning and the last bytes are kept.
pub(crate) struct Lines<R> {
    reader: BufReader<R>,
    /// The maximum number of bytes of a line.
    most: usize,
    line: Vec<u8>,
    /// The last bytes of a line that is too long; empty for any other line.
    end: Vec<u8>,
    /// Whether the line was returned, so that the next one begins.
    is_read: bool,
}

/// A line without its end.
pub(crate) struct Line<'a> {
    pub(crate) bytes: &'a [u8],
    /// The last bytes of a line that was cut, because it is too long.
    pub(crate) end: Option<&'a [u8]>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(reader: R, most: usize) -> Self {
        Self {
            reader: BufReader::new(reader),
            most,
            line: Vec::new(),
            end: Vec::new(),
            is_read: false,
        }
    }

    /// Reads the next line; `None` at the end. If the future is dropped, the next call continues with the same line.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        if self.is_read {
            self.line.clear();
            // A long line's memory is given back.
            self.line.shrink_to(64 << 10);
            self.end.clear();
            self.is_read = false;
        }
        while !self.is_read {
            let found = self.reader.fill_buf().await?;
            if found.is_empty() {
                if self.line.is_empty() {
                    return Ok(None);
                }
                self.is_read = true;
                break;
            }
            let newline = found.iter().position(|byte| *byte == b'\n');
            let length = newline.unwrap_or(found.len());
            let kept = length.min(self.most - self.line.len());
            self.line.extend_from_slice(&found[..kept]);
            if kept < length {
                if self.end.is_empty() {
                    let start = self.line.len().saturating_sub(END);
                    self.end.extend_from_slice(&self.line[start..]);
                }
                self.end.extend_from_slice(&found[kept..length]);
                let surplus = self.end.len().saturating_sub(END);
                self.end.drain(..surplus);
            }
            self.reader.consume(length + usize::from(newline.is_some()));
            self.is_read = newline.is_some();
        }
        Ok(Some(match self.end.is_empty() {
            true => Line {
                bytes: self.line.strip_suffix(b"\r").unwrap_or(&self.line),
                end: None,
            },
            false => Line {
                bytes: &self.line,
                end: Some(&self.end),
            },
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[tokio::test]
    async fn a_long_line_is_returned_with_its_end() {
        let long = "x".repeat(20_000);
        let text = format!("one\r\n{long}end\ntwo\n\nlong\r\nlast {long}");
        let mut lines = Lines::new(text.as_bytes(), 4);
        let mut found = Vec::new();
        while let Some(line) = lines.next().await.expect("bytes in memory") {
            let [text, end] = [line.bytes, line.end.unwrap_or_default()]
                .map(|text| String::from_utf8_lossy(text).into_owned());
            found.push((text, line.end.is_some(), end));
        }
        let of_long = format!("{}end", &long[..super::END - 3]);
        let expected = [
            ("one", false, ""),
            ("xxxx", true, &*of_long),
            ("two", false, ""),
            ("", false, ""),
            ("long", true, "long\r"),
            ("last", true, &long[..super::END]),
        ];
        let expected = expected.map(|(text, cut, end)| (text.to_owned(), cut, end.to_owned()));
        assert_eq!(found, expected);
    }
}
