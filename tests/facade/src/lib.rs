//! A crate that gives agent-runtime to its users under a name of its own.

/// All of agent-runtime.
pub use agent_runtime as agents;

/// A tool made by a macro of this crate, in a crate that knows nothing of agent-runtime.
#[macro_export]
macro_rules! constant_tool {
    ($(#[$meta:meta])* $name:ident = $value:expr) => {
        $(#[$meta])*
        #[$crate::agents::tool(crate = $crate::agents)]
        fn $name() -> &'static str {
            $value
        }
    };
}

/// Answers a question
#[agents::agent_fn(
    model = "Scripted/any",
    instruction = "Answer.",
    crate = agents
)]
pub async fn ask(runtime: &agents::Runtime, question: &str) -> Result<String, agents::Error>;
