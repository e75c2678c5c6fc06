//! Values as JSON text, in a `const` too. When an argument is missing, its default is read from
//! such a text.

use agent_gram::Value;
use agent_gram::print::writer::{Writer, to_string};

/// The number of bytes of a value's JSON text, for a `const`.
#[must_use]
pub const fn json_len(value: &Value) -> usize {
    let mut writer = Writer::new(&mut []);
    write_json(&mut writer, value);
    writer.len()
}

/// The bytes of a value's JSON text, for a `const`; `N` is [`json_len`].
#[must_use]
pub const fn json_bytes<const N: usize>(value: &Value) -> [u8; N] {
    let mut bytes = [0; N];
    write_json(&mut Writer::new(&mut bytes), value);
    bytes
}

/// The JSON text of a value that a default can be: text, a number, `true`, `false`, or a list of
/// these. Any other value is `null`.
#[must_use]
pub fn json_text(value: &Value) -> String {
    to_string(|writer| write_json(writer, value))
}

const fn write_json(writer: &mut Writer<'_>, value: &Value) {
    match value {
        Value::Integer(value) => writer.integer(*value),
        Value::Decimal(value) => writer.text(value.text()),
        Value::Boolean(true) => writer.text("true"),
        Value::Boolean(false) => writer.text("false"),
        Value::String(text) => write_string(writer, text.as_str()),
        Value::Array(array) => {
            writer.byte(b'[');
            let items = array.as_slice();
            let mut at = 0;
            while at < items.len() {
                if at > 0 {
                    writer.byte(b',');
                }
                write_json(writer, &items[at]);
                at += 1;
            }
            writer.byte(b']');
        }
        _ => writer.text("null"),
    }
}

const fn write_string(writer: &mut Writer<'_>, text: &str) {
    writer.byte(b'"');
    let bytes = text.as_bytes();
    let mut rest = text;
    let mut plain = 0;
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            at += 1;
            continue;
        }
        let (before, after) = rest.split_at(at - plain);
        writer.text(before);
        if byte < 0x20 {
            writer.text("\\u00");
            writer.byte(b"0123456789abcdef"[(byte >> 4) as usize]);
            writer.byte(b"0123456789abcdef"[(byte & 15) as usize]);
        } else {
            writer.byte(b'\\');
            writer.byte(byte);
        }
        rest = after.split_at(1).1;
        at += 1;
        plain = at;
    }
    writer.text(rest);
    writer.byte(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json_value::json_to_value;

    #[test]
    fn json_text_parses_to_the_value() {
        for json in [
            r#""a\"b\\c\u0000\u001f\n\u00e9""#,
            "[1,-2.5,true,[\"x\"],[]]",
            "-5",
        ] {
            let parsed: serde_json::Value = serde_json::from_str(json).expect("it is JSON");
            let value = json_to_value(&parsed).expect("gram can say it");
            let again: serde_json::Value =
                serde_json::from_str(&json_text(&value)).expect("it is JSON");
            assert_eq!(parsed, again, "{json}");
        }
        let lowest = json_text(&Value::Integer(i128::MIN));
        assert_eq!(lowest, "-170141183460469231731687303715884105728");
    }
}
