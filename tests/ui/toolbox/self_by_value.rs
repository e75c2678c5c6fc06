use agent_runtime::toolbox;

struct Db;

#[toolbox]
impl Db {
    /// Closes the database
    #[tool]
    fn close(self) {}
}

fn main() {}
