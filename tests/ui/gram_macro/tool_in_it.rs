use agent_runtime::gram;

fn main() {
    let _ = gram! {
        [sayHello:Tool {description: "Greets"} | (name::Txt)==>(::String)]
    };
}
