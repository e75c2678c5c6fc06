use agent_runtime::toolbox;

struct Db;

#[toolbox]
impl Db {
    fn find(&self, id: u64) -> String {
        id.to_string()
    }
}

fn main() {
    Db.find(1);
}
