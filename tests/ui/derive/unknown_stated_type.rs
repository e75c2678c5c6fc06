use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
struct Person {
    #[gram(type = "{id: Txt}")]
    name: String,
    #[gram(opaque, type = "Text")]
    nick: String,
}

fn main() {}
