use agent_runtime::toolbox;

struct Db;

#[toolbox]
impl Db {
    /// Finds a row
    #[tool]
    async fn find(&self, id: u64) -> u64 {
        let id = std::rc::Rc::new(id);
        tokio::task::yield_now().await;
        *id
    }
}

fn main() {}
