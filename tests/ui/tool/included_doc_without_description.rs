use agent_runtime::tool;

#[doc = include_str!("../../../tests/ui/tool/only_a_heading.md")]
#[tool]
fn greet(name: String) -> String {
    name
}

fn main() {}
