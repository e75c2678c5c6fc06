//! Lines out of bytes.

use super::NotText;

/// Bytes until their line is complete. A line ends with LF, CR or both, as server-sent events have
/// it; JSON texts hold none of these.
#[derive(Debug, Default)]
pub(super) struct Lines {
    rest: Vec<u8>,
    /// Whether the last line ended with CR, so that an LF belongs to it.
    after_return: bool,
    begun: bool,
}

/// U+FEFF, which may stand at the very beginning and means nothing.
const BYTE_ORDER_MARK: &str = "\u{feff}";

impl Lines {
    pub(super) fn push(
        &mut self,
        mut bytes: &[u8],
        mut take: impl FnMut(&str),
    ) -> Result<(), NotText> {
        if bytes.is_empty() {
            return Ok(());
        }
        if std::mem::take(&mut self.after_return) && bytes[0] == b'\n' {
            bytes = &bytes[1..];
        }
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let is_return = bytes[end] == b'\r';
            let (line, rest) = (&bytes[..end], &bytes[end + 1..]);
            self.line(line, &mut take)?;
            bytes = rest;
            if is_return {
                match bytes.first() {
                    Some(b'\n') => bytes = &bytes[1..],
                    Some(_) => {}
                    None => self.after_return = true,
                }
            }
        }
        self.rest.extend_from_slice(bytes);
        Ok(())
    }

    pub(super) fn finish(&mut self, mut take: impl FnMut(&str)) -> Result<(), NotText> {
        if self.rest.is_empty() {
            return Ok(());
        }
        self.line(&[], &mut take)
    }

    /// The line whose last bytes these are.
    fn line(&mut self, bytes: &[u8], take: &mut impl FnMut(&str)) -> Result<(), NotText> {
        let held;
        let bytes = if self.rest.is_empty() {
            bytes
        } else {
            self.rest.extend_from_slice(bytes);
            held = std::mem::take(&mut self.rest);
            &held
        };
        let mut line = std::str::from_utf8(bytes).map_err(|_| NotText)?;
        if !std::mem::replace(&mut self.begun, true) {
            line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        }
        take(line);
        Ok(())
    }
}
