use agent_runtime::toolbox;

struct Db;

#[toolbox]
impl Db {
    /// Finds a row
    #[tool]
    fn find(&self, #[tool(default = "first")] id: u64) -> String {
        id.to_string()
    }
}

fn main() {}
