// What is not there is not asked about.

use agent_runtime::{ToolContext, toolbox, tools};

struct Db;

#[toolbox(parts = [Writes])]
impl Db {
    /// Finds a row
    #[cfg(not(any()))]
    #[tool]
    fn find(
        &self,
        id: u64,
        #[cfg(any())] missing: Missing,
        #[cfg(not(any()))]
        #[tool(default = 2)]
        times: u64,
    ) -> u64 {
        id * times
    }

    /// Finds a row in another way
    #[cfg(not(all()))]
    #[tool]
    async fn find(&self, missing: Missing) -> Missing {
        missing
    }

    /// Counts
    #[tool]
    fn count(&self) -> u64 {
        1
    }
}

#[toolbox(part = Writes)]
#[cfg(not(any()))]
impl Db {
    /// Would be the second one of this name
    #[cfg(any())]
    #[tool(name = "count")]
    fn recount(&self) {}

    /// Adds a row
    #[tool]
    fn add(&self) {}
}

#[toolbox]
#[cfg(any())]
impl Missing {
    /// Is not there
    #[tool]
    fn absent(&self) {}
}

#[tokio::main]
pub(crate) async fn main() {
    let library = tools![..Db];
    assert_eq!(library.names().collect::<Vec<_>>(), ["find", "count", "add"]);
    let find = library.lookup("find").expect("a tool");
    let found = find.call(r#"{"id":4}"#, &ToolContext::detached()).await;
    assert_eq!(found, Ok(8.into()));
}
