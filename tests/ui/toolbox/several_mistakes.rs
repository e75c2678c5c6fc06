use agent_runtime::toolbox;

struct Db;

#[toolbox(export = 1)]
impl Db {
    #[tool]
    fn find(&mut self, id: u64) -> String {
        id.to_string()
    }

    /// Lists rows
    #[tool(read_only, destructive)]
    fn list(&self, (from, to): (u64, u64)) -> Vec<u64> {
        vec![from, to]
    }
}

fn main() {}
