use agent_runtime::tool::StaticTool;
use agent_runtime::{Tool, ToolContext, ToolError, tool};
use std::collections::{BTreeMap, HashMap};

/// Takes all kinds of parameters
#[tool]
#[allow(clippy::too_many_arguments)]
fn everything(
    text: String,
    borrowed: &str,
    small: u8,
    large: i128,
    ratio: f32,
    flag: bool,
    list: Vec<i64>,
    slice: &[String],
    maybe: Option<String>,
    context: &ToolContext,
    map: HashMap<String, Vec<bool>>,
    sorted: BTreeMap<String, f64>,
    anything: serde_json::Value,
    #[tool(default = 3)] times: u32,
    #[tool(default = -0.5)] offset: f64,
    #[tool(default = ["a", "b"])] names: Vec<String>,
) -> String {
    let _ = (map, sorted, anything, large, ratio, context.call_id());
    format!("{text} {borrowed} {small} {flag} {list:?} {slice:?} {maybe:?} {times} {offset} {names:?}")
}

#[tokio::main]
pub(crate) async fn main() {
    assert_eq!(
        everything::SIGNATURE,
        "(text::Text)==>(borrowed::Text)==>(small::Int)==>(large::Int)==>(ratio::Double)==>(flag::Bool)\
         ==>(list::Array {elementType: \"Int\"})==>(slice::Array {elementType: \"Text\"})\
         ==>(maybe::Text {optional: true})\
         ==>(map::Object {valueType: {type: \"Array\", elementType: \"Bool\"}})\
         ==>(sorted::Object {valueType: \"Double\"})==>(anything::Any)\
         ==>(times::Int {default: 3})==>(offset::Double {default: -0.5})\
         ==>(names::Array {default: [\"a\", \"b\"], elementType: \"Text\"})==>(::String)"
    );
    let context = ToolContext::detached();
    let call = |text: &'static str| {
        let context = context.clone();
        async move { everything {}.call(text, &context).await }
    };
    let result = call(
        r#"{"text": "t\n", "borrowed": "b\u00e9", "small": 255, "large": 1, "ratio": 0.5, "flag": true,
            "list": [1, 2.0], "slice": ["x"], "map": {"k": [true]}, "sorted": {}, "anything": null,
            "maybe": null, "unknown": 1}"#,
    );
    assert_eq!(
        result.await,
        Ok("t\n b\u{e9} 255 true [1, 2] [\"x\"] None 3 -0.5 [\"a\", \"b\"]".into())
    );
    let Err(ToolError::Validation(message)) = call(r#"{"text": 1, "small": 256, "list": ["x"], "small": 1}"#).await
    else {
        panic!("bad arguments are refused");
    };
    for part in ["$.text", "$.list[0]", "small", "borrowed"] {
        assert!(message.contains(part), "{part}: {message}");
    }
    assert_eq!(<everything as StaticTool>::DESCRIPTOR.name(), "everything");
}

mod more {
    use agent_runtime::{ToolContext, tool};
    use std::collections::{BTreeSet, HashSet};

    /// Takes contexts beside arguments of any name, and sets
    #[tool]
    #[allow(dead_code)]
    fn sets(_: &ToolContext, context: &ToolContext, #[tool(name = "context")] x: HashSet<String>, y: BTreeSet<u8>) {
        let _ = (context, x, y);
    }
}
