//! Results that JSON cannot hold: an error of the call, never another value.

use agent_runtime::serde_json::Value;
use agent_runtime::tool::invoke_tool;
use agent_runtime::{Tool, ToolContext, ToolError, tool};

fn invoke(tool: &dyn Tool, arguments: &str) -> Result<Value, ToolError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("it starts");
    runtime.block_on(invoke_tool(tool, arguments, &ToolContext::detached()))
}

/// Divides
#[tool(inline)]
fn divide(dividend: f64, divisor: f64) -> f64 {
    dividend / divisor
}

/// Divides several
#[tool(inline)]
fn divide_all(dividends: Vec<f32>, divisor: f32) -> Vec<f32> {
    dividends
        .iter()
        .map(|dividend| dividend / divisor)
        .collect()
}

/// Gives its argument back
#[tool(inline)]
fn short(value: f32) -> f32 {
    value
}

/// Doubles
#[tool(inline)]
fn double(value: u128) -> u128 {
    value.wrapping_mul(2)
}

/// Negates
#[tool(inline)]
fn negate(value: i128) -> Option<i128> {
    value.checked_neg()
}

#[derive(
    agent_runtime::serde::Deserialize, agent_runtime::serde::Serialize, agent_runtime::GramType,
)]
#[serde(crate = "agent_runtime::serde", rename_all = "lowercase")]
enum Speed {
    Fast,
    #[serde(skip_serializing)]
    Quick,
}

/// Gives its argument back
#[tool(inline)]
fn speed(value: Speed) -> Speed {
    value
}

/// Says how fast it is
#[tool(inline)]
fn is_quick(value: Speed) -> bool {
    matches!(value, Speed::Quick)
}

#[test]
fn reads_a_variant_that_is_never_written_and_does_not_return_it() {
    let quick = r#"{"value": "quick"}"#;
    assert_eq!(invoke(&is_quick {}, quick).ok(), Some(Value::Bool(true)));
    assert!(invoke(&speed {}, r#"{"value": "fast"}"#).is_ok());
    let error = invoke(&speed {}, quick).expect_err("serde does not write it");
    assert!(error.to_string().contains("Speed::Quick"), "{error}");
}

#[test]
fn rejects_a_result_that_is_not_a_number() {
    assert!(invoke(&divide {}, r#"{"dividend": 1, "divisor": 4}"#).is_ok());
    for dividend in ["0", "1", "-1"] {
        let arguments = format!(r#"{{"dividend": {dividend}, "divisor": 0}}"#);
        let error = invoke(&divide {}, &arguments).expect_err("it is no number");
        assert!(matches!(error, ToolError::Validation(_)), "{error:?}");
        assert!(error.to_string().contains("expected Double"), "{error}");
    }
    let arguments = r#"{"dividends": [1, 0], "divisor": 0}"#;
    let error = invoke(&divide_all {}, arguments).expect_err("they are no numbers");
    let error = error.to_string();
    assert!(error.contains("$[0]") && error.contains("$[1]"), "{error}");
}

/// Divides, if that can be
#[tool(inline)]
fn divide_maybe(dividend: f64, divisor: f64) -> Option<f64> {
    Some(dividend / divisor)
}

#[test]
fn an_optional_number_that_is_not_finite_is_missing() {
    let result = invoke(&divide_maybe {}, r#"{"dividend": 0, "divisor": 0}"#);
    assert_eq!(result, Ok(Value::Null));
}

#[test]
fn a_number_beyond_a_short_float_is_refused() {
    assert!(invoke(&short {}, r#"{"value": 3.4e38}"#).is_ok());
    for beyond in ["1e39", "-1e39", "1e308"] {
        let arguments = format!(r#"{{"value": {beyond}}}"#);
        let error = invoke(&short {}, &arguments).expect_err("it is infinite");
        assert!(error.to_string().contains("out of range"), "{error}");
    }
}

#[test]
fn an_integer_that_json_values_do_not_hold_is_no_result() {
    let half = u64::MAX / 2;
    let held = invoke(&double {}, &format!(r#"{{"value": {half}}}"#));
    assert_eq!(held, Ok(Value::from(half * 2)));
    let held = invoke(&negate {}, &format!(r#"{{"value": {}}}"#, 1_u64 << 63));
    assert_eq!(held, Ok(Value::from(i64::MIN)));
    let beyond = [
        invoke(&double {}, &format!(r#"{{"value": {}}}"#, half + 1)),
        invoke(&double {}, &format!(r#"{{"value": {}}}"#, i128::MAX)),
        invoke(&negate {}, &format!(r#"{{"value": {}}}"#, u64::MAX)),
    ];
    for result in beyond {
        let error = result.expect_err("it is beyond 64 bits").to_string();
        assert!(
            error.contains("the result cannot be written as JSON"),
            "{error}"
        );
        assert!(error.contains("out of range"), "{error}");
    }
}
