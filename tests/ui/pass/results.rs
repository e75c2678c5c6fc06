// What functions may return, beyond what `every_result_kind` shows.
use agent_runtime::{GramType, Tool, ToolContext, ToolError, tool};
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeMap;

type Fallible<T> = Result<T, anyhow::Error>;
type Nested = Fallible<Option<u8>>;

#[derive(Serialize, GramType)]
struct Point {
    x: i64,
    y: Option<i64>,
}

#[derive(Serialize)]
struct Plain;

/// Fails with a chain of causes
#[tool]
async fn chain(fail: bool) -> anyhow::Result<String> {
    if fail {
        let cause: anyhow::Error = anyhow::anyhow!("the disk is full");
        return Err(cause.context("cannot save"));
    }
    Ok("saved".to_owned())
}

/// Has an alias in an alias
#[tool]
fn nested(there: bool) -> Nested {
    Ok(there.then_some(1))
}

/// Gives a future
#[tool]
fn future(name: &str, context: &ToolContext) -> impl Future<Output = Fallible<String>> + Send {
    let _ = context;
    async move { Ok(name.to_owned()) }
}

/// Gives a record
#[tool]
async fn record() -> Result<Vec<Point>, ToolError> {
    Ok(vec![Point { x: 1, y: None }])
}

/// Gives a map of options
#[tool(inline)]
fn map() -> BTreeMap<String, Option<Vec<bool>>> {
    BTreeMap::from([("a".to_owned(), None)])
}

/// Gives what has no gram type, or an error that has none
#[tool]
fn plain(fail: bool) -> Result<Plain, std::num::ParseFloatError> {
    if fail { "x".parse::<f64>().map(|_| Plain) } else { Ok(Plain) }
}

/// Gives any JSON
#[tool]
fn anything() -> serde_json::Value {
    json!({"a": [1, null]})
}

/// Refuses
#[tool]
fn refuse() -> Result<(), ToolError> {
    Err(ToolError::Authorization("no".to_owned()))
}

#[tokio::main]
pub(crate) async fn main() {
    let here = ToolContext::detached();
    assert_eq!(chain::SIGNATURE, "(fail::Bool)==>(::String)");
    assert_eq!(
        chain {}.call(r#"{"fail": true}"#, &here).await,
        Err(ToolError::Execution("cannot save: the disk is full".to_owned()))
    );
    assert_eq!(chain {}.call(r#"{"fail": false}"#, &here).await, Ok("saved".into()));
    assert_eq!(nested::SIGNATURE, "(there::Bool)==>(::Int {optional: true})");
    assert_eq!(nested {}.call(r#"{"there": false}"#, &here).await, Ok(json!(null)));
    assert_eq!(future::SIGNATURE, "(name::Text)==>(::String)");
    assert_eq!(future {}.call(r#"{"name": "a"}"#, &here).await, Ok("a".into()));
    assert!(record::SIGNATURE.starts_with("()==>(::Array {elementType: {"), "{}", record::SIGNATURE);
    assert_eq!(record {}.call("{}", &here).await, Ok(json!([{"x": 1, "y": null}])));
    assert_eq!(map {}.call("{}", &here).await, Ok(json!({"a": null})));
    assert_eq!(plain::SIGNATURE, "(fail::Bool)==>(::Any)");
    assert_eq!(plain {}.call(r#"{"fail": false}"#, &here).await, Ok(json!(null)));
    assert_eq!(anything::SIGNATURE, "()==>(::Any)");
    assert_eq!(
        refuse {}.call("{}", &here).await,
        Err(ToolError::Authorization("no".to_owned()))
    );
}
