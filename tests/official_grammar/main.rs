//! Our parser held against the official grammar's, `tree-sitter-gram` 0.6.
//!
//! Texts made by the official grammar are taken by both. The same texts with one small change are
//! taken by both or by neither, but for the differences that are listed in [`known`].

mod generate;
mod known;
mod mutate;
mod parsers;
mod spacing;
mod tokens;
mod widened;

use known::{DIFFERENCES, Wider};
use parsers::{official_accepts, we_accept};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

/// The same texts in each run.
fn runner(cases: u32) -> TestRunner {
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

#[test]
fn what_the_grammar_makes_both_accept() {
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
fn what_is_changed_both_accept_or_both_refuse() {
    let texts = (generate::document(), spacing::gaps(), mutate::mutation());
    let done = runner(10_000).run(&texts, |(tokens, gaps, mutation)| {
        let text = mutation.apply(&spacing::space(&tokens, &gaps));
        if official_accepts(&text) != we_accept(&text)
            && let Err(left) = known::explain(&text)
        {
            let who = if we_accept(&text) {
                "we"
            } else {
                "the official parser"
            };
            return Err(TestCaseError::fail(format!(
                "only {who} accept {text:?}: {left}"
            )));
        }
        Ok(())
    });
    if let Err(found) = done {
        panic!("{found}");
    }
}

#[test]
fn each_known_difference_is_one() {
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
