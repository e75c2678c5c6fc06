use agent_runtime::toolbox;

struct Db;

#[toolbox]
impl Db {
    /// Finds a row
    #[tool]
    fn find(&self, id: u64) -> String {
        id.to_string()
    }
}

#[toolbox]
impl Db {
    /// Adds a row
    #[tool]
    fn add(&self, id: u64) {
        let _ = id;
    }
}

fn main() {}
