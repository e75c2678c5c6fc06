use agent_runtime::gram;

const MISSPELLED: &str = gram! {
    providers: ["Acme"],
    [greeter:Agent {instruction: "Greet.", model: "Acne/large"}]
};
const NO_COMMA: &str = gram! {
    providers: ["Acme"]
    [greeter:Agent {instruction: "Greet.", model: "Acme/large"}]
};
const NO_LIST: &str = gram! {
    providers: "Acme",
    [greeter:Agent {instruction: "Greet.", model: "Acme/large"}]
};
const TWICE: &str = gram! {
    providers: ["Acme"], providers: ["Initech"],
    [greeter:Agent {instruction: "Greet.", model: "Acme/large"}]
};
const NOTHING: &str = gram! { providers: ["Acme"], };

fn main() {}
