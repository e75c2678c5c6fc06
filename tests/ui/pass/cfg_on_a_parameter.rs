// A parameter that is there under a condition is a parameter of the tool under the same condition.
use agent_runtime::tool;

/// Greets somebody
#[tool]
fn greet(
    #[cfg(any())] missing: Missing,
    name: &str,
    #[cfg(not(any()))]
    #[tool(default = 2)]
    times: usize,
    #[cfg(any())] times: &str,
) -> String {
    name.repeat(times)
}

pub(crate) fn main() {
    assert_eq!(greet::SIGNATURE, "(name::Text)==>(times::Int {default: 2})==>(::String)");
    assert_eq!(greet("a", 3), "aaa");
}
