// Attributes that rewrite the function, above and below.
use agent_runtime::{Tool, ToolContext, tool};
use tracing::instrument;

/// Is instrumented first
#[instrument(skip(context))]
#[tool]
async fn above(name: &str, context: &ToolContext) -> Result<String, std::fmt::Error> {
    let _ = context;
    Ok(name.to_owned())
}

/// Is instrumented afterwards
#[tool]
#[instrument(ret, err)]
async fn below(name: String, #[tool(default = 2)] times: usize) -> Result<String, std::fmt::Error> {
    Ok(name.repeat(times))
}

/// Is not asynchronous
#[tool]
#[instrument]
fn synchronous(names: &[String]) -> usize {
    names.len()
}

/// Runs a runtime of its own
#[tokio::main(flavor = "current_thread")]
#[tool]
async fn of_its_own(name: String) -> String {
    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    name
}

#[tokio::main]
pub(crate) async fn main() {
    let here = ToolContext::detached();
    let name = r#"{"name": "a"}"#;
    assert_eq!(above {}.call(name, &here).await, Ok("a".into()));
    assert_eq!(below {}.call(name, &here).await, Ok("aa".into()));
    assert_eq!(synchronous {}.call(r#"{"names": ["a"]}"#, &here).await, Ok(1.into()));
    assert_eq!(of_its_own {}.call(name, &here).await, Ok("a".into()));
}
