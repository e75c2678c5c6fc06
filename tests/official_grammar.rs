//! Our parser held against the official grammar's, `tree-sitter-gram` 0.6.
//!
//! Texts made by the official grammar are taken by both. The same texts with one small change are
//! taken by both or by neither, but for the differences that are listed in [`known`].

mod generate;
mod known;
mod mutate;
mod parsers;
mod spacing;
mod specs;
mod styles;
mod tokens;
mod widened;

use known::{DIFFERENCES, Wider};
use parsers::{official_accepts, we_accept};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    })
}

/// `.cargo/config.toml` sets the seed of every test program that cargo runs.
#[test]
fn property_tests_draw_from_a_fixed_seed() {
    assert_ne!(ProptestConfig::default().rng_seed, RngSeed::Random);
}

#[test]
fn both_parsers_accept_generated_texts() {
    let texts = (generate::document(), spacing::gaps());
    let done = runner(3_000).run(&texts, |(tokens, gaps)| {
        let text = spacing::space(&tokens, &gaps).concat();
        prop_assert!(
            official_accepts(&text),
            "the official parser refuses {text:?}"
        );
        prop_assert!(
            we_accept(&text),
            "we refuse {text:?}: {:?}",
            agent_gram::parse(&text).errors
        );
        Ok(())
    });
    if let Err(found) = done {
        panic!("{found}");
    }
}

#[test]
fn both_parsers_agree_on_mutated_texts() {
    // To make a document takes longer than to read it, so each is changed several times.
    let changes = vec(mutate::mutation(), 8);
    let texts = (generate::document(), spacing::gaps(), changes);
    let done = runner(3_000).run(&texts, |(tokens, gaps, changes)| {
        let pieces = spacing::space(&tokens, &gaps);
        changes
            .iter()
            .try_for_each(|change| agree(&change.apply(&pieces)))
    });
    if let Err(found) = done {
        panic!("{found}");
    }
}

/// Whether both take a text, or neither does, or a known difference is the reason.
fn agree(text: &str) -> Result<(), TestCaseError> {
    let ours = we_accept(text);
    if official_accepts(text) == ours {
        return Ok(());
    }
    known::explain(text).map(drop).map_err(|left| {
        let who = if ours { "we" } else { "the official parser" };
        TestCaseError::fail(format!("only {who} accept {text:?}: {left}"))
    })
}

#[test]
fn known_differences_still_differ() {
    for difference in DIFFERENCES {
        for example in difference.examples {
            let text = example();
            let name = difference.name;
            let ours = difference.wider == Wider::Ours;
            assert_eq!(we_accept(&text), ours, "{name}: ours, {text:?}");
            assert_eq!(
                official_accepts(&text),
                !ours,
                "{name}: the official one, {text:?}"
            );
            assert_eq!(known::explain(&text), Ok(vec![name]), "{text:?}");
        }
        assert!(!difference.reason.is_empty(), "{}", difference.name);
    }
}
