use agent_runtime::agent;

pub(crate) fn main() {
    let greeter = agent! {
        providers: ["Acme", "Initech Two"],
        [greeter:Agent {
            instruction: "Greet.",
            model: "Acme/large",
            fallback: ["Initech Two/a/b", "OpenAI/gpt-6-luna"]
        }]
    };
    assert_eq!(greeter.model().provider(), "Acme");
    let from_a_literal = agent! {
        providers: ["Acme",], exact,
        "[greeter:Agent {instruction: 'Greet.', model: 'Acme/small'}]"
    };
    assert_eq!(from_a_literal.model().id(), "small");
}
