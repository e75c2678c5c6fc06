// Kinds of parameters beyond those of `every_parameter_kind`, all in one tool.
#![allow(dead_code, reason = "only the derive reads some fields")]

use agent_runtime::{Extension, GramType, Tool, ToolContext, ToolError, tool};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::num::{NonZeroI8, NonZeroU32};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

type Alias<T> = Option<T>;

#[derive(Debug, Deserialize, GramType)]
#[serde(rename_all = "camelCase")]
struct Person {
    /// Who it is
    first_name: String,
    #[serde(default)]
    tags: BTreeSet<String>,
    home: Option<Box<Address>>,
}

#[derive(Debug, Deserialize, GramType)]
struct Address {
    city: String,
}

#[derive(Debug, Deserialize, GramType)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Shape {
    Circle { radius: f64 },
    Square { side: f64 },
}

#[derive(Debug, Deserialize, GramType)]
struct Page<T> {
    items: Vec<T>,
}

/// Takes all kinds
#[tool]
#[allow(clippy::too_many_arguments)]
async fn kinds(
    text: Cow<'static, str>,
    letter: char,
    count: NonZeroU32,
    step: NonZeroI8,
    corners: [f64; 2],
    set: HashSet<i64>,
    people: &[Person],
    first: &ToolContext,
    boxed: Box<Person>,
    shared: Arc<str>,
    path: PathBuf,
    wait: Duration,
    shape: Shape,
    page: Page<BTreeMap<String, u8>>,
    alias: Alias<HashMap<String, Vec<Option<bool>>>>,
    again: &ToolContext,
    host: Extension<u8>,
) -> Result<String, ToolError> {
    let _ = (first.call_id(), again.call_id(), *host);
    Ok(format!(
        "{text} {letter} {count} {step} {corners:?} {} {people:?} {} {shared} {} {wait:?} {shape:?} {} {}",
        set.len(),
        boxed.first_name,
        path.display(),
        page.items.len(),
        alias.is_none(),
    ))
}

/// Does without the host
#[tool]
fn few(people: &[Person], shape: Shape, wait: Duration, #[tool(minimum = 2)] count: NonZeroU32) -> String {
    format!("{people:?} {shape:?} {wait:?} {count}")
}

#[tokio::main]
pub(crate) async fn main() {
    for part in [
        "(letter::Text {minLength: 1, maxLength: 1})",
        "(corners::Array {elementType: \"Double\", minItems: 2, maxItems: 2})",
        "(wait::Text {format: \"duration\"})",
        "(alias::Object {optional: true, ",
    ] {
        assert!(kinds::SIGNATURE.contains(part), "{part}: {}", kinds::SIGNATURE);
    }
    for absent in ["first", "again", "host"] {
        assert!(!kinds::SIGNATURE.contains(&format!("({absent}::")), "{absent}");
    }
    let here = ToolContext::detached();
    let refused = kinds {}.call("{}", &here).await;
    let Err(ToolError::Validation(message)) = refused else {
        panic!("everything is missing");
    };
    assert!(message.contains("corners") && message.contains("people"), "{message}");
    let given = few {}.call(
        r#"{"people": [{"firstName": "Ada", "home": {"city": "London"}}],
            "shape": {"type": "circle", "radius": 1}, "wait": "5s", "count": 2.0}"#,
        &here,
    );
    assert_eq!(
        given.await,
        Ok("[Person { first_name: \"Ada\", tags: {}, home: Some(Address { city: \"London\" }) }] \
            Circle { radius: 1.0 } 5s 2"
            .into())
    );
}
