//! Types inside functions, modules and macros by example; types with `cfg`.

use agent_runtime::{GramType, tool};
use serde::Deserialize;

macro_rules! record {
    ($name:ident { $($field:ident: $ty:ty),* }) => {
        #[derive(Deserialize, GramType)]
        #[allow(dead_code)]
        pub struct $name {
            $(
                /// A part
                $field: $ty
            ),*
        }
    };
}

record!(Made { a: Option<u8>, b: Vec<String> });

mod deeper {
    use super::*;

    record!(Inner { made: super::Made });
}

#[derive(Deserialize, GramType)]
#[allow(dead_code)]
struct Sometimes {
    always: u8,
    #[cfg(any())]
    never: NoSuchType,
    #[cfg_attr(all(), serde(rename = "renamed"))]
    given: u8,
}

pub(crate) fn main() {
    #[derive(Deserialize, GramType)]
    struct Local {
        inner: deeper::Inner,
        sometimes: Sometimes,
    }

    /// Takes a local type
    #[tool]
    fn take(local: Local) {
        let _ = (local.inner, local.sometimes);
    }

    assert_eq!(
        take::SIGNATURE,
        "(local::Object {fields: [{name: \"inner\", type: \"Object\", fields: [{name: \"made\", type: \"Object\", \
         description: \"A part\", fields: [{name: \"a\", type: \"Int\", optional: true, description: \"A part\"}, \
         {name: \"b\", type: \"Array\", description: \"A part\", elementType: \"Text\"}]}]}, \
         {name: \"sometimes\", type: \"Object\", fields: [{name: \"always\", type: \"Int\"}, \
         {name: \"renamed\", type: \"Int\"}]}]})==>(::Null)"
    );
}
