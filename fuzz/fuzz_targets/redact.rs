//! A text with a secret: the secret is not left, neither in the whole text nor in its pieces.
//!
//! The input is a text in which `####` is replaced by the secret.

#![no_main]

use agent_runtime::redact::Redactor;
use libfuzzer_sys::fuzz_target;

const SECRET: &str = "hunter2/+é\"x";

/// The maximum length of an encoded character, such as `%252B`.
const ENCODED: usize = 16;

/// Whether a stream showed a redacted text, or also the characters of Base64 beside a secret. They have bits of the secret, and a
/// stream shows them because the secret is not known yet, or because their encoding comes in pieces.
fn is_shown(shown: &str, redacted: &str) -> bool {
    let parts =
        |text: &str| -> Vec<String> { text.split(Redactor::MASK).map(str::to_owned).collect() };
    let (shown, redacted) = (parts(shown), parts(redacted));
    let is_part = |(shown, redacted): (&String, &String)| {
        shown.contains(redacted.as_str()) && shown.len() <= redacted.len() + 2 * ENCODED
    };
    shown.len() == redacted.len() && shown.iter().zip(&redacted).all(is_part)
}

fuzz_target!(|text: &str| {
    let redactor = Redactor::new();
    redactor.add(SECRET);
    let text = text.replace("####", SECRET);
    let redacted = redactor.text(&text);
    assert!(!redacted.contains(SECRET), "{redacted}");
    assert_eq!(redactor.text(&redacted), redacted);
    for size in [1, 3, 16] {
        let mut stream = redactor.stream();
        let mut shown = String::new();
        let characters: Vec<char> = text.chars().collect();
        for piece in characters.chunks(size) {
            shown.push_str(&stream.push(&piece.iter().collect::<String>()));
        }
        shown.push_str(&stream.finish());
        assert!(
            is_shown(&shown, &redacted),
            "{shown:?} in pieces of {size}, and {redacted:?}"
        );
    }
    let _ = redactor.log_text(&text);
});
