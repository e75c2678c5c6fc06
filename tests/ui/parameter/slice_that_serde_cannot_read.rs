use agent_runtime::{GramType, tool};

#[derive(GramType)]
struct Person {
    name: String,
}

/// Greets everybody
#[tool]
fn greet(people: &[Person]) -> String {
    people.iter().map(|person| person.name.as_str()).collect()
}

fn main() {}
