use agent_runtime::{GramType, tool};

#[derive(GramType)]
struct Person {
    name: String,
}

/// Greets somebody
#[tool]
fn greet(person: Person) -> String {
    person.name
}

fn main() {}
