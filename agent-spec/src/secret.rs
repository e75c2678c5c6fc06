//! Detects texts that look like secrets: provider keys, recognised by their form, and values under names
//! such as `apiKey`.
//!
//! A document should contain neither, and no message about a document may repeat one. Detection is a
//! guess: a key without a recognisable form looks like any other word. `agent_runtime::redact::Redactor`
//! replaces the keys that a program knows.

use agent_types::types::TYPE_LABELS;
use std::borrow::Cow;
use std::ops::Range;

/// The text that replaces a secret, in messages as well as in what is stored.
pub const MASK: &str = "[key]";

/// Returns where a text holds provider keys, in source order. A key is recognised by its form, such as
/// `sk-…`.
///
/// ```
/// # use agent_spec::secret::known_keys;
/// assert_eq!(known_keys("My key is sk-proj-0123456789abcdef."), [10..34]);
/// assert_eq!(known_keys("The sk-learn documentation"), []);
/// ```
#[must_use]
pub fn known_keys(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut end = 0;
    for run in bytes.chunk_by(|left, right| is_key_byte(left) == is_key_byte(right)) {
        let start = end;
        end += run.len();
        if !is_key_byte(&run[0]) {
            continue;
        }
        // The letter of an escape, as in `\nsk-…`, does not belong to the key.
        let is_escape = start > 0 && bytes[start - 1] == b'\\';
        let word = &text[start + usize::from(is_escape)..end];
        let word = word.trim_start_matches(['-', '_']);
        if is_key(word) {
            found.push(end - word.len()..end);
        }
    }
    found
}

/// Replaces every secret in a text of gram or JSON by [`MASK`]: provider keys, and the values under names
/// such as `apiKey`.
///
/// ```
/// # use agent_spec::secret::redacted;
/// assert_eq!(redacted(r#"{"api_key":"hunter2","n":1}"#), r#"{"api_key":"[key]","n":1}"#);
/// ```
#[must_use]
pub fn redacted(text: &str) -> Cow<'_, str> {
    rewritten(text, &secrets(text), |_, out| out.push_str(MASK))
}

/// Overwrites every secret in a text of gram or JSON with stars, for quoting source code: the text keeps
/// its length in bytes and its line breaks, so that positions in it stay right.
#[must_use]
pub fn covered(text: &str) -> Cow<'_, str> {
    rewritten(text, &secrets(text), |secret, out| {
        for c in secret.chars() {
            match c {
                '\n' | '\r' => out.push(c),
                _ => out.extend(std::iter::repeat_n('*', c.len_utf8())),
            }
        }
    })
}

/// Replaces the provider keys in a text by [`MASK`].
pub(crate) fn without_known_keys(text: String) -> String {
    match rewritten(&text, &known_keys(&text), |_, out| out.push_str(MASK)) {
        Cow::Owned(redacted) => redacted,
        Cow::Borrowed(_) => text,
    }
}

/// Whether the name is a usual name of a key: `apiKey`, `api_key`, `Authorization`, `token`, ….
#[must_use]
pub(crate) fn is_key_name(name: &str) -> bool {
    name_kind(name).is_some()
}

/// Returns the ranges of secrets, in source order. The ranges do not overlap.
fn secrets(text: &str) -> Vec<Range<usize>> {
    let mut found = known_keys(text);
    found.extend(named_values(text));
    joined(found)
}

/// Returns ranges in order, with those that overlap joined.
#[doc(hidden)]
#[must_use]
pub fn joined(mut found: Vec<Range<usize>>) -> Vec<Range<usize>> {
    found.sort_by_key(|range| range.start);
    let mut ranges: Vec<Range<usize>> = Vec::with_capacity(found.len());
    for range in found {
        match ranges.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => ranges.push(range),
        }
    }
    ranges
}

