//! Every use of every model, with the catalogue of the product.

use crate::vendors::facts::all_models;
use crate::vendors::features::{Case, Feature, Turn, problems};

/// Returns the cases of all models, plain and streamed.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (provider, model) in all_models() {
        for feature in Feature::all() {
            for is_streamed in [false, true] {
                cases.push(Case {
                    provider,
                    model,
                    feature,
                    is_streamed,
                });
            }
        }
    }
    cases
}

/// Returns each failure and each refusal.
fn all_problems(turns: &[Turn]) -> Vec<String> {
    let mut found = Vec::new();
    for (number, turn) in turns.iter().enumerate() {
        let refusals = turn.refusals.iter();
        found.extend(refusals.map(|(model, text)| format!("turn {number}: {model} refused: {text}")));
        found.extend(turn.response.as_ref().err().map(|text| format!("turn {number}: {text}")));
    }
    found
}

#[test]
fn the_table_has_56_different_models() {
    let mut models = all_models();
    models.sort_unstable();
    models.dedup();
    assert_eq!(models.len(), 56);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_request_is_refused() {
    let lines = problems(cases(), |_, runtime| runtime, all_problems).await;
    assert!(lines.is_empty(), "{} problems:\n{}", lines.len(), lines.join("\n"));
}
