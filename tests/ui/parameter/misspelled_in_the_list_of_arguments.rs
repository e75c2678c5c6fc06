use agent_runtime::tool;

/// Greets somebody
///
/// # Arguments
/// * `person_nam` - Who to greet
/// * `loudness` - What is no parameter at all
#[tool]
fn greet(person_name: String) -> String {
    person_name
}

fn main() {}