fn rewritten<'a>(
    text: &'a str,
    ranges: &[Range<usize>],
    mut write: impl FnMut(&str, &mut String),
) -> Cow<'a, str> {
    if ranges.is_empty() {
        return Cow::Borrowed(text);
    }
    let (mut out, mut done) = (String::with_capacity(text.len()), 0);
    for range in ranges {
        out.push_str(&text[done..range.start]);
        write(&text[range.clone()], &mut out);
        done = range.end;
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

/// The form of a provider's keys.
struct Form {
    prefix: &'static str,
    /// The minimum number of characters after the prefix.
    shortest: usize,
    /// Whether `-` and `_` may follow the prefix.
    has_dashes: bool,
}

const fn form(prefix: &'static str, shortest: usize, has_dashes: bool) -> Form {
    Form {
        prefix,
        shortest,
        has_dashes,
    }
}

/// The forms of known providers. A longer prefix is omitted when a shorter one covers it: `sk-ant-`
/// begins with `sk-`.
const FORMS: [Form; 16] = [
    // OpenAI, Anthropic, OpenRouter, DeepSeek and many servers that are compatible with OpenAI.
    form("sk-", 12, true),
    // Google.
    form("AIza", 30, true),
    // Groq.
    form("gsk_", 20, false),
    // xAI. The minimum length excludes the names of its models, such as `xai-grok-4`.
    form("xai-", 40, false),
    // Hugging Face.
    form("hf_", 24, false),
    // Perplexity.
    form("pplx-", 24, false),
    // Cerebras.
    form("csk-", 24, false),
    // Replicate.
    form("r8_", 24, false),
    // NVIDIA.
    form("nvapi-", 32, true),
    // Tavily.
    form("tvly-", 20, true),
    // AWS, for Bedrock.
    form("AKIA", 16, false),
    // GitHub, whose tokens are keys of its models.
    form("ghp_", 30, false),
    form("gho_", 30, false),
    form("ghs_", 30, false),
    form("ghu_", 30, false),
    form("github_pat_", 30, true),
];

/// The minimum length of a part between dashes that was generated: a part of this length with a digit in
/// it is not a word.
const SHORTEST_PART: usize = 8;

/// Whether a key, or the name of one, can hold this byte.
fn is_key_byte(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

fn is_key(word: &str) -> bool {
    FORMS.iter().any(|form| {
        let Some(rest) = word.strip_prefix(form.prefix) else {
            return false;
        };
        let mut parts = rest.split(['-', '_']);
        let looks_generated = |part: &str| {
            part.len() >= SHORTEST_PART && part.bytes().any(|byte| byte.is_ascii_digit())
        };
        rest.len() >= form.shortest
            && (form.has_dashes || !rest.contains(['-', '_']))
            && parts.any(looks_generated)
    })
}

/// The endings of names that mean a key, without `_` and `-`: `openai_api_key` ends with `apikey`.
const KEY_NAMES: [&str; 14] = [
    "apikey",
    "apitoken",
    "apisecret",
    "accesskey",
    "accesstoken",
    "authtoken",
    "authkey",
    "bearertoken",
    "authorization",
    "clientsecret",
    "secretkey",
    "privatekey",
    "password",
    "passwd",
];

/// Names that may mean a key, or something else.
const AMBIGUOUS_NAMES: [&str; 3] = ["key", "token", "secret"];

/// The minimum length of a secret, whatever its name.
const SHORTEST_VALUE: usize = 4;

/// The minimum length of a secret under one of [`AMBIGUOUS_NAMES`], unless it has letters and digits: a
/// shorter text may be anything, such as a token of an answer.
const SHORTEST_AMBIGUOUS_VALUE: usize = 8;

/// The maximum length of a key's name. A document of somebody else can be one name of megabytes, which would be read again
/// at each colon.
const LONGEST_NAME: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq)]
enum NameKind {
    Key,
    Ambiguous,
}

fn name_kind(name: &str) -> Option<NameKind> {
    if name.len() > LONGEST_NAME {
        return None;
    }
    let mut word = name.to_ascii_lowercase();
    word.retain(|c| !matches!(c, '_' | '-'));
    if KEY_NAMES.iter().any(|key| word.ends_with(key)) {
        Some(NameKind::Key)
    } else if AMBIGUOUS_NAMES.contains(&word.as_str()) {
        Some(NameKind::Ambiguous)
    } else {
        None
    }
}

/// Returns the ranges of values whose key names a secret: `apiKey: "…"` in gram, `"apiKey": "…"` in
/// JSON, and the same in JSON within a string.
fn named_values(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(colon) = bytes[at..].iter().position(|byte| *byte == b':') {
        let colon = at + colon;
        at = colon + 1;
        let Some(kind) = name_kind(name_before(&text[..colon])) else {
            continue;
        };
        let Some(value) = string_after(text, at) else {
            continue;
        };
        at = value.end;
        if is_secret(&text[value.clone()], kind) {
            found.push(value);
        }
    }
    found
}

/// Returns the name at the end of a text, without quotes.
fn name_before(text: &str) -> &str {
    let text = text.trim_ascii_end();
    let text = text.trim_end_matches(['"', '\'', '`']);
    let text = text.trim_end_matches('\\');
    // The length is limited, so that a long text without blanks is not read again at each of its colons.
    let bytes = text.as_bytes().iter().rev().take(LONGEST_NAME + 1);
    let length = bytes.take_while(|byte| is_key_byte(byte)).count();
    &text[text.len() - length..]
}

/// Returns the range of the string at this position, without its quotes.
fn string_after(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = &text[at..];
    let trimmed = rest.trim_ascii_start();
    let quoted = trimmed.trim_start_matches('\\');
    let escapes = trimmed.len() - quoted.len();
    let quote = quoted
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let fence: String = std::iter::repeat_n(quote, 3).collect();
    let is_fence = quoted.starts_with(&fence);
    let opening = if is_fence { 3 } else { 1 };
    let start = text.len() - quoted.len() + opening;
    let inside = &text[start..];
    if is_fence {
        let length = inside.find(&fence).unwrap_or(inside.len());
        return Some(start..start + length);
    }
    let mut slashes = 0;
    for (index, c) in inside.char_indices() {
        if c == '\\' {
            slashes += 1;
            continue;
        }
        // In a string within a string, the closing quote is escaped as often as the opening quote.
        let is_end = if escapes == 0 {
            slashes % 2 == 0
        } else {
            slashes <= escapes
        };
        if c == quote && is_end {
            let closing = slashes.min(escapes);
            return Some(start..start + index - closing);
        }
        slashes = 0;
    }
    // The closing quote is missing, as in a piece of a streamed answer.
    Some(start..text.len())
}

