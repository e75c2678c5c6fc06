//! Enums: words, internally, adjacently and externally tagged variants.

use agent_runtime::{GramType, Tool, ToolContext, tool};
use serde::{Deserialize, Serialize};

#[derive(Deserialize, Serialize, GramType)]
#[serde(rename_all = "kebab-case")]
enum Mode {
    DryRun,
    #[serde(rename = "all")]
    Everything,
    #[serde(skip)]
    #[allow(dead_code)]
    Hidden,
}

#[derive(Deserialize, Serialize, GramType)]
struct Circle {
    /// In metres
    radius: f64,
    name: Option<String>,
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(tag = "kind", rename_all = "lowercase", rename_all_fields = "camelCase")]
enum Shape {
    Circle(Circle),
    Rectangle { side_a: f64, side_b: f64, name: String },
    Point { name: String, radius: bool },
    Nothing,
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(tag = "t", content = "c")]
enum Same {
    A(u8),
    B(u8),
    C,
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(tag = "t", content = "c")]
enum Records {
    A(Circle),
    B { radius: f64, mode: Mode },
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(tag = "t", content = "c")]
enum Mixed {
    A(u8),
    B(String),
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(rename_all = "snake_case")]
enum External {
    /// A text
    PlainText(String),
    Both { a: u8, #[gram(maximum = 9)] b: i64 },
}

#[derive(Deserialize, GramType)]
#[serde(untagged)]
#[gram(opaque)]
#[allow(dead_code)]
enum Opaque {
    Number(u8),
    Text(String),
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(try_from = "String", into = "String")]
#[gram(type = "Text", pattern = "^#[0-9a-f]{6}$")]
#[derive(Clone)]
struct Colour(u32);

impl TryFrom<String> for Colour {
    type Error = std::num::ParseIntError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        u32::from_str_radix(text.trim_start_matches('#'), 16).map(Self)
    }
}

impl From<Colour> for String {
    fn from(colour: Colour) -> Self {
        format!("#{:06x}", colour.0)
    }
}

fn text<T: GramType>() -> String {
    use agent_runtime::spec::{Returns, Signature};
    let text = Signature::new(Vec::new(), Returns::new(T::TYPE.clone())).to_string();
    text.trim_start_matches("()==>").to_owned()
}

/// Paints a shape
#[tool(inline)]
fn paint(shape: Shape, colour: Colour, mode: Mode, opaque: Option<Opaque>) -> Shape {
    let _ = (colour, mode, opaque);
    shape
}

#[tokio::main]
pub(crate) async fn main() {
    assert_eq!(text::<Mode>(), "(::String {enum: [\"dry-run\", \"all\"]})");
    assert_eq!(
        text::<Shape>(),
        "(::Object {fields: [{name: \"kind\", type: \"Text\", enum: [\"circle\", \"rectangle\", \"point\", \"nothing\"]}, \
         {name: \"radius\", type: \"Any\", optional: true, description: \"In metres\"}, \
         {name: \"name\", type: \"Text\", optional: true}, \
         {name: \"sideA\", type: \"Double\", optional: true}, {name: \"sideB\", type: \"Double\", optional: true}]})"
    );
    assert_eq!(
        text::<Same>(),
        "(::Object {fields: [{name: \"t\", type: \"Text\", enum: [\"A\", \"B\", \"C\"]}, \
         {name: \"c\", type: \"Int\", optional: true}]})"
    );
    assert_eq!(
        text::<Records>(),
        "(::Object {fields: [{name: \"t\", type: \"Text\", enum: [\"A\", \"B\"]}, \
         {name: \"c\", type: \"Object\", fields: [{name: \"radius\", type: \"Double\", description: \"In metres\"}, \
         {name: \"name\", type: \"Text\", optional: true}, \
         {name: \"mode\", type: \"Text\", optional: true, enum: [\"dry-run\", \"all\"]}]}]})"
    );
    assert_eq!(
        text::<Mixed>(),
        "(::Object {fields: [{name: \"t\", type: \"Text\", enum: [\"A\", \"B\"]}, {name: \"c\", type: \"Any\"}]})"
    );
    assert_eq!(
        text::<External>(),
        "(::Any {anyOf: [{type: \"Object\", fields: [{name: \"plain_text\", type: \"Text\", description: \"A text\"}]}, \
         {type: \"Object\", fields: [{name: \"both\", type: \"Object\", fields: [{name: \"a\", type: \"Int\"}, \
         {name: \"b\", type: \"Int\", maximum: 9}]}]}]})"
    );
    assert_eq!(text::<Opaque>(), "(::Any)");
    assert_eq!(text::<Colour>(), "(::String {pattern: \"^#[0-9a-f]{6}$\"})");

    let context = ToolContext::detached();
    let call = |text: &'static str| {
        let context = context.clone();
        async move { paint {}.call(text, &context).await }
    };
    let shape = r##"{"shape": {"kind": "point", "name": "x", "radius": true}, "colour": "#00ff00", "mode": "all"}"##;
    assert_eq!(
        call(shape).await,
        Ok(serde_json::json!({"kind": "point", "name": "x", "radius": true}))
    );
    // The union of all variants is wider than the enum, and serde says what is missing.
    let error = call(r##"{"shape": {"kind": "circle"}, "colour": "#00ff00", "mode": "all"}"##).await;
    assert!(error.expect_err("a field is missing").to_string().contains("missing field `radius`"));
    let error = call(r##"{"shape": {"kind": "nothing"}, "colour": "green", "mode": "al"}"##).await;
    let error = error.expect_err("two arguments are wrong").to_string();
    assert!(error.contains("$.colour") && error.contains("did you mean \"all\"?"), "{error}");
}
