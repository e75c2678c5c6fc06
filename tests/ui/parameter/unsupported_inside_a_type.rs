use agent_runtime::tool;

struct Person;

/// Greets everybody
#[tool]
async fn greet(people: Option<Vec<Person>>) -> usize {
    people.map_or(0, |people| people.len())
}

fn main() {}