fn is_secret(value: &str, kind: NameKind) -> bool {
    // In a signature, the type of a field follows the name of the field.
    let is_type = TYPE_LABELS.contains(&value)
        || value.starts_with(['[', '{'])
        || ["Maybe ", "Map "]
            .iter()
            .any(|word| value.starts_with(word));
    let is_long = match kind {
        NameKind::Key => value.len() >= SHORTEST_VALUE,
        NameKind::Ambiguous if value.contains(char::is_whitespace) => false,
        NameKind::Ambiguous => {
            let has = |is: fn(&u8) -> bool| value.as_bytes().iter().any(is);
            let is_generated = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
            value.len() >= SHORTEST_AMBIGUOUS_VALUE
                || (is_generated && value.len() >= SHORTEST_VALUE)
        }
    };
    is_long && !is_type
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, ranges: Vec<Range<usize>>) -> Vec<&str> {
        ranges.into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn redaction_keeps_positions() {
        for (text, expected) in [
            (
                "{apiKey: \"geheim-é\", n: 1}",
                "{apiKey: \"*********\", n: 1}",
            ),
            ("{apiKey: '''ab\ncd'''}", "{apiKey: '''**\n**'''}"),
            ("{a: \"x\"}", "{a: \"x\"}"),
        ] {
            assert_eq!(covered(text), expected);
            assert_eq!(covered(text).len(), text.len());
        }
    }

    #[test]
    fn a_key_below_a_key_name_is_one_secret() {
        let text = r#"{"Authorization":"Bearer sk-proj-0123456789abcdef"}"#;
        assert_eq!(redacted(text), r#"{"Authorization":"[key]"}"#);
    }

    #[test]
    fn recognises_keys_by_their_form() {
        let long = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0";
        for prefix in FORMS.iter().map(|form| form.prefix) {
            let key = format!("{prefix}{long}");
            for text in [
                key.clone(),
                format!("Use {key}."),
                format!("?key={key}&x"),
                format!("\"\\n{key}\\\""),
                format!("--{key}"),
            ] {
                assert_eq!(at(&text, known_keys(&text)), [&key], "{text}");
            }
        }
        for key in ["sk-ant-api03-Zk3_9-abcd1234-XY", "sk-1234567890abcdef"] {
            assert_eq!(at(key, known_keys(key)), [key]);
        }
    }

    #[test]
    fn does_not_redact_words() {
        for text in [
            "",
            "sk-",
            "sk-1234",
            "sk-learn-estimators-of-2024",
            "a task-0123456789abcdef",
            "risk-0123456789abcdef",
            "xai-grok-4-fast-reasoning-20250709-latest-preview",
            "hf_hub_download_of_many_files_1234",
            "AKIAbara",
            "größe sk-é",
        ] {
            assert_eq!(at(text, known_keys(text)), [""; 0], "{text}");
        }
    }

    #[test]
    fn recognises_keys_by_the_property_name() {
        for (text, expected) in [
            ("{apiKey: \"hunter2\"}", "hunter2"),
            ("{`x-api-key`:'hunter2'}", "hunter2"),
            ("{\"OPENAI_API_KEY\" : \"hunter2\"}", "hunter2"),
            ("{Authorization: \"Basic dTpw\"}", "Basic dTpw"),
            ("{password: \"a\\\"b\\\\\"}", "a\\\"b\\\\"),
            ("{password: ```hunter2```}", "hunter2"),
            ("{\"args\":\"{\\\"apiKey\\\":\\\"hunter2\\\"}\"}", "hunter2"),
            ("{\"token\":\"0123456789\"}", "0123456789"),
            ("{key: \"sk-1\"}", "sk-1"),
            ("{\"apiKey\":\"hunt", "hunt"),
        ] {
            assert_eq!(at(text, named_values(text)), [expected], "{text}");
        }
    }

    #[test]
    fn does_not_redact_other_properties() {
        for text in [
            "{apiKey: 12345}",
            "{apiKey: \"abc\"}",
            "{\"logprobs\": [{\"token\": \" characters\"}, {\"token\": \"Hello\"}]}",
            "{prompt_cache_key: \"user-0123456789\", max_tokens: 5}",
            "(password::Text {description: \"The password\"})",
            "{fields: {password: \"Text\", apiKey: \"[Text]\", token: \"Maybe Text\"}}",
            "what is the password: I have forgotten it",
            ":::",
        ] {
            assert_eq!(at(text, named_values(text)), [""; 0], "{text}");
        }
    }

    #[test]
    fn recognises_key_names_in_any_spelling() {
        for name in [
            "apiKey",
            "API_KEY",
            "x-api-key",
            "Authorization",
            "token",
            "KEY",
        ] {
            assert!(is_key_name(name), "{name}");
        }
        for name in ["keyboard", "owner", "tokens", "prompt_cache_key", ""] {
            assert!(!is_key_name(name), "{name}");
        }
    }
}
