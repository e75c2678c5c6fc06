//! What is read is printed so that it reads back as the same, and in one way only.

#![no_main]

use agent_gram::{parse_patterns, print};
use agent_spec::json::{pattern_from_json, pattern_to_json};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &str| {
    let Ok(patterns) = parse_patterns(source) else {
        return;
    };
    let printed = print(&patterns);
    let back = parse_patterns(&printed).expect("what is printed is gram");
    assert_eq!(back, patterns);
    assert_eq!(print(&back), printed);
    for pattern in &patterns {
        let back = pattern_from_json(&pattern_to_json(pattern)).expect("our JSON is read");
        assert_eq!(&back, pattern);
    }
});
