//! Lengths of time: text at every depth, whatever stands around them.

use agent_runtime::{GramType, Tool, ToolContext, tool};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::time::Duration;

#[derive(Deserialize, Serialize, GramType)]
struct Pause(Duration);

#[derive(Deserialize, Serialize, GramType)]
#[serde(tag = "kind")]
enum Retry {
    Fixed { after: Duration },
    Never,
}

/// Adds up
#[tool(inline)]
fn add(
    #[tool(default = "PT1M")] first: Duration,
    maybe: Option<Duration>,
    list: Vec<Pause>,
    map: HashMap<String, Box<Duration>>,
    retry: Retry,
) -> Result<Option<Duration>, String> {
    let after = match retry {
        Retry::Fixed { after } => after,
        Retry::Never => return Ok(None),
    };
    let list: Duration = list.into_iter().map(|pause| pause.0).sum();
    let map: Duration = map.into_values().map(|value| *value).sum();
    Ok(Some(first + maybe.unwrap_or_default() + list + map + after))
}

#[tokio::main]
pub(crate) async fn main() {
    assert_eq!(
        add::SIGNATURE,
        "(first::Text {default: \"PT1M\", format: \"duration\"})\
         ==>(maybe::Text {optional: true, format: \"duration\"})\
         ==>(list::Array {elementType: {type: \"Text\", format: \"duration\"}})\
         ==>(map::Object {valueType: {type: \"Text\", format: \"duration\"}})\
         ==>(retry::Object {fields: [{name: \"kind\", type: \"Text\", enum: [\"Fixed\", \"Never\"]}, \
         {name: \"after\", type: \"Text\", optional: true, format: \"duration\"}]})\
         ==>(::String {optional: true, format: \"duration\"})"
    );
    let context = ToolContext::detached();
    let given = r#"{"list": ["1s", "PT1S"], "map": {"a": "1h"}, "retry": {"kind": "Fixed", "after": "500ms"}}"#;
    assert_eq!(add {}.call(given, &context).await, Ok("PT1H1M2.5S".into()));
    let never = r#"{"list": [], "map": {}, "retry": {"kind": "Never"}, "maybe": null}"#;
    assert_eq!(add {}.call(never, &context).await, Ok(serde_json::Value::Null));
    let bad = r#"{"list": ["x"], "map": {"a": "-1s"}, "retry": {"kind": "Fixed", "after": 5}}"#;
    let error = add {}.call(bad, &context).await.expect_err("three are wrong").to_string();
    for path in ["$.list[0]", "$.map.a", "$.retry.after"] {
        assert!(error.contains(path), "{path}: {error}");
    }
}
