use agent_runtime::GramType;
use serde::Deserialize;
use std::marker::PhantomData;

#[derive(Deserialize, GramType)]
struct Order<T> {
    name: String,
    nothing: (),
    of: PhantomData<T>,
}

fn main() {}
