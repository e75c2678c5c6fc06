//! Rust types and their gram types agree: what serde writes satisfies the JSON Schema and the type;
//! what the schema accepts is read, and what it refuses is not. The differences are those that
//! `GramType` lists.

#[cfg(all(
    feature = "chrono",
    feature = "jiff",
    feature = "rust_decimal",
    feature = "url",
    feature = "uuid"
))]
mod foreign;
mod generate;
mod integers;
mod nulls;
mod order;
mod results;
mod shapes;
#[cfg(feature = "schemars")]
mod stated;
mod tags;
mod tools;
mod types;
#[cfg(feature = "schemars")]
mod ways;
mod wrong_variants;

use agent_runtime::serde_json::{Value, json};
use agent_runtime::spec::ToolSpec;
use agent_runtime::tool::StaticTool;
use agent_runtime::{Tool, ToolContext};
use generate::arguments;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::cell::Cell;

/// The validator of a tool's arguments, and that of its result.
struct Schemas {
    /// As it is: `null` is no value of an optional argument.
    strict: jsonschema::Validator,
    /// With `null` where a value may be missing, as we take it.
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
        let strict = tool.descriptor().schema_for(signature).to_value();
        let mut arguments = strict.clone();
        nulls::allow_in_fields(signature.params(), &mut arguments);
        let mut result = signature.return_schema().to_value();
        nulls::allow(signature.returns().ty(), &mut result);
        Self {
            strict: compile(strict),
            arguments: compile(arguments),
            result: compile(result),
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

/// The texts of the differences that `GramType` lists: they refuse what the schema accepts.
const LISTED: [&str; 10] = [
    "Int from",
    "a length of time",
    "expected a nonzero",
    // For a field with a stated type, serde checks the range.
    "invalid value: integer",
    "empty host",
    "number out of range",
    // Parameters of `foreign`, whose format is a hint only.
    "`$.time`",
    "`$.local`",
    "`$.length`",
    "expected a Decimal",
];

/// The text of a tool that was given what its type forbids.
const LOST: &str = "what narrows it was lost";

/// The result of a tool.
#[derive(Clone, Copy)]
enum Gives {
    /// Its one argument, `value`.
    Value,
    /// The same, of an enum whose record is the union of its variants: which fields a variant has, the schema does not say.
    /// The tag, the member of this name, holds.
    Variant(Option<&'static str>),
    /// All its arguments, in a record.
    All,
}

/// Everything that the schema accepts comes back, and what it refuses does not.
fn agree<T: StaticTool>(gives: Gives) {
    let tool = T::TOOL;
    let schemas = Schemas::of(&tool);
    let signature = T::DESCRIPTOR.signature().expect("it has a signature");
    let (accepted, refused) = (Cell::new(0), Cell::new(0));
    let mut runner = TestRunner::new(Config {
        failure_persistence: None,
        ..Config::with_cases(1_000)
    });
    let result = runner.run(&arguments(signature), |arguments| {
        let is_valid = schemas.arguments.is_valid(&arguments);
        let is_strictly_valid = schemas.strict.is_valid(&arguments);
        prop_assert!(is_valid || !is_strictly_valid, "{arguments}");
        prop_assert!(
            is_valid == is_strictly_valid || nulls::are_in(&arguments),
            "{arguments}"
        );
        match (is_valid, call(&tool, &arguments)) {
            (_, Ok(result)) => {
                prop_assert!(is_valid, "{arguments} was read as {result}");
                accepted.set(accepted.get() + 1);
                if let Gives::Variant(Some(tag)) = gives {
                    prop_assert_eq!(&arguments["value"][tag], &result[tag]);
                }
                prop_assert!(schemas.result.is_valid(&result), "written: {result}");
                let returns = signature.returns().ty();
                prop_assert!(returns.validate(&result).is_ok(), "written: {result}");
                // The written value is accepted and reads back equal.
                let again = match gives {
                    Gives::All => result.clone(),
                    Gives::Value | Gives::Variant(_) => json!({"value": result}),
                };
                prop_assert!(schemas.arguments.is_valid(&again), "written: {again}");
                prop_assert_eq!(call(&tool, &again), Ok(result));
            }
            (true, Err(error)) => {
                let listed = matches!(gives, Gives::Variant(_))
                    || LISTED.iter().any(|text| error.contains(text));
                prop_assert!(listed, "{arguments}: {error}");
                prop_assert!(!error.contains(LOST), "{arguments}");
                // The schema knows every tag.
                prop_assert!(!error.contains("unknown variant"), "{arguments}: {error}");
            }
            (false, Err(error)) => {
                prop_assert!(!error.contains(LOST), "{arguments}");
                refused.set(refused.get() + 1);
            }
        }
        Ok(())
    });
    let name = ToolSpec::of(T::DESCRIPTOR).name().to_owned();
    assert!(result.is_ok(), "{name}: {result:?}");
    let (accepted, refused) = (accepted.get(), refused.get());
    assert!(accepted > 20, "{name}: only {accepted} accepted");
    // A text of a few allowed ones is seldom wrong.
    assert!(refused > 10, "{name}: only {refused} refused");
}

#[test]
fn structs_agree() {
    agree::<types::person>(Gives::Value);
    agree::<types::stars>(Gives::Value);
    agree::<types::page>(Gives::Value);
    agree::<types::request>(Gives::Value);
    agree::<types::options>(Gives::Value);
}

#[test]
fn types_of_std_agree() {
    agree::<types::numbers>(Gives::Value);
    agree::<types::lists>(Gives::Value);
    agree::<types::plan>(Gives::Value);
    agree::<types::pairs>(Gives::Value);
}

#[test]
fn enums_agree() {
    agree::<types::mode>(Gives::Value);
    agree::<types::internal>(Gives::Variant(Some("kind")));
    agree::<types::adjacent>(Gives::Variant(Some("t")));
    agree::<types::same>(Gives::Value);
    agree::<types::external>(Gives::Value);
    agree::<types::mixed>(Gives::Value);
    agree::<types::untagged>(Gives::Value);
    agree::<types::tail>(Gives::Value);
    agree::<types::merged>(Gives::Variant(Some("kind")));
    agree::<types::pages>(Gives::Variant(Some("t")));
    agree::<types::sized>(Gives::Value);
}

proptest! {
    /// Values made in Rust, not from JSON.
    #[test]
    fn serde_output_satisfies_the_type(person in types::any_person()) {
        let schemas = Schemas::of(&types::person {});
        let written = agent_runtime::serde_json::to_value(&person).expect("it can be written");
        let arguments = json!({"value": written.clone()});
        prop_assert!(schemas.arguments.is_valid(&arguments), "{}", arguments);
        let ty = <types::Person as agent_runtime::GramType>::TYPE;
        prop_assert!(ty.validate(&written).is_ok(), "{}", written);
        prop_assert_eq!(call(&types::person {}, &arguments), Ok(written));
    }
}
