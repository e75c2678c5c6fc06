use agent_runtime::toolbox;

struct Db;

#[toolbox]
#[toolbox]
impl Db {
    /// Finds a row
    #[tool]
    #[tool]
    fn find(&self, id: u64) -> String {
        id.to_string()
    }
}

fn main() {}
