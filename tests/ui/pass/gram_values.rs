use agent_runtime::spec::AgentPattern;
use agent_runtime::gram;

const GRAPH: &str = gram! { (ada:Person   {age:36})-[:KNOWS]->(bob) };
static AGENT: &str = gram! {
    [greeter:Agent {instruction: "Greet.", model: "OpenAI/m"} | sayHello]
};
const LITERAL: &str = gram!("// A comment stays.\n(a)  -->  (b)");
const FILE: &str = gram! { file: "gram/good.gram" };
const PROVIDERS: &str = gram! {
    providers: ["Acme", "Initech Two"],
    [greeter:Agent {instruction: "Greet.", model: "Acme/m", fallback: ["Initech Two/m"]}]
};
const PROVIDERS_OF_A_LITERAL: &str =
    gram! { providers: ["Acme"], "[a:Agent {instruction: 'x', model: 'Acme/m'}]" };
const PROVIDERS_AND_A_FILE: &str = gram! { providers: ["Acme"], file: "gram/good.gram" };

macro_rules! node {
    ($name:ident, $label:ident) => {
        gram! { ($name:$label) }
    };
}

pub(crate) fn main() {
    assert_eq!(GRAPH, "(ada:Person {age: 36})-[:KNOWS]->(bob)\n");
    assert_eq!(LITERAL, "// A comment stays.\n(a)-->(b)\n");
    assert_eq!(node!(x, Y), "(x:Y)\n");
    assert!(FILE.contains("sayHello"));
    assert_eq!(PROVIDERS_AND_A_FILE, FILE);
    assert!(AgentPattern::parse_with_providers(PROVIDERS_OF_A_LITERAL, &["Acme"]).is_ok());
    // Every text is the canonical one, and parses.
    for text in [
        GRAPH,
        AGENT,
        LITERAL,
        FILE,
        PROVIDERS,
        PROVIDERS_OF_A_LITERAL,
    ] {
        let formatted = agent_runtime::gram::format::format_source(text);
        assert_eq!(formatted.as_deref(), Ok(text));
    }
    assert!(AgentPattern::parse(gram! {
        [chatter:Agent {instruction: "Chat.", model: "OpenAI/m"}]
    }).is_ok());
}
