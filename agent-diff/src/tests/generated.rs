//! Comparisons of generated types and documents, held against the library and the validator.

use super::generate::{Choices, Draft, changed, changed_type, drafts, record, ty, value};
use super::witness_check::{assert_shown, assert_shown_or_missing, library, specs, takes};
use super::{agent, changes, read};
use crate::accept::{NullableType, UndeclaredMembers, accepts};
use crate::compare;
use crate::inclusion::{Inclusion, inclusion};
use agent_spec::check::Checked;
use agent_spec::{ToolSpec, Type};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};

fn document(drafts: &[Draft]) -> String {
    let tools: Vec<String> = drafts.iter().map(Draft::to_gram).collect();
    agent(&tools.join(",\n"))
}

/// Whether all types of a tool are compared to the end: patterns and formats are not.
fn is_decided(tool: &str, old: &Checked, new: &Checked) -> bool {
    let of_tool = |spec: &&ToolSpec| spec.name() == tool;
    let mut specs = specs(old).into_iter().chain(specs(new)).filter(of_tool);
    specs.all(|spec| {
        let text = spec.signature().to_string();
        !text.contains("pattern:") && !text.contains("format:")
    })
}

/// Two documents, and bytes for what else is chosen.
fn pairs() -> impl Strategy<Value = (String, String, Vec<u8>)> {
    (
        vec(any::<u8>(), 0..120),
        vec(any::<u8>(), 0..60),
        vec(any::<u8>(), 0..400),
    )
        .prop_map(|(first, second, rest)| {
            let old = drafts(&Choices::new(first));
            let new = changed(&Choices::new(second), &old);
            (document(&old), document(&new), rest)
        })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_500) })]

    #[test]
    fn document_has_no_changes_from_itself((old, _, _) in pairs()) {
        prop_assert!(changes(&old, &old).is_empty());
    }

    #[test]
    fn implementations_bind_exactly_when_no_change_breaks_them((old, new, _) in pairs()) {
        let (old, new) = (read(&old), read(&new));
        let found = compare(&old, &new);
        let library = library(&old);
        let is_bound = agent_runtime::library::bind_agent_tools(&new.agents[0].agent, &library).is_ok();
        let breaks = found.iter().any(|change| change.implementation.is_breaking());
        prop_assert_eq!(is_bound, !breaks, "{:#?}", found);
    }

    #[test]
    fn callers_keep_their_calls_and_results_when_no_change_breaks_them((old, new, bytes) in pairs()) {
        let (old, new) = (read(&old), read(&new));
        let found = compare(&old, &new);
        let choices = Choices::new(bytes);
        for spec in specs(&old) {
            let breaks = |change: &&super::Change| {
                change.caller.is_breaking() && change.tool.as_deref() == Some(spec.name())
            };
            if found.iter().any(|change| breaks(&change)) {
                continue;
            }
            let other = specs(&new).into_iter().find(|other| other.name() == spec.name());
            let other = other.expect("a tool that is removed breaks callers");
            for _ in 0..8 {
                let args = record(&choices, spec.signature().params(), 0);
                if takes(spec.signature(), &args) {
                    prop_assert!(takes(other.signature(), &args), "{:?}", args);
                }
                let (before, now) = (spec.signature().returns().ty(), other.signature().returns().ty());
                let result = value(&choices, now, 0);
                if now.validate(&result).is_ok() {
                    prop_assert_eq!(before.validate(&result), Ok(()), "{}", result);
                }
            }
        }
    }
}

/// Tests the same documents every time, also at night, because a witness is not found for every pair there is, and a test must
/// not fail by chance.
#[test]
fn breaking_changes_have_a_valid_witness() {
    let config = ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1_735_182_701),
        ..ProptestConfig::with_cases(2_000)
    };
    // The macro `proptest!` would take the seed of the environment.
    let ended = TestRunner::new(config).run(&pairs(), |(old, new, _)| {
        let (old, new) = (read(&old), read(&new));
        for change in compare(&old, &new) {
            if change
                .tool
                .as_deref()
                .is_some_and(|tool| is_decided(tool, &old, &new))
            {
                assert_shown(&change, &old, &new);
            } else {
                assert_shown_or_missing(&change, &old, &new);
            }
        }
        Ok(())
    });
    ended.unwrap_or_else(|error| panic!("{error}"));
}

/// Two types, of which the one is often made of the other, and bytes for values.
fn types() -> impl Strategy<Value = (Type, Type, Vec<u8>)> {
    let bytes = |most| vec(any::<u8>(), 0..most);
    (bytes(60), bytes(30), bytes(300)).prop_map(|(first, second, rest)| {
        let choices = Choices::new(first);
        let inner = ty(&choices, 3).with_optional(choices.in_ten(2));
        let outer = changed_type(&Choices::new(second), &inner);
        (inner, outer, rest)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3_000) })]

    #[test]
    fn inclusion_agrees_with_the_validator((inner, outer, bytes) in types(), results in any::<bool>()) {
        let undeclared = if results { UndeclaredMembers::Ignored } else { UndeclaredMembers::Refused };
        let (own, place) = (NullableType::of(&inner), NullableType::of(&outer));
        match inclusion(own, place, undeclared) {
            Inclusion::Included => {
                let choices = Choices::new(bytes);
                for _ in 0..12 {
                    let value = value(&choices, &inner, 0);
                    if accepts(own, &value, UndeclaredMembers::Refused) {
                        prop_assert!(accepts(place, &value, undeclared), "{}", value);
                    }
                }
            }
            Inclusion::Refuted(value) => {
                prop_assert!(accepts(own, &value, UndeclaredMembers::Refused), "{}", value);
                prop_assert!(!accepts(place, &value, undeclared), "{}", value);
            }
            // Undecided is never wrong; the tests of whole documents hold that it is rare.
            Inclusion::Undecided => {}
        }
    }
}
