//! The heart of the product: a type in an agent that is not the function's fails the compilation,
//! on that very token.

use crate::scenario::support::small_crate::{CompileError, SmallCrate};

/// A program whose agent stands in it. `TYPE` is what the tests put in.
const INLINE: &str = r#"use agent_runtime::{Agent, agent, tool, tools};

/// Returns a friendly greeting message for the given name
#[tool]
fn say_hello(person_name: String) -> String {
    format!("Hello, {person_name}! Nice to meet you.")
}

static AGENT: Agent = agent! {
    tools: [say_hello],
    [hello_world_agent:Agent {
        instruction: "Greet the user with the sayHello tool.",
        model: "OpenAI/gpt-6-luna"
    } |
        [sayHello:Tool {description: "Returns a friendly greeting message for the given name"} |
            (personName::TYPE)==>(::String)
        ]
    ]
};

fn main() {
    println!("{} {}", AGENT.name(), tools![say_hello].len());
}
"#;

/// A program whose agent stands in a file, and that file.
const FROM_A_FILE: &str = r#"use agent_runtime::{Agent, agent, tool, tools};

/// Returns a friendly greeting message for the given name
#[tool]
fn say_hello(person_name: String) -> String {
    format!("Hello, {person_name}! Nice to meet you.")
}

static AGENT: Agent = agent! { tools: [say_hello], file: "agents/hello.gram" };

fn main() {
    println!("{} {}", AGENT.name(), tools![say_hello].len());
}
"#;

const FILE: &str = r#"// Greets people.
[hello_world_agent:Agent {
  instruction: "Greet the user with the sayHello tool.",
  model: "OpenAI/gpt-6-luna"
} |
  [sayHello:Tool {description: "Returns a friendly greeting message for the given name"} |
    (personName::TYPE)==>(::String)
  ]
]
"#;

/// The position of `TYPE`: line and column, from 1.
fn place_of_type(text: &str) -> (u64, u64) {
    let numbered = (1..).zip(text.lines());
    let mut found = numbered.filter_map(|(number, line)| Some((number, line.find("TYPE")? + 1)));
    let (line, column) = found.next().expect("a place for a type");
    (line, column as u64)
}

fn the_only(mut errors: Vec<CompileError>) -> CompileError {
    assert_eq!(errors.len(), 1, "{errors:#?}");
    errors.remove(0)
}

fn assert_says(error: &CompileError, parts: &[&str]) {
    for part in parts {
        assert!(error.rendered.contains(part), "{}", error.rendered);
    }
}

#[test]
fn small_crate_with_one_wrong_type() {
    let small = SmallCrate::new("wrong-type-inline", "agent-runtime");
    small.write("src/main.rs", &INLINE.replace("TYPE", "Int"));
    let error = the_only(small.check());
    let (line, column) = place_of_type(INLINE);
    assert_eq!((error.file.as_str(), error.line), ("src/main.rs", line));
    let after = column + "Int".len() as u64;
    assert_eq!(error.columns, (column, after), "{}", error.rendered);
    assert_says(
        &error,
        &[
            "parameter `personName` is `Int` in the agent, but the function takes `Text`",
            "(personName::Int)==>(::String)",
            "(personName::Text)==>(::String)",
        ],
    );

    small.write("src/main.rs", &INLINE.replace("TYPE", "Text"));
    let errors = small.check();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn small_crate_with_one_wrong_type_in_a_file() {
    let small = SmallCrate::new("wrong-type-file", "agent-runtime");
    small.write("src/main.rs", FROM_A_FILE);
    let write = |ty: &str| small.write("agents/hello.gram", &FILE.replace("TYPE", ty));
    write("Int");
    let error = the_only(small.check());
    let (line, column) = place_of_type(FILE);
    assert_says(
        &error,
        &[
            &format!("agents/hello.gram:{line}:{column}"),
            "    (personName::Int)==>(::String)\n",
            "parameter `personName` is `Int` in the agent, but the function takes `Text`",
        ],
    );
    assert!(
        error.message.contains("agents/hello.gram"),
        "{}",
        error.message
    );
    // The mark below the line that is shown stands under the type.
    assert_marked(&error.rendered, "(personName::Int)", "Int");
    // In the program, the error stands on the name of the file.
    let named = FROM_A_FILE.lines().position(|line| line.contains("file:"));
    assert_eq!(error.file, "src/main.rs");
    assert_eq!(error.line, named.expect("a file is named") as u64 + 1);

    write("Text");
    let errors = small.check();
    assert!(errors.is_empty(), "{errors:#?}");
    // Nothing but the file changes, and cargo must notice.
    write("Double");
    let error = the_only(small.check());
    assert_says(&error, &["is `Double` in the agent"]);
}

/// Asserts that the line after the first one that shows `text` marks exactly `part` of it.
fn assert_marked(rendered: &str, text: &str, part: &str) {
    let lines: Vec<&str> = rendered.lines().collect();
    let shown = lines.iter().position(|line| line.contains(text));
    let shown = shown.expect("the line is shown");
    let column = lines[shown].find(text).expect("just found") + text.find(part).expect("a part");
    let mark = lines[shown + 1];
    assert_eq!(mark.find('^'), Some(column), "{rendered}");
    assert_eq!(mark.matches('^').count(), part.len(), "{rendered}");
}

#[test]
fn works_with_a_renamed_dependency() {
    let small = SmallCrate::new("renamed-runtime", "rt");
    let renamed = INLINE
        .replace(
            "use agent_runtime::{Agent, agent, tool, tools};",
            "use rt::{Agent, tool};",
        )
        .replace("#[tool]", "#[tool(crate = rt)]")
        .replace("agent! {", "rt::agent! {")
        .replace("tools![", "rt::tools![");
    assert!(!renamed.contains("agent_runtime"));
    small.write("src/main.rs", &renamed.replace("TYPE", "Text"));
    let errors = small.check();
    assert!(errors.is_empty(), "{errors:#?}");
    // The check itself works under that name too, and is not merely left out.
    small.write("src/main.rs", &renamed.replace("TYPE", "Int"));
    let error = the_only(small.check());
    assert_eq!((error.line, error.columns.0), place_of_type(&renamed));
}
