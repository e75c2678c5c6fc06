//! A text with a secret: the secret is not left, neither in the whole text nor in its pieces.
//!
//! The input is a text in which `####` is replaced by the secret.

#![no_main]

use agent_runtime::redact::Redactor;
use libfuzzer_sys::fuzz_target;

const SECRET: &str = "hunter2/+é\"x";

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
        // It may differ from the whole text in the characters of Base64 beside a secret.
        assert!(!shown.contains(SECRET), "{shown} in pieces of {size}");
        assert_eq!(redactor.text(&shown), shown, "in pieces of {size}");
    }
    let _ = redactor.log_text(&text);
});
