// Other attributes on the function and on parameters, in a crate that denies what it can.
#![deny(warnings, missing_docs, missing_debug_implementations, missing_copy_implementations)]
#![deny(unused_qualifications, unreachable_pub, single_use_lifetimes, trivial_casts)]
#![deny(unused_results, let_underscore_drop, elided_lifetimes_in_paths, unnameable_types)]
#![forbid(unsafe_code)]
//! Attributes beside `#[tool]`.

use agent_runtime::{Extension, Tool, ToolContext, tool, tools};

/// Is out of date
#[tool]
#[deprecated(note = "use `current`")]
pub fn outdated(name: String) -> String {
    name
}

/// Gives what must be used
#[must_use]
#[tool(read_only)]
pub async fn current(name: String) -> String {
    name
}

/// Is inlined
#[track_caller]
#[inline(always)]
#[tool(inline)]
pub const fn inlined(number: u8) -> u8 {
    number
}

/// Is cold
#[cold]
#[tool(idempotent)]
pub extern "C" fn cold(mut number: u8, #[allow(unused_variables)] unused: u8) -> u8 {
    number += 1;
    number
}

/// Expects a lint
#[tool(destructive, requires_approval, sequential)]
#[expect(clippy::needless_pass_by_value, unused_variables)]
pub fn expects(text: String, _: &ToolContext, _: Extension<u8>) {}

/// Takes what it does not need
#[tool]
pub fn ignores(_hidden_one: u8, _: Extension<u8>) -> u8
where
    String: Clone,
{
    1
}

/// Is written with its path
#[agent_runtime::tool]
pub fn with_a_path(#[tool(name = "other")] name: &str) -> usize {
    name.len()
}

#[allow(deprecated)]
#[tokio::main]
pub(crate) async fn main() {
    let here = ToolContext::detached();
    let library = tools![outdated, current, inlined, cold, expects, ignores, with_a_path];
    assert_eq!(library.len(), 7);
    assert_eq!(inlined {}.call(r#"{"number": 3}"#, &here).await, Ok(3.into()));
    assert_eq!(cold {}.call(r#"{"number": 3, "unused": 0}"#, &here).await, Ok(4.into()));
    assert_eq!(ignores::SIGNATURE, "(_hiddenOne::Int)==>(::Int)");
    assert_eq!(with_a_path::SIGNATURE, "(other::Text)==>(::Int)");
}
