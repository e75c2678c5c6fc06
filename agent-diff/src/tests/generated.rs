//! What is claimed of generated pairs of documents, held against the library and the validator.

use super::dice::Dice;
use super::generate::{Draft, changed, drafts, record, value};
use super::witnessed::{assert_shown, assert_shown_or_missing, library, specs, takes};
use super::{agent, changes, read};
use crate::compare;
use agent_spec::ToolSpec;
use agent_spec::check::Checked;
use agent_spec::write::signature_text;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn document(drafts: &[Draft]) -> String {
    let tools: Vec<String> = drafts.iter().map(Draft::to_gram).collect();
    agent(&tools.join(",\n"))
}

/// Whether all types of a tool are compared to the end: patterns and formats are not.
fn is_decided(tool: &str, old: &Checked, new: &Checked) -> bool {
    let of_tool = |spec: &&ToolSpec| spec.name() == tool;
    let mut specs = specs(old).into_iter().chain(specs(new)).filter(of_tool);
    specs.all(|spec| {
        let text = signature_text(spec.signature());
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
            let old = drafts(&Dice::new(first));
            let new = changed(&Dice::new(second), &old);
            (document(&old), document(&new), rest)
        })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_500) })]

    #[test]
    fn a_document_is_the_same_as_itself((old, _, _) in pairs()) {
        prop_assert!(changes(&old, &old).is_empty());
    }

    #[test]
    fn what_is_compatible_for_implementations_binds_and_nothing_else_does((old, new, _) in pairs()) {
        let (old, new) = (read(&old), read(&new));
        let found = compare(&old, &new);
        let library = library(&old);
        let is_bound = agent_runtime::bind_agent_tools(&new.agents[0].agent, &library).is_ok();
        let breaks = found.iter().any(|change| change.implementation.is_breaking());
        prop_assert_eq!(is_bound, !breaks, "{:#?}", found);
    }

    #[test]
    fn what_is_compatible_for_callers_takes_their_calls_and_answers_as_before((old, new, bytes) in pairs()) {
        let (old, new) = (read(&old), read(&new));
        let found = compare(&old, &new);
        let dice = Dice::new(bytes);
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
                let args = record(&dice, spec.signature().params(), 0);
                if takes(spec.signature(), &args) {
                    prop_assert!(takes(other.signature(), &args), "{:?}", args);
                }
                let (before, now) = (spec.signature().returns().ty(), other.signature().returns().ty());
                let result = value(&dice, now, 0);
                if now.validate(&result).is_ok() {
                    prop_assert_eq!(before.validate(&result), Ok(()), "{}", result);
                }
            }
        }
    }
}

// Of the same documents every time: that a witness is found cannot be promised of every pair, and a test
// must not fail by chance.
proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(7),
        ..ProptestConfig::with_cases(2_000)
    })]

    #[test]
    fn every_breaking_change_has_a_witness_that_shows_it((old, new, _) in pairs()) {
        let (old, new) = (read(&old), read(&new));
        for change in compare(&old, &new) {
            if change.tool.as_deref().is_some_and(|tool| is_decided(tool, &old, &new)) {
                assert_shown(&change, &old, &new);
            } else {
                assert_shown_or_missing(&change, &old, &new);
            }
        }
    }
}
