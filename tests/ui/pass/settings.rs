// All settings of a tool and of a parameter reach its descriptor, its gram and its calls.
use agent_runtime::tool::StaticTool;
use agent_runtime::{GramType, Tool, ToolContext, ToolError, tool};
use serde::Deserialize;
use std::time::Duration;

#[derive(Debug, Deserialize, GramType)]
#[serde(rename_all = "kebab-case")]
enum Color {
    DarkRed,
    #[serde(rename = "sky \"blue\"\n")]
    Blue,
}

#[derive(Deserialize)]
struct Foreign {
    id: String,
}

/// Has all flags
#[tool(
    name = "flags",
    timeout = "1.5s",
    retryable = false,
    idempotent,
    read_only = false,
    destructive,
    requires_approval = true,
    sequential,
    type_name = FlagsTool
)]
async fn all_flags() {}

/// Changes nothing
#[tool(read_only, inline)]
fn harmless() {}

/// Is named in another way
#[tool(rename_all = "kebab-case")]
fn other_names(first_name: &str, #[tool(name = "last")] last_name: &str, _third: u8) -> String {
    format!("{first_name} {last_name}")
}

/// Has an upper name
#[tool(rename_all = "SCREAMING_SNAKE_CASE", name = "upper")]
fn upper_names(first_name: &str) -> usize {
    first_name.len()
}

/// Is narrowed
#[tool]
fn narrowed(
    #[tool(minimum = 1, maximum = 10, default = 5)] count: u8,
    #[tool(min_length = 1, max_length = 8, pattern = "^[a-z]+$")] word: &str,
    #[tool(enum = ["asc", "desc"], default = "asc", description = "The order")] order: String,
    #[tool(min_items = 1, max_items = 2)] items: Vec<String>,
    #[tool(format = "email")] mail: Option<String>,
) -> String {
    format!("{count} {word} {order} {items:?} {mail:?}")
}

/// Has variants for defaults
#[tool]
fn colored(
    #[tool(default = Color::DarkRed)] one: Color,
    #[tool(default = [Color::Blue, Color::DarkRed])] several: Vec<Color>,
    #[tool(default = (Color::Blue), enum = ["sky \"blue\"\n"])] narrowed: Color,
) -> String {
    format!("{one:?} {several:?} {narrowed:?}")
}

/// States a type
#[tool]
fn stated(
    #[tool(type = "{id: Text}")] foreign: Foreign,
    #[tool(type = "[Int]", default = [1, 2], min_items = 1)] numbers: std::collections::VecDeque<i64>,
) -> String {
    format!("{} {numbers:?}", foreign.id)
}

#[tokio::main]
pub(crate) async fn main() {
    let here = ToolContext::detached();
    let settings = FlagsTool::DESCRIPTOR.settings();
    assert_eq!(FlagsTool::DESCRIPTOR.name(), "flags");
    assert_eq!(settings.timeout, Some(Duration::from_millis(1500)));
    assert!(!settings.retryable && settings.idempotent && !settings.read_only);
    assert!(settings.destructive && settings.requires_approval && settings.sequential);
    assert!(!settings.inline);
    let settings = harmless::DESCRIPTOR.settings();
    assert!(settings.read_only && settings.inline && settings.retryable);

    assert_eq!(other_names::DESCRIPTOR.name(), "other-names");
    assert_eq!(
        other_names::SIGNATURE,
        "(`first-name`::Text)==>(last::Text)==>(_third::Int)==>(::String)".replace('`', "")
    );
    assert_eq!(upper_names::DESCRIPTOR.name(), "upper");
    assert_eq!(upper_names::SIGNATURE, "(FIRST_NAME::Text)==>(::Int)");
    let full = other_names {}.call(r#"{"first-name": "a", "last": "b", "_third": 3}"#, &here);
    assert_eq!(full.await, Ok("a b".into()));

    assert_eq!(
        narrowed::SIGNATURE,
        "(count::Int {default: 5, minimum: 1, maximum: 10})\
         ==>(word::Text {minLength: 1, maxLength: 8, pattern: \"^[a-z]+$\"})\
         ==>(order::Text {default: \"asc\", description: \"The order\", enum: [\"asc\", \"desc\"]})\
         ==>(items::Array {elementType: \"Text\", minItems: 1, maxItems: 2})\
         ==>(mail::Text {optional: true, format: \"email\"})==>(::String)"
    );
    let call = |text: &'static str| {
        let here = here.clone();
        async move { narrowed {}.call(text, &here).await }
    };
    assert_eq!(
        call(r#"{"word": "ab", "items": ["x"]}"#).await,
        Ok("5 ab asc [\"x\"] None".into())
    );
    let refused = call(r#"{"count": 11, "word": "A", "order": "up", "items": [], "mail": "x"}"#);
    let Err(ToolError::Validation(message)) = refused.await else {
        panic!("all five are refused");
    };
    for part in ["$.count", "$.word", "$.order", "$.items", "$.mail"] {
        assert!(message.contains(part), "{part}: {message}");
    }

    assert_eq!(
        colored {}.call("{}", &here).await,
        Ok("DarkRed [Blue, DarkRed] Blue".into())
    );
    assert!(colored::SIGNATURE.contains("(one::Text {default: \"dark-red\""), "{}", colored::SIGNATURE);
    let refused = colored {}.call(r#"{"narrowed": "dark-red"}"#, &here).await;
    assert!(matches!(refused, Err(ToolError::Validation(_))), "{refused:?}");

    assert_eq!(
        stated::SIGNATURE,
        "(foreign::Object {fields: [{name: \"id\", type: \"Text\"}]})\
         ==>(numbers::Array {default: [1, 2], elementType: \"Int\", minItems: 1})==>(::String)"
    );
    let given = stated {}.call(r#"{"foreign": {"id": "x"}}"#, &here).await;
    assert_eq!(given, Ok("x [1, 2]".into()));
    let refused = stated {}.call(r#"{"foreign": {"id": 5}, "numbers": []}"#, &here).await;
    let Err(ToolError::Validation(message)) = refused else {
        panic!("both are refused");
    };
    assert!(message.contains("$.foreign.id") && message.contains("$.numbers"), "{message}");
}
