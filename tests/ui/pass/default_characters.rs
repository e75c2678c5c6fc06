//! A character as a default: of a character and of a text.

use agent_runtime::tool::invoke_tool;
use agent_runtime::{ToolContext, tool};

/// Joins two words
#[tool]
fn join(
    #[tool(default = '-')] with: char,
    #[tool(default = 'é')] around: String,
    #[tool(default = "'")] end: char,
) -> String {
    format!("{around}a{with}b{around}{end}")
}

#[tokio::main]
pub(crate) async fn main() {
    assert_eq!(
        join::SIGNATURE,
        "(with::Text {default: \"-\", minLength: 1, maxLength: 1})\
         ==>(around::Text {default: \"é\"})\
         ==>(end::Text {default: \"'\", minLength: 1, maxLength: 1})==>(::String)"
    );
    let result = invoke_tool(&join {}, "{}", &ToolContext::detached()).await;
    assert_eq!(result.expect("all have defaults"), "éa-bé'");
}
