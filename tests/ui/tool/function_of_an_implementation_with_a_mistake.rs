use agent_runtime::tool;

struct Db;

impl Db {
    #[tool]
    fn find(id: u64) -> String {
        id.to_string()
    }
}

fn main() {
    Db::find(1);
}
