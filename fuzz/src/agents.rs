//! Tools and agents that the fuzz targets share.

use agent_runtime::tool::ToolConfig;
use agent_runtime::{Agent, ToolLibrary, ToolSpec};

const GREETING: &str = "Returns a friendly greeting";
const GREETING_SIGNATURE: &str = "(personName::Text)==>(::String)";
const ORDER: &str = "Changes an order";
const ORDER_SIGNATURE: &str = r#"(number::Int {minimum: 1})==>(sku::Text {pattern: "^[A-Z]+-[0-9]+$"})==>(lines::Array {
    elementType: {type: "Object", fields: [{name: "count", type: "Int"}, {name: "note", type: "Text", optional: true}]}
})==>(gift::Bool {default: false})==>(::Any)"#;

/// Creates an agent of a model with the tools of [`library`].
///
/// # Panics
/// When the model has no provider in its name.
#[must_use]
pub fn agent(model: &str) -> Agent {
    let agent = Agent::new("greeter", model, "Greet people.").expect("an agent");
    let hello = ToolSpec::new("sayHello", GREETING, GREETING_SIGNATURE).expect("a spec");
    let order = ToolSpec::new("changeOrder", ORDER, ORDER_SIGNATURE).expect("a spec");
    let agent = agent.with_tool(hello).expect("a tool");
    agent.with_tool(order).expect("a tool")
}

/// Creates the tools of [`agent`]. Each returns its arguments.
///
/// # Panics
/// Never: the names and signatures are constants.
#[must_use]
pub fn library() -> ToolLibrary {
    let mut library = ToolLibrary::new();
    let hello = ToolConfig::with_signature("sayHello", GREETING, GREETING_SIGNATURE);
    let hello =
        hello.build(|args| async move { Ok(format!("Hello, {}!", args["personName"]).into()) });
    library.add(hello.expect("a tool")).expect("a name");
    let order = ToolConfig::with_signature("changeOrder", ORDER, ORDER_SIGNATURE);
    let order = order.build(|args| async move { Ok(args) });
    library.add(order.expect("a tool")).expect("a name");
    library
}
