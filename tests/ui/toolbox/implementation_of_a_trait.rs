use agent_runtime::toolbox;

trait Find {
    fn find(&self, id: u64) -> String;
}

struct Db;

#[toolbox]
impl Find for Db {
    /// Finds a row
    #[tool]
    fn find(&self, id: u64) -> String {
        id.to_string()
    }
}

fn main() {}
