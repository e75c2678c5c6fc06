// Tools that macros by example make, from every kind of fragment.
#![deny(warnings)]

use agent_runtime::tool::StaticTool;
use agent_runtime::{Tool, ToolContext, tool, tools};

macro_rules! pair {
    ($vis:vis $name:ident, $gram:literal, $doc:literal, $ty:ty, $default:expr, $timeout:literal) => {
        #[doc = $doc]
        #[tool(name = $gram, timeout = $timeout)]
        $vis fn $name(value: $ty, #[tool(default = $default)] other: $ty) -> ($ty, $ty) {
            (value, other)
        }
    };
}

pair!(pub(crate) numbers, "numbers", "A pair of numbers", i64, -1, "1s");
pair!(texts, "pairOfTexts", "A pair of texts", String, "b", "1min");

macro_rules! documented {
    ($(#[$meta:meta])* $name:ident($($parameter:ident: $ty:ty),*) -> $returned:ty $body:block) => {
        $(#[$meta])*
        #[tool]
        async fn $name($($parameter: $ty),*) -> Result<$returned, std::fmt::Error> {
            Ok($body)
        }
    };
}

documented! {
    /// Adds numbers
    ///
    /// # Arguments
    /// * `left` - One
    add(left: i64, right: &[i64], context: &ToolContext) -> i64 {
        let _ = context.call_id();
        left + right.iter().sum::<i64>()
    }
}

macro_rules! function {
    ($function:item) => {
        #[tool(retryable = false)]
        $function
    };
}

function! {
    /// Is an item of a macro
    fn whole(name: &str) -> &str {
        name
    }
}

// What the macro names, it names where it was written.
macro_rules! inner_names {
    ($name:ident) => {
        /// Has a parameter of the macro's
        #[tool]
        fn $name(text: u8) -> u8 {
            let context = text;
            context
        }
    };
}

inner_names!(context);

#[tokio::main]
pub(crate) async fn main() {
    let here = ToolContext::detached();
    assert_eq!(numbers::DESCRIPTOR.description(), "A pair of numbers");
    assert_eq!(numbers::SIGNATURE, "(value::Int)==>(other::Int {default: -1})==>(::Array {items: [\"Int\", \"Int\"]})");
    assert_eq!(texts::DESCRIPTOR.name(), "pairOfTexts");
    assert_eq!(
        add::SIGNATURE,
        "(left::Int {description: \"One\"})==>(right::Array {elementType: \"Int\"})==>(::Int)"
    );
    let sum = add {}.call(r#"{"left": 1, "right": [2, 3]}"#, &here).await;
    assert_eq!(sum, Ok(6.into()));
    assert_eq!(context {}.call(r#"{"text": 7}"#, &here).await, Ok(7.into()));
    assert_eq!(tools![numbers, texts, add, whole, context].len(), 5);
}
