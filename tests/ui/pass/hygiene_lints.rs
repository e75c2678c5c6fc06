// A lint that a function allows is allowed in what is made of it: it names the same types.
#![deny(deprecated)]

use agent_runtime::{tool, toolbox, tools};

#[deprecated]
type Old = u8;

/// Takes what is going away
#[tool]
#[allow(deprecated)]
fn old(value: Old) -> Old {
    value
}

struct Shelf;

#[toolbox]
impl Shelf {
    /// Takes what is going away
    #[tool]
    #[expect(deprecated, reason = "it is still sent")]
    fn older(&self, value: Old) -> Old {
        value
    }
}

pub(crate) fn main() {
    assert_eq!(tools![old, ..Shelf].len(), 2);
}
