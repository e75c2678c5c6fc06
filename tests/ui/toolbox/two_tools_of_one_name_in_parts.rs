use agent_runtime::toolbox;

struct Db;

#[toolbox(parts = [writes::Writes, Reports])]
impl Db {
    /// Finds a row
    #[tool]
    fn find(&self, id: u64) -> String {
        id.to_string()
    }
}

mod writes {
    use agent_runtime::toolbox;

    #[toolbox(part = Writes)]
    impl super::Db {
        /// Finds or adds a row
        #[tool(name = "find")]
        fn find_or_add(&self, id: u64) -> String {
            id.to_string()
        }

        /// Adds a row
        #[tool]
        fn add(&self, id: u64) {
            let _ = id;
        }
    }
}

#[toolbox(part = Reports)]
impl Db {
    /// Adds a report
    #[tool(name = "add")]
    fn add_report(&self) {}
}

fn main() {}
