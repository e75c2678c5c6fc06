//! Fields of one name in several variants, and types that are deprecated.

#![deny(deprecated)]
#![allow(dead_code)]

use agent_runtime::{GramType, Tool, ToolContext, tool};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Deserialize, GramType)]
#[serde(tag = "t")]
enum Kinds {
    A { x: u8, letter: char, #[gram(minimum = 1)] same: u8 },
    B { x: i64, letter: String, #[gram(minimum = 1)] same: u8 },
}

#[derive(Deserialize, Serialize, GramType)]
#[gram(minimum = 1)]
struct Positive(u8);

/// Words that say the same, in one place on the field and in another on its type.
#[derive(Deserialize, GramType)]
#[serde(tag = "t")]
enum Alike {
    A { x: Positive },
    B { #[gram(minimum = 1)] x: i64 },
    C { #[gram(type = "Text")] name: String, many: Vec<u8> },
    D { name: String, many: Vec<i64> },
}

#[derive(Deserialize, Serialize, GramType)]
struct Circle {
    /// From the middle.
    radius: f64,
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Shape {
    /// A round one.
    Circle(Circle),
    /// Many sides
    Polygon {
        /// To the corners
        radius: f64,
        /// How many
        sides: u8,
    },
    Ring {
        #[serde(flatten)]
        inner: Circle,
        sides: u8,
    },
}

#[derive(Deserialize, Serialize, GramType)]
struct Page {
    #[gram(default = 10)]
    size: u8,
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(tag = "t", content = "c")]
enum Pages {
    First(
        /// Counted from one
        Page,
    ),
    /// From the end.
    Last(
        /// Counted from one
        Page,
    ),
    None,
}

#[derive(Deserialize, Serialize, GramType)]
enum External {
    Page(Page),
    Sized { #[gram(default = 5)] size: u8 },
}

#[deprecated]
#[derive(GramType)]
struct Old {
    #[deprecated]
    a: u8,
}

fn text<T: GramType>() -> String {
    use agent_runtime::spec::{Returns, Signature};
    let text = Signature::new(Vec::new(), Returns::new(T::TYPE.clone())).to_string();
    text.trim_start_matches("()==>").to_owned()
}

/// Counts
#[tool(inline)]
fn count(pages: Pages, external: External) -> (Pages, External) {
    (pages, external)
}

/// Takes what is alike
#[tool(inline)]
fn take(alike: Alike) -> i64 {
    match alike {
        Alike::A { x } => i64::from(x.0),
        Alike::B { x } => x,
        Alike::C { many, .. } => many.len() as i64,
        Alike::D { many, .. } => many.iter().sum(),
    }
}

#[tokio::main]
pub(crate) async fn main() {
    assert_eq!(
        text::<Kinds>(),
        "(::Object {fields: [{name: \"t\", type: \"Text\", enum: [\"A\", \"B\"]}, \
         {name: \"x\", type: \"Int\"}, {name: \"letter\", type: \"Text\"}, \
         {name: \"same\", type: \"Int\", minimum: 1}]})"
    );
    assert_eq!(
        text::<Alike>(),
        "(::Object {fields: [{name: \"t\", type: \"Text\", enum: [\"A\", \"B\", \"C\", \"D\"]}, \
         {name: \"x\", type: \"Int\", optional: true, minimum: 1}, \
         {name: \"name\", type: \"Text\", optional: true}, \
         {name: \"many\", type: \"Array\", optional: true, elementType: \"Int\"}]})"
    );
    assert_eq!(
        text::<Shape>(),
        "(::Object {fields: [{name: \"kind\", type: \"Text\", \
         description: \"circle: A round one; polygon: Many sides\", enum: [\"circle\", \"polygon\", \"ring\"]}, \
         {name: \"radius\", type: \"Double\", \
         description: \"circle: From the middle; polygon: To the corners; ring: From the middle\"}, \
         {name: \"sides\", type: \"Int\", optional: true, description: \"How many\"}]})"
    );
    assert_eq!(
        text::<Pages>(),
        "(::Object {fields: [{name: \"t\", type: \"Text\", \
         description: \"First: Counted from one; Last: From the end: Counted from one\", \
         enum: [\"First\", \"Last\", \"None\"]}, {name: \"c\", type: \"Object\", optional: true, \
         fields: [{name: \"size\", type: \"Int\", default: 10}]}]})"
    );

    let context = ToolContext::detached();
    let call = r#"{"pages": {"t": "First", "c": {}}, "external": {"Sized": {}}}"#;
    assert_eq!(
        count {}.call(call, &context).await,
        Ok(json!([{"t": "First", "c": {"size": 10}}, {"Sized": {"size": 5}}]))
    );
    // What one variant holds, the range of another does not refuse.
    for (call, result) in [
        (r#"{"alike": {"t": "B", "x": 300}}"#, json!(300)),
        (r#"{"alike": {"t": "D", "name": "n", "many": [300, -1]}}"#, json!(299)),
    ] {
        assert_eq!(take {}.call(call, &context).await, Ok(result), "{call}");
    }
    for call in [
        r#"{"alike": {"t": "A", "x": 0}}"#,
        r#"{"alike": {"t": "A", "x": 300}}"#,
        r#"{"alike": {"t": "B", "x": 0}}"#,
    ] {
        assert!(take {}.call(call, &context).await.is_err(), "{call}");
    }
}
