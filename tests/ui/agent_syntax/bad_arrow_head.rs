use agent_runtime::agent;

fn main() {
    let _ = agent! {
        [t:Tool { description: "d" } | (name::Text)=->(::String)]
    };
}
