// `#[cfg]` and `#[cfg_attr]` on functions, parameters and docs.
#![deny(warnings)]

use agent_runtime::tool::StaticTool;
use agent_runtime::tool;

/// Is there
#[cfg(not(any()))]
#[tool]
fn present() {}

/// Is not there
#[cfg(any())]
#[tool]
fn absent(missing: Missing) {}

/// Is not there either
#[tool(export)]
#[cfg(any())]
fn absent_below(#[tool(minimum = 1, default = 2)] missing: Missing) {}

/// Is one of two
#[tool]
#[cfg(any())]
fn one_of_two() -> u8 {
    1
}

/// Is the other
#[tool]
#[cfg(not(any()))]
fn one_of_two() -> String {
    String::new()
}

/// Is a tool under a condition
#[cfg_attr(all(), tool(name = "conditional"))]
fn under_a_condition() {}

/// Always
#[tool]
#[cfg_attr(all(), doc = "and here,")]
#[cfg_attr(any(), doc = "not here")]
#[cfg_attr(all(), cfg_attr(all(), doc = "and deep inside"), inline)]
#[cfg_attr(any(), deprecated)]
fn described(
    #[cfg(any())] missing: Missing,
    #[cfg(not(any()))]
    #[tool(default = 2, minimum = 1)]
    times: u8,
    #[cfg(any())] times: &str,
    #[cfg_attr(all(), doc = "How loud")]
    #[cfg_attr(any(), doc = "How quiet")]
    volume: u8,
    #[cfg_attr(all(), allow(unused_variables))] unused: bool,
) -> u8 {
    times + volume
}

pub(crate) fn main() {
    present();
    under_a_condition();
    let _ = (one_of_two(), described(1, 2, true));
    assert_eq!(one_of_two::SIGNATURE, "()==>(::String)");
    assert_eq!(under_a_condition::DESCRIPTOR.name(), "conditional");
    assert_eq!(described::DESCRIPTOR.description(), "Always and here, and deep inside");
    assert_eq!(
        described::SIGNATURE,
        "(times::Int {default: 2, minimum: 1})==>(volume::Int {description: \"How loud\"})\
         ==>(unused::Bool)==>(::Int)"
    );
}
