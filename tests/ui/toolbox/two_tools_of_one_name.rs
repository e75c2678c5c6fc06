use agent_runtime::toolbox;

struct Db;

#[toolbox]
impl Db {
    /// Finds a row
    #[tool]
    fn find(&self, id: u64) -> String {
        id.to_string()
    }

    /// Finds a row by its name
    #[tool(name = "find")]
    fn find_by_name(&self, name: String) -> String {
        name
    }
}

fn main() {}
