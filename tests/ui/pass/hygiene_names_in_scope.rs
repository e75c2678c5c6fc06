// Constants, statics and unit structs that are named as what generated code might call its own.
#![allow(dead_code, non_upper_case_globals, non_camel_case_types)]

use agent_runtime::{Tool, ToolContext, tool};

const text: &str = "constant";
static context: u8 = 1;
struct arguments;
const p0: u8 = 0;
const a: u8 = 9;
const name: &str = "";
const call: &str = "";
const rt: u8 = 0;
const tool_: u8 = 0;
const DESCRIPTOR: u8 = 0;
const SLOTS: u8 = 0;
const OWN: u8 = 0;
struct T;
struct C;
struct F;

/// Is named like a parameter of its own
#[tool]
fn x(x1: i64, y: i64) -> i64 {
    x1 + y
}

/// Has one letter
#[tool]
async fn f(g: &str, #[tool(minimum = 1, default = 2)] h: u8) -> String {
    format!("{g}{h}")
}

/// Is named like a constant
#[tool]
#[allow(non_snake_case)]
fn SIGNATURE(DESCRIPTION: &str) -> String {
    DESCRIPTION.to_owned()
}

/// Is named like what a tool implements
#[tool]
fn invoke(call_: bool) -> bool {
    call_
}

/// Calls itself as a function
#[tool(inline)]
fn countdown(from: u8) -> u8 {
    if from == 0 { 0 } else { countdown(from - 1) }
}

#[tokio::main]
pub(crate) async fn main() {
    let here = ToolContext::detached();
    assert_eq!(x {}.call(r#"{"x1": 1, "y": 2}"#, &here).await, Ok(3.into()));
    assert_eq!(f {}.call(r#"{"g": "a"}"#, &here).await, Ok("a2".into()));
    let shout = SIGNATURE {}.call(r#"{"dESCRIPTION": "d"}"#, &here).await;
    assert_eq!(shout, Ok("d".into()));
    assert_eq!(invoke {}.call(r#"{"call": true}"#, &here).await, Ok(true.into()));
    assert_eq!(countdown {}.call(r#"{"from": 3}"#, &here).await, Ok(0.into()));
}
