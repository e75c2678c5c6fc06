use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
#[serde(try_from = "String")]
struct Even {
    number: u64,
}

impl TryFrom<String> for Even {
    type Error = std::num::ParseIntError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Ok(Self { number: text.parse()? })
    }
}

fn main() {}
