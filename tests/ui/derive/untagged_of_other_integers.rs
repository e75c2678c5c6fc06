use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
#[serde(untagged)]
enum Ids {
    Small(Vec<i8>),
    Large(Vec<u32>),
}

#[derive(Deserialize, GramType)]
#[serde(untagged)]
enum Either<A, B> {
    Left { id: A },
    Right { id: B },
}

#[derive(Deserialize, GramType)]
struct Holder {
    ids: Either<u64, i64>,
}

fn main() {}
