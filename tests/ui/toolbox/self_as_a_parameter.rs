use agent_runtime::toolbox;

struct Db;

#[toolbox]
impl Db {
    /// Merges another one
    #[tool]
    fn merge(&self, other: Self) {
        let _ = other;
    }
}

fn main() {}
