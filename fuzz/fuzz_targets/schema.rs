//! A signature, its schema, and any text as the arguments of a call and as a schema.
//!
//! The input is a signature, a line end, and the arguments.

#![no_main]

use agent_spec::json::Ordered;
use agent_spec::schema::same_schema;
use agent_spec::{Signature, Type};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|source: &str| {
    let (signature, arguments) = source.split_once('\n').unwrap_or((source, "{}"));
    read_as_a_schema(arguments);
    let Ok(signature) = agent_spec::parse_signature(signature) else {
        return;
    };
    let schema = signature.schema().to_value();
    assert_eq!(schema["type"], "object");
    assert!(schema["required"].is_array());
    assert!(signature.return_schema().to_value().is_object());
    reads_back(&signature);
    accepts_what_it_normalised(&signature, arguments);
    // A type takes whatever value without a panic, its own or not.
    if let Ok(value) = serde_json::from_str::<Value>(arguments) {
        let _ = signature.returns().ty().validate(&value);
        for param in signature.params() {
            let _ = param.ty().validate(&value);
        }
    }
});

/// What a schema is read to has a schema that is read to the same.
fn read_as_a_schema(text: &str) {
    let Ok(schema) = serde_json::from_str::<Ordered>(text) else {
        return;
    };
    match Type::from_schema(&schema) {
        Ok(ty) => {
            let again = Type::from_schema(&ty.schema()).expect("a schema of our own");
            assert!(same_schema(
                &again.schema().to_value(),
                &ty.schema().to_value()
            ));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// The schema of a signature says all that the signature says, but for what schemas have no word
/// for; what that is, it says no more.
fn reads_back(signature: &Signature) {
    let again = Signature::from_schemas(&signature.schema(), Some(&signature.return_schema()));
    let again = again.expect("a schema of our own");
    assert!(same_schema(
        &again.schema().to_value(),
        &signature.schema().to_value()
    ));
}

/// Arguments that were taken are taken again, and nothing more is done to them.
fn accepts_what_it_normalised(signature: &Signature, arguments: &str) {
    match signature.check_arguments(arguments, None) {
        Ok(taken) => {
            let again = signature.check_arguments(taken.text(), None);
            let again = again.expect("normalised arguments are right");
            assert!(again.dropped().is_empty());
            assert_eq!(again.into_value(), taken.clone().into_value());
        }
        Err(violations) => {
            for violation in violations.iter() {
                assert!(!violation.expected().is_empty());
            }
        }
    }
}
