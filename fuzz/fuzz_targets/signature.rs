//! A signature that is read is written so that it reads back as the same, and in one way only.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &str| {
    let Ok(signature) = agent_spec::parse_signature(source) else {
        return;
    };
    let text = signature.to_string();
    let back = agent_spec::parse_signature(&text).expect("what is written is a signature");
    assert_eq!(back, signature, "{text}");
    assert_eq!(back.to_string(), text);
    assert_eq!(back.schema().to_value(), signature.schema().to_value());
});
