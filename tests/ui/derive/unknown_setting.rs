use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
#[gram(opque)]
struct Person {
    #[gram(descripton = "Who it is")]
    name: String,
    #[gram(minLength = 1)]
    nick: String,
}

fn main() {}
