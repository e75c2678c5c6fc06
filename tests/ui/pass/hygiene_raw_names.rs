// Keywords as names.
use agent_runtime::{Tool, ToolContext, tool, tools};

/// Has a keyword for a name
#[tool]
fn r#match(r#type: &str, #[tool(minimum = 1)] r#fn: u8) -> String {
    format!("{type}{fn}", r#type = r#type, r#fn = r#fn)
}

/// Has another one
///
/// # Arguments
/// * `async` - Whether to wait
#[tool(rename_all = "PascalCase")]
async fn r#loop(r#async: bool) -> bool {
    r#async
}

#[tokio::main]
pub(crate) async fn main() {
    let here = ToolContext::detached();
    assert_eq!(r#match::SIGNATURE, "(type::Text)==>(fn::Int {minimum: 1})==>(::String)");
    assert_eq!(
        r#loop::SIGNATURE,
        "(Async::Bool {description: \"Whether to wait\"})==>(::Bool)"
    );
    let library = tools![r#match, r#loop];
    assert!(library.lookup("match").is_some() && library.lookup("Loop").is_some());
    let matched = r#match {}.call(r#"{"type": "a", "fn": 2}"#, &here).await;
    assert_eq!(matched, Ok("a2".into()));
}
