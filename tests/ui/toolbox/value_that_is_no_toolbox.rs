use agent_runtime::tools;

struct Db;

impl Db {
    fn find(&self, id: u64) -> String {
        id.to_string()
    }
}

fn main() {
    Db.find(1);
    let _ = tools![..Db];
}
