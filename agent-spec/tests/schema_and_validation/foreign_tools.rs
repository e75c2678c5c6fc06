//! Tools of other people: a schema of ours for each construct that theirs have, with the number of theirs that
//! it stands for.
//!
//! `foreign_tools.json` names the source of each. The tools themselves are those of forty MCP servers and the
//! functions of a benchmark, which the repository's `tests/real/schemas/run` downloads and measures.

use crate::schema_and_validation::against_jsonschema::{validator, value_for};
use agent_spec::json::Ordered;
use agent_spec::schema::{Loss, SchemaProblem, SchemaReader};
use agent_spec::{Kind, Shape, Signature, Type};
use proptest::strategy::{Strategy, ValueTree as _};
use proptest::test_runner::TestRunner;
use serde_json::Value;

const TEXT: &str = include_str!("foreign_tools.json");

/// A construct in the schemas of tools.
pub(crate) struct Construct {
    pub(crate) name: String,
    /// The number of tools that have the construct and none of the rarer ones.
    tools: u64,
    pub(crate) schema: Ordered,
    entry: Value,
}

impl Construct {
    pub(crate) fn all() -> Vec<Construct> {
        let entries: Vec<Value> = serde_json::from_str(TEXT).expect("a list");
        let ordered: Vec<Ordered> = serde_json::from_str(TEXT).expect("a list");
        let all = entries.into_iter().zip(ordered);
        all.map(|(entry, ordered)| {
            let Ordered::Object(members) = ordered else {
                panic!("{ordered:?} is no object")
            };
            let schema = members.into_iter().find(|(key, _)| key == "schema");
            Construct {
                name: entry["construct"].as_str().expect("a name").to_owned(),
                tools: entry["tools"].as_u64().expect("a number"),
                schema: schema.expect("a schema").1,
                entry,
            }
        })
        .collect()
    }

    /// The names of the losses, closed objects among them.
    fn losses(&self) -> Vec<&str> {
        let losses = self.entry["losses"].as_array().into_iter().flatten();
        losses.filter_map(Value::as_str).collect()
    }

    fn read(&self) -> Option<(Signature, Vec<SchemaProblem>)> {
        let read = SchemaReader::lossy().read_signature_with_losses(&self.schema, None);
        match self.entry["refused"].as_str() {
            None => Some(read.unwrap_or_else(|error| panic!("{}: {error}", self.name))),
            Some(reason) => {
                let error = read.expect_err(&self.name);
                assert!(error.to_string().contains(reason), "{error}");
                None
            }
        }
    }
}

#[test]
fn each_becomes_its_signature_and_lists_its_losses() {
    for construct in Construct::all() {
        let Some((signature, losses)) = construct.read() else {
            continue;
        };
        let name = &construct.name;
        assert_eq!(
            Some(&*signature.to_string()),
            construct.entry["signature"].as_str(),
            "{name}"
        );
        let losses = losses.iter().map(|problem| problem.loss().expect("a loss"));
        let mut listed: Vec<String> = losses.map(|loss| format!("{loss:?}")).collect();
        listed.sort();
        listed.dedup();
        assert_eq!(listed, construct.losses(), "{name}");
    }
}

#[test]
fn nearly_all_are_read_and_few_need_a_loss() {
    // What gram's own rules replace is always allowed.
    let replaced = [Loss::ClosedObjects, Loss::RequiredNull].map(|loss| format!("{loss:?}"));
    let (mut all, mut read, mut exact) = (0, 0, 0);
    for construct in Construct::all() {
        let is_exact = SchemaReader::new()
            .read_signature(&construct.schema, None)
            .is_ok();
        let losses = construct.losses();
        let lost = losses
            .iter()
            .any(|loss| !replaced.iter().any(|replaced| replaced == loss));
        let is_read = construct.read().is_some();
        assert_eq!(is_exact, is_read && !lost, "{}", construct.name);
        all += construct.tools;
        read += if is_read { construct.tools } else { 0 };
        exact += if is_exact { construct.tools } else { 0 };
    }
    assert_eq!(all, 4_192);
    assert!(read * 100 >= all * 99, "{read} of {all}");
    assert!(exact * 100 >= all * 95, "{exact} of {all}");
}

#[test]
fn calls_are_accepted_as_jsonschema_accepts_them() {
    let mut runner = TestRunner::deterministic();
    for construct in Construct::all() {
        let Some((signature, losses)) = construct.read() else {
            continue;
        };
        // The type is wider, except for keys that are dropped and defaults that are not used.
        let wider = losses
            .iter()
            .any(|problem| !matches!(problem.loss(), Some(Loss::ClosedObjects | Loss::Defaults)));
        let theirs = validator(&construct.entry["schema"]);
        let fields = signature.params().to_vec();
        let arguments = value_for(&Type::new(Kind::Object(Shape::Fields(fields.into()))));
        let (mut accepted, mut refused) = (0, 0);
        for _ in 0..200 {
            let value = arguments.new_tree(&mut runner).expect("a value").current();
            if !value.is_object() {
                continue;
            }
            let name = &construct.name;
            match signature.check_arguments(&value.to_string(), None) {
                Ok(arguments) => {
                    accepted += 1;
                    let arguments = arguments.into_value();
                    assert!(wider || theirs.is_valid(&arguments), "{name}: {value}");
                }
                Err(violations) => {
                    refused += 1;
                    let spelling = violations.to_string().contains("did you mean");
                    assert!(
                        spelling || !theirs.is_valid(&value),
                        "{name}: {value}\n{violations}"
                    );
                }
            }
        }
        assert!(
            accepted > 0 && refused > 0,
            "{}: {accepted} and {refused}",
            construct.name
        );
    }
}
