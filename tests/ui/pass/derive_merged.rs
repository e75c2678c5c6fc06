//! Fields of one name in several variants, and types that are deprecated.

#![deny(deprecated)]
#![allow(dead_code)]

use agent_runtime::GramType;
use serde::Deserialize;

#[derive(Deserialize, GramType)]
#[serde(tag = "t")]
enum Kinds {
    A { x: u8, letter: char, #[gram(minimum = 1)] same: u8 },
    B { x: i64, letter: String, #[gram(minimum = 1)] same: u8 },
}

#[deprecated]
#[derive(GramType)]
struct Old {
    #[deprecated]
    a: u8,
}

fn text<T: GramType>() -> String {
    use agent_runtime::spec::{Returns, Signature};
    Signature::new(Vec::new(), Returns::new(T::TYPE.clone())).to_string()
}

fn main() {
    assert_eq!(
        text::<Kinds>(),
        "()==>(::Object {fields: [{name: \"t\", type: \"Text\", enum: [\"A\", \"B\"]}, \
         {name: \"x\", type: \"Int\"}, {name: \"letter\", type: \"Text\"}, \
         {name: \"same\", type: \"Int\", minimum: 1}]})"
    );
}
