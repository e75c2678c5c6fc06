use agent_runtime::toolbox;

use std::cell::RefCell;

struct Db {
    rows: RefCell<Vec<String>>,
}

#[toolbox]
impl Db {
    /// Adds a row
    #[tool]
    async fn add(&self, row: String) {
        self.rows.borrow_mut().push(row);
    }

    /// Counts the rows
    #[tool(inline)]
    fn count(&self) -> usize {
        self.rows.borrow().len()
    }
}

fn main() {}
