use agent_runtime::toolbox;

struct Db;

struct Writes;

#[toolbox(parts = [Writes])]
impl Db {
    /// Finds a row
    #[tool]
    fn find(&self, id: u64) -> String {
        id.to_string()
    }
}

fn main() {}
