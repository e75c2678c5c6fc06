//! Text that is safe to show on a terminal.

/// Replaces the characters that control a terminal by U+FFFD.
///
/// These are control characters other than line feed and tab, and the characters that change the
/// direction of writing, because with them a line can look like a different line.
///
/// ```
/// use agent_lsp::terminal::sanitize;
///
/// assert_eq!(sanitize("red: \u{1b}[31m\n"), "red: \u{fffd}[31m\n");
/// ```
#[must_use]
pub fn sanitize(text: &str) -> String {
    text.chars()
        .map(|c| if controls_terminal(c) { '\u{fffd}' } else { c })
        .collect()
}

/// Escapes the characters that control a terminal in JSON text, so that the JSON keeps its value.
///
/// Valid JSON has such characters only inside strings, where an escape means the same.
#[must_use]
pub fn sanitize_json(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if controls_terminal(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                text.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            text.push(c);
        }
    }
    text
}

fn controls_terminal(c: char) -> bool {
    let changes_direction = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    changes_direction || (c.is_control() && !matches!(c, '\n' | '\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_control_characters() {
        assert_eq!(sanitize("a\u{1b}[2Jb\r\n\tc"), "a\u{fffd}[2Jb\u{fffd}\n\tc");
        assert_eq!(sanitize("\u{9b}2J\u{7f}"), "\u{fffd}2J\u{fffd}");
    }

    #[test]
    fn replaces_direction_overrides_but_not_direction_marks() {
        assert_eq!(sanitize("rm \u{202e}txt\u{2069}"), "rm \u{fffd}txt\u{fffd}");
        assert_eq!(sanitize("שלום\u{200f}"), "שלום\u{200f}");
    }

    #[test]
    fn sanitized_json_has_the_same_value() {
        let json = "{\"a\":\"x\u{202e}\u{7f}é\"}";
        let sanitized = sanitize_json(json);
        assert_eq!(sanitized, "{\"a\":\"x\\u202e\\u007fé\"}");
        let value = |text| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
        assert_eq!(value(&sanitized), value(json));
    }
}
