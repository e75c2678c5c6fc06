use agent_runtime::{toolbox, tools};

struct Cache<T>(T);

#[toolbox]
impl<T: ToString> Cache<T> {
    /// Shows what it holds
    #[tool]
    fn show(&self) -> String {
        self.0.to_string()
    }
}

fn main() {
    let _ = tools![..Cache(1)];
    let _ = tools![..Cache(std::rc::Rc::new(1))];
}
