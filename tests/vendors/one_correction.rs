//! Every feature with every model, which the catalogue does not have: the runtime assumes the newest model of the family, and one
//! refusal a run corrects it.

use crate::vendors::facts::all_models;
use crate::vendors::features::{Case, Feature, Turn, problems};
use agent_runtime::catalog::{Catalog, Document};
use agent_runtime::runtime::RuntimeBuilder;
use std::collections::HashMap;
use std::sync::Arc;

const OPENAI: &str = include_str!("../../agent-catalog/models/openai.gram");
const ANTHROPIC: &str = include_str!("../../agent-catalog/models/anthropic.gram");
const GOOGLE: &str = include_str!("../../agent-catalog/models/google.gram");
const SERVERS: &str = include_str!("../../agent-catalog/models/servers.gram");

/// Returns a document without the row of a model, and without the rows that are like it.
fn without_row(document: &str, id: &str) -> String {
    let begin = format!("\n  [{id}:Model {{");
    let Some(start) = document.find(&begin) else {
        return document.to_owned();
    };
    const END: &str = "\n  }]";
    let rest = &document[start..];
    let after = &rest[rest.find(END).expect("the end of the row") + END.len()..];
    let before = &document[..start];
    let cut = match after.strip_prefix(',') {
        Some(after) => format!("{before}{after}"),
        // The last row, before which a comma is left.
        None => format!("{}{after}", before.trim_end_matches(',')),
    };
    let like = format!("like: \"{id}\"");
    let lines = cut.lines().filter(|line| !line.contains(&like));
    lines.collect::<Vec<&str>>().join("\n")
}

/// Returns the catalogue without the row of a model.
fn catalog_without(id: &str) -> Arc<Catalog> {
    let documents = [OPENAI, ANTHROPIC, GOOGLE, SERVERS];
    let catalog = documents
        .iter()
        .fold(Catalog::default(), |catalog, document| {
            let document = Document::read(&without_row(document, id));
            assert!(
                document.mistakes().is_empty(),
                "{id}: {:?}",
                document.mistakes()
            );
            catalog.with(&document).expect("rows that lead somewhere")
        });
    Arc::new(catalog)
}

/// Returns each failure, and the refusals of a run that has more than one.
fn all_problems(turns: &[Turn]) -> Vec<String> {
    let mut found = Vec::new();
    for (number, turn) in turns.iter().enumerate() {
        if turn.refusals.len() > 1 {
            found.push(format!(
                "turn {number}: refused twice or more: {:?}",
                turn.refusals
            ));
        }
        if let Err(text) = &turn.response {
            found.push(format!("turn {number}: {text}"));
        }
    }
    found
}

#[test]
fn cuts_the_row_of_one_model() {
    for (provider, id) in all_models() {
        let rows = |catalog: &Catalog| {
            let rows = catalog.models();
            let rows = rows.filter(|entry| entry.provider == provider && entry.id == id);
            rows.count()
        };
        assert_eq!(rows(Catalog::builtin()), 1, "{id}");
        assert_eq!(rows(&catalog_without(id)), 0, "{id}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn at_most_one_correction() {
    let mut cases = Vec::new();
    for (provider, model) in all_models() {
        for feature in Feature::all() {
            // A request with all settings is refused for a further reason after each correction.
            if feature == Feature::AllSettings {
                continue;
            }
            // The corrections of plain and of streamed requests are the same.
            let is_streamed = cases.len() % 2 == 1;
            cases.push(vec![Case {
                provider,
                model,
                feature,
                is_streamed,
            }]);
        }
    }
    let models = all_models().into_iter().map(|(_, id)| id);
    let catalogs: HashMap<&str, Arc<Catalog>> =
        models.map(|id| (id, catalog_without(id))).collect();
    let without_row =
        |case: &Case, runtime: RuntimeBuilder| runtime.catalog(Arc::clone(&catalogs[case.model]));
    let lines = problems(cases, without_row, all_problems).await;
    assert!(
        lines.is_empty(),
        "{} problems:\n{}",
        lines.len(),
        lines.join("\n")
    );
}
