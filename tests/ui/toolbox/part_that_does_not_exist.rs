use agent_runtime::toolbox;

struct Db;

#[toolbox(parts = [Wrties, Reports])]
impl Db {
    /// Finds a row
    #[tool]
    fn find(&self, id: u64) -> String {
        id.to_string()
    }
}

#[toolbox(part = Writes)]
impl Db {
    /// Adds a row
    #[tool]
    fn add(&self, id: u64) {
        let _ = id;
    }
}

#[toolbox(part = Reports)]
impl Db {
    /// Adds a report
    #[tool]
    fn add_report(&self) {}
}

fn main() {}
