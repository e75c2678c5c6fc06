use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
struct Person {
    #[gram(enum = [])]
    name: String,
    friends: Vec<Person>,
    #[gram(type = "Texts")]
    nick: String,
}

/// Uses the type, which is not reported again
#[agent_runtime::tool]
fn greet(person: Person) -> String {
    person.name + &person.nick + &person.friends.len().to_string()
}

fn main() {}
