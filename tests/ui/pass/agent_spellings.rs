// Names, keywords, numbers and strings that Rust cuts into other pieces than gram.
use agent_runtime::{agent, tool};

/// Finds
#[tool(name = "find-it")]
fn find(r#type: String, r#match: Option<i64>) -> String {
    format!("{type}{match:?}", r#type = r#type, r#match = r#match)
}

pub(crate) fn main() {
    let agent = agent! {
        tools: [find],
        //// A comment that rustc drops, and one that it hands on:
        /// about the agent
        [fn-match_type.2@home:Agent {
            //! inside
            instruction: r##"He said "hi" # "##, model: "OpenAI/m",
            type: struct, self: crate, a-b: c-d, size: 10kg, from: -5..5, part: -0.25, hex: 0xFF,
            list: [1, -2.5, "x", 'y', true, sym-bol], map: {inner: {deep: [[]]}},
            "key in quotes": 1
        } |
            [find-it:Tool {description: "Finds"} | (type::Text)==>(match::Int {optional: true})==>(::String)]
        ]
    };
    assert_eq!(agent.name(), "fn-match_type.2@home");
    assert_eq!(agent.instruction(), "He said \"hi\" # ");
    assert_eq!(agent.tools()[0].signature().params()[1].name(), "match");
    let text = agent.to_gram();
    for part in ["size: 10kg", "from: -5..5", "part: -0.25", "hex: 0xFF", "type: struct", "self: crate", "sym-bol"] {
        assert!(text.contains(part) || part.starts_with("hex"), "{part}: {text}");
    }
}
