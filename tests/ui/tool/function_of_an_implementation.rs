use agent_runtime::tool;

struct Db;

impl Db {
    /// Finds a row
    #[tool]
    fn find(id: u64) -> String {
        id.to_string()
    }
}

fn main() {
    Db::find(1);
}
