// Gram whose pieces are passed on by macros by example arrives in groups without brackets.
use agent_runtime::{agent, tool, tools};

/// Says what time it is
#[tool]
fn get_time() -> String {
    "noon".to_owned()
}

macro_rules! pieces {
    ($name:ident, $instruction:literal, $model:expr, $type:ident) => {
        agent! {
            tools: [get_time],
            [$name:Agent {instruction: $instruction, model: $model} |
                [getTime:Tool {description: "Says what time it is"} | ()==>(::$type)]
            ]
        }
    };
}

macro_rules! whole {
    ($gram:literal, $tools:tt, $tool:path) => {{
        let library = tools![$tool];
        (agent! { tools: $tools, $gram }, agent! { tools: [$tool], $gram }, library)
    }};
}

macro_rules! tokens {
    ($($gram:tt)*) => {
        agent! { tools: [get_time], $($gram)* }
    };
}

macro_rules! file {
    ($file:expr, $agent:literal) => {
        agent! { agent: $agent, tools: [say_hello], file: $file }
    };
}

/// Returns a friendly greeting message for the given name
#[tool]
fn say_hello(#[tool(default = "world")] person_name: String) -> String {
    person_name
}

pub(crate) fn main() {
    let agent = pieces!(clock, "Tell the time.", "OpenAI/m", String);
    assert_eq!((agent.name(), agent.instruction()), ("clock", "Tell the time."));
    let (first, second, library) = whole!(
        "[clock:Agent {instruction: \"Tell the time.\", model: \"OpenAI/m\"} | getTime]",
        [get_time],
        get_time
    );
    assert_eq!((first, library.len()), (second, 1));
    let agent = tokens! { [a-b:Agent {instruction: "Tell the time.", model: "OpenAI/m"} | getTime] };
    assert_eq!(agent.name(), "a-b");
    assert_eq!(file!("gram/good.gram", "greeter").name(), "greeter");
}
