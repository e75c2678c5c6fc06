//! A stored conversation, as JSON or as gram: what is read is written so that it reads back as the same, and a
//! conversation that cannot be sent is repaired.

#![no_main]

use agent_gram::{parse_patterns, print::print_pattern};
use agent_runtime::conversation::{Retention, estimate_tokens};
use agent_runtime::redact::Redactor;
use agent_runtime::{Conversation, Message};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(conversation) = serde_json::from_str::<Conversation>(text) {
        check(&conversation);
    }
    if let Ok(patterns) = parse_patterns(text) {
        for pattern in &patterns {
            match Conversation::from_pattern(pattern) {
                Ok(conversation) => check(&conversation),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    }
});

fn check(conversation: &Conversation) {
    let json = conversation.to_json_with_data();
    let again = Conversation::from_json(&json).unwrap_or_else(|error| panic!("{error}: {json}"));
    // Calls keep the text of their arguments only as far as the value differs from it.
    assert_eq!(again.to_json_with_data(), json);
    // The bytes of media are not part of these two forms: stores keep them beside the conversation.
    for message in conversation.messages() {
        let json = message.to_exact_json().expect("JSON");
        let again: Message =
            serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {json}"));
        assert_eq!(again.to_exact_json().expect("JSON"), json);
        assert!(
            again == *message || message.media().next().is_some(),
            "{json}"
        );
        let _ = estimate_tokens(message);
    }
    let pattern = conversation.to_pattern().expect("JSON is not too deep");
    let printed = print_pattern(&pattern);
    let read = parse_patterns(&printed).unwrap_or_else(|errors| panic!("{errors:?}: {printed}"));
    let again = Conversation::from_pattern(&read[0]);
    let again = again.unwrap_or_else(|error| panic!("{error}: {printed}"));
    assert_eq!(again.to_pattern().expect("JSON is not too deep"), pattern);

    assert_eq!(
        conversation.check().is_ok(),
        conversation.is_valid_to_send()
    );
    let turns: usize = conversation.turns().map(<[Message]>::len).sum();
    assert!(turns <= conversation.len());
    let _ = (conversation.view(), conversation.fork(1));
    let mut repaired = conversation.clone();
    let repairs = repaired.repair();
    repaired
        .check()
        .unwrap_or_else(|error| panic!("{error}: {repairs:?}"));
    assert_eq!(repairs.is_empty(), repaired == *conversation);
    let mut cut = repaired.clone();
    cut.truncate(&Retention::new().last_turns(1).token_budget(50));
    cut.check()
        .unwrap_or_else(|error| panic!("{error} after the cut"));

    let redactor = Redactor::new();
    redactor.add("hunter2hunter2");
    let redacted = repaired.redacted(&redactor);
    redacted
        .check()
        .unwrap_or_else(|error| panic!("{error} after the redaction"));
}
