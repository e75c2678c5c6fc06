use agent_runtime::toolbox;

struct Db;

#[toolbox(part = Writes, parts = [Reports])]
impl Db {
    /// Adds a row
    #[tool]
    fn add(&self, id: u64) {
        let _ = id;
    }
}

fn main() {}
