//! A signature, its schema, and any text as the arguments of a call.
//!
//! The input is a signature, a line end, and the arguments.

#![no_main]

use agent_spec::Signature;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|source: &str| {
    let (signature, arguments) = source.split_once('\n').unwrap_or((source, "{}"));
    let Ok(signature) = Signature::parse(signature) else {
        return;
    };
    let schema = signature.schema().to_value();
    assert_eq!(schema["type"], "object");
    assert!(schema["required"].is_array());
    assert!(signature.return_schema().to_value().is_object());
    accepts_what_it_normalised(&signature, arguments);
    // A type takes whatever value without a panic, its own or not.
    if let Ok(value) = serde_json::from_str::<Value>(arguments) {
        let _ = signature.returns().ty().validate(&value);
        for param in signature.params() {
            let _ = param.ty().validate(&value);
        }
    }
});

/// Arguments that were taken are taken again, and nothing more is done to them.
fn accepts_what_it_normalised(signature: &Signature, arguments: &str) {
    match signature.check_arguments(arguments, None) {
        Ok(taken) => {
            let again = signature.check_arguments(taken.text(), None);
            let again = again.expect("normalised arguments are right");
            assert_eq!(again.value(), taken.value());
            assert!(again.dropped().is_empty());
        }
        Err(violations) => {
            for violation in violations.iter() {
                assert!(!violation.expected().is_empty());
            }
        }
    }
}
