use agent_runtime::tool;

struct Person;

/// Greets everybody
#[tool]
fn greet(people: &[Person]) -> usize {
    people.len()
}

fn main() {}
