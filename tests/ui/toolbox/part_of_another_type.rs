use agent_runtime::toolbox;

struct Db;
struct Files;

#[toolbox(parts = [Writes])]
impl Db {
    /// Finds a row
    #[tool]
    fn find(&self, id: u64) -> String {
        id.to_string()
    }
}

#[toolbox(part = Writes)]
impl Files {
    /// Adds a file
    #[tool]
    fn add(&self, id: u64) {
        let _ = id;
    }
}

fn main() {}
