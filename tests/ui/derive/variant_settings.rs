use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
enum Words {
    #[gram(nonsense)]
    A,
    #[gram(descripton = "The second")]
    B,
}

#[derive(Deserialize, GramType)]
enum Values {
    #[gram(maximum = 9)]
    A(u8),
}

fn main() {}
