use agent_runtime::tool_set;

struct Db;

impl Db {
    fn find(&self) {}
}

tool_set! { ROWS = [Db::find, Files::read] }

fn main() {
    Db.find();
}
