// One type with methods in several blocks and modules.

use agent_runtime::{Agent, ToolContext, agent, toolbox, tools};
use std::sync::Mutex;

pub struct Db {
    rows: Mutex<Vec<String>>,
}

#[toolbox(parts = [writes::Writes, reports::daily::Daily, Empty])]
impl Db {
    /// Finds a row
    #[tool]
    fn find(&self, at: usize) -> Option<String> {
        self.rows.lock().expect("nobody panicked").get(at).cloned()
    }
}

mod writes {
    use agent_runtime::toolbox;

    #[toolbox(part = Writes, prefix = "row")]
    impl super::Db {
        /// Adds a row
        #[tool]
        fn add(&self, row: String) -> usize {
            let mut rows = self.rows.lock().expect("nobody panicked");
            rows.push(row);
            rows.len()
        }

        /// Removes all rows
        #[tool(destructive)]
        async fn clear(&self) {
            self.rows.lock().expect("nobody panicked").clear();
        }
    }
}

mod reports {
    pub(crate) mod daily {
        use crate::toolbox_parts::Db;
        use agent_runtime::toolbox;

        #[toolbox(part = Daily, sequential)]
        impl Db {
            /// Reports on the day
            #[tool]
            async fn report(&self) -> String {
                format!("{} rows", self.rows.lock().expect("nobody panicked").len())
            }
        }
    }
}

// All that there is in it depends on something.
#[toolbox(part = Empty)]
impl Db {
    /// Is not there
    #[cfg(any())]
    #[tool]
    fn absent(&self, missing: Missing) {}
}

// A block may have nothing but parts.
struct OnlyParts;

#[toolbox(parts = [Only])]
impl OnlyParts {}

#[toolbox(part = Only)]
impl OnlyParts {
    /// Is alone
    #[tool]
    fn alone(&self) {}
}

static AGENT: Agent = agent! {
    tools: [..Db, OnlyParts::alone],
    [a:Agent {instruction: "i", model: "OpenAI/m"} | find, rowAdd, rowClear, report, alone]
};

#[tokio::main]
pub(crate) async fn main() {
    let db = Db { rows: Mutex::default() };
    let library = tools![..db, ..OnlyParts];
    let names: Vec<&str> = library.names().collect();
    assert_eq!(names, ["find", "rowAdd", "rowClear", "report", "alone"]);
    assert!(library.iter().any(|tool| tool.descriptor().settings().sequential));
    let context = ToolContext::detached();
    let call = async |name, text| library.lookup(name).expect("a tool").call(text, &context).await;
    assert_eq!(call("rowAdd", r#"{"row":"a"}"#).await, Ok(1.into()));
    assert_eq!(call("rowAdd", r#"{"row":"b"}"#).await, Ok(2.into()));
    assert_eq!(call("find", r#"{"at":1}"#).await, Ok("b".into()));
    assert_eq!(call("report", "{}").await, Ok("2 rows".into()));
    assert_eq!(call("rowClear", "{}").await, Ok(().into()));
    assert_eq!(call("report", "{}").await, Ok("0 rows".into()));
    assert_eq!(AGENT.tools().len(), 5);
}
