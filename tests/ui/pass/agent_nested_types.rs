use agent_runtime::{agent, tool};
use std::collections::HashMap;

/// Saves people
#[tool]
fn save(people: Vec<HashMap<String, Vec<f64>>>, loud: Option<bool>) -> Vec<Option<i64>> {
    let _ = (people, loud);
    Vec::new()
}

pub(crate) fn main() {
    // Each form says the same type, and an agent may leave out what is optional.
    let list = agent! { tools: [save], [a:Agent {instruction: "Save.", model: "OpenAI/m"} |
        [save:Tool {description: "Saves people"} |
            (people::Array {elementType: {type: "Object", valueType: {type: "Array", elementType: "Double"}}})
                ==>(::Array {elementType: {type: "Int", optional: true}})
        ]
    ] };
    let expression = agent! { tools: [save], exact, [a:Agent {instruction: "Save.", model: "OpenAI/m"} |
        [save:Tool {description: "Saves people"} |
            (people::Array {elementType: "Map [Double]"})==>(loud::Bool {optional: true})
                ==>(::Array {elementType: "Maybe Int"})
        ]
    ] };
    assert_eq!(list.tools()[0].signature().params()[0], expression.tools()[0].signature().params()[0]);
    assert_eq!(save::SIGNATURE, expression.tools()[0].signature().to_string());
}
