use agent_runtime::toolbox;

struct Db {
    rows: Vec<String>,
}

#[toolbox]
impl Db {
    /// Adds a row
    #[tool]
    fn add(self: &mut Self, row: String) {
        self.rows.push(row);
    }
}

fn main() {}
