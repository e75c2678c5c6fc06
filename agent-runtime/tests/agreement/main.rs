//! Rust types and their gram types agree: what serde writes satisfies the JSON Schema and the type;
//! what the schema accepts is read, and what it refuses is not. The differences are those that
//! `GramType` lists.
#![cfg(all(feature = "derive", feature = "json-schema"))]

mod generate;
mod types;

use agent_runtime::serde_json::{Map, Value, json};
use agent_runtime::spec::ToolSpec;
use agent_runtime::{StaticTool, Tool, ToolContext};
use generate::arguments;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use std::cell::Cell;

/// The validator of a tool's arguments, and that of its result.
struct Schemas {
    arguments: jsonschema::Validator,
    result: jsonschema::Validator,
}

impl Schemas {
    fn of(tool: &dyn Tool) -> Self {
        let signature = tool.descriptor().signature().expect("it has a signature");
        let compile = |schema: Value| {
            // To us, this format is a hint: `5s` is a length of time, too.
            let options = jsonschema::options()
                .should_validate_formats(true)
                .with_format("duration", |_: &str| true);
            options.build(&schema).expect("it is a schema")
        };
        Self {
            arguments: compile(signature.schema().to_value()),
            result: compile(signature.return_schema().to_value()),
        }
    }
}

fn call(tool: &dyn Tool, arguments: &Value) -> Result<Value, String> {
    let context = ToolContext::detached();
    let text = arguments.to_string();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("it starts");
    let result = runtime.block_on(tool.call(&text, &context));
    result.map_err(|error| error.to_string())
}

/// Serde writes `None` as `null`, which is absent to us and a value to JSON Schema.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.into_iter().filter(|(_, member)| !member.is_null());
            let members: Map<String, Value> = members
                .map(|(key, member)| (key, without_nulls(member)))
                .collect();
            Value::Object(members)
        }
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

/// The texts of the differences that `GramType` lists: they refuse what the schema accepts.
const LISTED: [&str; 3] = ["Int from", "a length of time", "expected a nonzero"];

/// A tool that gives back its one argument: everything that the schema accepts comes back, and what
/// it refuses does not. `is_wider` is for enums whose record is the union of their variants.
fn agree<T: StaticTool>(is_wider: bool) {
    let tool = T::TOOL;
    let schemas = Schemas::of(&tool);
    let signature = T::DESCRIPTOR.signature().expect("it has a signature");
    let (accepted, refused) = (Cell::new(0), Cell::new(0));
    let mut runner = TestRunner::new(Config {
        failure_persistence: None,
        ..Config::with_cases(600)
    });
    let result = runner.run(&arguments(signature), |arguments| {
        let arguments = without_nulls(arguments);
        let is_valid = schemas.arguments.is_valid(&arguments);
        match (is_valid, call(&tool, &arguments)) {
            (true, Ok(result)) => {
                accepted.set(accepted.get() + 1);
                let plain = without_nulls(result.clone());
                prop_assert!(schemas.result.is_valid(&plain), "written: {plain}");
                let returns = signature.returns().ty();
                prop_assert!(returns.validate(&result).is_ok(), "written: {result}");
                // What was written is read again as the same.
                let again = json!({"value": plain});
                prop_assert_eq!(call(&tool, &again), Ok(result));
            }
            (true, Err(error)) => {
                let listed = is_wider || LISTED.iter().any(|text| error.contains(text));
                prop_assert!(listed, "{arguments}: {error}");
            }
            // What belongs to another variant is not looked at.
            (false, Ok(_)) if is_wider => {}
            (false, Ok(result)) => {
                return Err(TestCaseError::fail(format!(
                    "{arguments} was read as {result}"
                )));
            }
            (false, Err(_)) => refused.set(refused.get() + 1),
        }
        Ok(())
    });
    let name = ToolSpec::of(T::DESCRIPTOR).name().to_owned();
    assert!(result.is_ok(), "{name}: {result:?}");
    assert!(
        accepted.get() > 20,
        "{name}: only {} accepted",
        accepted.get()
    );
    assert!(refused.get() > 20, "{name}: only {} refused", refused.get());
}

#[test]
fn structs_agree() {
    agree::<types::person>(false);
    agree::<types::stars>(false);
    agree::<types::page>(false);
    agree::<types::request>(false);
    agree::<types::options>(false);
}

#[test]
fn types_of_std_agree() {
    agree::<types::numbers>(false);
    agree::<types::lists>(false);
    agree::<types::plan>(false);
}

#[test]
fn enums_agree() {
    agree::<types::mode>(false);
    agree::<types::internal>(true);
    agree::<types::adjacent>(true);
    agree::<types::same>(false);
    agree::<types::external>(true);
}

proptest! {
    /// Values made in Rust, not from JSON.
    #[test]
    fn what_serde_writes_satisfies_the_type(person in types::any_person()) {
        let schemas = Schemas::of(&types::person {});
        let written = agent_runtime::serde_json::to_value(&person).expect("it can be written");
        let arguments = json!({"value": without_nulls(written.clone())});
        prop_assert!(schemas.arguments.is_valid(&arguments), "{}", arguments);
        let ty = <types::Person as agent_runtime::GramType>::TYPE;
        prop_assert!(ty.validate(&written).is_ok(), "{}", written);
        prop_assert_eq!(call(&types::person {}, &arguments), Ok(written));
    }
}
