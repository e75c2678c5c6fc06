use agent_runtime::{toolbox, tools};

struct Db {
    inner: u8,
}

#[toolbox]
impl Db {
    /// Finds a row
    #[tool]
    fn find(&self, row: u8) -> u8 {
        row + self.inner
    }
}

struct State {
    db: Db,
    pair: (u8, u8),
}

fn main() {
    let d = Db { inner: 1 };
    let state = State { db: Db { inner: 1 }, pair: (1, 2) };
    let _ = tools![d.find];
    let _ = tools![state.db.find, state.pair];
    let _ = tools![state.pair.0];
}
