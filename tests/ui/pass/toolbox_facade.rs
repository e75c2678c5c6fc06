// The library under another name, with toolboxes of its own in between.

mod facade {
    pub mod agents {
        pub use agent_runtime::tool::Toolbox;
        pub use agent_runtime::*;
    }
}

use facade::agents::{Tool, ToolContext, Toolbox, toolbox};

struct Db;

#[toolbox(crate = crate::toolbox_facade::facade::agents, parts = [Writes])]
impl Db {
    /// Finds a row
    #[tool]
    async fn find(&self, id: u64) -> u64 {
        id
    }
}

#[toolbox(crate = crate::toolbox_facade::facade::agents, part = Writes)]
impl Db {
    /// Adds a row
    #[tool]
    fn add(&self) {}
}

fn library(toolbox: impl Toolbox) -> facade::agents::ToolLibrary {
    let mut library = facade::agents::ToolLibrary::new();
    library.register_all(toolbox).expect("no duplicates");
    library
}

#[tokio::main]
pub(crate) async fn main() {
    let library = library(Db);
    let names: Vec<&str> = library.iter().map(|tool| tool.descriptor().name()).collect();
    assert_eq!(names, ["find", "add"]);
    let find: &dyn Tool = &**library.lookup("find").expect("a tool");
    let found = find.call(r#"{"id":3}"#, &ToolContext::detached()).await;
    assert_eq!(found, Ok(3.into()));
}
