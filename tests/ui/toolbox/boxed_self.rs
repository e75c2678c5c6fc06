use agent_runtime::toolbox;

struct Db;

#[toolbox]
impl Db {
    /// Closes the database
    #[tool]
    async fn close(self: Box<Self>) {}
}

fn main() {}
