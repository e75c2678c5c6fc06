use agent_runtime::toolbox;

struct Db;

#[toolbox]
impl Db {
    /// Finds a row
    #[tool]
    fn find(&self, id: u64) -> String {
        self.read(id)
    }

    fn read(&self, #[tool(default = 1)] id: u64) -> String {
        id.to_string()
    }
}

fn main() {}
