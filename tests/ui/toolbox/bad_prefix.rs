use agent_runtime::toolbox;

struct Db;

#[toolbox(prefix = "my db")]
impl Db {
    /// Finds a row
    #[tool]
    fn find(&self, id: u64) -> String {
        id.to_string()
    }
}

fn main() {}
