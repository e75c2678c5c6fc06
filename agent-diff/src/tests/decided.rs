//! What is decided of generated pairs of types, held against the validator.

use super::dice::Dice;
use super::generate::{changed_type, ty, value};
use crate::inclusion::{Answer, Extra, Place, escape, takes};
use agent_spec::Type;
use proptest::collection::vec;
use proptest::prelude::*;

/// Two types, of which the one is often made of the other, and bytes for values.
fn pairs() -> impl Strategy<Value = (Type, Type, Vec<u8>)> {
    let bytes = |most| vec(any::<u8>(), 0..most);
    (bytes(60), bytes(30), bytes(300)).prop_map(|(first, second, rest)| {
        let dice = Dice::new(first);
        let inner = ty(&dice, 3).with_optional(dice.in_ten(2));
        let outer = changed_type(&Dice::new(second), &inner);
        (inner, outer, rest)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3_000) })]

    #[test]
    fn an_answer_is_what_the_validator_says((inner, outer, bytes) in pairs(), results in any::<bool>()) {
        let extra = if results { Extra::Ignored } else { Extra::Refused };
        let (own, place) = (Place::of(&inner), Place::of(&outer));
        match escape(own, place, extra) {
            Answer::Included => {
                let dice = Dice::new(bytes);
                for _ in 0..12 {
                    let value = value(&dice, &inner, 0);
                    if takes(own, &value, Extra::Refused) {
                        prop_assert!(takes(place, &value, extra), "{}", value);
                    }
                }
            }
            Answer::Escapes(value) => {
                prop_assert!(takes(own, &value, Extra::Refused), "{}", value);
                prop_assert!(!takes(place, &value, extra), "{}", value);
            }
            // Not to know is never wrong; that it is rare, the tests of whole documents say.
            Answer::Open => {}
        }
    }
}
