use agent_runtime::toolbox;

struct Db;
struct Row;

#[toolbox]
impl Db {
    /// Finds a row
    #[tool]
    async fn find(&self, id: u64) -> Row {
        let _ = id;
        Row
    }
}

fn main() {}
