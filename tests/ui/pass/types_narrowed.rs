//! What narrows a type reaches gram, the schema and the check of a direct call.

use agent_runtime::tool::StaticTool;
use agent_runtime::{GramType, Tool, ToolContext, tool};
use serde::Deserialize;

#[derive(Deserialize, GramType)]
struct Order {
    #[gram(pattern = "^[A-Z]{3}$", description = "A code")]
    code: String,
    #[gram(minimum = 1, maximum = 10)]
    count: Option<u8>,
    #[gram(min_items = 1, max_items = 2)]
    tags: Vec<String>,
    #[gram(enum = ["s", "m"], default = "s")]
    size: String,
    #[gram(format = "email")]
    mail: String,
    #[gram(minimum = 2)]
    above: std::num::NonZeroU8,
}

/// Orders
#[tool(inline)]
fn order(orders: Vec<Order>) -> String {
    let order = &orders[0];
    let _ = (&order.count, &order.tags, &order.mail, order.above);
    format!("{} {}", order.code, order.size)
}

#[tokio::main]
pub(crate) async fn main() {
    assert_eq!(
        order::SIGNATURE,
        "(orders::Array {elementType: {type: \"Object\", fields: [\
         {name: \"code\", type: \"Text\", description: \"A code\", pattern: \"^[A-Z]{3}$\"}, \
         {name: \"count\", type: \"Int\", optional: true, minimum: 1, maximum: 10}, \
         {name: \"tags\", type: \"Array\", elementType: \"Text\", minItems: 1, maxItems: 2}, \
         {name: \"size\", type: \"Text\", default: \"s\", enum: [\"s\", \"m\"]}, \
         {name: \"mail\", type: \"Text\", format: \"email\"}, {name: \"above\", type: \"Int\", minimum: 2}]}})==>(::String)"
    );
    let signature = <order as StaticTool>::DESCRIPTOR.signature().expect("it has one");
    let code = &signature.schema().to_value()["properties"]["orders"]["items"]["properties"]["code"];
    assert_eq!(code["pattern"], "^[A-Z]{3}$");

    let context = ToolContext::detached();
    let call = |order: serde_json::Value| {
        let context = context.clone();
        let text = serde_json::json!({"orders": [order]}).to_string();
        async move { crate::types_narrowed::order {}.call(&text, &context).await }
    };
    let good = serde_json::json!({"code": "ABC", "tags": ["a"], "mail": "a@example.org", "above": 2});
    assert_eq!(call(good.clone()).await, Ok("ABC s".into()));
    for (field, value, message) in [
        ("code", serde_json::json!("abc"), "pattern"),
        ("count", 11.into(), "at most 10"),
        ("tags", serde_json::json!([]), "at least 1 item"),
        ("size", "l".into(), "one of"),
        ("mail", "nobody".into(), "email"),
        ("above", 1.into(), "at least 2"),
    ] {
        let mut bad = good.clone();
        bad[field] = value;
        let error = call(bad).await.expect_err(field).to_string();
        assert!(error.contains(&format!("$.orders[0].{field}")) && error.contains(message), "{error}");
    }
}
