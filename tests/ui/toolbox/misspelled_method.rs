use agent_runtime::{agent, tool_set, toolbox};

struct Db;

#[toolbox(parts = [Writes])]
impl Db {
    /// Finds a row
    #[tool]
    fn find(&self, id: u64) -> String {
        id.to_string()
    }

    fn connect(&self) {}
}

#[toolbox(part = Writes)]
impl Db {
    /// Removes a row
    #[tool]
    fn remove(&self, id: u64) {
        let _ = id;
    }
}

tool_set! { ROWS = [Db::fnd, Db::remove] }

fn main() {
    Db.connect();
    let _ = agent! {
        tools: [Db::find, <Db>::remov, Db::connect],
        [clerk:Agent { instruction: "Find rows.", model: "OpenAI/gpt-6-luna" } | find]
    };
}
