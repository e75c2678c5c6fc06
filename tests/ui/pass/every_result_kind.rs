use agent_runtime::{Tool, ToolContext, ToolError, tool};
use serde::Serialize;
use serde_json::json;

type Fallible<T> = Result<T, std::num::ParseIntError>;

#[derive(Serialize)]
struct Point {
    x: i64,
    y: Option<i64>,
}

/// Returns nothing
#[tool]
fn nothing() {}

/// Returns a number, or not
#[tool]
fn parse(text: String) -> Fallible<i64> {
    text.parse()
}

/// Returns what has no gram type
#[tool]
async fn point() -> Point {
    Point { x: 1, y: None }
}

/// Returns a value that may be missing
#[tool]
fn maybe(there: bool) -> Option<String> {
    there.then(|| "here".to_owned())
}

/// Fails as it likes
#[tool]
async fn refuse() -> Result<(), ToolError> {
    Err(ToolError::Authorization("not today".to_owned()))
}

/// Fails with a boxed error
#[tool]
fn boxed() -> Result<Vec<f64>, Box<dyn std::error::Error + Send + Sync>> {
    Err("boxed".into())
}

/// Borrows what it returns
#[tool(inline)]
fn same(text: &str) -> &str {
    text
}

#[tokio::main]
pub(crate) async fn main() {
    let context = ToolContext::detached();
    assert_eq!(nothing::SIGNATURE, "()==>(::Null)");
    assert_eq!(parse::SIGNATURE, "(text::Text)==>(::Int)");
    assert_eq!(point::SIGNATURE, "()==>(::Any)");
    assert_eq!(maybe::SIGNATURE, "(there::Bool)==>(::String {optional: true})");
    assert_eq!(boxed::SIGNATURE, "()==>(::Array {elementType: \"Double\"})");
    assert_eq!(nothing {}.call("{}", &context).await, Ok(json!(null)));
    assert_eq!(parse {}.call(r#"{"text": "7"}"#, &context).await, Ok(json!(7)));
    assert_eq!(
        parse {}.call(r#"{"text": "x"}"#, &context).await,
        Err(ToolError::Execution("invalid digit found in string".to_owned()))
    );
    assert_eq!(point {}.call("{}", &context).await, Ok(json!({"x": 1, "y": null})));
    assert_eq!(maybe {}.call(r#"{"there": false}"#, &context).await, Ok(json!(null)));
    assert_eq!(
        refuse {}.call("{}", &context).await,
        Err(ToolError::Authorization("not today".to_owned()))
    );
    assert_eq!(boxed {}.call("{}", &context).await, Err(ToolError::Execution("boxed".to_owned())));
    assert_eq!(same {}.call(r#"{"text": "x"}"#, &context).await, Ok(json!("x")));
    // The functions are still functions.
    assert_eq!(parse("8".to_owned()), Ok(8));
    assert_eq!(same("x"), "x");
}
