use agent_runtime::tool;

struct Person;

/// Greets somebody
#[tool]
fn greet(person: Person) -> String {
    let Person = person;
    String::new()
}

fn main() {}
