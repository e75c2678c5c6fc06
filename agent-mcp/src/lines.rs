//! Lines of bounded length.

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// Reads lines. A line that is too long is cut, and its rest is dropped.
pub(crate) struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    most: usize,
    /// Whether the line was returned, so that the next one begins.
    is_read: bool,
    /// Whether the rest of a line that was cut comes first.
    drops_rest: bool,
}

/// A line without its end.
pub(crate) struct Line<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) is_cut: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(reader: R, most: usize) -> Self {
        Self {
            reader: BufReader::new(reader),
            line: Vec::new(),
            most,
            is_read: false,
            drops_rest: false,
        }
    }

    /// Reads the next line; `None` at the end. A line that is too long is returned before its end. If the future is
    /// dropped, the next call continues with the same line.
    pub(crate) async fn next(&mut self) -> std::io::Result<Option<Line<'_>>> {
        if self.is_read {
            self.line.clear();
            // A long line's memory is given back.
            self.line.shrink_to(64 << 10);
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
            let end = found.iter().position(|byte| *byte == b'\n');
            let length = end.unwrap_or(found.len());
            let used = length + usize::from(end.is_some());
            if self.drops_rest {
                self.drops_rest = end.is_none();
            } else {
                let kept = length.min(self.most - self.line.len());
                self.line.extend_from_slice(&found[..kept]);
                let is_cut = kept < length;
                self.is_read = end.is_some() || is_cut;
                self.drops_rest = is_cut && end.is_none();
                if is_cut {
                    self.reader.consume(used);
                    return Ok(Some(Line {
                        bytes: &self.line,
                        is_cut,
                    }));
                }
            }
            self.reader.consume(used);
        }
        Ok(Some(Line {
            bytes: self.line.strip_suffix(b"\r").unwrap_or(&self.line),
            is_cut: false,
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
}
