use agent_runtime::{GramType, agent, tool};

#[derive(serde::Serialize, GramType)]
#[serde(rename_all = "lowercase")]
enum Mood {
    Happy,
}

#[derive(serde::Serialize, GramType)]
struct Person {
    name: String,
    age: u8,
    mood: Mood,
}

fn ada() -> Person {
    Person { name: "Ada".to_owned(), age: 36, mood: Mood::Happy }
}

/// Finds a person
#[tool]
fn find() -> Person {
    ada()
}

/// Lists people
#[tool]
fn list() -> Vec<Person> {
    vec![ada()]
}

/// Counts people
#[tool]
fn count() -> u8 {
    1
}

/// Reads a name
#[tool]
fn read() -> String {
    "Ada".to_owned()
}

/// Weighs people
#[tool]
fn weigh() -> u32 {
    60
}

pub(crate) fn main() {
    // Each function returns only what the agent allows, and less of it or more about it.
    let agent = agent! { tools: [find, list, count, read, weigh], [a:Agent {instruction: "Find.", model: "OpenAI/m"} |
        [find:Tool {description: "Finds a person"} |
            ()==>(::Object {fields: [
                {name: "name", type: "Text"},
                {name: "mood", type: "Text", enum: ["happy", "sad"]},
                {name: "age", type: "Double", minimum: 0, maximum: 255}
            ]})
        ],
        [list:Tool {description: "Lists people"} | ()==>(::Array {elementType: "Object"})],
        [count:Tool {description: "Counts people"} | ()==>(::Int {minimum: 0, optional: true})],
        [read:Tool {description: "Reads a name"} | ()==>(::Any)],
        [weigh:Tool {description: "Weighs people"} | ()==>(::Double)]
    ] };
    assert_eq!(agent.tools().len(), 5);
}
