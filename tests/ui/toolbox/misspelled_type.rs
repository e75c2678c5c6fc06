use agent_runtime::toolbox;

struct Db;

#[toolbox]
impl Db {
    /// Finds a row
    #[tool]
    fn find(&self, id: Identifer) {
        let _ = id;
    }

    /// Finds rows
    #[tool]
    fn find_all(&self, ids: Vec<Identifer>) {
        let _ = ids;
    }
}

struct Cache<T>(T);

#[toolbox]
impl<T: ToString> Cache<T> {
    /// Finds a row
    #[tool]
    fn find(&self, id: Identifer) {
        let _ = id;
    }

    /// Finds rows
    #[tool]
    fn find_all(&self, ids: Vec<Identifer>) {
        let _ = ids;
    }
}

fn main() {}
