use agent_runtime::toolbox;

struct Db;

#[toolbox]
impl Db {
    /// Finds a row
    #[tool(timout = "5s")]
    fn find(&self, id: u64) -> String {
        id.to_string()
    }
}

fn main() {}
