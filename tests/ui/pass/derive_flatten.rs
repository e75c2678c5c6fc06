//! Flattened fields at several depths, of generic types and of enums.

use agent_runtime::{GramType, Tool, ToolContext, tool};
use serde::{Deserialize, Serialize};

#[derive(Deserialize, Serialize, GramType)]
struct Paging {
    #[serde(default)]
    page: u32,
    size: Option<u8>,
}

#[derive(Deserialize, Serialize, GramType)]
struct Filter<T> {
    #[serde(flatten)]
    paging: Paging,
    only: T,
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(tag = "order", rename_all = "lowercase")]
enum Order {
    By { key: String },
    None,
}

#[derive(Deserialize, Serialize, GramType)]
struct Query {
    text: String,
    #[serde(flatten)]
    filter: Filter<Vec<String>>,
    #[serde(flatten)]
    order: Order,
}

/// Searches
#[tool(inline)]
fn search(query: Query) -> Query {
    query
}

#[tokio::main]
pub(crate) async fn main() {
    let fields = "{fields: [{name: \"text\", type: \"Text\"}, {name: \"page\", type: \"Int\", optional: true}, \
         {name: \"size\", type: \"Int\", optional: true}, {name: \"only\", type: \"Array\", elementType: \"Text\"}, \
         {name: \"order\", type: \"Text\", enum: [\"by\", \"none\"]}, {name: \"key\", type: \"Text\", optional: true}]}";
    assert_eq!(search::SIGNATURE, format!("(query::Object {fields})==>(::Object {fields})"));
    let context = ToolContext::detached();
    let given = r#"{"query": {"text": "x", "only": ["a"], "order": "by", "key": "k"}}"#;
    assert_eq!(
        search {}.call(given, &context).await,
        Ok(serde_json::json!({"text": "x", "page": 0, "size": null, "only": ["a"], "order": "by", "key": "k"}))
    );
}
