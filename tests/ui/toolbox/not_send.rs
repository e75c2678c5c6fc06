use agent_runtime::toolbox;

struct Db {
    name: std::rc::Rc<str>,
}

#[toolbox]
impl Db {
    /// Finds a row
    #[tool]
    async fn find(&self, id: u64) -> String {
        format!("{}{id}", self.name)
    }

    /// Counts the rows
    #[tool]
    fn count(&self) -> usize {
        self.name.len()
    }
}

fn main() {}
