use agent_runtime::toolbox;

struct Db<'a> {
    name: &'a str,
}

#[toolbox]
impl<'a> Db<'a> {
    /// Says what it is called
    #[tool]
    fn name(&self) -> String {
        self.name.to_owned()
    }
}

fn main() {}
