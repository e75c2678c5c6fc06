// Functions in modules, sets, and the two together; a set alone.
use agent_runtime::tool::StaticTools;
use agent_runtime::{Agent, agent, tool, tool_set};

/// Returns a friendly greeting message for the given name
#[tool]
fn say_hello(person_name: String) -> String {
    format!("Hello, {person_name}!")
}

mod clocks {
    use agent_runtime::{tool, tool_set};

    /// Says what time it is
    #[tool]
    pub fn get_time() -> String {
        "noon".to_owned()
    }

    /// Says what day it is
    #[tool]
    pub fn get_day() -> String {
        "Monday".to_owned()
    }

    tool_set! {
        /// What tells the time.
        pub CLOCKS = [get_time, get_day,]
    }
}

tool_set! { EVERYTHING = [say_hello, ..clocks::CLOCKS] }
tool_set! { pub(crate) NOTHING = [] }

const BY_PATH: Agent = agent! {
    tools: [clocks::get_time, self::say_hello],
    [a:Agent {instruction: "Help.", model: "OpenAI/m"} | getTime, sayHello]
};

static SPREAD: Agent = agent! {
    tools: [say_hello, ..clocks::CLOCKS, ..NOTHING,],
    [a:Agent {instruction: "Help.", model: "OpenAI/m"} | getDay, sayHello]
};

static SET: Agent = agent! {
    tools: EVERYTHING,
    [a:Agent {instruction: "Help.", model: "OpenAI/m"} | getDay, getTime, sayHello]
};

pub(crate) fn main() {
    assert_eq!(BY_PATH.tools()[1].description(), say_hello::GRAM.split('"').nth(1).expect("it is there"));
    assert_eq!(SPREAD.tools().len(), 2);
    assert_eq!(SET.tools().len(), 3);
    assert_eq!(EVERYTHING::TOOLS.len(), 3);
    assert!(NOTHING::TOOLS.is_empty());
}
