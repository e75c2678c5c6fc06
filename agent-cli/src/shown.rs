//! What models and tools say, as a terminal is shown it.

use agent_runtime::{KeyMask, ToolInvocation};
use serde_json::Value;

/// How many characters of arguments, and of a result, are shown; the JSON form has them all.
const SHOWN: usize = 500;

/// A call in a line: name, arguments, and the result or what went wrong.
pub(crate) fn call(invocation: &ToolInvocation) -> String {
    let args = shortened(&invocation.args.to_string());
    let came = match &invocation.result {
        Ok(Value::String(text)) => shortened(text),
        Ok(value) => shortened(&value.to_string()),
        Err(error) => {
            let text = invocation
                .error_text
                .clone()
                .unwrap_or_else(|| error.to_string());
            format!("error: {}", shortened(&text))
        }
    };
    format!("🛠️ {} {args} → {came}", invocation.tool)
}

/// A text that comes in pieces, without the keys that the program holds.
pub(crate) struct Pieces {
    mask: KeyMask,
    /// What may be the beginning of a key, and is not shown before its end is known.
    held: String,
}

impl Pieces {
    /// Nothing came yet.
    pub(crate) fn new(mask: KeyMask) -> Self {
        Self {
            mask,
            held: String::new(),
        }
    }

    /// What can be shown once this piece came.
    pub(crate) fn next(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        let mut text = self.mask.text(&self.held);
        self.held = text.split_off(text.len() - self.mask.begun(&text));
        text
    }

    /// What is left at the end.
    pub(crate) fn rest(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}

/// A text, cut when it is long.
pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// The text without what steers a terminal: control characters, and those that make a line read in
/// another order than it is written in, by which a text can look like a different one.
pub(crate) fn harmless(text: &str) -> String {
    text.chars()
        .map(|c| if steers(c) { '\u{fffd}' } else { c })
        .collect()
}

/// JSON text that means the same and can be shown whole: what would steer the terminal is written
/// as an escape. Outside of its texts JSON has no such characters but blanks.
pub(crate) fn harmless_json(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if steers(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                text.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            text.push(c);
        }
    }
    text
}

fn steers(c: char) -> bool {
    let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || (c.is_control() && !matches!(c, '\n' | '\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_do_not_reach_the_terminal() {
        assert_eq!(harmless("a\u{1b}[2Jb\r\n\tc"), "a\u{fffd}[2Jb\u{fffd}\n\tc");
        assert_eq!(harmless("\u{9b}2J\u{7f}"), "\u{fffd}2J\u{fffd}");
    }

    #[test]
    fn lines_read_as_they_are_written() {
        assert_eq!(harmless("rm \u{202e}txt\u{2069}"), "rm \u{fffd}txt\u{fffd}");
        // Which way letters run is theirs to say.
        assert_eq!(harmless("שלום\u{200f}"), "שלום\u{200f}");
    }

    #[test]
    fn json_is_shown_whole() {
        let json = "{\"a\":\"x\u{202e}\u{7f}é\"}";
        let shown = harmless_json(json);
        assert_eq!(shown, "{\"a\":\"x\\u202e\\u007fé\"}");
        let value = |text| serde_json::from_str::<Value>(text).expect("JSON");
        assert_eq!(value(&shown), value(json));
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(shortened("é"), "é");
        assert_eq!(shortened(&"é".repeat(SHOWN + 1)).chars().count(), SHOWN + 1);
    }
}
