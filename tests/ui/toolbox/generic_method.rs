use agent_runtime::toolbox;

struct Db;

#[toolbox]
impl Db {
    /// Finds a row
    #[tool]
    fn find<K: ToString>(&self, key: K) -> String {
        key.to_string()
    }
}

fn main() {}
