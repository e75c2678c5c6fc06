use agent_runtime::toolbox;

struct Db;

#[toolbox]
impl Db {
    /// Finds a row
    #[tool(type_name = Find, crate = ::agent_runtime)]
    fn find(&self, id: u64) -> String {
        id.to_string()
    }
}

fn main() {}
