use agent_runtime::{agent, toolbox, tools};

struct Db {
    name: std::rc::Rc<str>,
}

#[toolbox(parts = [Writes])]
impl Db {
    /// Finds a row
    #[tool]
    async fn find(&self, id: u64) -> String {
        format!("{}{id}", self.name)
    }
}

#[toolbox(part = Writes)]
impl Db {
    /// Counts the rows
    #[tool]
    fn count(&self) -> usize {
        self.name.len()
    }
}

fn main() {
    let name = "rows".into();
    let _ = tools![..Db { name }];
    let _ = agent! {
        tools: [..Db],
        [clerk:Agent { instruction: "Find rows.", model: "OpenAI/gpt-6-luna" } | find]
    };
}
