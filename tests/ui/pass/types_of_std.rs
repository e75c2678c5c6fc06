//! The types of std that have a gram type, and what a call of them is.

use agent_runtime::{GramType, Tool, ToolContext, tool};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeSet, BinaryHeap, HashSet, LinkedList, VecDeque};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::num::{NonZeroI8, NonZeroU8};
use std::path::PathBuf;
use std::time::Duration;

fn text<T: GramType + ?Sized>() -> String {
    use agent_runtime::spec::{Returns, Signature};
    let text = Signature::new(Vec::new(), Returns::new(T::TYPE.clone())).to_string();
    text.trim_start_matches("()==>").to_owned()
}

#[derive(Deserialize, Serialize, GramType)]
struct Plan {
    every: Duration,
    #[gram(default = "1h")]
    within: Duration,
    breaks: Vec<Option<Duration>>,
}

/// Takes types of many kinds
#[tool(inline)]
#[allow(clippy::too_many_arguments)]
fn take(
    letter: char,
    count: NonZeroU8,
    boxed: Box<[u8]>,
    cow: Cow<'static, str>,
    point: [f64; 2],
    queue: VecDeque<u8>,
    path: PathBuf,
    #[tool(default = "5s")] timeout: Duration,
    plan: Plan,
) -> (Duration, Plan) {
    let _ = (letter, count, boxed, cow, point, queue, path);
    (timeout, plan)
}

/// Gives back the plan
#[tool(inline)]
fn echo(plan: Plan) -> Plan {
    plan
}

#[tokio::main]
pub(crate) async fn main() {
    assert_eq!(text::<char>(), "(::String {minLength: 1, maxLength: 1})");
    assert_eq!(text::<NonZeroU8>(), "(::Int {minimum: 1})");
    assert_eq!(text::<NonZeroI8>(), "(::Int)");
    assert_eq!(text::<[u8; 3]>(), "(::Array {elementType: \"Int\", minItems: 3, maxItems: 3})");
    assert_eq!(text::<Duration>(), "(::String {format: \"duration\"})");
    assert_eq!(text::<Option<Duration>>(), "(::String {optional: true, format: \"duration\"})");
    for texts in [
        text::<PathBuf>(),
        text::<Box<str>>(),
        text::<std::rc::Rc<str>>(),
        text::<Cow<'_, str>>(),
        text::<IpAddr>(),
    ] {
        assert_eq!(texts, "(::String)");
    }
    for lists in [
        text::<Box<[u8]>>(),
        text::<Cow<'_, [u8]>>(),
        text::<VecDeque<u8>>(),
        text::<LinkedList<u8>>(),
        text::<BinaryHeap<u8>>(),
        text::<HashSet<u8>>(),
        text::<BTreeSet<u8>>(),
        text::<std::sync::Arc<Vec<Box<u8>>>>(),
    ] {
        assert_eq!(lists, "(::Array {elementType: \"Int\"})");
    }
    assert_eq!(text::<Ipv4Addr>(), "(::String {format: \"ipv4\"})");
    assert_eq!(text::<Ipv6Addr>(), "(::String {format: \"ipv6\"})");

    let context = ToolContext::detached();
    let good = r#"{"plan": {"every": "90s", "breaks": ["PT0.5S", null]}}"#;
    assert_eq!(
        echo {}.call(good, &context).await,
        Ok(serde_json::json!({"every": "PT1M30S", "within": "PT1H", "breaks": ["PT0.5S", null]}))
    );
    let error = echo {}.call(r#"{"plan": {"every": "soon", "breaks": []}}"#, &context).await;
    let error = error.expect_err("`soon` is no length of time").to_string();
    assert!(error.contains("$.plan.every") && error.contains("PT1H30M"), "{error}");
    let arguments = r#"{"letter": "x", "count": 1, "boxed": [1], "cow": "c", "point": [0, 1.5],
        "queue": [], "path": "/tmp", "plan": {"every": "1s", "within": "2min", "breaks": []}}"#;
    let result = take {}.call(arguments, &context).await.expect("all fit");
    assert_eq!(result[0], "PT5S");
    for wrong in [
        arguments.replace("\"x\"", "\"xy\""),
        arguments.replace("\"count\": 1", "\"count\": 0"),
        arguments.replace("[0, 1.5]", "[0]"),
        arguments.replace("2min", "2 apples"),
    ] {
        assert!(take {}.call(&wrong, &context).await.is_err(), "{wrong}");
    }
}
