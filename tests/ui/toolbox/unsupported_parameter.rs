use agent_runtime::toolbox;

struct Db;
struct Key;

#[toolbox]
impl Db {
    /// Finds a row
    #[tool]
    async fn find(&self, key: Key) -> String {
        let Key = key;
        String::new()
    }
}

fn main() {}
