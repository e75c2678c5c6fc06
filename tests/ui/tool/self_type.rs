use agent_runtime::tool;

struct Greeter;

impl Greeter {
    /// Makes a greeter
    #[tool]
    fn named(name: String) -> Option<Self> {
        (!name.is_empty()).then_some(Self)
    }
}

fn main() {}
