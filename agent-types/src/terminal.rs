//! Text that models, tools, servers and documents wrote, made safe to show to a person.
//!
//! [`text()`] keeps the lines of a text. [`line()`] is for a text that must stay on one line, such as a name.
//! [`json()`] is for JSON, which keeps its value.

use std::fmt::Write as _;

/// Whether a character controls a terminal, or makes a text look like another one: control characters
/// other than line feed and tab, characters that change the direction of writing, line ends that only
/// some programs know, and characters without a shape: those with Unicode's property
/// `Default_Ignorable_Code_Point`, and annotations.
///
/// The joiners U+200C and U+200D and the variation selectors U+FE00 to U+FE0F are ordinary text: several
/// scripts and most emoji need them.
///
/// ```
/// use agent_types::terminal::controls_terminal;
///
/// assert!(controls_terminal('\u{1b}') && controls_terminal('\u{202e}'));
/// assert!(!controls_terminal('\n') && !controls_terminal('é'));
/// ```
#[must_use]
pub const fn controls_terminal(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => true,
        // The direction of writing.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            true
        }
        // Line ends.
        '\u{2028}' | '\u{2029}' => true,
        // Invisible characters: hyphens and blanks without a width, fillers, deprecated controls,
        // annotations, tags, and variation selectors beyond the first sixteen, which can hide any bytes.
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' => true,
        '\u{180b}'..='\u{180f}' | '\u{200b}' | '\u{2060}'..='\u{2065}' => true,
        '\u{206a}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' => true,
        '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' => true,
        '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}

/// Replaces each character that controls a terminal by U+FFFD, and each tab by four blanks. Line feeds stay.
///
/// Tabs are replaced because they stop at the last column: on a terminal of any width, a text with many tabs
/// fills the row, and its next character begins a row as if it began a line.
///
/// ```
/// use agent_types::terminal::text;
///
/// assert_eq!(text("red:\n\t\u{1b}[31m"), "red:\n    \u{fffd}[31m");
/// ```
#[must_use]
pub fn text(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => shown.push_str("    "),
            c if controls_terminal(c) => shown.push('\u{fffd}'),
            c => shown.push(c),
        }
    }
    shown
}

/// Writes a text on one line: line ends, tabs and characters that control a terminal are escaped, and a
/// text of more than `max` characters is cut, with an ellipsis at its end.
///
/// ```
/// use agent_types::terminal::line;
///
/// assert_eq!(line("a\n\u{1b}[2J", 80), "a\\n\\u{1b}[2J");
/// assert_eq!(line("a long name", 6), "a long…");
/// ```
#[must_use]
pub fn line(text: &str, max: usize) -> String {
    let mut line = String::new();
    for (at, c) in text.chars().enumerate() {
        if at == max {
            line.push('…');
            break;
        }
        match c {
            '\n' => line.push_str("\\n"),
            '\r' => line.push_str("\\r"),
            '\t' => line.push_str("\\t"),
            c if controls_terminal(c) => {
                let _ = write!(line, "\\u{{{:x}}}", u32::from(c));
            }
            c => line.push(c),
        }
    }
    line
}

/// Escapes the characters that control a terminal in JSON text, so that the JSON keeps its value: valid
/// JSON has them only inside strings, where an escape means the same. Only a carriage return may also stand between values; it
/// becomes a blank.
///
/// ```
/// use agent_types::terminal::json;
///
/// assert_eq!(json("{\"a\":\"\u{202e}\"}"), "{\"a\":\"\\u202e\"}");
/// assert_eq!(json("{}\r\n"), "{} \n");
/// ```
#[must_use]
pub fn json(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if c == '\r' {
            text.push(' ');
        } else if controls_terminal(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(c);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_control_characters() {
        assert_eq!(text("a\u{1b}[2Jb\r\n\tc"), "a\u{fffd}[2Jb\u{fffd}\n    c");
        assert_eq!(text("\u{9b}2J\u{7f}\u{80}"), "\u{fffd}2J\u{fffd}\u{fffd}");
    }

    #[test]
    fn replaces_tabs_by_blanks() {
        let shown = text(&("\t".repeat(120) + " 🤖"));
        assert_eq!(shown, " ".repeat(481) + "🤖");
    }

    #[test]
    fn replaces_what_changes_the_direction_and_what_is_invisible() {
        let hidden = "\u{202a}\u{202e}\u{2066}\u{2069}\u{200b}\u{200e}\u{200f}\u{61c}\u{feff}\
                      \u{2028}\u{2029}\u{2060}\u{e0000}\u{e0041}\u{e007f}";
        assert!(text(hidden).chars().all(|c| c == '\u{fffd}'));
        assert!(line(hidden, 100).is_ascii());
    }

    #[test]
    fn replaces_every_ignorable_character_except_joiners_and_variation_selectors() {
        // `Default_Ignorable_Code_Point` of Unicode 16.
        let ignorable = [
            (0xad, 0xad),
            (0x34f, 0x34f),
            (0x61c, 0x61c),
            (0x115f, 0x1160),
            (0x17b4, 0x17b5),
            (0x180b, 0x180f),
            (0x200b, 0x200f),
            (0x202a, 0x202e),
            (0x2060, 0x206f),
            (0x3164, 0x3164),
            (0xfe00, 0xfe0f),
            (0xfeff, 0xfeff),
            (0xffa0, 0xffa0),
            (0xfff0, 0xfff8),
            (0x1bca0, 0x1bca3),
            (0x1d173, 0x1d17a),
            (0xe0000, 0xe0fff),
        ];
        for (first, last) in ignorable {
            for c in (first..=last).filter_map(char::from_u32) {
                let is_kept = matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}');
                assert_eq!(controls_terminal(c), !is_kept, "{:x}", u32::from(c));
            }
        }
    }

    #[test]
    fn keeps_emoji_and_scripts_readable() {
        for plain in [
            "한글 ☎\u{fe0e}",
            "👩\u{200d}💻",
            "🛠\u{fe0f}",
            "می\u{200c}خواهم",
            "שלום",
            "e\u{301}",
            "数",
        ] {
            assert_eq!(text(plain), plain);
            assert_eq!(line(plain, 80), plain);
            assert_eq!(json(plain), plain);
        }
    }

    #[test]
    fn one_line_has_one_line_of_limited_length() {
        assert_eq!(line("x\r\n🤖 All\tdone", 80), "x\\r\\n🤖 All\\tdone");
        assert_eq!(line(&"é".repeat(100), 3), "ééé…");
        assert_eq!(line("ééé", 3), "ééé");
    }

    #[test]
    fn escaped_json_has_the_same_value() {
        let text = "{\"a\":\"x\u{202e}\u{7f}\u{85}\u{e0041}é\"}";
        let escaped = json(text);
        assert_eq!(escaped, "{\"a\":\"x\\u202e\\u007f\\u0085\\udb40\\udc41é\"}");
        let value = |text| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
        assert_eq!(value(&escaped), value(text));
    }
}
