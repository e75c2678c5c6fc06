// Names that only values have are compared when the library is made.
use agent_runtime::{tool, tools};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Says what time it is
#[tool]
fn get_time() -> String {
    "noon".to_owned()
}

mod other {
    /// Says the time in another way
    #[agent_runtime::tool]
    pub fn get_time() -> String {
        "noon".to_owned()
    }
}

pub(crate) fn main() {
    let clash = other::get_time {};
    let panic = catch_unwind(AssertUnwindSafe(|| tools![get_time, (clash)])).expect_err("both have one name");
    assert_eq!(
        panic.downcast_ref::<String>().map(String::as_str),
        Some("tools!: two tools are named `getTime`: \"Says what time it is\" and \"Says the time in another way\""),
    );
}
