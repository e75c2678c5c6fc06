//! Events out of lines, after the HTML standard (section 9.2.6, "Interpreting an event stream").

use super::Frame;

/// The fields of an event until the empty line that ends it. `id` and `retry` say how to go on
/// after a connection is lost, which no provider supports; they are left out with what is unknown.
#[derive(Debug, Default)]
pub(super) struct Events {
    frame: Frame,
    has_data: bool,
}

impl Events {
    /// Takes a line; gives the event that it ends. An event without data is none.
    pub(super) fn line(&mut self, line: &str) -> Option<Frame> {
        if line.is_empty() {
            let frame = std::mem::take(&mut self.frame);
            return std::mem::take(&mut self.has_data).then_some(frame);
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if self.has_data {
                    self.frame.data.push('\n');
                }
                self.frame.data.push_str(value);
                self.has_data = true;
            }
            "event" => value.clone_into(&mut self.frame.event),
            // A line that begins with a colon is a comment, which keeps the connection alive.
            _ => {}
        }
        None
    }
}
