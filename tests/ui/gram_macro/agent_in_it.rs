use agent_runtime::gram;

fn main() {
    let _ = gram! {
        (a)-->(b)
        [greeter:Agent {instruction: "Greet.", model: "OpenAi/m"}]
    };
}
