use agent_runtime::toolbox;

struct Cache<T>(T);

#[toolbox(export)]
impl<T: Send + Sync + 'static> Cache<T> {
    /// Says how large it is
    #[tool]
    fn size(&self) -> usize {
        size_of_val(&self.0)
    }
}

fn main() {}
