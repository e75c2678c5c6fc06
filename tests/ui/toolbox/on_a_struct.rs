use agent_runtime::toolbox;

#[toolbox]
struct Db;

fn main() {}
