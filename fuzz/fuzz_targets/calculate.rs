//! An expression has a value that JSON can say, or an error at a place in it, and at once. What is an
//! integer is what it was when it is computed again from its own digits.

#![no_main]

use agent_builtin::calculator;
use libfuzzer_sys::fuzz_target;
use std::time::{Duration, Instant};

/// Much more than any expression takes, with sanitizers around it.
const AT_ONCE: Duration = Duration::from_secs(5);

fuzz_target!(|expression: &str| {
    let started = Instant::now();
    let calculated = calculator(expression);
    assert!(started.elapsed() < AT_ONCE);
    match calculated {
        Ok(value) => {
            assert!(value.result().is_finite());
            let digits = match (value.exact(), value.as_integer()) {
                (Some(exact), None) => exact.to_owned(),
                (None, Some(integer)) => integer.to_string(),
                (None, None) => format!("{:e}", value.result()),
                (Some(_), Some(_)) => panic!("an integer of 64 bits is exact in itself"),
            };
            let again = calculator(&digits).expect("a number is an expression");
            assert_eq!(again.result(), value.result(), "{digits}");
            // A double that has no fraction is an integer once it is written.
            if value.exact().is_some() || value.as_integer().is_some() {
                assert_eq!(again, value, "{digits}");
            }
        }
        Err(error) => {
            assert!(error.position() >= 1);
            assert!(error.position() <= expression.chars().count() + 1);
            assert!(error.to_string().len() < 1000, "{error}");
        }
    }
});
