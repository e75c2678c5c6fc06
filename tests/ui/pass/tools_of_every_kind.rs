use agent_runtime::tool::create_tool;
use agent_runtime::{ToolLibrary, tool, tool_set, tools};
use std::sync::Arc;

/// Says what time it is
#[tool]
fn get_time() -> String {
    "noon".to_owned()
}

mod other {
    /// Says what day it is
    #[agent_runtime::tool]
    pub fn get_day() -> String {
        "Monday".to_owned()
    }
}

tool_set! { CLOCKS = [get_time, other::get_day] }

fn made(name: &'static str) -> Result<agent_runtime::tool::DynamicTool, agent_runtime::tool::ToolConfigError> {
    create_tool(
        name,
        "Made",
        serde_json::json!({"type": "object", "properties": {}}),
        |_| async { Ok::<_, agent_runtime::ToolError>(1.into()) },
    )
}

fn with_errors() -> Result<ToolLibrary, agent_runtime::tool::ToolConfigError> {
    Ok(tools![made("one")?, get_time, made("two")?])
}

pub(crate) fn main() {
    let local = get_time {};
    let shared: Arc<dyn agent_runtime::Tool> = Arc::new(other::get_day {});
    let library = tools![(local), (shared), if true { made("made") } else { made("other") }.expect("it is correct")];
    assert_eq!(library.names().collect::<Vec<_>>(), ["getTime", "getDay", "made"]);
    assert_eq!(with_errors().expect("it is correct").len(), 3);
    assert_eq!(tools![..CLOCKS {}].len(), 2);
    assert_eq!(tools![..library.clone(), made("more").expect("it is correct"),].len(), 4);
    assert_eq!(tools![..&library].len(), 3);
    assert_eq!(tools![..vec![get_time {}], ..[other::get_day {}]].len(), 2);
    assert!(tools![].is_empty());
    // What is called `library`, `TOOLS` or `SETS` here is not what the macro calls so.
    const TOOLS: get_time = get_time {};
    let sets = other::get_day {};
    assert_eq!(tools![(TOOLS), (sets)].len(), 2);
    let mut registered = ToolLibrary::new();
    registered.register_all(CLOCKS {}).expect("no name is taken");
    assert!(registered.register_all(&library).is_err());
}
